//! EKS Pod Identity: minimum versions, the agent, and nodes on which it works (EKS user guide, "EKS Pod
//! Identity", restrictions; FACTS: versions).

use crate::catalog::Catalog;
use crate::domain::pool::{ComputeType, Os};
use crate::domain::{AddonVersion, Code, Finding, Pool, Request};

use super::Outcome;

/// The add-on that hands out the credentials.
pub(super) const AGENT: &str = "eks-pod-identity-agent";
/// The add-on that nodes wait for, and that waits for the agent.
const CNI: &str = "vpc-cni";

/// Whether nodes are not ready before the agent runs: a CNI that takes its credentials from it waits.
pub(super) fn nodes_wait_for_the_agent(request: &Request) -> bool {
    request.addons.get(CNI).is_some_and(|addon| addon.pod_identity)
}

/// Checks every add-on that uses Pod Identity.
pub(super) fn check(catalog: &Catalog, request: &Request, outcome: &Outcome) -> Vec<Finding> {
    let users =
        || request.addons.iter().filter(|(_, addon)| addon.pod_identity).map(|(name, _)| name.as_str());
    let mut findings: Vec<_> = users().filter_map(|name| version(catalog, name, outcome)).collect();
    let pools = || request.pools.iter().flat_map(|pools| pools.values());
    let auto_only = pools().count() > 0 && pools().all(|pool| pool.compute_type == ComputeType::Auto);
    if !request.addons.contains_key(AGENT) && !auto_only {
        findings.extend(users().map(agent_missing));
    }
    if nodes_wait_for_the_agent(request) {
        findings.extend(agent_too_old(catalog, outcome));
    }
    findings.extend(users().flat_map(|name| pools().filter_map(|pool| cannot_work(name, pool, outcome))));
    findings
}

fn version(catalog: &Catalog, name: &str, outcome: &Outcome) -> Option<Finding> {
    let needed = catalog.knowledge(name)?.pod_identity.as_ref()?;
    let version = outcome.rendered.get(name)?.addon_version?;
    let Some(minimum) = needed.minimum else {
        let summary = format!("{name}: does not support EKS Pod Identity");
        let detail = format!(
            "No version of {name} takes credentials from EKS Pod Identity. Remove pod_identity and give it a role \
             for its service account (IRSA)."
        );
        return Some(
            Finding::error(Code::PodIdentityUnsupported, name, summary, detail).path("pod_identity"),
        );
    };
    (version < minimum).then(|| {
        let summary = format!("{name}: {version} does not support EKS Pod Identity");
        let detail = format!(
            "{version} cannot take credentials from EKS Pod Identity; {minimum} is the first that can. Choose a \
             newer addon_version, or give it a role for its service account (IRSA) until then."
        );
        Finding::error(Code::PodIdentityVersion, name, summary, detail).path("addon_version")
    })
}

fn agent_missing(name: &str) -> Finding {
    let summary = format!("{name}: uses EKS Pod Identity without the agent");
    let detail = format!(
        "{name} takes its credentials from EKS Pod Identity, and {AGENT} is not in addons. Add it, unless \
         something else installs it (only EKS Auto Mode brings its own)."
    );
    Finding::warning(Code::PodIdentityAgentMissing, name, summary, detail).path("pod_identity")
}

/// A node is not ready before the CNI runs, the CNI waits for the agent's credentials, and an agent that
/// does not tolerate not-ready waits for the node.
fn agent_too_old(catalog: &Catalog, outcome: &Outcome) -> Option<Finding> {
    let minimum = catalog.knowledge(AGENT)?.pod_identity.as_ref()?.minimum?;
    let version: AddonVersion = outcome.rendered.get(AGENT)?.addon_version?;
    (version < minimum).then(|| {
        let summary = format!("{AGENT}: {version} deadlocks with a {CNI} that uses EKS Pod Identity");
        let detail = format!(
            "{CNI} takes its credentials from the agent, and nodes are not ready before {CNI} runs; {version} of \
             the agent does not tolerate node.kubernetes.io/not-ready by default. {minimum} is the first that \
             does. Choose a newer addon_version for {AGENT}, or upgrade in stages: first {CNI} under IRSA."
        );
        Finding::error(Code::PodIdentityAgentVersion, AGENT, summary, detail).path("addon_version")
    })
}

/// A pool that the add-on runs on and the agent cannot serve.
fn cannot_work(name: &str, pool: &Pool, outcome: &Outcome) -> Option<Finding> {
    let what = match (pool.compute_type, pool.os) {
        (ComputeType::Fargate, _) => "Fargate",
        (_, Os::Windows) => "Windows nodes",
        _ => return None,
    };
    let runs = |component: &&crate::schedule::Placement| {
        component.addon == name
            && component.node_pool == pool.name
            && component.reason.schedulable() == Some(true)
    };
    let component = outcome.placements.iter().find(runs)?;
    let only = !outcome.placements.iter().any(|it| {
        it.component == component.component
            && it.addon == name
            && it.node_pool != pool.name
            && it.reason.schedulable() != Some(false)
    });
    let summary = format!("{name}: {} may run where EKS Pod Identity does not work", component.component);
    let detail = format!(
        "{} can run on pool {:?}, and EKS Pod Identity works on Linux EC2 nodes only, not on {what}. Keep it off \
         that pool with run_on and node_affinity, or give it a role for its service account (IRSA).",
        component.component, pool.name
    );
    let make = if only { Finding::error } else { Finding::warning };
    let finding = make(Code::PodIdentityNodes, name, summary, detail);
    Some(finding.component(&component.component).node_pool(&pool.name))
}
