//! What a component's labels rule out: an affinity of the user's that matches nothing, or no longer
//! excludes what the default excludes; and a component whose nodes nobody describes.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::domain::component::Setting;
use crate::domain::{Code, Component, Finding, Kind};
use crate::render::Input;
use crate::schedule::{self, Placed, Reason};

/// Checks one component that stands with the pools as `placed` says.
pub(super) fn check(input: &Input<'_>, component: &Component, placed: &[Placed<'_>]) -> Vec<Finding> {
    if component.kind != Kind::DaemonSet || placed.is_empty() {
        // A Deployment that fits nowhere is a gap of its own.
        return Vec::new();
    }
    match users_path(component, &input.request.configuration) {
        Some(path) => users(input, component, placed, &path),
        None => Vec::new(),
    }
}

/// Where the user sets the component's affinity or nodeSelector.
pub(super) fn users_path(component: &Component, values: &Json) -> Option<String> {
    let at = |setting: &Setting| setting.get(values).map(|(path, _)| path.to_string());
    at(&component.affinity).or_else(|| at(&component.node_selector))
}

fn users(input: &Input<'_>, component: &Component, placed: &[Placed<'_>], path: &str) -> Vec<Finding> {
    let (addon, name) = (input.addon, &component.name);
    let default = schedule::place_all(component, &json!({}), input.namespace, input.pools);
    let eligible = |it: &Placed<'_>| it.reason.is_eligible();
    if default.iter().any(eligible) && !placed.iter().any(eligible) {
        let why: Vec<_> = placed.iter().map(|it| format!("{}: {}", it.pool.name, it.reason)).collect();
        let detail =
            format!("{path} keeps {name} off every pool. {}. Correct it, or leave it out.", why.join("; "));
        let summary = format!("{addon}: {path} matches no pool");
        return vec![
            Finding::error(Code::AffinityMatchesNoPool, addon, summary, detail).component(name).path(path),
        ];
    }
    let regained = default.iter().zip(placed).filter(|(before, after)| !eligible(before) && eligible(after));
    regained
        .map(|(before, after)| {
            let pool = &after.pool.name;
            let detail = format!(
                "{path} replaces the default affinity, so {name} now runs on pool {pool:?}, which the default keeps \
                 it off (it {}). Repeat the default's expressions in every term.",
                before.reason
            );
            let summary = format!("{addon}: {path} lets {name} onto pool {pool:?}");
            let finding = Finding::warning(Code::DefaultsLost, addon, summary, detail);
            finding.component(name).node_pool(pool).path(path)
        })
        .collect()
}

/// The label that alone could bring a component to a pool, and that no pool states.
pub(super) fn unstated(component: &Component, placed: &[Placed<'_>]) -> Option<String> {
    if component.kind != Kind::DaemonSet || placed.iter().any(|it| it.reason.is_expected()) {
        return None;
    }
    placed.iter().find_map(|it| match &it.reason {
        Reason::Unknown(label) | Reason::UntoleratedAndUnknown(_, label) => Some(label.clone()),
        _ => None,
    })
}

/// One finding for each such label, however many components hang on it.
pub(super) fn unstated_labels(addon: &str, components: &BTreeMap<String, Vec<String>>) -> Vec<Finding> {
    let finding = |(label, names): (&String, &Vec<String>)| {
        let (names, run) = (names.join(", "), if names.len() == 1 { "runs" } else { "run" });
        let detail = format!(
            "{names} {run} only on nodes with certain values of {label}, which no pool states. Nothing is rendered for \
             that; where it shall run, state the label in the labels of a pool."
        );
        let summary = format!("{addon}: where {names} {run} depends on {label}");
        Finding::warning(Code::LabelUnstated, addon, summary, detail)
    };
    components.iter().map(finding).collect()
}
