//! Every version of every add-on of the catalog, on pools as people have them.

use serde_json::{Value as Json, json};

use super::{Outcome, Scheduler};
use crate::catalog::Catalog;
use crate::config::{read_scheduling, tests::value};
use crate::domain::{Code, Kind, Severity};

fn decide(scheduler: &Scheduler, addon: &str, arguments: Json, pools: &Json) -> Outcome {
    let config = json!({"node_pools": pools, "addons": {addon: arguments}});
    let read = read_scheduling(&value(&config));
    assert!(read.is_whole(), "{config}: {:?}", read.diagnostics);
    scheduler.decide(&read.request)
}

/// Calls `check` with every add-on and version of the catalog.
fn for_every_version(mut check: impl FnMut(&Scheduler, &str, &str)) {
    let catalog = Catalog::embedded();
    let scheduler = Scheduler::new(catalog);
    let mut count = 0;
    for name in catalog.addon_names() {
        for facts in &catalog.addon(name).expect("an add-on").versions {
            check(&scheduler, name, &facts.version.to_string());
            count += 1;
        }
    }
    assert!(count > 1_000, "{count} versions");
}

/// A reserved pool, one for GPUs, one that Karpenter makes, Auto Mode, hybrid nodes, Windows, and Fargate.
fn typical() -> Json {
    json!({
        "critical": {"taints": ["CriticalAddonsOnly=true:NoSchedule"], "labels": {"role": "system", "tier": "ec2"}},
        "gpu": {"taints": ["nvidia.com/gpu:NoSchedule", "dedicated=ml:NoExecute"], "architectures": ["amd64", "arm64"],
            "labels": {"role": "gpu", "tier": "ec2"}},
        "spot": {"provisioner": "karpenter", "taints": ["spot=true:NoSchedule"]},
        "auto": {"compute_type": "auto", "taints": ["CriticalAddonsOnly:NoSchedule"]},
        "hybrid": {"compute_type": "hybrid", "taints": ["site=a:NoSchedule"]},
        "windows": {"os": "windows", "taints": ["os=windows:NoSchedule"]},
        "fargate": {"compute_type": "fargate", "selectors": [{"namespace": "batch"}]},
    })
}

/// Refused because the version has no setting, or said because nobody knows.
fn excused(outcome: &Outcome, component: &str) -> bool {
    let excuses = [Code::PathUnavailable, Code::DefaultsUnknown];
    outcome
        .findings
        .iter()
        .any(|it| excuses.contains(&it.code) && it.component.as_deref().is_none_or(|it| it == component))
}

#[test]
fn without_taints_nothing_is_rendered() {
    for_every_version(|scheduler, addon, version| {
        let outcome = decide(scheduler, addon, json!({"addon_version": version}), &json!({"plain": {}}));
        let values = &outcome.rendered[addon].configuration_values;
        assert_eq!(values, "{}", "{addon} {version}: {:?}", outcome.rendered[addon].reasons);
        let errors: Vec<_> = outcome.findings.iter().filter(|it| it.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{addon} {version}: {errors:?}");
    });
}

/// Every component can run where it must, and Deployments must where they were asked to.
fn check_placements(addon: &str, version: &str, outcome: &Outcome) {
    for finding in &outcome.findings {
        let expected = finding.severity == Severity::Warning || finding.code == Code::PathUnavailable;
        assert!(expected, "{addon} {version}: {finding:?}");
    }
    for placement in outcome.placements.iter().filter(|it| !excused(outcome, &it.component)) {
        let place = (placement.kind, placement.node_pool.as_str());
        let asked = matches!(place, (Kind::Deployment, "critical" | "gpu"));
        assert_eq!(
            asked,
            placement.required && placement.kind == Kind::Deployment,
            "{addon} {version}: {placement:?}"
        );
        let settable = !outcome.findings.iter().any(|it| it.code == Code::UntoleratedTaint);
        if placement.required && settable {
            assert_ne!(placement.reason.schedulable(), Some(false), "{addon} {version}: {placement:?}");
        }
    }
}

#[test]
fn what_is_rendered_is_valid_and_places_every_component_where_it_must_run() {
    let mut placed = 0;
    for_every_version(|scheduler, addon, version| {
        let arguments = json!({"addon_version": version, "run_on": ["critical", "gpu"]});
        let outcome = decide(scheduler, addon, arguments, &typical());
        check_placements(addon, version, &outcome);
        placed +=
            outcome.placements.iter().filter(|it| it.required && !excused(&outcome, &it.component)).count();
    });
    // Most of a thousand versions have several components that must run on several pools.
    assert!(placed > 3_000, "{placed}");
}

#[test]
fn affinity_is_rendered_for_every_version_that_takes_it() {
    for mode in ["preferred", "required"] {
        for_every_version(|scheduler, addon, version| {
            let arguments =
                json!({"addon_version": version, "run_on": ["critical", "gpu"], "node_affinity": mode});
            check_placements(addon, version, &decide(scheduler, addon, arguments, &typical()));
        });
    }
}

#[test]
fn rendering_twice_is_rendering_once() {
    for mode in ["none", "required"] {
        for_every_version(|scheduler, addon, version| {
            let arguments = |values: &Json| {
                json!({"addon_version": version, "run_on": ["critical", "gpu"], "on_unschedulable": "warning",
                    "node_affinity": mode, "configuration_values": values})
            };
            let once = decide(scheduler, addon, arguments(&json!({})), &typical());
            let once = &once.rendered[addon].configuration_values;
            let values = serde_json::from_str(once).expect("canonical JSON");
            let twice = decide(scheduler, addon, arguments(&values), &typical());
            assert_eq!(&twice.rendered[addon].configuration_values, once, "{addon} {version}");
        });
    }
}
