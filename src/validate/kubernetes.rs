//! What Kubernetes makes of tolerations, affinity and nodeSelector: EKS passes them through unread, so a mistake
//! shows only in the cluster.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::domain::affinity::Problem as AffinityProblem;
use crate::domain::component::{Fallback, Setting};
use crate::domain::toleration::{Problem, kind_of};
use crate::domain::{Code, Component, Finding, Kind, NodeAffinity, Toleration, sentence, syntax};

use super::lists::{self, List};

/// Checks the tolerations, affinities and nodeSelectors in an add-on's values, path by path.
#[must_use]
pub fn check(addon: &str, components: &[Component], values: &Json) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, (component, list)) in distinct_lists(components, values) {
        check_list(addon, component, &path, list, values, &mut findings);
    }
    let rejected = |what: &str, component: &Component, path: String, message: &str| {
        let summary = format!("{addon}: {path} is no {what} that Kubernetes accepts");
        let detail = sentence(&format!("{path}: {message}"));
        let detail =
            format!("{detail} EKS does not check it; the pods would be rejected or never scheduled.");
        Finding::error(Code::AffinityInvalid, addon, summary, detail).component(&component.name).path(path)
    };
    for (path, (component, affinity)) in distinct(components, |it| &it.affinity, values) {
        for AffinityProblem { path: inner, message } in NodeAffinity::read(affinity).1 {
            let path = if inner.is_empty() { path.clone() } else { format!("{path}.{inner}") };
            findings.push(rejected("affinity", component, path, &message));
        }
    }
    for (path, (component, selector)) in distinct(components, |it| &it.node_selector, values) {
        for (key, message) in selector_problems(selector) {
            let path = if key.is_empty() { path.clone() } else { format!("{path}.{key}") };
            findings.push(rejected("nodeSelector", component, path, &message));
        }
    }
    findings
}

/// What the API server refuses in a nodeSelector, by its key; the empty key is the whole.
fn selector_problems(selector: &Json) -> Vec<(&str, String)> {
    let Json::Object(pairs) = selector else {
        return vec![("", format!("found {}, expected an object", kind_of(selector)))];
    };
    let problem = |(key, value): (&'_ String, &Json)| match (syntax::qualified_name(key), value) {
        (Err(why), _) => Some(why.to_owned()),
        (Ok(()), Json::String(text)) => syntax::label_value(text).err().map(|why| format!("{text:?}: {why}")),
        // A null takes away a pair that the template would add.
        (Ok(()), Json::Null) => None,
        (Ok(()), Json::Bool(_) | Json::Number(_)) => {
            Some(format!("found {value}, expected a string: \"{value}\" in quotes"))
        }
        (Ok(()), other) => Some(format!("found {}, expected a string", kind_of(other))),
    };
    pairs.iter().filter_map(|pair| Some((pair.0.as_str(), problem(pair)?))).collect()
}

/// Every value of a setting by its path, also those fallen back to, since objects are merged: components
/// share them, and each is checked once, for the first component that has it.
fn distinct<'a>(
    components: &'a [Component],
    setting: impl Fn(&Component) -> &Setting,
    values: &'a Json,
) -> BTreeMap<String, (&'a Component, &'a Json)> {
    let mut all = BTreeMap::new();
    for component in components {
        let mut next = Some(setting(component));
        while let Some(setting) = next {
            if let Some(path) = &setting.path
                && let Some(value) = path.get(values)
            {
                all.entry(path.to_string()).or_insert((component, value));
            }
            next = setting.fallback.as_ref().map(Fallback::setting);
        }
    }
    all
}

/// Every toleration list in the values by its path: components share lists, and each is checked once,
/// for the first component that has it.
fn distinct_lists<'a>(
    components: &'a [Component],
    values: &'a Json,
) -> BTreeMap<String, (&'a Component, &'a Json)> {
    let mut lists = BTreeMap::new();
    for component in components {
        let setting = &component.tolerations.setting;
        // A null takes the default away, as an empty list does.
        let deleted = || setting.deleted_by(values).map(|path| (path, &Json::Null));
        if let Some((path, list)) = setting.get(values).or_else(deleted) {
            lists.entry(path.to_string()).or_insert((component, list));
        }
    }
    lists
}

/// Checks what the user's lists, as they will be applied, do to the defaults. `waited_for` says whether
/// nodes cannot become ready without a component.
#[must_use]
pub fn check_lists(
    addon: &str,
    components: &[Component],
    user: &Json,
    applied: &Json,
    waited_for: impl Fn(&Component) -> bool,
) -> Vec<Finding> {
    let users = distinct_lists(components, user);
    let applied =
        distinct_lists(components, applied).into_iter().filter(|(path, _)| users.contains_key(path));
    applied
        .filter(|(_, (component, _))| !component.tolerates_all_by_switch(user))
        .filter_map(|(path, (component, list))| match list {
            Json::Array(entries) => Some((path, component, entries.as_slice(), "empty")),
            Json::Null => Some((path, component, &[] as &[Json], "null")),
            _ => None,
        })
        .flat_map(|(path, component, entries, nothing)| {
            let list = List { addon, component, path: &path, entries, nothing };
            lists::check(&list, waited_for(component))
        })
        .collect()
}

fn check_list(
    addon: &str,
    component: &Component,
    path: &str,
    list: &Json,
    values: &Json,
    findings: &mut Vec<Finding>,
) {
    let name = &component.name;
    if list.is_null() {
        return;
    }
    // A list that is none is the schema's business; every schema of the catalog says array.
    let Json::Array(list) = list else {
        let detail = format!("{path}: found {}, expected a list of tolerations.", kind_of(list));
        let summary = format!("{addon}: {path} is not a list");
        findings
            .push(Finding::error(Code::TolerationInvalid, addon, summary, detail).component(name).path(path));
        return;
    };
    for (index, json) in list.iter().enumerate() {
        for Problem { key, message, harmless } in Toleration::read(json).1 {
            let path =
                if key.is_empty() { format!("{path}[{index}]") } else { format!("{path}[{index}].{key}") };
            let (make, summary): (fn(_, &str, String, String) -> Finding, _) = if harmless {
                (Finding::warning, format!("{addon}: {path} never matches"))
            } else {
                (Finding::error, format!("{addon}: {path} is no toleration that Kubernetes accepts"))
            };
            let detail = sentence(&format!("{path}: {message}"));
            let finding = make(Code::TolerationInvalid, addon, summary, detail);
            findings.push(finding.component(name).path(path));
        }
    }
    let read = || list.iter().filter_map(|json| Toleration::read(json).0);
    if component.kind == Kind::Deployment && read().any(|it| it.is_wildcard()) {
        findings.push(wildcard(addon, name, path));
    }
    if component.tolerates_all_by_switch(values) && !list.is_empty() {
        findings.push(ignored(addon, component, path, values));
    }
}

fn wildcard(addon: &str, name: &str, path: &str) -> Finding {
    Finding::warning(
        Code::WildcardOnDeployment,
        addon,
        format!("{addon}: {name} tolerates every taint"),
        format!(
            "{path} has operator: Exists without a key, and {name} is a Deployment: its pods are scheduled back \
             onto nodes that are being drained or are not ready (containers-roadmap #2462). Name the taints \
             instead; run_on does."
        ),
    )
    .component(name)
    .path(path)
}

fn ignored(addon: &str, component: &Component, path: &str, values: &Json) -> Finding {
    let name = &component.name;
    let switch = component.tolerations.tolerate_all.as_ref().map(|switch| &switch.setting);
    let detail = match switch.and_then(|switch| switch.writing_path(&Json::Null)) {
        Some(switch) => {
            let default = if switch.get(values).is_none() { " (the default)" } else { "" };
            format!(
                "{switch} is true{default}, so {name} tolerates everything and {path} is not used. Leave the list \
                 out, or set {switch} to false if it shall count."
            )
        }
        None => format!(
            "{name} tolerates everything, so {path} is not used, and as far as is known nothing in this version \
             makes it count. Leave the list out."
        ),
    };
    Finding::warning(Code::TolerationsIgnored, addon, format!("{addon}: {path} has no effect"), detail)
        .component(name)
        .path(path)
}
