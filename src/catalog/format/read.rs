//! Text of an add-on -> [`Addon`].

use std::collections::BTreeMap;

use serde_json::Map;

use super::cells::{self, read_kubernetes, read_list, read_runs};
use super::error::FormatError;
use crate::catalog::addon::{Addon, VersionFacts};
use crate::catalog::surface::{Row, Surface};
use crate::domain::{AddonVersion, KubernetesVersion, VersionRun};

/// A line of the text and its index, from 0.
type Line<'a> = (usize, &'a str);

/// Reads the text of one add-on.
pub(in crate::catalog) fn read(text: &str) -> Result<Addon, FormatError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut value = |key| header(lines.next(), key).map(str::to_owned);
    let (name, addon_type) = (value("addon")?, value("type")?);
    let (publisher, owner, namespace) = (value("publisher")?, value("owner")?, value("namespace")?);
    title(lines.next(), "versions")?;
    let mut versions = Vec::new();
    let mut end = None;
    for line in lines.by_ref() {
        if !line.1.starts_with('v') || line.1 == "versions" {
            end = Some(line);
            break;
        }
        versions.push(version(line)?);
    }
    title(end, "schema")?;
    let (mut drafts, mut rows) = (Vec::new(), Vec::new());
    for line in lines {
        if line.1.starts_with('/') { rows.push(row(line)?) } else { drafts.push(draft(line)?) }
    }
    let mut listed: Vec<AddonVersion> = versions.iter().map(|facts| facts.version).collect();
    listed.sort_unstable();
    let surface = Surface::new(listed, drafts, rows);
    Ok(Addon { name, addon_type, publisher, owner, namespace, versions, surface })
}

/// The value of a line `key  value`.
pub(in crate::catalog) fn header<'a>(line: Option<Line<'a>>, key: &str) -> Result<&'a str, FormatError> {
    let (index, text) = line.unwrap_or((0, ""));
    match cells::split(text, 2).as_slice() {
        [own, value] if *own == key => Ok(value),
        _ => Err(FormatError::Line {
            line: index + 1,
            found: text.to_owned(),
            expected: format!("{key} and its value"),
        }),
    }
}

fn title(line: Option<Line<'_>>, title: &str) -> Result<(), FormatError> {
    let (index, text) = line.unwrap_or((0, ""));
    let right = text == title;
    right.then_some(()).ok_or_else(|| FormatError::Line {
        line: index + 1,
        found: text.to_owned(),
        expected: title.to_owned(),
    })
}

/// The cells of a line, at least `least` and at most `N` of them; missing ones are empty.
fn row_cells<const N: usize>((index, text): Line<'_>, least: usize) -> Result<[&str; N], FormatError> {
    let found = cells::split(text, N);
    if found.len() < least {
        return Err(FormatError::Cells { line: index + 1, found: found.len(), expected: least });
    }
    let mut row = [""; N];
    row[..found.len()].copy_from_slice(&found);
    Ok(row)
}

fn bad(index: usize, found: &str, expected: &'static str) -> FormatError {
    FormatError::Cell { line: index + 1, found: found.to_owned(), expected }
}

fn version(line: Line<'_>) -> Result<VersionFacts, FormatError> {
    let [version, kubernetes, default_for, architectures, compute_types, flags, platforms] =
        row_cells(line, 7)?;
    let minors = |cell| read_kubernetes(cell).ok_or_else(|| bad(line.0, cell, "Kubernetes versions"));
    let (mut requires_configuration, mut requires_iam_permissions) = (false, false);
    for flag in read_list(flags) {
        match flag.as_str() {
            "configuration" => requires_configuration = true,
            "iam" => requires_iam_permissions = true,
            _ => return Err(bad(line.0, flags, "configuration, iam, both or -")),
        }
    }
    Ok(VersionFacts {
        version: version.parse().map_err(|_| bad(line.0, version, "an add-on version"))?,
        kubernetes: minors(kubernetes)?,
        default_for: minors(default_for)?,
        architectures: read_list(architectures),
        compute_types: read_list(compute_types),
        platform_versions: read_platforms(platforms)
            .ok_or_else(|| bad(line.0, platforms, "1.21=eks.9+ and the like, or -"))?,
        requires_configuration,
        requires_iam_permissions,
    })
}

fn read_platforms(cell: &str) -> Option<BTreeMap<KubernetesVersion, Vec<String>>> {
    let mut platforms: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for member in read_list(cell) {
        let (kubernetes, platform) = member.split_once('=')?;
        platforms.entry(kubernetes.parse().ok()?).or_default().push(platform.to_owned());
    }
    Some(platforms)
}

fn draft(line: Line<'_>) -> Result<(String, Vec<VersionRun>), FormatError> {
    let [title, uri, runs] = row_cells(line, 3)?;
    if title != "draft" {
        return Err(bad(line.0, title, "draft, or a path"));
    }
    Ok((uri.to_owned(), read_runs(runs).ok_or_else(|| bad(line.0, runs, "runs of versions"))?))
}

fn row(line: Line<'_>) -> Result<Row, FormatError> {
    let [path, types, keys, runs, keywords] = row_cells(line, 4)?;
    let keywords = match keywords {
        "" => Map::new(),
        json => serde_json::from_str(json).map_err(|_| bad(line.0, json, "keywords of JSON Schema"))?,
    };
    Ok(Row {
        path: path.to_owned(),
        types: types.split('|').filter(|kind| *kind != "-").map(str::to_owned).collect(),
        closed: match keys {
            "closed" => true,
            "-" => false,
            _ => return Err(bad(line.0, keys, "closed or -")),
        },
        runs: read_runs(runs).ok_or_else(|| bad(line.0, runs, "runs of versions"))?,
        keywords,
    })
}
