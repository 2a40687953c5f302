//! Texts and what they say, or why they say nothing.

use proptest::prelude::*;

use super::{DocumentError, MAX_BYTES, MAX_DEPTH, Note, canonical, parse};

/// Compares the canonical value of a text, or its error, with what is expected.
fn check(text: &str, expect: &str) {
    let got = match parse(text) {
        Ok(document) => canonical(&document.value),
        Err(error) => error.to_string(),
    };
    assert_eq!(got, expect, "of {text:?}");
}

fn notes(text: &str) -> String {
    let document = parse(text).expect("a document");
    let notes: Vec<_> = document.notes.iter().map(Note::to_string).collect();
    notes.join("\n")
}

#[test]
fn both_languages_say_the_same() {
    for (text, expect) in [
        ("", "null"),
        (" \n", "null"),
        ("null", "null"),
        ("# nothing but a comment\n", "null"),
        ("---\n...\n", "null"),
        ("{}", "{}"),
        ("\u{feff}{\"a\": 1}", r#"{"a":1}"#),
        (r#"{"b": [1, true, null], "a": {"x": "é\n"}}"#, r#"{"a":{"x":"é\n"},"b":[1,true,null]}"#),
        ("b:\n- 1\n- true\n-\na: {x: \"é\\n\"}\n", r#"{"a":{"x":"é\n"},"b":[1,true,null]}"#),
        ("{a: b, c: [d]}", r#"{"a":"b","c":["d"]}"#),
        ("\"a\": 1\n", r#"{"a":1}"#),
        ("[a, b]", r#"["a","b"]"#),
        ("a: |\n  two\n  lines\n", r#"{"a":"two\nlines\n"}"#),
        ("1: x\ntrue: y\n1.0: z\n", r#"{"1":"x","1.0":"z","true":"y"}"#),
        ("a: 'true'\nb: \"1\"\n", r#"{"a":"true","b":"1"}"#),
        ("\"<<\": 1\n", r#"{"<<":1}"#),
        ("--- {a: 1}\n...\n", r#"{"a":1}"#),
    ] {
        check(text, expect);
    }
}

#[test]
fn plain_scalars_follow_the_core_schema() {
    for (text, expect) in [
        ("True", "true"),
        ("FALSE", "false"),
        ("tRUE", r#""tRUE""#),
        ("~", "null"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("0o8", r#""0o8""#),
        ("0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"),
        (
            "0x100000000000000000000000000000000",
            "0x100000000000000000000000000000000 at line 1, column 1 has no spelling in JSON: expected a finite number",
        ),
        ("017", "17"),
        ("+12", "12"),
        ("-0", "0"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1e", r#""1e""#),
        (".", r#"".""#),
        ("-", "[null]"),
        ("1.2.3", r#""1.2.3""#),
        ("12:30", r#""12:30""#),
        ("no", r#""no""#),
        ("2024-01-01", r#""2024-01-01""#),
        (".inf", ".inf at line 1, column 1 has no spelling in JSON: expected a finite number"),
        ("a: -.INF", "-.INF at line 1, column 4 has no spelling in JSON: expected a finite number"),
        (".NaN", ".NaN at line 1, column 1 has no spelling in JSON: expected a finite number"),
        ("1e9999", "1e9999"),
        ("!!str 1", r#""1""#),
        ("! 1", r#""1""#),
        ("!!int 1", "1"),
        ("!!float 1", "1"),
        ("!!null ''", "null"),
        ("!!seq []", "[]"),
    ] {
        check(text, expect);
    }
}

#[test]
fn numbers_have_one_spelling_and_keep_their_digits() {
    for (text, expect) in [
        ("1.0", "1"),
        ("1e3", "1000"),
        ("1E+3", "1000"),
        ("1.50", "1.5"),
        ("-0.0", "0"),
        ("100", "100"),
        ("12.5e1", "125"),
        ("1e-3", "0.001"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("1.25e-9", "1.25e-9"),
        ("1e40", "10000000000000000000000000000000000000000"),
        ("1e41", "1e41"),
        ("12e999", "1.2e1000"),
        (
            "123456789012345678901234567890.12345678901234567890",
            "123456789012345678901234567890.1234567890123456789",
        ),
        ("18446744073709551617", "18446744073709551617"),
    ] {
        check(text, expect);
        check(&format!("[{text}]"), &format!("[{expect}]"));
        assert_eq!(notes(&format!("[{text}]")), "", "{text} must be read as JSON");
    }
    // Nothing is computed with an exponent beyond 64 bits.
    check("[1e999999999, 10E99999999999999999999]", "[1e999999999,10e+99999999999999999999]");
}

#[test]
fn doubtful_texts_are_refused_with_their_place() {
    for (text, expect) in [
        (
            "{\"a\": 1,\n \"a\": 2}",
            "the key \"a\" appears again at line 2, column 4: expected each key of an object once",
        ),
        (
            "{\"x\": {\"a\": 1, \"\\u0061\": 2}}",
            "the key \"a\" appears again at line 1, column 23: expected each key of an object once",
        ),
        (
            "x:\n  a: 1\n  \"a\": 2\n",
            "the key \"a\" appears again at line 3, column 3: expected each key of an object once",
        ),
        (
            "1: x\n\"1\": y\n",
            "the key \"1\" appears again at line 2, column 1: expected each key of an object once",
        ),
        ("a: 1\n---\nb: 2\n", "a second YAML document begins at line 2, column 1: expected one"),
        ("{\"a\": 1}\n---\n{}\n", "a second YAML document begins at line 2, column 1: expected one"),
        ("? [a]\n: 1\n", "a list stands as a key at line 1, column 3: expected a text"),
        ("{{ values }}", "a mapping stands as a key at line 1, column 2: expected a text"),
        ("~: 1\n", "null stands as a key at line 1, column 1: expected a text"),
        ("a: &x [1]\n*x : 1\n", "a list stands as a key at line 2, column 1: expected a text"),
        (
            "a: &x {b: 1}\nc:\n  <<: *x\n",
            "a merge key (<<) stands at line 3, column 3: YAML 1.2 has none, expected the merged keys written out",
        ),
        (
            "a: !Ref b",
            "the tag !Ref stands on \"b\" at line 1, column 4: expected no tag, or one of YAML's core schema (!!str, !!int, !!float, !!bool, !!null, !!seq, !!map) that fits",
        ),
        (
            "a: !!int b",
            "the tag !!int stands on \"b\" at line 1, column 4: expected no tag, or one of YAML's core schema (!!str, !!int, !!float, !!bool, !!null, !!seq, !!map) that fits",
        ),
        (
            "a: &x [*x]",
            "an alias stands inside the value it repeats at line 1, column 8: expected it after that value",
        ),
        ("{\"a\": 1 \"b\": 2}", "invalid JSON at line 1, column 9: expected `,` or `}`"),
        ("{\"a\": [1, 2}", "invalid JSON at line 1, column 12: expected `,` or `]`"),
        ("{", "invalid JSON at line 1, column 1: EOF while parsing an object"),
        ("a: b: c\n", "invalid YAML at line 1, column 5: mapping values are not allowed in this context"),
        ("a: *x\n", "invalid YAML at line 1, column 4: while parsing node, found unknown anchor"),
    ] {
        check(text, expect);
    }
}

#[test]
fn aliases_repeat_within_limits() {
    check("a: &x {b: [1]}\nc: *x\n", r#"{"a":{"b":[1]},"c":{"b":[1]}}"#);
    check("a: &x key\n*x : 1\n", r#"{"a":"key","key":1}"#);
    let lists = (1..10).map(|level| {
        let line = vec![format!("*a{}", level - 1); 10];
        format!("- &a{level} [{}]\n", line.join(","))
    });
    let bomb = format!("- &a0 [lol]\n{}", lists.collect::<String>());
    assert!(matches!(parse(&bomb), Err(DocumentError::TooManyAliases { .. })));
    let long = format!("- &a {}\n{}", "x".repeat(1024 * 1024), "- *a\n".repeat(100));
    assert!(matches!(parse(&long), Err(DocumentError::TooManyAliases { .. })));
    let deep = format!("- &a {}\n- {}", nested("[", "]", 60), nested("[", "]", 60).replace("[]", "[*a]"));
    assert!(matches!(parse(&deep), Err(DocumentError::TooDeep { .. })));
}

fn nested(open: &str, close: &str, levels: usize) -> String {
    format!("{}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn depth_and_length_end_in_an_error() {
    assert!(parse(&nested("[", "]", MAX_DEPTH)).is_ok());
    for levels in [MAX_DEPTH + 1, 200, 1_000_000] {
        for text in [
            nested("[", "]", levels),
            nested("{\"a\":", "}", levels),
            nested("[a, ", "]", levels),
            "- ".repeat(levels),
            "[".repeat(levels),
        ] {
            assert!(matches!(parse(&text), Err(DocumentError::TooDeep { .. })), "{}", &text[..40]);
        }
    }
    let long = " ".repeat(MAX_BYTES + 1);
    check(&long, "the text has 10485761 bytes: expected at most 10485760");
}

#[test]
fn what_yaml_1_1_reads_otherwise_is_told() {
    assert_eq!(notes("a: 'no'\nb: [true, nO, x, 10, 0]\n"), "");
    assert_eq!(notes("{\"a\": \"no\"}"), "");
    let document = parse("a: [x, no]\non: Off\n").expect("YAML");
    let boolean = |path: &[&str], text: &str| Note::Yaml11Boolean {
        path: path.iter().map(ToString::to_string).collect(),
        text: text.to_owned(),
    };
    assert_eq!(document.notes, [boolean(&["a", "1"], "no"), boolean(&["on"], "on"), boolean(&["on"], "Off")]);
    for text in ["0777", "0b11", "0o17", "1_000", "1:30", "-12:30:59", "0o9"] {
        assert!(notes(text).starts_with("the document: `"), "{text}");
    }
    for text in ["0", "7", "08", "0x1f", "1:60", "a:1", "_", "1.5", "::1"] {
        assert_eq!(notes(text), "", "{text}");
    }
    assert_eq!(
        notes("{\"a\": tru}"),
        "the text looks like JSON but was read as YAML: as JSON, expected ident at line 1, column 10"
    );
}

proptest! {
    #[test]
    fn any_text_ends_in_a_value_or_an_error(parts in prop::collection::vec(prop::sample::select(PARTS), 0..24)) {
        if let Ok(document) = parse(&parts.concat()) {
            let text = canonical(&document.value);
            let again = parse(&text).expect("canonical JSON");
            prop_assert!(again.notes.is_empty());
            prop_assert_eq!(canonical(&again.value), text);
        }
    }
}

/// What the grammars of JSON and YAML turn on, and texts that begin or end within it.
const PARTS: &[&str] = &[
    "a", "é", "1", "0x", "1e5", ".inf", "no", "~", "{", "}", "[", "]", ":", ",", "?", "- ", " ", "  ", "\n",
    "\t", "\r", "&a ", "*a", "!t ", "!!str ", "\"", "'", "|", "> ", "#", "%", "---", "...", "<<", "\u{feff}",
    "@", "`", "\\",
];
