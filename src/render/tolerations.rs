//! Tolerations: which are missing, where they go, and what a list that replaces the defaults must keep.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::domain::component::{Fact, UserList};
use crate::domain::request::TolerationPolicy;
use crate::domain::taint::not_ready;
use crate::domain::values::merge;
use crate::domain::{
    Code, Component, Effect, Finding, Kind, Taint, Tolerance, Toleration, TolerationList, ValuesPath,
};
use crate::schedule;

use super::targets::{Targets, targets};
use super::{Input, Rendered};

/// What one list has to gain, for all components that share it.
#[derive(Default)]
struct Gain<'a> {
    components: Vec<&'a Component>,
    tolerations: BTreeSet<Toleration>,
    reasons: BTreeSet<String>,
}

/// Renders the tolerations of every component.
pub(super) fn render(input: &Input<'_>, rendered: &mut Rendered) {
    let mut gains: BTreeMap<ValuesPath, Gain<'_>> = BTreeMap::new();
    for component in input.components {
        let need = need(input, component, rendered);
        if need.tolerations.is_empty() {
            continue;
        }
        let list = component.tolerations.setting.writing_path(&rendered.values);
        if let Some(path) = list.filter(|_| !comes_too_late(component, &need)) {
            let gain = gains.entry(path.clone()).or_default();
            gain.components.push(component);
            gain.tolerations.extend(need.tolerations);
            gain.reasons.extend(need.reasons);
        } else {
            by_switch(input, component, need, rendered);
        }
    }
    for (path, gain) in gains {
        write(input, &path, gain, rendered);
    }
}

/// What a component does not tolerate and must.
struct Need {
    tolerations: BTreeSet<Toleration>,
    reasons: BTreeSet<String>,
    taints: Vec<Taint>,
}

fn need(input: &Input<'_>, component: &Component, rendered: &mut Rendered) -> Need {
    let mut need = Need { tolerations: BTreeSet::new(), reasons: BTreeSet::new(), taints: Vec::new() };
    let policy = input.placement(component).toleration_policy;
    let pod = component.scheduling(&rendered.values);
    let placed = schedule::place_all(component, &pod, input.namespace, input.pools);
    let targets = if placed.is_empty() { Targets::default() } else { targets(input, component, &placed) };
    rendered.findings.extend(targets.findings);
    if policy == TolerationPolicy::None {
        return need;
    }
    let name = &component.name;
    if wildcard_is_asked_for(input, component, policy) {
        let has = matches!(&pod.tolerations, Fact::Known(list) if list.iter().any(Toleration::is_wildcard));
        if !has {
            need.tolerations.insert(Toleration::wildcard());
            need.reasons.insert(format!("{name} tolerates everything, as toleration_policy = \"all\" asks"));
        }
        // A wildcard that the user wrote is told of where the values are checked.
        if component.kind == Kind::Deployment && !has {
            rendered.findings.push(wildcard_on_deployment(input.addon, name));
        }
        return need;
    }
    let mut pools_of: BTreeMap<Taint, Vec<&str>> = BTreeMap::new();
    for pool in targets.pools {
        for taint in schedule::taints_met(component, pool).into_iter().filter(|taint| !pod.stands(taint)) {
            pools_of.entry(taint).or_default().push(&pool.name);
        }
    }
    for (taint, pools) in pools_of {
        need.tolerations.insert(Toleration::of(&taint));
        need.reasons.insert(format!("{name} tolerates {taint} to run on {}", pools_in_words(&pools)));
        need.taints.push(taint);
    }
    // A list of the user's replaces the default that let the component start on nodes that are not ready.
    let own_list = component.tolerations.setting.get(&rendered.values).is_some();
    if component.before_ready && own_list && pod.tolerates(&not_ready()) == Some(false) {
        need.tolerations.insert(Toleration::of(&not_ready()));
        need.reasons.insert(format!("{name} starts on nodes that are not ready"));
        need.taints.push(not_ready());
    }
    for taint in input.request.tolerate_of(name) {
        if !pod.stands(taint) {
            need.tolerations.insert(Toleration::of(taint));
            need.reasons.insert(format!("{name} tolerates {taint}, as tolerate asks"));
            need.taints.push(taint.clone());
        }
    }
    need
}

/// `pool "a"`, `pools "a", "b"`, and no more than a reader wants to see.
fn pools_in_words(pools: &[&str]) -> String {
    let quoted: Vec<_> = pools.iter().take(5).map(|pool| format!("{pool:?}")).collect();
    let more = if pools.len() > 5 { format!(" and {} more", pools.len() - 5) } else { String::new() };
    format!("{} {}{more}", if pools.len() == 1 { "pool" } else { "pools" }, quoted.join(", "))
}

/// On a Deployment a wildcard is harmful, so the add-on's policy does not reach it: only its own does.
fn wildcard_is_asked_for(input: &Input<'_>, component: &Component, policy: TolerationPolicy) -> bool {
    let own = input.request.components.get(&component.name).and_then(|it| it.toleration_policy);
    policy == TolerationPolicy::All
        && (component.kind == Kind::DaemonSet || own == Some(TolerationPolicy::All))
}

pub(super) fn wildcard_on_deployment(addon: &str, name: &str) -> Finding {
    Finding::warning(
        Code::WildcardOnDeployment,
        addon,
        format!("{addon}: {name} tolerates every taint"),
        format!(
            "{name} is a Deployment. With operator: Exists its pods are scheduled back onto nodes that are being \
             drained or are not ready (containers-roadmap #2462). Name the taints instead: run_on does."
        ),
    )
    .component(name)
}

/// A list that is appended to defaults with `tolerationSeconds` comes after them, and the first that
/// matches counts.
fn comes_too_late(component: &Component, need: &Need) -> bool {
    let facts = &component.tolerations;
    let Fact::Known(default) = &facts.default else { return false };
    let default: TolerationList = default.iter().filter_map(|json| Toleration::read(json).0).collect();
    let limited = |taint: &Taint| matches!(default.tolerance(taint), Tolerance::Seconds(_));
    facts.user_list == UserList::Appends && facts.tolerate_all.is_some() && need.taints.iter().any(limited)
}

/// Where no list helps there may be a switch that tolerates everything.
fn by_switch(input: &Input<'_>, component: &Component, need: Need, rendered: &mut Rendered) {
    let switch = component.tolerations.tolerate_all.as_ref();
    let path = switch.and_then(|switch| switch.setting.path.as_ref());
    if let Some(path) = path.filter(|path| path.get(&rendered.values).is_none()) {
        path.set(&mut rendered.values, Json::Bool(true));
        let why: Vec<_> = need.reasons.into_iter().collect();
        let line = format!("{path}: {}; no list of {} can do that", why.join("; "), input.version);
        // Components share switches as they share lists.
        if !rendered.reasons.contains(&line) {
            rendered.reasons.push(line);
        }
        return;
    }
    // What is asked for beyond the pools' own taints would otherwise go unsaid.
    let on_pools: BTreeSet<_> =
        input.pools.values().flat_map(|pool| schedule::taints_met(component, pool)).collect();
    let asked = input.request.tolerate_of(&component.name).any(|taint| !on_pools.contains(taint));
    if (component.tolerations.setting.elsewhere.is_none() || component.tolerations.default == Fact::Unknown)
        && !asked
    {
        // No version has a setting, or nobody knows whether one is needed: what that means for the pools is
        // said pool by pool.
        return;
    }
    let (addon, name) = (input.addon, &component.name);
    let taints: BTreeSet<_> = need.taints.iter().map(ToString::to_string).collect();
    let taints: Vec<_> = taints.into_iter().collect();
    let wanted = if taints.is_empty() { "everything".to_owned() } else { taints.join(", ") };
    let detail = match &component.tolerations.setting.elsewhere {
        Some(path) => format!(
            "{name} does not tolerate {wanted}, and {} has no {path}. {}",
            input.version,
            (input.versions_taking)(path)
        ),
        None => format!("{name} does not tolerate {wanted}, and no version of {addon} has a setting for it."),
    };
    let closable = component.tolerations.setting.elsewhere.is_some();
    let summary = format!("{addon}: {} cannot make {name} tolerate {wanted}", input.version);
    let finding = if closable {
        Finding::error(Code::PathUnavailable, addon, summary, detail)
    } else {
        Finding::warning(Code::PathUnavailable, addon, summary, detail)
    };
    rendered.findings.push(finding.component(name));
}

/// The user's list keeps every entry; without one, the defaults are written out where a list would
/// replace them.
fn write(input: &Input<'_>, path: &ValuesPath, gain: Gain<'_>, rendered: &mut Rendered) {
    let Some(component) = gain.components.first() else { return };
    let user = path.get(&rendered.values).and_then(Json::as_array).cloned();
    let facts = &component.tolerations;
    // An explicit null removes the defaults, as an empty list does.
    let user = user.or_else(|| facts.setting.deleted_by(&rendered.values).map(|_| Vec::new()));
    let wildcard = gain.tolerations.iter().any(Toleration::is_wildcard);
    let (list, note) = match (user, facts.user_list, &facts.default) {
        (Some(user), ..) => (user, "added to the list in configuration_values"),
        (None, UserList::Appends, _) => (Vec::new(), "added to the defaults"),
        (None, UserList::Replaces, _) if wildcard => (Vec::new(), "which covers the defaults"),
        (None, UserList::Replaces, Fact::Known(default)) if default.is_empty() => {
            (Vec::new(), "there are no defaults")
        }
        (None, UserList::Replaces, Fact::Known(default)) => {
            (default.clone(), "the defaults are written out, since a list replaces them")
        }
        (None, UserList::Replaces, Fact::Unknown) => {
            rendered.findings.push(defaults_unknown(input, component, path));
            (Vec::new(), "the defaults of this version are unknown")
        }
    };
    let mut gained: Vec<_> = gain.tolerations.into_iter().collect();
    let unready = starts_unready(&gain.components, &list, &gained);
    let note = if unready.is_some() {
        format!("{note}, and nodes are not ready without it")
    } else {
        note.to_owned()
    };
    gained.extend(unready);
    // The first toleration that matches counts: one without a limit must stand before one with.
    let limited: Vec<_> = list.iter().filter_map(|json| Toleration::read(json).0).collect();
    let outlasts = |it: &Toleration| {
        limited
            .iter()
            .any(|old| old.toleration_seconds.is_some() && (old.key.is_empty() || old.key == it.key))
            && it.effect != Some(Effect::NoSchedule)
    };
    let (before, after): (Vec<_>, Vec<_>) = gained.iter().partition(|it| outlasts(it));
    let array = |list: Vec<&Toleration>| Json::Array(list.into_iter().map(Toleration::to_json).collect());
    path.set(&mut rendered.values, merge(array(before), merge(Json::Array(list), array(after))));
    let why: Vec<_> = gain.reasons.into_iter().collect();
    rendered.reasons.push(format!("{path}: {}; {note}", why.join("; ")));
}

/// What nodes need to become ready must tolerate that they are not: the DaemonSet controller does not
/// add this one (agent v1.0.0 deadlocked with a VPC CNI that waits for it).
fn starts_unready(components: &[&Component], list: &[Json], gained: &[Toleration]) -> Option<Toleration> {
    let taint = not_ready();
    let listed = list.iter().filter_map(|json| Toleration::read(json).0);
    let tolerated = listed.chain(gained.iter().cloned()).any(|it| it.tolerates(&taint));
    (components.iter().any(|component| component.before_ready) && !tolerated).then(|| Toleration::of(&taint))
}

fn defaults_unknown(input: &Input<'_>, component: &Component, path: &ValuesPath) -> Finding {
    let (addon, name) = (input.addon, &component.name);
    Finding::warning(
        Code::DefaultsUnknown,
        addon,
        format!("{addon}: the default tolerations of {name} are unknown for {}", input.version),
        format!(
            "What {name} tolerates by default in {} is not known, so everything that it must tolerate is written \
             to {path}. A newer version whose defaults are known may need nothing.",
            input.version
        ),
    )
    .component(name)
    .path(path)
}
