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

/// A reserved pool, one for GPUs, one that Karpenter makes, Windows, and Fargate.
fn typical() -> Json {
    json!({
        "critical": {"taints": ["CriticalAddonsOnly=true:NoSchedule"], "labels": {"role": "system"}},
        "gpu": {"taints": ["nvidia.com/gpu:NoSchedule", "dedicated=ml:NoExecute"], "architectures": ["amd64", "arm64"]},
        "spot": {"provisioner": "karpenter", "taints": ["spot=true:NoSchedule"]},
        "windows": {"os": "windows", "taints": ["os=windows:NoSchedule"]},
        "fargate": {"compute_type": "fargate", "selectors": [{"namespace": "batch"}]},
    })
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

#[test]
fn what_is_rendered_is_valid_and_places_every_component_where_it_must_run() {
    for_every_version(|scheduler, addon, version| {
        let arguments = json!({"addon_version": version, "run_on": ["critical", "gpu"]});
        let outcome = decide(scheduler, addon, arguments, &typical());
        for finding in &outcome.findings {
            // What no setting can close is said, and what this version has no setting for is refused.
            let expected = finding.severity == Severity::Warning || finding.code == Code::PathUnavailable;
            assert!(expected, "{addon} {version}: {finding:?}");
        }
        let refused =
            |component: &str| outcome.findings.iter().any(|it| it.component.as_deref() == Some(component));
        for placement in outcome.placements.iter().filter(|it| it.required && !refused(&it.component)) {
            assert_ne!(placement.reason.schedulable(), Some(false), "{addon} {version}: {placement:?}");
        }
        let deployments = outcome.placements.iter().filter(|it| it.kind == Kind::Deployment);
        let required: Vec<_> = deployments.filter(|it| it.required).map(|it| it.node_pool.as_str()).collect();
        assert!(
            required.iter().all(|pool| ["critical", "gpu"].contains(pool)),
            "{addon} {version}: {required:?}"
        );
    });
}

#[test]
fn rendering_twice_is_rendering_once() {
    for_every_version(|scheduler, addon, version| {
        let arguments = |values: &Json| {
            json!({"addon_version": version, "run_on": ["critical", "gpu"], "on_unschedulable": "warning",
                "configuration_values": values})
        };
        let once = decide(scheduler, addon, arguments(&json!({})), &typical());
        let once = &once.rendered[addon].configuration_values;
        let values = serde_json::from_str(once).expect("canonical JSON");
        let twice = decide(scheduler, addon, arguments(&values), &typical());
        assert_eq!(&twice.rendered[addon].configuration_values, once, "{addon} {version}");
    });
}
