//! Every example does what it says: found by reading the directory, so that none is forgotten.

use std::path::{Path, PathBuf};

use crate::cli::{Workspace, package};
use crate::harness::{Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let root = package().join("examples");
    let mut examples = vec![root.join("provider")];
    for kind in ["data-sources", "resources", "functions", "scenarios"] {
        examples.extend(directories(&root.join(kind)));
    }
    let run = |example: PathBuf| {
        let name = example.strip_prefix(&root).expect("it lies below").display().to_string();
        test(format!("examples::{}", name.replace('\\', "/")), move || check(&example))
    };
    let mut tests: Vec<_> = examples.into_iter().map(run).collect();
    tests.push(test("examples::are_formatted", are_formatted));
    tests.push(test("examples::the_usual_ones_are_there", move || {
        let names = directories(&root.join("scenarios"));
        assert!(names.iter().any(|it| it.ends_with("quickstart")), "{names:?}");
    }));
    tests
}

/// The directories in a directory, in order; none if it is not there.
fn directories(parent: &Path) -> Vec<PathBuf> {
    let entries = parent.read_dir().into_iter().flatten();
    let mut found: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// The life of a configuration: validate, plan, apply, plan again, test, destroy.
fn check(example: &Path) {
    let workspace = Workspace::copy_of(example);
    workspace.must(&["validate", "-no-color"]);
    let said = workspace.plan_diagnostics();
    assert!(said.is_empty(), "an example has nothing to warn of: {said:#?}");
    workspace.must(&["apply", "-auto-approve", "-no-color"]);
    workspace.must_have_nothing_to_do();
    if has_test(example) {
        let report = workspace.must(&["test", "-no-color"]);
        assert!(report.contains("Success!") && !report.contains("Success! 0 passed"), "{report}");
    } else {
        assert!(!is_scenario(example), "a scenario has a .tftest.hcl");
    }
    workspace.must(&["destroy", "-auto-approve", "-no-color"]);
}

fn has_test(example: &Path) -> bool {
    let mut entries = example.read_dir().expect("a directory").map(|entry| entry.expect("an entry"));
    entries.any(|entry| entry.file_name().to_string_lossy().ends_with(".tftest.hcl"))
}

fn is_scenario(example: &Path) -> bool {
    example.parent().is_some_and(|parent| parent.ends_with("scenarios"))
}

fn are_formatted() {
    // In a workspace that knows nothing of the package, so only its own environment counts.
    let examples = package().join("examples");
    let examples = examples.to_str().expect("a path in Unicode");
    Workspace::of("").must(&["fmt", "-check", "-diff", "-recursive", examples]);
}
