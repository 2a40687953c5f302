//! The pools that a component must be able to run on.

use crate::domain::pool::ComputeType;
use crate::domain::request::{NodeAffinityMode, TolerationPolicy};
use crate::domain::{Code, Component, Finding, Kind, Pool};
use crate::schedule::{Placed, Reason};

use super::{Input, Rendered};

/// The pools that a component must be able to run on, and what is wrong with the request.
#[derive(Default)]
pub struct Targets<'a> {
    /// The pools, in order of their names.
    pub pools: Vec<&'a Pool>,
    /// Pools asked for that can never take it; a choice that only the user can make.
    pub findings: Vec<Finding>,
}

/// Decides the targets of a component that stands with the pools as `placed` says.
#[must_use]
pub fn targets<'a>(input: &Input<'a>, component: &Component, placed: &[Placed<'a>]) -> Targets<'a> {
    let placement = input.placement(component);
    let mut findings = Vec::new();
    let eligible = |it: &&Placed<'a>| it.reason.is_eligible();
    let expected = |it: &&Placed<'a>| it.reason.is_expected();
    let pools = |placed: Vec<&Placed<'a>>| placed.into_iter().map(|it| it.pool).collect();
    let pools = match (component.kind, &placement.run_on) {
        (Kind::DaemonSet, Some(run_on)) if placement.node_affinity == NodeAffinityMode::Required => {
            let inside = placed.iter().filter(|it| run_on.contains(&it.pool.name));
            pools(inside.filter(expected).collect())
        }
        (Kind::DaemonSet, _) => pools(placed.iter().filter(expected).collect()),
        (Kind::Deployment, Some(run_on)) => {
            let asked: Vec<_> = placed.iter().filter(|it| run_on.contains(&it.pool.name)).collect();
            findings.extend(asked.iter().filter_map(|it| ineligible(input, component, it)));
            findings.extend(both_sides(input, component, &asked));
            if !asked.is_empty() && asked.iter().all(|it| it.pool.starts_empty()) {
                findings.push(no_nodes_yet(input, component));
            }
            pools(asked.into_iter().filter(eligible).collect())
        }
        (Kind::Deployment, None) if placement.toleration_policy == TolerationPolicy::Pools => {
            pools(placed.iter().filter(eligible).collect())
        }
        (Kind::Deployment, None) => chosen(input, component, placed, &mut findings),
    };
    Targets { pools: one_side(component, pools), findings }
}

/// What is let onto Fargate by a setting runs nowhere else then: beside other pools Fargate is no target.
fn one_side<'a>(component: &Component, pools: Vec<&'a Pool>) -> Vec<&'a Pool> {
    let elsewhere = |pool: &&Pool| pool.compute_type != ComputeType::Fargate;
    if component.fargate.is_some() && pools.iter().any(elsewhere) {
        pools.into_iter().filter(elsewhere).collect()
    } else {
        pools
    }
}

/// `run_on` names Fargate beside other pools, and the component cannot be on both.
fn both_sides(input: &Input<'_>, component: &Component, asked: &[&Placed<'_>]) -> Option<Finding> {
    let (addon, name) = (input.addon, &component.name);
    let fargate = component.fargate.as_ref()?;
    let path = fargate.setting.path.as_ref().or(fargate.setting.elsewhere.as_ref())?;
    let on_fargate =
        |it: &&&Placed<'_>| matches!(it.reason, Reason::FargateSelected | Reason::KeptOffFargate(_));
    let elsewhere =
        |it: &&&Placed<'_>| it.pool.compute_type != ComputeType::Fargate && it.reason.is_eligible();
    let (one, other) = (asked.iter().find(on_fargate)?.pool, asked.iter().find(elsewhere)?.pool);
    let detail = format!(
        "run_on names the Fargate pool {:?} and the pool {:?}, but {path} = {:?} lets {name} onto Fargate only, and \
         without it {name} runs on EC2 only. Choose: name either Fargate pools or others.",
        one.name, other.name, fargate.value
    );
    let summary = format!("{addon}: {name} runs either on Fargate or on EC2");
    Some(Finding::error(Code::RunOnIneligible, addon, summary, detail).component(name).path("run_on"))
}

/// Where a Deployment goes that nobody placed: nowhere in particular if the defaults fit a pool that
/// has nodes; the only pool if there is one; else the user has to say.
fn chosen<'a>(
    input: &Input<'a>,
    component: &Component,
    placed: &[Placed<'a>],
    findings: &mut Vec<Finding>,
) -> Vec<&'a Pool> {
    let standing: Vec<_> =
        placed.iter().filter(|it| !it.pool.starts_empty() && it.reason.is_eligible()).collect();
    if standing.iter().any(|it| it.reason.schedulable() != Some(false)) {
        return Vec::new();
    }
    match standing.as_slice() {
        [only] => vec![only.pool],
        [] => {
            findings.push(nowhere(input, component, placed));
            Vec::new()
        }
        several if input.placement(component).toleration_policy != TolerationPolicy::None => {
            findings.push(ambiguous(input, component, several));
            Vec::new()
        }
        // Nothing is rendered under "none", so there is nothing to choose: the check says what is wrong.
        _ => Vec::new(),
    }
}

fn ineligible(input: &Input<'_>, component: &Component, placed: &Placed<'_>) -> Option<Finding> {
    let (addon, name) = (input.addon, &component.name);
    let Placed { pool, reason } = placed;
    let finding = Finding::error(
        Code::RunOnIneligible,
        addon,
        format!("{addon}: {name} can never run on pool {:?}", pool.name),
        format!("run_on names the pool {:?}, but {name} {reason}. Name a pool that can take it.", pool.name),
    );
    (!reason.is_eligible()).then(|| finding.component(name).node_pool(&pool.name).path("run_on"))
}

fn no_nodes_yet(input: &Input<'_>, component: &Component) -> Finding {
    let (addon, name) = (input.addon, &component.name);
    Finding::error(
        Code::Unschedulable,
        addon,
        format!("{addon}: {name} would wait for nodes that only Karpenter makes"),
        format!(
            "Every pool in run_on of {name} is provisioned by Karpenter. Those nodes do not exist when add-ons \
             are created, so EKS would wait until it reports DEGRADED. Add a pool that is not Karpenter's."
        ),
    )
    .component(name)
    .path("run_on")
}

fn nowhere(input: &Input<'_>, component: &Component, placed: &[Placed<'_>]) -> Finding {
    let (addon, name) = (input.addon, &component.name);
    let why: Vec<_> = placed
        .iter()
        .map(|Placed { pool, reason }| {
            let empty = pool.starts_empty() && reason.is_eligible();
            let reason =
                if empty { "has no nodes before Karpenter runs".to_owned() } else { reason.to_string() };
            format!("{}: {reason}", pool.name)
        })
        .collect();
    let why = if why.is_empty() { "there are no pools".to_owned() } else { why.join("; ") };
    Finding::error(
        Code::Unschedulable,
        addon,
        format!("{addon}: {name} can run on no pool"),
        format!(
            "{name} is a {} and needs a pool whose nodes exist when the add-on is created. {why}. Add a pool \
             that can take it, or leave the add-on out.",
            component.kind
        ),
    )
    .component(name)
}

/// The detail names no component, so that what is said of several can be said once.
fn ambiguous(input: &Input<'_>, component: &Component, standing: &[&Placed<'_>]) -> Finding {
    let (addon, name) = (input.addon, &component.name);
    let pools: Vec<_> = standing.iter().map(|it| format!("{:?}", it.pool.name)).collect();
    let detail = format!(
        "This is a {}, and its default tolerations fit none of the pools {}. Set run_on = [{}] in addons[{addon:?}] \
         (or for one component in its components) to the pools that it may run on.",
        component.kind,
        pools.join(", "),
        pools.first().map(String::as_str).unwrap_or_default(),
    );
    Finding::error(Code::RunOnAmbiguous, addon, shall_run(addon, name), detail).component(name).path("run_on")
}

fn shall_run(addon: &str, names: &str) -> String {
    format!("{addon}: say where {names} shall run")
}

/// Makes one finding of those that ask for the same `run_on` for several components.
pub(super) fn tell_together(addon: &str, rendered: &mut Rendered) {
    let ambiguous = |it: &&Finding| it.code == Code::RunOnAmbiguous;
    let all: Vec<Finding> = rendered.findings.iter().filter(ambiguous).cloned().collect();
    let mut seen = Vec::new();
    rendered.findings.retain_mut(|finding| {
        if finding.code != Code::RunOnAmbiguous {
            return true;
        }
        if seen.contains(&finding.detail) {
            return false;
        }
        seen.push(finding.detail.clone());
        let same = all.iter().filter(|it| it.detail == finding.detail);
        let names: Vec<&str> = same.filter_map(|it| it.component.as_deref()).collect();
        if names.len() > 1 {
            finding.summary = shall_run(addon, &names.join(", "));
            finding.component = None;
            rendered.told.extend(names.into_iter().map(str::to_owned));
        }
        true
    });
}
