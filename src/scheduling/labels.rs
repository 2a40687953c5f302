//! What a component's labels rule out: an affinity of the user's that matches nothing, or no longer
//! excludes what the default excludes; and a component whose nodes nobody describes.

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
        None => unstated(input, component, placed).into_iter().collect(),
    }
}

/// Where the user sets the component's affinity or nodeSelector.
fn users_path(component: &Component, values: &Json) -> Option<String> {
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

/// A component that only a label could bring to a pool, and no pool states the label.
fn unstated(input: &Input<'_>, component: &Component, placed: &[Placed<'_>]) -> Option<Finding> {
    let (addon, name) = (input.addon, &component.name);
    if placed.iter().any(|it| it.reason.is_expected()) {
        return None;
    }
    let label = placed.iter().find_map(|it| match &it.reason {
        Reason::Unknown(label) | Reason::UntoleratedAndUnknown(_, label) => Some(label),
        _ => None,
    })?;
    let detail = format!(
        "{name} runs only on nodes with certain values of {label}, which no pool states. Nothing is rendered for it; \
         if it shall run, state the label in the labels of a pool."
    );
    let summary = format!("{addon}: it depends on {label} where {name} runs");
    Some(Finding::warning(Code::LabelUnstated, addon, summary, detail).component(name))
}
