//! What Kubernetes makes of tolerations and affinity: EKS passes them through unread, so a mistake
//! shows only in the cluster.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::domain::affinity::Problem as AffinityProblem;
use crate::domain::component::Setting;
use crate::domain::toleration::{Problem, kind_of};
use crate::domain::{Code, Component, Finding, Kind, NodeAffinity, Toleration, sentence};

use super::lists::{self, List};

/// Checks the tolerations and affinities in an add-on's values, path by path.
#[must_use]
pub fn check(addon: &str, components: &[Component], values: &Json) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut affinities: BTreeMap<String, (&Component, &Json)> = BTreeMap::new();
    for component in components {
        if let Some((path, affinity)) = own(&component.affinity, values) {
            affinities.entry(path).or_insert((component, affinity));
        }
    }
    for (path, (component, list)) in distinct_lists(components, values) {
        check_list(addon, component, &path, list, values, &mut findings);
    }
    for (path, (component, affinity)) in affinities {
        for AffinityProblem { path: inner, message } in NodeAffinity::read(affinity).1 {
            let path = if inner.is_empty() { path.clone() } else { format!("{path}.{inner}") };
            let summary = format!("{addon}: {path} is no affinity that Kubernetes accepts");
            let detail = sentence(&format!("{path}: {message}"));
            let detail = format!("{detail} EKS does not check it; the pods would be rejected.");
            let finding = Finding::error(Code::AffinityInvalid, addon, summary, detail);
            findings.push(finding.component(&component.name).path(path));
        }
    }
    findings
}

/// Every toleration list in the values by its path: components share lists, and each is checked once,
/// for the first component that has it.
fn distinct_lists<'a>(
    components: &'a [Component],
    values: &'a Json,
) -> BTreeMap<String, (&'a Component, &'a Json)> {
    let mut lists = BTreeMap::new();
    for component in components {
        if let Some((path, list)) = component.tolerations.setting.get(values) {
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
        .filter_map(|(path, (component, list))| Some((path, component, list.as_array()?)))
        .flat_map(|(path, component, entries)| {
            let list = List { addon, component, path: &path, entries };
            lists::check(&list, waited_for(component))
        })
        .collect()
}

fn own<'a>(setting: &Setting, values: &'a Json) -> Option<(String, &'a Json)> {
    let path = setting.path.as_ref()?;
    path.get(values).map(|value| (path.to_string(), value))
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
        findings.push(ignored(addon, component, path));
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

fn ignored(addon: &str, component: &Component, path: &str) -> Finding {
    let name = &component.name;
    let switch = component.tolerations.tolerate_all.as_ref();
    let switch = switch.and_then(|switch| switch.setting.writing_path(&Json::Null)).map(ToString::to_string);
    let switch = switch.unwrap_or_else(|| "tolerateAllTaints".into());
    Finding::warning(
        Code::TolerationsIgnored,
        addon,
        format!("{addon}: {path} has no effect"),
        format!(
            "{switch} is true (the default), so {name} tolerates everything and {path} is not used. Leave the list \
             out, or set {switch} to false if it shall count."
        ),
    )
    .component(name)
    .path(path)
}
