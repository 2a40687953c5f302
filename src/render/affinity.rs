//! Affinity that draws a component's pods to the pools of `run_on`.
//!
//! Only pools that a component could run on count: where none of them lies outside `run_on`, there is
//! nothing to say, and nothing is rendered.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::domain::affinity::{PREFERRED, REQUIRED};
use crate::domain::component::{Fallback, Setting};
use crate::domain::pool::ComputeType;
use crate::domain::request::NodeAffinityMode;
use crate::domain::{Code, Component, Fact, Finding, Kind, Pool, ValuesPath};
use crate::schedule::{self, Reason};

use super::telling::{Choice, shared_label, terms};
use super::{Input, Rendered};

/// Renders the affinity of every component that asks for one.
pub(super) fn render(input: &Input<'_>, rendered: &mut Rendered) {
    let asks = |component: &Component| {
        let placement = input.placement(component);
        placement.run_on.is_some() && placement.node_affinity != NodeAffinityMode::None
    };
    if !input.components.iter().any(asks) {
        return;
    }
    let reaches: Vec<_> = input.components.iter().map(|it| reach(input, it, &rendered.values)).collect();
    let mut limits: BTreeMap<Place, Vec<&Reach<'_>>> = BTreeMap::new();
    for reach in reaches.iter().filter(|it| it.can_leave()) {
        match (reach.mode, place(reach, &rendered.values)) {
            (NodeAffinityMode::None, _) => {}
            (NodeAffinityMode::Required, Some(place)) => limits.entry(place).or_default().push(reach),
            (NodeAffinityMode::Preferred, Some(Place::Affinity(path))) => {
                attract(input, reach, &path, rendered);
            }
            _ => rendered.findings.push(no_path(input, reach.component)),
        }
    }
    for (place, members) in limits {
        limit(input, &place, &members, &reaches, rendered);
    }
}

/// The pools that a component could run on, and which of them `run_on` names.
struct Reach<'a> {
    component: &'a Component,
    /// `None` also without `run_on`, and where there is nothing to prefer.
    mode: NodeAffinityMode,
    inside: Vec<&'a Pool>,
    outside: Vec<&'a Pool>,
}

impl Reach<'_> {
    /// Whether pods could run outside of `run_on` and have somewhere to go instead. A DaemonSet needs no
    /// such place: limited to pools that it never runs on, it runs nowhere, which is what was asked for.
    fn can_leave(&self) -> bool {
        !self.outside.is_empty() && (!self.inside.is_empty() || self.component.kind == Kind::DaemonSet)
    }
}

fn reach<'a>(input: &Input<'a>, component: &'a Component, values: &Json) -> Reach<'a> {
    let placement = input.placement(component);
    let mode = match placement.node_affinity {
        // A DaemonSet has a pod on every node that admits it: it has nothing to prefer.
        NodeAffinityMode::Preferred if component.kind == Kind::DaemonSet => NodeAffinityMode::None,
        _ if placement.run_on.is_none() => NodeAffinityMode::None,
        mode => mode,
    };
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for placed in schedule::place_all(component, &component.scheduling(values), input.namespace, input.pools)
    {
        let named = placement.run_on.as_ref().is_none_or(|run_on| run_on.contains(&placed.pool.name));
        // What a setting keeps off Fargate is let there only by run_on.
        let kept_off = matches!(placed.reason, Reason::KeptOffFargate(_));
        match named {
            _ if !placed.reason.is_eligible() => {}
            true => inside.push(placed.pool),
            false if !kept_off => outside.push(placed.pool),
            false => {}
        }
    }
    let on_fargate = |pool: &&Pool| pool.compute_type == ComputeType::Fargate;
    if component.fargate.is_some() && !inside.is_empty() && inside.iter().all(on_fargate) {
        // The setting that lets it onto Fargate keeps it off everything else.
        outside.clear();
    }
    Reach { component, mode, inside, outside }
}

/// Where a component's pods can be limited.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Affinity(ValuesPath),
    Selector(ValuesPath),
}

impl Place {
    fn path(&self) -> &ValuesPath {
        let (Self::Affinity(path) | Self::Selector(path)) = self;
        path
    }

    /// Whether what stands there counts for a component.
    fn counts_for(&self, component: &Component) -> bool {
        match self {
            Self::Affinity(path) => reads(&component.affinity, path),
            Self::Selector(path) => reads(&component.node_selector, path),
        }
    }
}

fn reads(setting: &Setting, path: &ValuesPath) -> bool {
    let shared = match &setting.fallback {
        Some(Fallback::WhenEmpty(shared) | Fallback::WhenNull(shared)) => reads(shared, path),
        Some(Fallback::WhenExplicitNull(..)) | None => false,
    };
    shared || setting.path.as_ref() == Some(path)
}

/// Only a requirement can be said by a nodeSelector; a mere preference cannot.
fn place(reach: &Reach<'_>, values: &Json) -> Option<Place> {
    let affinity = reach.component.affinity.writing_path(values).cloned().map(Place::Affinity);
    let selector = || reach.component.node_selector.writing_path(values).cloned().map(Place::Selector);
    affinity.or_else(|| selector().filter(|_| reach.mode == NodeAffinityMode::Required))
}

/// Prefers the pools of `run_on` for one component.
fn attract(input: &Input<'_>, reach: &Reach<'_>, path: &ValuesPath, rendered: &mut Rendered) {
    match terms(&reach.inside, &reach.outside) {
        Some(terms) => prefer(input, reach.component, path, &expressions_of(terms), rendered),
        None => no_label(input, &reach.inside, &reach.outside, "", rendered),
    }
}

/// Limits all components that have their setting at one place, so that every one for which it counts
/// keeps the pools it has to reach.
fn limit(
    input: &Input<'_>,
    place: &Place,
    members: &[&Reach<'_>],
    reaches: &[Reach<'_>],
    rendered: &mut Rendered,
) {
    let Some(first) = members.first() else { return };
    let sharing: Vec<_> = reaches.iter().filter(|it| place.counts_for(it.component)).collect();
    let others = by_name(members.iter().flat_map(|it| &it.outside));
    let mut pools = by_name(sharing.iter().flat_map(|it| &it.inside));
    if pools.is_empty() {
        // It can run on none of its run_on; labels of these pools still keep it off the others.
        let run_on = input.placement(first.component).run_on.unwrap_or_default();
        pools = input.pools.values().filter(|pool| run_on.contains(&pool.name)).collect();
    }
    if let Some(torn) = pools.iter().find(|pool| others.iter().any(|it| it.name == pool.name)) {
        let stays = |it: &&&Reach<'_>| it.inside.iter().any(|pool| pool.name == torn.name);
        let other = sharing.iter().find(stays).map_or("another component", |it| &it.component.name);
        rendered.findings.push(shared_place(input, first.component, other, place.path(), &torn.name));
        return;
    }
    match place {
        Place::Affinity(path) => match terms(&pools, &others) {
            Some(terms) => require(input, members, path, &expressions_of(terms), rendered),
            None => no_label(input, &pools, &others, "", rendered),
        },
        Place::Selector(path) => {
            // What the template fixes is not to be overruled.
            let fixed = |(key, value): &(String, String)| {
                let differs = |it: &&Reach<'_>| {
                    it.component.fixed_node_selector.get(key).is_some_and(|fixed| fixed != value)
                };
                sharing.iter().any(differs)
            };
            match shared_label(&pools, &others).filter(|pair| !fixed(pair)) {
                Some(pair) => select(input, members, path, pair, rendered),
                None => no_label(input, &pools, &others, ONE_VALUE, rendered),
            }
        }
    }
}

const ONE_VALUE: &str = " This version has no affinity, and a nodeSelector takes one value; give all pools of \
     run_on one common label.";

/// Each pool once, in order of their names.
fn by_name<'a, 'b: 'a>(pools: impl Iterator<Item = &'a &'b Pool>) -> Vec<&'b Pool> {
    pools.map(|pool| (pool.name.as_str(), *pool)).collect::<BTreeMap<_, _>>().into_values().collect()
}

fn expressions_of(terms: Vec<Vec<Choice>>) -> Vec<Vec<Json>> {
    let expression = |(key, values): Choice| json!({"key": key, "operator": "In", "values": values});
    terms.into_iter().map(|term| term.into_iter().map(expression).collect()).collect()
}

fn names_of(members: &[&Reach<'_>]) -> String {
    members.iter().map(|it| it.component.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// ANDs the terms into every required term there is, and the defaults too: a list of terms replaces the
/// default's, and two lists side by side would mean "or".
fn require(
    input: &Input<'_>,
    members: &[&Reach<'_>],
    path: &ValuesPath,
    terms: &[Vec<Json>],
    rendered: &mut Rendered,
) {
    let Some(first) = members.first() else { return };
    let current = required_terms(&affinity_so_far(first.component, &rendered.values));
    let mut joined = if current.is_empty() { vec![json!({})] } else { current.clone() };
    let mut defaults = Vec::new();
    let mut known = true;
    for Reach { component, .. } in members {
        known &= !warn_of_unknown(input, component, path, REQUIRED, rendered);
        let Fact::Known(default) = &component.default_affinity else { continue };
        let default = required_terms(default);
        if !default.is_empty() && default != current && !defaults.contains(&default) {
            joined = product(&joined, &default.iter().map(expressions).collect::<Vec<_>>());
            defaults.push(default);
        }
    }
    joined = product(&joined, terms);
    let place =
        ValuesPath::new(path.keys().into_iter().chain(["nodeAffinity", REQUIRED, "nodeSelectorTerms"]));
    place.set(&mut rendered.values, Json::Array(joined));
    let (names, run) = (names_of(members), if members.len() == 1 { "runs" } else { "run" });
    let kept = if known {
        "the default requirements are kept in every term"
    } else {
        "the default requirements of this version are unknown, so they are not in it"
    };
    rendered.reasons.push(format!(
        "{path}: {names} {run} only on the pools of run_on, as node_affinity = \"required\" asks; {kept}"
    ));
}

/// The affinity under these values, or what is known of it: the user's own.
fn affinity_so_far(component: &Component, values: &Json) -> Json {
    match component.affinity_object(values) {
        Fact::Known(affinity) => affinity,
        Fact::Unknown => component.affinity.get(values).map_or_else(|| json!({}), |(_, own)| own.clone()),
    }
}

/// Says that a list is about to replace a default that nobody knows; a list of the user's has done so
/// already. Whether it was said.
fn warn_of_unknown(
    input: &Input<'_>,
    component: &Component,
    path: &ValuesPath,
    member: &str,
    rendered: &mut Rendered,
) -> bool {
    let below = format!("/nodeAffinity/{member}");
    let replaced = affinity_so_far(component, &rendered.values).pointer(&below).is_some();
    if component.default_affinity != Fact::Unknown || replaced {
        return false;
    }
    let (addon, name) = (input.addon, &component.name);
    let what = if member == REQUIRED { "requires" } else { "prefers" };
    let finding = Finding::warning(
        Code::DefaultsUnknown,
        addon,
        format!("{addon}: the default affinity of {name} is unknown for {}", input.version),
        format!(
            "What {name} {what} of nodes by default in {} is not known, so it cannot be kept beside what \
             node_affinity adds to {path}. State there what must hold as well.",
            input.version
        ),
    );
    rendered.findings.push(finding.component(name).path(path));
    true
}

fn required_terms(affinity: &Json) -> Vec<Json> {
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

fn prefer(
    input: &Input<'_>,
    component: &Component,
    path: &ValuesPath,
    terms: &[Vec<Json>],
    rendered: &mut Rendered,
) {
    let unknown = warn_of_unknown(input, component, path, PREFERRED, rendered);
    let current = affinity_so_far(component, &rendered.values);
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
    let kept = if unknown { "of this version are unknown, so they are not in it" } else { "are kept" };
    rendered.reasons.push(format!(
        "{path}: {} prefers the pools of run_on, as node_affinity = \"preferred\" asks; the default preferences \
         {kept}",
        component.name
    ));
}

fn select(
    input: &Input<'_>,
    members: &[&Reach<'_>],
    path: &ValuesPath,
    pair: (String, String),
    rendered: &mut Rendered,
) {
    let Some(Reach { component, .. }) = members.first() else { return };
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
    let run = if members.len() == 1 { "runs" } else { "run" };
    rendered.reasons.push(format!(
        "{path}: {} {run} only on the pools of run_on, as node_affinity = \"required\" asks; this version has no \
         affinity",
        names_of(members)
    ));
}

/// One finding for all components with the same pools: labels are a matter of these.
fn no_label(input: &Input<'_>, pools: &[&Pool], others: &[&Pool], note: &str, rendered: &mut Rendered) {
    let addon = input.addon;
    let one = |pools: &[&Pool], one: &'static str, several| if pools.len() == 1 { one } else { several };
    let detail = format!(
        "node_affinity needs a label that {} {} and {} {} not.{note} Add such a label in node_pools (and to the \
         nodes), or leave node_affinity out.",
        in_words(pools),
        one(pools, "has", "have"),
        in_words(others),
        one(others, "has", "have"),
    );
    let summary = format!("{addon}: no label tells the pools of run_on from the others");
    let finding = Finding::error(Code::NoDistinguishingLabel, addon, summary, detail).path("node_affinity");
    if !rendered.findings.contains(&finding) {
        rendered.findings.push(finding);
    }
}

/// `the pool "a"`, `the pools "a", "b"`, and no more than a reader wants to see.
fn in_words(pools: &[&Pool]) -> String {
    let names: Vec<_> = pools.iter().take(5).map(|pool| format!("{:?}", pool.name)).collect();
    let more = if pools.len() > 5 { format!(" and {} more", pools.len() - 5) } else { String::new() };
    format!("the {} {}{more}", if pools.len() == 1 { "pool" } else { "pools" }, names.join(", "))
}

/// One setting for two components that shall not run on the same pools.
fn shared_place(
    input: &Input<'_>,
    component: &Component,
    other: &str,
    path: &ValuesPath,
    pool: &str,
) -> Finding {
    let (addon, name) = (input.addon, &component.name);
    let detail = format!(
        "{path} counts for {name}, which node_affinity = \"required\" keeps off the pool {pool:?}, and for {other}, \
         which must reach it. Give both the same run_on and node_affinity."
    );
    let summary = format!("{addon}: {name} and {other} share {path}");
    Finding::error(Code::PathUnavailable, addon, summary, detail).component(name).path("node_affinity")
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
                "No version of {addon} has such a setting; set node_affinity = \"none\" in components[{name:?}]."
            ))
        ),
    )
    .component(name)
    .path("node_affinity")
}
