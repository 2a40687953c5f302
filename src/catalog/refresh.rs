//! The maintainer's way from recorded API answers to the texts of the catalog. Pure: texts in, texts out.

mod error;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::addon::{Addon, VersionFacts};
use super::format;
use super::source::Source;
use super::surface::{Row, Surface};
use crate::domain::version::NotAVersion;
use crate::domain::{AddonVersion, KubernetesVersion, VersionRun};

pub use error::RefreshError;

/// The keywords of JSON Schema that a row may carry besides its own fields. A keyword that is new here
/// may change what a schema accepts, so a maintainer has to look at it.
const KEYWORDS: [&str; 27] = [
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependencies",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "propertyNames",
    "required",
    "then",
    "uniqueItems",
];

/// A file of the catalog: its path within the directory, and its text.
pub type File = (String, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddonInput {
    #[serde(rename = "type")]
    addon_type: String,
    publisher: String,
    owner: String,
    default_namespace: String,
    versions: Vec<VersionInput>,
}

/// Sets, where the order of AWS's lists means nothing and varies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionInput {
    version: String,
    architecture: BTreeSet<String>,
    compute_types: BTreeSet<String>,
    kubernetes: BTreeSet<String>,
    default_for: BTreeSet<String>,
    platform_versions: Option<BTreeMap<String, Vec<String>>>,
    requires_configuration: bool,
    requires_iam_permissions: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SurfaceInput {
    drafts: BTreeMap<String, Vec<(String, String)>>,
    version_order: Vec<String>,
    rows: Vec<Map<String, Value>>,
}

/// Makes the files of the catalog: `SOURCE` and one text per add-on. The Kubernetes versions of
/// `source` are counted anew.
///
/// # Errors
/// The first thing in the inputs that would be lost or misread.
pub fn files(versions: &str, surface: &str, source: &Source) -> Result<Vec<File>, RefreshError> {
    let read =
        |input| move |error: serde_json::Error| RefreshError::Input { input, message: error.to_string() };
    let addons: BTreeMap<String, AddonInput> = serde_json::from_str(versions).map_err(read("versions"))?;
    let mut surfaces: BTreeMap<String, SurfaceInput> =
        serde_json::from_str(surface).map_err(read("surface"))?;
    let mut files = Vec::new();
    let mut kubernetes = BTreeSet::new();
    for (name, input) in addons {
        let Some(surface) = surfaces.remove(&name) else {
            return Err(RefreshError::Unpaired { addon: name });
        };
        let addon = addon(name, input, surface)?;
        let text = format::write(&addon);
        let why = match format::read(&text) {
            Ok(back) if back == addon => {
                kubernetes.extend(addon.versions.iter().flat_map(|facts| facts.kubernetes.iter().copied()));
                files.push((format!("snapshot/{}.txt", addon.name), text));
                continue;
            }
            Ok(_) => None,
            Err(why) => Some(why),
        };
        return Err(RefreshError::Unfaithful { addon: addon.name, why });
    }
    match surfaces.into_keys().next() {
        Some(addon) => Err(RefreshError::Unpaired { addon }),
        None => {
            let source = Source { kubernetes: kubernetes.into_iter().collect(), ..source.clone() };
            files.insert(0, ("SOURCE".to_owned(), source.write()));
            Ok(files)
        }
    }
}

fn addon(name: String, input: AddonInput, surface: SurfaceInput) -> Result<Addon, RefreshError> {
    let not_a_version = |found| RefreshError::Version { addon: name.clone(), found };
    let facts =
        input.versions.into_iter().map(facts).collect::<Result<Vec<_>, _>>().map_err(not_a_version)?;
    let order = surface.version_order.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
    let order: Vec<AddonVersion> = order.map_err(not_a_version)?;
    let mut listed: Vec<_> = facts.iter().map(|facts| facts.version).collect();
    listed.sort_unstable();
    // Strictly ascending: no version twice.
    if listed != order || !order.is_sorted_by(|one, next| one < next) {
        return Err(RefreshError::Order { addon: name });
    }
    let frame = Surface::new(order, Vec::new(), Vec::new());
    let drafts = surface.drafts.iter().map(|(uri, pairs)| Ok((uri.clone(), runs(&frame, pairs)?)));
    let drafts = drafts.collect::<Result<Vec<_>, _>>().map_err(not_a_version)?;
    let rows = surface.rows.into_iter().map(|row| read_row(&name, &frame, row));
    let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
    rows.sort_by(|one, next| (&one.path, one.runs[0].first).cmp(&(&next.path, next.runs[0].first)));
    consistent(&name, &frame.versions, &rows)?;
    Ok(Addon {
        name,
        addon_type: input.addon_type,
        publisher: input.publisher,
        owner: input.owner,
        namespace: input.default_namespace,
        versions: facts,
        surface: Surface::new(frame.versions, drafts, rows),
    })
}

fn facts(input: VersionInput) -> Result<VersionFacts, NotAVersion> {
    let platforms = input.platform_versions.unwrap_or_default();
    let platforms = platforms.into_iter().map(|(kubernetes, platforms)| Ok((kubernetes.parse()?, platforms)));
    Ok(VersionFacts {
        version: input.version.parse()?,
        kubernetes: ascending(&input.kubernetes)?,
        default_for: ascending(&input.default_for)?,
        architectures: input.architecture.into_iter().collect(),
        compute_types: input.compute_types.into_iter().collect(),
        platform_versions: platforms.collect::<Result<_, _>>()?,
        requires_configuration: input.requires_configuration,
        requires_iam_permissions: input.requires_iam_permissions,
    })
}

/// By number: as a text, 1.9 comes after 1.30.
fn ascending(texts: &BTreeSet<String>) -> Result<Vec<KubernetesVersion>, NotAVersion> {
    let mut versions =
        texts.iter().map(|text| text.parse()).collect::<Result<Vec<KubernetesVersion>, _>>()?;
    versions.sort_unstable();
    Ok(versions)
}

/// Runs between listed versions, open where they reach an end of the list: a new version then changes
/// only the lines of what changed with it.
fn runs(frame: &Surface, pairs: &[(String, String)]) -> Result<Vec<VersionRun>, NotAVersion> {
    pairs.iter().map(|(first, last)| Ok(frame.run(first.parse()?, last.parse()?))).collect()
}

fn read_row(addon: &str, frame: &Surface, mut row: Map<String, Value>) -> Result<Row, RefreshError> {
    let path = row.get("path").map(|path| path.as_str().unwrap_or_default().to_owned()).unwrap_or_default();
    let problem =
        |problem: String| RefreshError::Row { addon: addon.to_owned(), path: path.clone(), problem };
    let wrong = |field: &str| problem(format!("{field} is missing, or not of its kind"));
    row.remove("path")
        .filter(|path| path.as_str().is_some_and(|path| path.starts_with('/')))
        .ok_or_else(|| wrong("path"))?;
    let types = match row.remove("type") {
        None => Vec::new(),
        Some(Value::String(types)) => types.split('|').map(str::to_owned).collect(),
        Some(_) => return Err(wrong("type")),
    };
    let closed = match row.remove("closed") {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return Err(wrong("closed")),
    };
    let pairs: Vec<(String, String)> = row
        .remove("versions")
        .and_then(|pairs| serde_json::from_value(pairs).ok())
        .filter(|pairs: &Vec<_>| !pairs.is_empty())
        .ok_or_else(|| wrong("versions"))?;
    let runs = runs(frame, &pairs).map_err(|error| problem(error.to_string()))?;
    let other_keys = row.remove("other_keys");
    if let Some(keyword) = row.keys().find(|key| !KEYWORDS.contains(&key.as_str())) {
        return Err(problem(format!("{keyword} is a field that this code does not know")));
    }
    // In the words of JSON Schema from here on.
    if let Some(other_keys) = other_keys {
        if closed {
            return Err(problem("it is closed and has other_keys".to_owned()));
        }
        row.insert("additionalProperties".to_owned(), other_keys);
    }
    Ok(Row { path, types, closed, runs, keywords: row })
}

/// Checks that every row can be found: at most one of a path holds in a version, and so does one of
/// the path above.
fn consistent(addon: &str, versions: &[AddonVersion], rows: &[Row]) -> Result<(), RefreshError> {
    let mut by_path: BTreeMap<&str, Vec<&VersionRun>> = BTreeMap::new();
    for row in rows {
        by_path.entry(&row.path).or_default().extend(&row.runs);
    }
    let holding = |path: &str, version: &AddonVersion| {
        by_path.get(path).map_or(0, |runs| runs.iter().filter(|run| run.contains(version)).count())
    };
    for path in by_path.keys() {
        let above = match path.rsplit_once('/') {
            Some(("", _)) | None => "/",
            Some((above, _)) => above,
        };
        let problem = versions.iter().find_map(|version| match holding(path, version) {
            0 => None,
            1 if holding(above, version) == 0 => Some(format!("it holds in {version}, but {above} does not")),
            1 => None,
            _ => Some(format!("it holds twice in {version}")),
        });
        if let Some(problem) = problem {
            return Err(RefreshError::Row { addon: addon.to_owned(), path: (*path).to_owned(), problem });
        }
    }
    Ok(())
}
