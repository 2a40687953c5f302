//! What stands in a cell: lists, ranges of Kubernetes versions, runs of add-on versions. `-` is nothing.

use crate::domain::{AddonVersion, KubernetesVersion, VersionRun};

/// Splits a line at two or more spaces into at most `most` cells; the last one takes the rest.
pub(super) fn split(line: &str, most: usize) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut rest = line.trim_end();
    while !rest.is_empty() {
        let end = if cells.len() + 1 < most { rest.find("  ") } else { None };
        let (cell, after) = rest.split_at(end.unwrap_or(rest.len()));
        cells.push(cell);
        rest = after.trim_start_matches(' ');
    }
    cells
}

/// The members of a list. The cell is one line of its own: `-` is the empty list.
fn members(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(',').filter(|member| *member != "-")
}

pub(super) fn read_list(cell: &str) -> Vec<String> {
    members(cell).map(str::to_owned).collect()
}

pub(super) fn write_list(list: &[String]) -> String {
    if list.is_empty() { "-".to_owned() } else { list.join(",") }
}

/// `1.25,1.27-1.29`
pub(in crate::catalog) fn read_kubernetes(cell: &str) -> Option<Vec<KubernetesVersion>> {
    let mut versions = Vec::new();
    for range in members(cell) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let last: KubernetesVersion = last.parse().ok()?;
        let mut version: KubernetesVersion = first.parse().ok()?;
        if (version.major, version.minor) > (last.major, last.minor) || version.major != last.major {
            return None;
        }
        while version <= last {
            versions.push(version);
            version = version.next();
        }
    }
    Some(versions)
}

pub(in crate::catalog) fn write_kubernetes(versions: &[KubernetesVersion]) -> String {
    let ranges = versions.chunk_by(|one, next| one.next() == *next).map(|range| match range {
        [one] => one.to_string(),
        range => format!("{}-{}", range[0], range[range.len() - 1]),
    });
    write_list(&ranges.collect::<Vec<_>>())
}

/// `v1..v2,v3,v4..`: an end left out is the end of the list of versions, and `*` leaves out both.
pub(super) fn read_runs(cell: &str) -> Option<Vec<VersionRun>> {
    let end = |text: &str| match text {
        "" => Some(None),
        text => text.parse::<AddonVersion>().ok().map(Some),
    };
    let runs = members(cell).map(|run| match run.split_once("..") {
        _ if run == "*" => Some(VersionRun { first: None, last: None }),
        Some((first, last)) => Some(VersionRun { first: end(first)?, last: end(last)? }),
        None => {
            let only = run.parse().ok()?;
            Some(VersionRun { first: Some(only), last: Some(only) })
        }
    });
    runs.collect()
}

pub(super) fn write_runs(runs: &[VersionRun]) -> String {
    let end = |version: Option<AddonVersion>| version.map(|version| version.to_string()).unwrap_or_default();
    let runs = runs.iter().map(|run| match (run.first, run.last) {
        (None, None) => "*".to_owned(),
        (Some(first), Some(last)) if first == last => first.to_string(),
        (first, last) => format!("{}..{}", end(first), end(last)),
    });
    write_list(&runs.collect::<Vec<_>>())
}
