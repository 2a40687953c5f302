//! EKS Pod Identity: minimum versions, the agent, and nodes on which it works (EKS user guide, "EKS Pod
//! Identity", restrictions; FACTS: versions).

use crate::catalog::Catalog;
use crate::domain::pool::{ComputeType, Os};
use crate::domain::{AddonVersion, Code, Finding, Pool, Request};

use crate::schedule::Placement;

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
    let users = request.addons.iter().filter(|(_, addon)| addon.pod_identity).map(|(name, _)| name.as_str());
    let (unsupported, users): (Vec<_>, Vec<_>) = users.partition(|name| never_supports(catalog, name));
    let mut findings: Vec<_> = unsupported.into_iter().map(not_supported).collect();
    findings.extend(users.iter().filter_map(|name| too_old(catalog, name, outcome)));
    let pools = || request.pools.iter().flat_map(|pools| pools.values());
    let auto_only = pools().count() > 0 && pools().all(|pool| pool.compute_type == ComputeType::Auto);
    if !request.addons.contains_key(AGENT) && !auto_only {
        findings.extend(agent_missing(request, &users));
    }
    if nodes_wait_for_the_agent(request) {
        findings.extend(agent_too_old(catalog, outcome));
    }
    let on_pools =
        |name: &&str| pools().filter_map(|pool| cannot_work(name, pool, outcome)).collect::<Vec<_>>();
    findings.extend(users.iter().flat_map(on_pools));
    findings
}

fn never_supports(catalog: &Catalog, name: &str) -> bool {
    let needed = catalog.knowledge(name).and_then(|it| it.pod_identity.as_ref());
    needed.is_some_and(|it| it.minimum.is_none())
}

fn not_supported(name: &str) -> Finding {
    let summary = format!("{name}: does not support EKS Pod Identity");
    let detail = format!(
        "No version of {name} takes credentials from EKS Pod Identity. Remove pod_identity and give it a role for \
         its service account (IRSA)."
    );
    Finding::error(Code::PodIdentityUnsupported, name, summary, detail).path("pod_identity")
}

fn too_old(catalog: &Catalog, name: &str, outcome: &Outcome) -> Option<Finding> {
    let minimum = catalog.knowledge(name)?.pod_identity.as_ref()?.minimum?;
    let version = outcome.rendered.get(name)?.addon_version?;
    (version < minimum).then(|| {
        let summary = format!("{name}: {version} does not support EKS Pod Identity");
        let detail = format!(
            "{version} cannot take credentials from EKS Pod Identity; {minimum} is the first that can. Choose a \
             newer addon_version, or give it a role for its service account (IRSA) until then."
        );
        Finding::error(Code::PodIdentityVersion, name, summary, detail).path("addon_version")
    })
}

/// One finding for all that use it: the agent is missing once.
fn agent_missing(request: &Request, users: &[&str]) -> Option<Finding> {
    let code = Code::PodIdentityAgentMissing;
    let ignores = |name: &str| request.addons.get(name).is_some_and(|it| it.ignore_findings.contains(&code));
    let users: Vec<_> = users.iter().copied().filter(|name| !ignores(name)).collect();
    let first = users.first()?;
    let (subject, takes) = if users.len() == 1 { (*first, "takes its") } else { ("", "take their") };
    let names = users.join(", ");
    let summary = format!("{names}: EKS Pod Identity without the agent");
    let detail = format!(
        "{names} {takes} credentials from EKS Pod Identity, and {AGENT} is not in addons. Add it, unless something \
         else installs it (only EKS Auto Mode brings its own)."
    );
    let path = if subject.is_empty() { "addons" } else { "pod_identity" };
    Some(Finding::warning(code, subject, summary, detail).path(path))
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
    let runs = |it: &&Placement| it.reason.schedulable() == Some(true);
    let own = || outcome.placements.iter().filter(|it| it.addon == name).filter(runs);
    let here = own().find(|it| it.node_pool == pool.name)?;
    let elsewhere = own().any(|it| it.node_pool != pool.name);
    let agent = || outcome.placements.iter().filter(|it| it.addon == AGENT);
    let (what, way_out) = match (pool.compute_type, pool.os) {
        (ComputeType::Fargate, _) => ("Fargate", "Keep it off that pool"),
        // Of an add-on that runs on Linux nodes too, the Windows part needs no credentials.
        (_, Os::Windows) if !elsewhere => ("Windows nodes", "Keep it off that pool"),
        (ComputeType::Hybrid, _)
            if agent().next().is_some() && !agent().any(|it| it.node_pool == pool.name && runs(&it)) =>
        {
            (
                "hybrid nodes without their own agent",
                "Set daemonsets.hybrid.create in the agent's configuration_values",
            )
        }
        _ => return None,
    };
    let component = &here.component;
    let summary = format!("{name}: {component} may run where EKS Pod Identity does not work");
    let detail = format!(
        "{component} can run on pool {:?}, and EKS Pod Identity does not work on {what}. {way_out}, or give {name} a \
         role for its service account (IRSA).",
        pool.name
    );
    let make = if elsewhere { Finding::warning } else { Finding::error };
    let finding = make(Code::PodIdentityNodes, name, summary, detail);
    Some(finding.component(component).node_pool(&pool.name))
}
