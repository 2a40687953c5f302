//! Add-ons.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use crate::document;
use crate::domain::request::{NodeAffinityMode, Override, Placement, TolerationPolicy, VersionRequest};
use crate::domain::{AddonRequest, Constraint, nearest, sentence};
use crate::tf::{Path, Value, json};

use super::arguments::{ADDON, COMPONENT};
use super::decoder::{Decoder, Members};
use super::pools::Names;
use super::{ignore_findings, on_unschedulable, taints};

/// Reads the map of add-ons.
pub(super) fn read(
    decoder: &mut Decoder,
    value: &Value,
    path: &Path,
    pools: &Names,
) -> BTreeMap<String, AddonRequest> {
    let entries = decoder.entries(value, path, "add-ons");
    let read = |(name, value, path): (&str, &Value, Path)| {
        Some((name.to_owned(), read_one(decoder, value, &path, pools)?))
    };
    entries.into_iter().filter_map(read).collect()
}

fn read_one(decoder: &mut Decoder, value: &Value, path: &Path, pools: &Names) -> Option<AddonRequest> {
    let members = decoder.members(value, path, "an add-on", &ADDON)?;
    let own = placement(decoder, &members, pools);
    let (configuration, notes) = configuration_values(decoder, &members);
    let version = version(decoder, &members);
    let (value, at) = members.get("tolerate");
    let tolerate = taints::read(decoder, value, &at);
    let (value, at) = members.get("components");
    let components = decoder.entries(value, &at, "components");
    let components = components.into_iter().filter_map(|(name, value, path)| {
        let members = decoder.members(value, &path, "a component", &COMPONENT)?;
        let mut special = placement(decoder, &members, pools);
        let (value, at) = members.get("tolerate");
        special.tolerate = taints::read(decoder, value, &at);
        Some((name.to_owned(), special))
    });
    let components = components.collect();
    let (value, at) = members.get("pod_identity");
    let pod_identity = decoder.flag(value, &at);
    let (association, _) = members.get("pod_identity_association");
    let association = decoder.present(association).is_some_and(|value| !is_empty(value));
    let (value, at) = members.get("on_unschedulable");
    let on_unschedulable = on_unschedulable(decoder, value, &at);
    let (value, at) = members.get("ignore_findings");
    let ignore_findings = ignore_findings(decoder, value, &at);
    Some(AddonRequest {
        version,
        configuration,
        notes,
        placement: Placement {
            run_on: own.run_on,
            node_affinity: own.node_affinity.unwrap_or_default(),
            toleration_policy: own.toleration_policy.unwrap_or_default(),
        },
        components,
        tolerate,
        configuration_schema: configuration_schema(decoder, &members),
        pod_identity: pod_identity.unwrap_or(association),
        on_unschedulable,
        ignore_findings,
    })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Sequence(elements) => elements.is_empty(),
        Value::Mapping(entries) => entries.is_empty(),
        _ => false,
    }
}

fn version(decoder: &mut Decoder, members: &Members<'_>) -> VersionRequest {
    let (value, path) = members.get("addon_version");
    let text = decoder.text(value, &path);
    let (value, most_recent_path) = members.get("most_recent");
    let most_recent = decoder.flag(value, &most_recent_path).unwrap_or(false);
    let Some(text) = text else {
        return if most_recent { VersionRequest::Latest } else { VersionRequest::Default };
    };
    if most_recent && text != "latest" {
        let detail =
            format!("{path}: most_recent = true means \"latest\", but addon_version is {text:?}. Set one.");
        decoder.error(&path, &format!("{path} and most_recent exclude each other"), &detail);
    }
    match text.as_str() {
        "default" => return VersionRequest::Default,
        "latest" => return VersionRequest::Latest,
        "installed" => {
            let detail = format!("{path}: \"installed\" is what the cluster runs, and needs cluster_name.");
            decoder.error(&path, &format!("{path}: \"installed\" needs cluster_name"), &detail);
            return VersionRequest::Default;
        }
        _ => {}
    }
    if Constraint::is_meant_by(&text) {
        match text.parse() {
            Ok(constraint) => return VersionRequest::Constrained(constraint, text),
            Err(error) => {
                let detail = format!(
                    "{path}: {:?} is not a term of a constraint. Expected an operator (=, !=, >, >=, <, <=, ~>) and a \
                     version such as 1.19, terms joined by commas: \">= 1.19, < 2\".",
                    error.0
                );
                decoder.error(&path, &format!("{path} is not a version constraint"), &detail);
                return VersionRequest::Default;
            }
        }
    }
    text.parse().map(VersionRequest::Exact).unwrap_or_else(|error| {
        let near = nearest(&text, ["default", "latest", "installed"]).map(str::to_owned);
        // A release without its build means any build of it.
        let release = format!("= {}", text.trim_start_matches('v'));
        let near = near.or_else(|| release.parse::<Constraint>().is_ok().then_some(release));
        let near = near.map(|near| format!(" Did you mean {near:?}?")).unwrap_or_default();
        let detail = format!(
            "{path}: {error}, \"default\", \"latest\", or a constraint such as \">= 1.19, < 2\".{near}"
        );
        decoder.error(&path, &format!("{path} is not a version"), &detail);
        VersionRequest::Default
    })
}

/// The arguments that an add-on and its components share.
fn placement(decoder: &mut Decoder, members: &Members<'_>, pools: &Names) -> Override {
    let (value, path) = members.get("run_on");
    let run_on = run_on(decoder, value, &path, pools);
    let (value, path) = members.get("node_affinity");
    let modes = [
        ("none", NodeAffinityMode::None),
        ("preferred", NodeAffinityMode::Preferred),
        ("required", NodeAffinityMode::Required),
    ];
    let node_affinity = decoder.one_of(value, &path, &modes);
    let (value, path) = members.get("toleration_policy");
    let toleration_policy = toleration_policy(decoder, value, &path);
    Override { run_on, node_affinity, toleration_policy, tolerate: BTreeSet::new() }
}

fn toleration_policy(decoder: &mut Decoder, value: &Value, path: &Path) -> Option<TolerationPolicy> {
    if let Some(Value::Sequence(_) | Value::Mapping(_)) = decoder.present(value) {
        let detail = format!(
            "{path}: found a list, expected \"auto\", \"all\", \"pools\" or \"none\". To tolerate certain taints \
             use tolerate = [...]; to hand over tolerations as they are, write them into configuration_values."
        );
        decoder.error(path, &format!("{path} is a word, not a list"), &detail);
        return None;
    }
    let policies = [
        ("auto", TolerationPolicy::Auto),
        ("all", TolerationPolicy::All),
        ("pools", TolerationPolicy::Pools),
        ("none", TolerationPolicy::None),
    ];
    decoder.one_of(value, path, &policies)
}

/// Names of pools; one that ends in `*` stands for all that begin so.
fn run_on(decoder: &mut Decoder, value: &Value, path: &Path, pools: &Names) -> Option<BTreeSet<String>> {
    decoder.present(value)?;
    let elements = decoder.elements(value, path, "names of node pools");
    if elements.is_empty() && matches!(value.undressed(), Value::Sequence(_)) {
        let detail = format!(
            "{path} is empty: there is nowhere left to run. Leave it out to let the provider decide, or name pools."
        );
        decoder.error(path, &format!("{path} is empty"), &detail);
        return None;
    }
    let mut names = BTreeSet::new();
    for (element, _) in elements {
        // A set has no indexes that its author would know.
        let path = path.clone();
        let Some(text) = decoder.text(element, &path) else { continue };
        match pools {
            Names::Unknown => {}
            Names::None => {
                let detail =
                    format!("{path}: found {text:?}, but no node_pools are described. Describe them first.");
                decoder.error(&path, &format!("{path}: there are no node pools"), &detail);
            }
            Names::Known(pools) => {
                let matching = |pool: &&String| match text.strip_suffix('*') {
                    Some(prefix) => pool.starts_with(prefix),
                    None => **pool == text,
                };
                let found: Vec<_> = pools.iter().filter(matching).cloned().collect();
                if found.is_empty() {
                    decoder.not_one_of(&path, &text, pools.iter().map(String::as_str));
                }
                names.extend(found);
            }
        }
    }
    Some(names).filter(|names| !names.is_empty())
}

fn configuration_values(decoder: &mut Decoder, members: &Members<'_>) -> (Json, Vec<String>) {
    let nothing = || (Json::Object(Map::new()), Vec::new());
    let (value, path) = members.get("configuration_values");
    match decoder.present(value) {
        None => nothing(),
        Some(Value::String(text)) => match document::parse(text) {
            Ok(document) => match document.value {
                Json::Null => nothing(),
                value @ Json::Object(_) => (value, document.notes.iter().map(ToString::to_string).collect()),
                other => {
                    let found = crate::domain::toleration::kind_of(&other);
                    let detail =
                        format!("{path}: found {found}, expected an object such as {{\"env\": {{}}}}.");
                    decoder.error(&path, &format!("{path} is not an object"), &detail);
                    nothing()
                }
            },
            Err(error) => {
                let error = sentence(&error.to_string());
                let detail =
                    format!("{path}: {error} Expected an object in JSON or YAML, such as {{\"env\": {{}}}}.");
                decoder.error(&path, &format!("{path} is neither JSON nor YAML"), &detail);
                nothing()
            }
        },
        Some(object @ Value::Mapping(_)) => match json::plain(object) {
            Some(json) => (without_nulls(json), Vec::new()),
            None => {
                decoder.has_unknown = true;
                nothing()
            }
        },
        Some(other) => {
            decoder.wrong(&path, other, "JSON or YAML text, or an object");
            nothing()
        }
    }
}

/// In HCL a member that is null is one that is not set, as typed `optional` members are. A text keeps its
/// nulls: to Helm they mean something.
fn without_nulls(json: Json) -> Json {
    match json {
        Json::Object(members) => {
            let set = members.into_iter().filter(|(_, value)| !value.is_null());
            Json::Object(set.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Json::Array(elements) => Json::Array(elements.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

fn configuration_schema(decoder: &mut Decoder, members: &Members<'_>) -> Option<Json> {
    let (value, path) = members.get("configuration_schema");
    if let Some(object @ Value::Mapping(_)) = decoder.present(value) {
        return json::plain(object);
    }
    let text = decoder.text(value, &path)?;
    document::parse(&text)
        .map_err(|error| {
            let detail = format!("{path}: {error}");
            decoder.error(&path, &format!("{path} is not JSON"), &detail);
        })
        .ok()
        .map(|document| document.value)
}
