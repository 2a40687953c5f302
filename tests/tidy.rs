//! What a reviewer would have to look for in every file: layers, heads, lengths, leftovers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which modules of the crate a module may name beside itself; docs/architecture.md says why.
const LAYERS: [(&str, &str); 12] = [
    ("domain", ""),
    ("document", ""),
    ("tf", ""),
    ("catalog", "domain document"),
    ("resolve", "domain catalog"),
    ("schedule", "domain"),
    ("render", "domain schedule"),
    ("validate", "domain schedule"),
    ("scheduling", "domain document catalog resolve schedule render validate"),
    ("config", "tf domain document"),
    ("provider", "tf domain document catalog resolve schedule render validate scheduling config"),
    // Serves any provider in the terms of `tf`; knows nothing of add-ons.
    ("plugin", "tf"),
];

/// Longer files are read by nobody.
const LINES: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below some paths of the package, with its name from there; paths may be missing.
fn files(below: &[&str]) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> = below.iter().map(|path| root().join(path)).collect();
    let mut files = Vec::new();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = path.read_dir().expect("a directory").map(|entry| entry.expect("an entry").path());
            // What Terraform leaves behind is not tracked.
            paths.extend(entries.filter(|path| !is_hidden(path)));
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let name = path.strip_prefix(root()).expect("it lies below").to_string_lossy();
            files.push((name.replace('\\', "/"), text));
        }
    }
    files.sort();
    files
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn rust_files() -> Vec<(String, String)> {
    let mut files = files(&["src", "tests", "benches", "build.rs"]);
    files.retain(|(name, _)| name.ends_with(".rs"));
    assert!(files.len() > 50, "only {} files found", files.len());
    files
}

/// Code without comments, which may name what they like.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code))
}

/// The modules that code names as `crate::a`, or in the braces of `crate::{a, b::c}`.
fn named_modules(text: &str) -> BTreeSet<String> {
    let code: String = code(text).collect::<Vec<_>>().join("\n");
    let mut named = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let list = match after.strip_prefix('{') {
            Some(list) => top_level(list),
            None => vec![after],
        };
        let word = |item: &str| -> String {
            item.trim_start().chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect()
        };
        named.extend(list.into_iter().map(word).filter(|word| !word.is_empty()));
    }
    named
}

/// The items of a list in braces, up to the brace that ends it; inner braces stay together.
fn top_level(list: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, it) in list.char_indices() {
        match it {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => {
                items.push(&list[start..at]);
                return items;
            }
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// Tests may use whatever is at hand; only the product has layers.
fn is_test(name: &str) -> bool {
    name.ends_with("tests.rs") || name.contains("/tests/")
}

#[test]
fn modules_name_only_those_below_them() {
    let layers: BTreeMap<_, BTreeSet<_>> =
        LAYERS.map(|(module, below)| (module, below.split_whitespace().collect())).into();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, text) in files(&["src"]) {
        let Some((module, _)) = name.strip_prefix("src/").and_then(|rest| rest.split_once(['/', '.'])) else {
            continue;
        };
        if is_test(&name) || ["main", "lib", "cli", "bin"].contains(&module) {
            continue;
        }
        let Some(below) = layers.get(module) else {
            wrong.push(format!("{name}: the module {module} has no layer"));
            continue;
        };
        seen.insert(module.to_owned());
        for other in named_modules(&text) {
            // Names that are no module stand for items of the crate's root, such as macros.
            let is_module = layers.contains_key(other.as_str());
            if is_module && other != module && !below.contains(other.as_str()) {
                wrong.push(format!("{name}: {module} must not name {other}"));
            }
        }
    }
    let missing: Vec<_> = layers.keys().filter(|module| !seen.contains(**module)).collect();
    assert!(missing.is_empty(), "no such modules: {missing:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_of_modules_are_found() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(named_modules(text).iter().map(String::as_str).collect::<Vec<_>>(), expect, "{text}");
    };
    check("use crate::tf::{Path, Value};", &["tf"]);
    check(
        "use crate::{\n    config::{a, b},\n    tf,\n};\nlet x = crate::domain::nearest();",
        &["config", "domain", "tf"],
    );
    check("// crate::plugin\nuse super::x;", &[]);
    check("pub(in crate::render) fn x() {}", &["render"]);
}

#[test]
fn every_file_says_what_it_is_for() {
    let bare: Vec<_> = rust_files().into_iter().filter(|(_, text)| !text.starts_with("//! ")).collect();
    let names: Vec<_> = bare.iter().map(|(name, _)| name).collect();
    assert!(names.is_empty(), "must open with a line that begins with `//! `: {names:?}");
}

#[test]
fn no_file_is_long() {
    let long: Vec<_> = rust_files()
        .into_iter()
        .map(|(name, text)| (name, text.lines().count()))
        .filter(|(_, lines)| *lines > LINES)
        .collect();
    assert!(long.is_empty(), "longer than {LINES} lines: {long:?}");
}

/// The environment is read once and handed on, so that a test can say what it is.
#[test]
fn only_main_reads_the_environment() {
    let mut wrong = Vec::new();
    for (name, text) in files(&["src"]) {
        let reads = code(&text).any(|line| line.contains("env::var") || line.contains("env::set_var"));
        if reads && name != "src/main.rs" {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "read the environment: {wrong:?}");
}

#[test]
fn nothing_is_left_over() {
    // In two parts, so that this file may hold them.
    let words = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["unimplemented", "!"],
        ["todo", "!"],
        ["dbg", "!("],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["/wo", "rk/"],
    ];
    let words = words.map(|parts| parts.concat());
    let mut wrong = Vec::new();
    let mut tracked =
        vec!["src", "tests", "benches", "build.rs", "catalog", "docs", "examples", "proto", "scripts"];
    tracked.extend([
        "Cargo.toml",
        "Makefile",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        ".ci",
        ".github",
    ]);
    for (name, text) in files(&tracked) {
        for (number, line) in text.lines().enumerate() {
            for word in words.iter().filter(|word| line.contains(word.as_str())) {
                wrong.push(format!("{name}:{}: {word}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_scenario_asserts_something() {
    let mut scenarios: BTreeMap<String, bool> = BTreeMap::new();
    for (name, text) in files(&["examples/scenarios"]) {
        let scenario = name.split('/').nth(2).expect("a directory").to_owned();
        let asserts = name.ends_with(".tftest.hcl") && text.contains("assert {");
        *scenarios.entry(scenario).or_default() |= asserts;
    }
    assert!(!scenarios.is_empty());
    scenarios.retain(|_, asserts| !*asserts);
    assert!(scenarios.is_empty(), "without a .tftest.hcl that asserts something: {scenarios:?}");
}

#[test]
fn what_is_known_of_components_is_of_an_add_on_of_the_catalog() {
    let stems = |directory: &str, ending: &str| -> BTreeSet<String> {
        let prefix = format!("{directory}/");
        let names = files(&[directory]).into_iter();
        names
            .filter_map(|(name, _)| Some(name.strip_prefix(&prefix)?.strip_suffix(ending)?.to_owned()))
            .collect()
    };
    let (known, snapshots) = (stems("catalog/components", ".yaml"), stems("catalog/snapshot", ".txt"));
    assert!(!known.is_empty() && known.is_subset(&snapshots), "{known:?} in {snapshots:?}");
}
