//! What placements mean: which gaps there are, and whether a component can run where it must.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::domain::{Code, Component, Fact, Finding, Kind, Pool, Severity, Taint, ValuesPath};
use crate::render::{Input, targets};
use crate::schedule::{self, Placed, Placement, Reason};

use super::addon::Decided;
use super::labels;

/// Places one component on every pool under the final values, and says what is wrong with that.
pub(super) fn component(
    input: &Input<'_>,
    component: &Component,
    values: &Json,
    told: &BTreeSet<String>,
    decided: &mut Decided,
) {
    let placed = schedule::place_all(component, &component.scheduling(values), input.namespace, input.pools);
    let must: BTreeSet<&str> =
        targets(input, component, &placed).pools.into_iter().map(|pool| pool.name.as_str()).collect();
    let known = component.exists(values).is_some();
    let gaps = if known { gaps(input.addon, component, &must, &placed) } else { Vec::new() };
    // What stood in the way of rendering is the cause, and gaps are its consequence: each is told once.
    let cause = told.contains(&component.name)
        || decided.findings.iter().any(|it| {
            it.severity == Severity::Error && it.component.as_deref() == Some(component.name.as_str())
        });
    // What no setting could close is said, and is not counted.
    decided.schedulable &= !cause && gaps.iter().all(|it| it.severity == Severity::Warning);
    if !cause {
        decided.findings.extend(gaps);
        decided.findings.extend(labels::check(input, component, &placed));
        decided.findings.extend(unknown_defaults(input, component, values));
        let users = labels::users_path(component, &input.request.configuration).is_some();
        if let Some(label) = labels::unstated(component, &placed).filter(|_| known && !users) {
            decided.unstated.entry(label).or_default().push(component.name.clone());
        }
    }
    decided.placements.extend(placed.into_iter().map(|Placed { pool, reason }| Placement {
        addon: input.addon.to_owned(),
        component: component.name.clone(),
        kind: component.kind,
        node_pool: pool.name.clone(),
        reason: if known || !reason.is_eligible() { reason } else { Reason::Unknown(UNKNOWN_OBJECT.into()) },
        required: must.contains(pool.name.as_str()),
    }));
}

/// Under `toleration_policy = "none"` nothing is written out where the defaults are not known.
fn unknown_defaults(input: &Input<'_>, component: &Component, values: &Json) -> Option<Finding> {
    let (addon, name) = (input.addon, &component.name);
    let tainted = input.pools.values().any(|pool| pool.hard_taints().next().is_some());
    let unknown = component.toleration_list(values) == Fact::Unknown && tainted;
    let detail = format!(
        "What {name} tolerates by default in {} is not known, so nothing is said of pools with taints.",
        input.version
    );
    let summary = format!("{addon}: the default tolerations of {name} are unknown for {}", input.version);
    unknown.then(|| Finding::warning(Code::DefaultsUnknown, addon, summary, detail).component(name))
}

const UNKNOWN_OBJECT: &str = "whether this version has the component at all";

/// Taints that keep a component from pools that it must run on; and a Deployment that fits nowhere.
fn gaps(addon: &str, component: &Component, must: &BTreeSet<&str>, placed: &[Placed<'_>]) -> Vec<Finding> {
    let untolerated = placed.iter().filter_map(|Placed { pool, reason }| match reason {
        Reason::Untolerated(taints) if must.contains(pool.name.as_str()) => {
            Some(untolerated(addon, component, pool, taints))
        }
        Reason::KeptOffFargate(path) if must.contains(pool.name.as_str()) => {
            Some(kept_off_fargate(addon, component, pool, path))
        }
        Reason::Evicted(taint, seconds) if must.contains(pool.name.as_str()) => {
            Some(evicted(addon, component, pool, taint, *seconds))
        }
        _ => None,
    });
    let fits = |it: &Placed<'_>| !it.pool.starts_empty() && it.reason.schedulable() != Some(false);
    let mut gaps: Vec<_> = untolerated.collect();
    if gaps.is_empty() && component.kind == Kind::Deployment && !placed.iter().any(fits) {
        gaps.push(nowhere_to_run(addon, component, placed));
    }
    gaps
}

fn nowhere_to_run(addon: &str, component: &Component, placed: &[Placed<'_>]) -> Finding {
    let name = &component.name;
    let why: Vec<_> = placed.iter().map(|it| format!("{}: {}", it.pool.name, it.reason)).collect();
    let summary = format!("{addon}: {name} can run on no pool");
    let detail = format!(
        "{name} is a {} and needs a pool whose nodes exist when the add-on is created. {}. Set run_on to a pool \
         that it may run on.",
        component.kind,
        why.join("; ")
    );
    Finding::error(Code::Unschedulable, addon, summary, detail).component(name)
}

fn kept_off_fargate(addon: &str, component: &Component, pool: &Pool, path: &ValuesPath) -> Finding {
    let name = &component.name;
    let summary = format!("{addon}: {name} is kept off pool {:?}", pool.name);
    let value = component.fargate.as_ref().map(|fargate| fargate.value.as_str()).unwrap_or_default();
    let detail = format!(
        "Pool {:?} is a Fargate profile, and {name} runs there only with {path} = {value:?}. Set it, or leave that to \
         toleration_policy = \"auto\".",
        pool.name
    );
    Finding::error(Code::UntoleratedTaint, addon, summary, detail).component(name).node_pool(&pool.name)
}

/// A toleration with `tolerationSeconds` lets pods onto a node whose taint stays, only to evict them.
fn evicted(addon: &str, component: &Component, pool: &Pool, taint: &Taint, seconds: i64) -> Finding {
    let name = &component.name;
    let summary = format!("{addon}: {name} does not stay on pool {:?}", pool.name);
    let detail = format!(
        "Pool {:?} has {taint}, which {name} ({}) tolerates for {seconds} s only: its pods are evicted and scheduled \
         there again, for ever. The first toleration that matches counts: put one without tolerationSeconds before \
         it, or leave that to toleration_policy = \"auto\".",
        pool.name, component.kind
    );
    let finding = Finding::error(Code::UntoleratedTaint, addon, summary, detail);
    finding.component(name).node_pool(&pool.name)
}

fn untolerated(addon: &str, component: &Component, pool: &Pool, taints: &[Taint]) -> Finding {
    let name = &component.name;
    let list: Vec<_> = taints.iter().map(ToString::to_string).collect();
    let list = list.join(" and ");
    let way_out = match &component.tolerations.setting.path {
        Some(path) => format!("Add a toleration to {path}, or leave that to toleration_policy = \"auto\""),
        None if component.tolerations.setting.elsewhere.is_some() => {
            "This version has no setting for it".to_owned()
        }
        None => format!("No version of {addon} has scheduling settings: it skips these nodes without a word"),
    };
    let settable =
        component.tolerations.setting.path.is_some() || component.tolerations.setting.elsewhere.is_some();
    let summary = format!("{addon}: {name} does not tolerate the taints of pool {:?}", pool.name);
    let detail = format!(
        "Pool {:?} has {list}, which {name} ({}) does not tolerate, so its pods will not run there. {way_out}.",
        pool.name, component.kind
    );
    let finding = if settable {
        Finding::error(Code::UntoleratedTaint, addon, summary, detail)
    } else {
        Finding::warning(Code::UntoleratedTaint, addon, summary, detail)
    };
    finding.component(name).node_pool(&pool.name)
}
