//! Affinity that draws a component's pods to the pools of `run_on`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::domain::affinity::{PREFERRED, REQUIRED};
use crate::domain::pool::{KARPENTER_POOL_LABEL, Pool};
use crate::domain::request::NodeAffinityMode;
use crate::domain::{Code, Component, Fact, Finding, Kind, ValuesPath};

use super::{Input, Rendered};

/// Renders the affinity of every component that asks for one.
pub(super) fn render(input: &Input<'_>, rendered: &mut Rendered) {
    for component in input.components {
        let placement = input.placement(component);
        let Some(run_on) = &placement.run_on else { continue };
        let pools: Vec<_> = input.pools.values().filter(|pool| run_on.contains(&pool.name)).collect();
        match placement.node_affinity {
            NodeAffinityMode::None => {}
            // A DaemonSet has a pod on every node that admits it: it has nothing to prefer.
            NodeAffinityMode::Preferred if component.kind == Kind::DaemonSet => {}
            NodeAffinityMode::Preferred => attract(input, component, &pools, PREFERRED, rendered),
            NodeAffinityMode::Required => attract(input, component, &pools, REQUIRED, rendered),
        }
    }
}

fn attract(input: &Input<'_>, component: &Component, pools: &[&Pool], member: &str, rendered: &mut Rendered) {
    let affinity = component.affinity.writing_path(&rendered.values).cloned();
    let selector = component.node_selector.writing_path(&rendered.values).cloned();
    let others: Vec<_> =
        input.pools.values().filter(|pool| !pools.iter().any(|it| it.name == pool.name)).collect();
    match (affinity, selector) {
        (Some(path), _) => match terms(pools, &others) {
            Some(terms) if member == REQUIRED => require(component, &path, &terms, rendered),
            Some(terms) => prefer(component, &path, &terms, rendered),
            None => no_label(input, pools, rendered),
        },
        // Only a requirement can be said by a nodeSelector; a mere preference cannot.
        (None, Some(path)) if member == REQUIRED => match shared_label(pools, &others) {
            Some(pair) => select(input, component, &path, pair, rendered),
            None => no_label(input, pools, rendered),
        },
        _ => rendered.findings.push(no_path(input, component)),
    }
}

/// Labels that an affinity can go by: those stated, and Karpenter's own.
fn labels(pool: &Pool) -> BTreeMap<String, String> {
    let mut labels = pool.labels.clone();
    if pool.starts_empty() {
        labels.entry(KARPENTER_POOL_LABEL.into()).or_insert_with(|| pool.name.clone());
    }
    labels
}

/// One term on a single label that all pools have and whose values no other pool has; else one term
/// for each pool with as few labels as tell it from the others. `None` if labels do not suffice.
fn terms(pools: &[&Pool], others: &[&Pool]) -> Option<Vec<Vec<Json>>> {
    let taken: Vec<_> = others.iter().map(|pool| labels(pool)).collect();
    let wanted: Vec<_> = pools.iter().map(|pool| labels(pool)).collect();
    let tells = |key: &str, value: &str| !taken.iter().any(|it| it.get(key).is_some_and(|it| it == value));
    let keys: BTreeSet<_> = wanted.iter().flat_map(BTreeMap::keys).collect();
    for key in keys {
        let values: Option<BTreeSet<_>> = wanted.iter().map(|labels| labels.get(key)).collect();
        if let Some(values) = values.filter(|values| values.iter().all(|value| tells(key, value))) {
            return Some(vec![vec![json!({"key": key, "operator": "In", "values": values})]]);
        }
    }
    wanted
        .iter()
        .map(|labels| {
            let alone = labels.iter().find(|(key, value)| tells(key, value));
            let pairs: Vec<_> = match alone {
                Some(pair) => vec![pair],
                None => labels.iter().collect(),
            };
            let shared =
                taken.iter().any(|other| pairs.iter().all(|(key, value)| other.get(*key) == Some(value)));
            let expression =
                |(key, value): &(&String, &String)| json!({"key": key, "operator": "In", "values": [value]});
            (!pairs.is_empty() && !shared).then(|| pairs.iter().map(expression).collect())
        })
        .collect()
}

/// A label that all pools have with one value and no other pool has.
fn shared_label(pools: &[&Pool], others: &[&Pool]) -> Option<(String, String)> {
    let mut candidates = labels(pools.first()?).into_iter();
    candidates.find(|(key, value)| {
        let has = |pool: &&&Pool| labels(pool).get(key) == Some(value);
        pools.iter().all(|pool| has(&pool)) && !others.iter().any(|pool| has(&pool))
    })
}

/// ANDs the terms into every required term there is, and the defaults too: a list of terms replaces the
/// default's, and two lists side by side would mean "or".
fn require(component: &Component, path: &ValuesPath, terms: &[Vec<Json>], rendered: &mut Rendered) {
    let current = required_terms(&component.affinity_object(&rendered.values));
    let default = required_terms(&component.default_affinity);
    let mut joined = if current.is_empty() { vec![json!({})] } else { current.clone() };
    if !default.is_empty() && current != default {
        joined = product(&joined, &default.iter().map(expressions).collect::<Vec<_>>());
    }
    joined = product(&joined, terms);
    let place =
        ValuesPath::new(path.keys().into_iter().chain(["nodeAffinity", REQUIRED, "nodeSelectorTerms"]));
    place.set(&mut rendered.values, Json::Array(joined));
    rendered.reasons.push(format!(
        "{path}: {} runs only on the pools of run_on, as node_affinity = \"required\" asks; the default \
         requirements are kept in every term",
        component.name
    ));
}

fn required_terms(affinity: &Fact<Json>) -> Vec<Json> {
    let Fact::Known(affinity) = affinity else { return Vec::new() };
    let list = affinity.pointer(&format!("/nodeAffinity/{REQUIRED}/nodeSelectorTerms"));
    list.and_then(Json::as_array).cloned().unwrap_or_default()
}

fn expressions(term: &Json) -> Vec<Json> {
    term.get("matchExpressions").and_then(Json::as_array).cloned().unwrap_or_default()
}

/// Every term with every set of expressions.
fn product(terms: &[Json], sets: &[Vec<Json>]) -> Vec<Json> {
    terms.iter().flat_map(|term| sets.iter().map(move |set| and(term, set))).collect()
}

/// A term with more expressions; one that it has already is not repeated.
fn and(base: &Json, expressions: &[Json]) -> Json {
    let Json::Object(mut term) = base.clone() else { return base.clone() };
    let list = self::expressions(base);
    let added = expressions.iter().filter(|it| !list.contains(it)).cloned().collect::<Vec<_>>();
    term.insert("matchExpressions".into(), Json::Array(list.into_iter().chain(added).collect()));
    Json::Object(term)
}

fn prefer(component: &Component, path: &ValuesPath, terms: &[Vec<Json>], rendered: &mut Rendered) {
    let current = match component.affinity_object(&rendered.values) {
        Fact::Known(affinity) => affinity,
        Fact::Unknown => json!({}),
    };
    let list = current.pointer(&format!("/nodeAffinity/{PREFERRED}"));
    let mut list = list.and_then(Json::as_array).cloned().unwrap_or_default();
    for term in terms {
        let entry = json!({"weight": 100, "preference": {"matchExpressions": term}});
        if !list.contains(&entry) {
            list.push(entry);
        }
    }
    let place = ValuesPath::new(path.keys().into_iter().chain(["nodeAffinity", PREFERRED]));
    place.set(&mut rendered.values, Json::Array(list));
    rendered.reasons.push(format!(
        "{path}: {} prefers the pools of run_on, as node_affinity = \"preferred\" asks; the default preferences \
         are kept",
        component.name
    ));
}

fn select(
    input: &Input<'_>,
    component: &Component,
    path: &ValuesPath,
    pair: (String, String),
    rendered: &mut Rendered,
) {
    let (key, value) = pair;
    let place = ValuesPath::new(path.keys().into_iter().chain([key.as_str()]));
    if let Some(own) = place.get(&rendered.values).filter(|own| own.as_str() != Some(&value)) {
        let (addon, name) = (input.addon, &component.name);
        let detail = format!(
            "configuration_values has {path} {key} = {own}, and node_affinity = \"required\" on run_on needs \
             {value:?}. A nodeSelector takes one value: change one of them."
        );
        let summary = format!("{addon}: {path} and run_on of {name} exclude each other");
        rendered
            .findings
            .push(Finding::error(Code::MergeConflict, addon, summary, detail).component(name).path(place));
        return;
    }
    place.set(&mut rendered.values, value.into());
    rendered.reasons.push(format!(
        "{path}: {} runs only on the pools of run_on, as node_affinity = \"required\" asks; this version has no \
         affinity",
        component.name
    ));
}

/// One finding for all components with the same `run_on`: labels are a matter of the pools.
fn no_label(input: &Input<'_>, pools: &[&Pool], rendered: &mut Rendered) {
    let addon = input.addon;
    let names: Vec<_> = pools.iter().map(|pool| format!("{:?}", pool.name)).collect();
    let (pool, have) = if names.len() == 1 { ("pool", "has") } else { ("pools", "have") };
    let detail = format!(
        "node_affinity needs a label that the {pool} {} {have} and the other pools have not. Add such a label in \
         node_pools (and to the nodes), or leave node_affinity out.",
        names.join(", ")
    );
    let summary = format!("{addon}: no label tells the pools of run_on from the others");
    let finding = Finding::error(Code::NoDistinguishingLabel, addon, summary, detail).path("node_affinity");
    if !rendered.findings.contains(&finding) {
        rendered.findings.push(finding);
    }
}

fn no_path(input: &Input<'_>, component: &Component) -> Finding {
    let (addon, name) = (input.addon, &component.name);
    let elsewhere = component.affinity.elsewhere.as_ref().map(|path| (input.versions_taking)(path));
    Finding::error(
        Code::PathUnavailable,
        addon,
        format!("{addon}: {} has no affinity for {name}", input.version),
        format!(
            "node_affinity cannot be rendered for {name} in {}. {}",
            input.version,
            elsewhere.unwrap_or_else(|| format!(
                "No version of {addon} has such a setting; leave node_affinity out."
            ))
        ),
    )
    .component(name)
    .path("node_affinity")
}
