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
    match users_path(component, &input.request.configuration) {
        Some(path) if !placed.is_empty() => users(input, component, placed, &path),
        _ => Vec::new(),
    }
}

/// Where the user sets the component's affinity, takes it away, or sets its nodeSelector.
pub(super) fn users_path(component: &Component, values: &Json) -> Option<String> {
    let at = |setting: &Setting| setting.get(values).map(|(path, _)| path.to_string());
    let deleted = || component.affinity.deleted_by(values).map(ToString::to_string);
    at(&component.affinity).or_else(deleted).or_else(|| at(&component.node_selector))
}

fn users(input: &Input<'_>, component: &Component, placed: &[Placed<'_>], path: &str) -> Vec<Finding> {
    let (addon, name) = (input.addon, &component.name);
    let default =
        schedule::place_all(component, &component.scheduling(&json!({})), input.namespace, input.pools);
    let eligible = |it: &Placed<'_>| it.reason.is_eligible();
    let daemon = component.kind == Kind::DaemonSet;
    // A Deployment that fits nowhere is a gap of its own.
    if daemon && default.iter().any(eligible) && !placed.iter().any(eligible) {
        let why: Vec<_> = placed.iter().map(|it| format!("{}: {}", it.pool.name, it.reason)).collect();
        let detail =
            format!("{path} keeps {name} off every pool. {}. Correct it, or leave it out.", why.join("; "));
        let summary = format!("{addon}: {path} matches no pool");
        return vec![
            Finding::error(Code::AffinityMatchesNoPool, addon, summary, detail).component(name).path(path),
        ];
    }
    // A DaemonSet is there at once, if need be after its tolerations are rendered. A Deployment may land
    // where nothing is in its way, and that is no surprise on the pools that it was given.
    let asked = input.request.placement_of(name).run_on;
    let gets_there = |it: &Placed<'_>| {
        let wanted = asked.as_ref().is_some_and(|pools| pools.contains(&it.pool.name));
        if daemon { eligible(it) } else { it.reason.schedulable() == Some(true) && !wanted }
    };
    let pairs = || default.iter().zip(placed);
    let regained = pairs().filter(|(before, after)| !eligible(before) && gets_there(after));
    let mut findings: Vec<_> =
        regained.map(|(before, after)| regains(input, component, path, before, after)).collect();
    let split = |it: &Placed<'_>| matches!(it.reason, Reason::ExcludedArchitecture(..));
    let partly = pairs().filter(|(before, after)| eligible(before) && !split(before) && split(after));
    findings.extend(loses_architecture(input, component, path, &partly.map(|it| it.1).collect::<Vec<_>>()));
    findings
}

/// Pods come to a pool that the default keeps them off.
fn regains(
    input: &Input<'_>,
    component: &Component,
    path: &str,
    before: &Placed<'_>,
    after: &Placed<'_>,
) -> Finding {
    let (addon, name, pool) = (input.addon, &component.name, &after.pool.name);
    let values = &input.request.configuration;
    let affinity = &component.affinity;
    let (does, way_out) = if affinity.deleted_by(values).is_some() {
        ("is null, which removes the default affinity", "Leave it out to keep that")
    } else if affinity.get(values).is_some() {
        ("replaces the default affinity", "Repeat the default's expressions in every term")
    } else {
        ("overrides the default nodeSelector", "Leave those keys out")
    };
    let verb = if component.kind == Kind::DaemonSet { "now runs" } else { "may now land" };
    let detail = format!(
        "{path} {does}, so {name} {verb} on pool {pool:?}, which the default keeps it off (it {}). {way_out}.",
        before.reason
    );
    let summary = format!("{addon}: {path} lets {name} onto pool {pool:?}");
    Finding::warning(Code::DefaultsLost, addon, summary, detail).component(name).node_pool(pool).path(path)
}

/// One finding for all pools of whose nodes the default runs on every architecture, and this does not.
fn loses_architecture(
    input: &Input<'_>,
    component: &Component,
    path: &str,
    pools: &[&Placed<'_>],
) -> Option<Finding> {
    let (addon, name) = (input.addon, &component.name);
    let Reason::ExcludedArchitecture(architecture, what) = &pools.first()?.reason else { return None };
    let names: Vec<_> = pools.iter().map(|it| format!("{:?}", it.pool.name)).collect();
    let of = format!("{} {}", if names.len() == 1 { "pool" } else { "pools" }, names.join(", "));
    let detail = format!(
        "{path} requires {what}, so {name} does not run on the {architecture} nodes of {of}, as it does by default. \
         Allow {architecture} too, or leave that architecture out of the architectures of the pool."
    );
    let summary = format!("{addon}: {path} keeps {name} off the {architecture} nodes of {of}");
    let finding = Finding::warning(Code::DefaultsLost, addon, summary, detail).component(name).path(path);
    Some(if let [one] = pools { finding.node_pool(&one.pool.name) } else { finding })
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
