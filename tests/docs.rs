//! What the README promises about findings is what the code says: codes, meanings and which can be ignored.

use eksaddon::domain::Code;
use eksaddon::domain::finding::Silence;

/// The rows `| `code` | meaning |` of the README's table of findings.
fn documented() -> Vec<(String, bool, String)> {
    let readme = include_str!("../README.md");
    let rows = readme.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [_, code, meaning, _] = cells.as_slice() else { return None };
        let (code, mark) = code.strip_prefix('`')?.split_once('`')?;
        Some((code.to_owned(), mark.contains('*'), (*meaning).to_owned()))
    });
    rows.filter(|(code, ..)| code.contains('-') || Code::ALL.iter().any(|it| it.as_str() == *code)).collect()
}

#[test]
fn the_table_of_findings_is_that_of_the_code() {
    let mut expect: Vec<_> = Code::ALL
        .iter()
        .map(|code| {
            (code.as_str().to_owned(), code.silence() == Silence::Impossible, code.meaning().to_owned())
        })
        .collect();
    expect.sort();
    assert_eq!(documented(), expect, "README.md, \"What is checked\"");
}
