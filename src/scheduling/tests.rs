//! Whole requests against the embedded catalog: the stories the project comes from, and every way a
//! rendering can go.

use serde_json::{Value as Json, json};

use super::{Outcome, Scheduler};
use crate::catalog::Catalog;
use crate::config::{read_scheduling, tests::value};
use crate::domain::Severity;
use crate::domain::affinity::{PREFERRED, REQUIRED};

pub(super) fn decide(config: &Json) -> Outcome {
    let read = read_scheduling(&value(config));
    assert!(read.is_whole(), "{config}: {:?}", read.diagnostics);
    Scheduler::new(Catalog::embedded()).decide(&read.request)
}

fn values(outcome: &Outcome, addon: &str) -> Json {
    serde_json::from_str(&outcome.rendered[addon].configuration_values).expect("canonical JSON")
}

pub(super) fn codes(outcome: &Outcome) -> Vec<String> {
    let word = |severity: Severity| severity.word().chars().next().unwrap_or(' ').to_ascii_uppercase();
    outcome.findings.iter().map(|it| format!("{} {}", word(it.severity), it.code)).collect()
}

/// One add-on on these pools: the values and the findings' codes, `E` for errors and `W` for warnings.
fn check(addon: &str, arguments: Json, pools: Json, expect: Json, findings: &[&str]) {
    let config = json!({"kubernetes_version": "1.33", "node_pools": pools, "addons": {addon: arguments}});
    let outcome = decide(&config);
    assert_eq!(values(&outcome, addon), expect, "{config}: {:#?}", outcome.findings);
    assert_eq!(codes(&outcome), findings, "{config}: {:#?}", outcome.findings);
}

const AGENT: &str = "eks-pod-identity-agent";
const EBS: &str = "aws-ebs-csi-driver";
const CNI: &str = "vpc-cni";

fn exact(version: &str) -> Json {
    json!({"addon_version": version})
}

fn tolerate(key: &str, value: &str) -> Json {
    json!({"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"})
}

fn not_ready() -> Json {
    json!({"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"})
}

fn controller_defaults() -> Vec<Json> {
    vec![
        json!({"key": "CriticalAddonsOnly", "operator": "Exists"}),
        json!({"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}),
    ]
}

fn controller_with(more: &[Json]) -> Json {
    let list: Vec<_> = controller_defaults().into_iter().chain(more.iter().cloned()).collect();
    json!({"controller": {"tolerations": list}})
}

fn gpu() -> Json {
    json!({"gpu": {"taints": ["dedicated=gpu:NoSchedule"]}})
}

#[test]
fn the_agent_needs_a_list_before_v1_2_0_and_nothing_after() {
    let old = |version| json!({"addon_version": version, "ignore_findings": ["version-incompatible"]});
    let list = json!({"tolerations": [tolerate("dedicated", "gpu"), not_ready()]});
    check(AGENT, old("v1.0.0-eksbuild.1"), gpu(), list.clone(), &[]);
    check(AGENT, old("v1.1.0-eksbuild.1"), gpu(), list, &["W defaults-unknown"]);
    check(AGENT, old("v1.2.0-eksbuild.1"), gpu(), json!({}), &[]);
    check(AGENT, json!({}), gpu(), json!({}), &[]);
    check(AGENT, old("v1.0.0-eksbuild.1"), json!({"plain": {}}), json!({}), &[]);
}

#[test]
fn a_cni_with_pod_identity_needs_a_minimal_pair() {
    let pair = |cni: &str, agent: &str| {
        codes(&decide(&json!({"kubernetes_version": "1.28", "taints": ["a:NoSchedule"], "addons": {
            CNI: {"addon_version": cni, "pod_identity": true}, AGENT: {"addon_version": agent}}})))
    };
    assert_eq!(pair("v1.15.5-eksbuild.1", "v1.2.0-eksbuild.1"), [""; 0]);
    assert_eq!(pair("v1.15.4-eksbuild.1", "v1.2.0-eksbuild.1"), ["E pod-identity-version"]);
    assert_eq!(pair("v1.15.5-eksbuild.1", "v1.0.0-eksbuild.1"), ["E pod-identity-agent-version"]);
    assert_eq!(
        pair("v1.15.4-eksbuild.1", "v1.0.0-eksbuild.1"),
        ["E pod-identity-agent-version", "E pod-identity-version"]
    );
    let pools = json!({"p": {}});
    check(CNI, json!({"pod_identity": true}), pools, json!({}), &["W pod-identity-agent-missing"]);
    check(CNI, json!({"pod_identity": true}), json!({"p": {"compute_type": "auto"}}), json!({}), &[]);
    let fargate = json!({"p": {"compute_type": "fargate", "selectors": [{"namespace": "kube-system"}]}});
    check(
        EBS,
        json!({"pod_identity": true}),
        fargate,
        json!({}),
        &["E pod-identity-nodes", "W pod-identity-agent-missing"],
    );
}

#[test]
fn the_ebs_controller_finds_the_karpenter_controller_pool() {
    let karpenter = json!({"controller": {"taints": ["karpenter.sh/controller=true:NoSchedule"]},
        "nodes": {"provisioner": "karpenter"}});
    let expect = controller_with(&[tolerate("karpenter.sh/controller", "true")]);
    check(EBS, json!({"run_on": ["controller"]}), karpenter.clone(), expect.clone(), &[]);
    check(EBS, json!({}), karpenter.clone(), expect, &[]);
    check(EBS, json!({"run_on": ["nodes"]}), karpenter, json!({}), &["E unschedulable"]);
    check(EBS, json!({}), json!({"nodes": {"provisioner": "karpenter"}}), json!({}), &["E unschedulable"]);
}

#[test]
fn a_deployment_goes_where_its_defaults_fit_or_where_the_user_says() {
    let two = json!({"a": {"taints": ["a=1:NoSchedule"]}, "b": {"taints": ["b=1:NoSchedule"]}});
    check(EBS, json!({}), two.clone(), json!({}), &["E run-on-ambiguous"]);
    check(EBS, json!({"run_on": ["a"]}), two.clone(), controller_with(&[tolerate("a", "1")]), &[]);
    check(
        EBS,
        json!({"run_on": ["*"]}),
        two.clone(),
        controller_with(&[tolerate("a", "1"), tolerate("b", "1")]),
        &[],
    );
    check(
        EBS,
        json!({"toleration_policy": "pools"}),
        two.clone(),
        controller_with(&[tolerate("a", "1"), tolerate("b", "1")]),
        &[],
    );
    check(
        EBS,
        json!({"components": {"controller": {"run_on": ["b"]}}}),
        two,
        controller_with(&[tolerate("b", "1")]),
        &[],
    );
    let critical =
        json!({"a": {"taints": ["CriticalAddonsOnly=true:NoSchedule"]}, "b": {"taints": ["b:NoSchedule"]}});
    check(EBS, json!({}), critical, json!({}), &[]);
    let windows = json!({"linux": {}, "windows": {"os": "windows"}});
    check(EBS, json!({"run_on": ["windows"]}), windows, json!({}), &["E run-on-ineligible"]);
}

#[test]
fn lists_of_the_user_are_kept_and_added_to() {
    let pools = json!({"a": {"taints": ["a=1:NoSchedule"]}});
    let own = json!({"configuration_values": {"controller": {"tolerations": [{"key": "x", "operator": "Exists"}]}}});
    let both =
        json!({"controller": {"tolerations": [{"key": "x", "operator": "Exists"}, tolerate("a", "1")]}});
    check(EBS, own, pools.clone(), both, &[]);
    let enough = json!({"controller": {"tolerations": [{"key": "a", "operator": "Exists"}]}});
    check(EBS, json!({"configuration_values": enough}), pools.clone(), enough, &[]);
    let none = json!({"toleration_policy": "none"});
    check(EBS, none, pools, json!({}), &["E untolerated-taint"]);
    let exists = json!({"key": "z", "operator": "Exists", "effect": "NoSchedule"});
    check(EBS, json!({"tolerate": ["z:NoSchedule"]}), json!({"a": {}}), controller_with(&[exists]), &[]);
    // The default tolerates every NoExecute taint for 300 s, and the first that matches counts.
    let exists = json!({"key": "z", "operator": "Exists", "effect": "NoExecute"});
    let list: Vec<_> = [exists].into_iter().chain(controller_defaults()).collect();
    let expect = json!({"controller": {"tolerations": list}});
    check(EBS, json!({}), json!({"a": {"taints": ["z:NoExecute"]}}), expect.clone(), &[]);
    check(EBS, json!({"tolerate": ["z:NoExecute"]}), json!({"a": {}}), expect, &[]);
    let none = json!({"toleration_policy": "none"});
    check(EBS, none, json!({"a": {"taints": ["z:NoExecute"]}}), json!({}), &["E untolerated-taint"]);
}

#[test]
fn the_switch_that_tolerates_everything_is_understood() {
    let off = json!({"node": {"tolerateAllTaints": false}});
    let list = json!({"node": {"tolerateAllTaints": false, "tolerations": [
        {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}, tolerate("dedicated", "gpu")]}});
    let controller = controller_with(&[tolerate("dedicated", "gpu")])["controller"].clone();
    let mut expect = list;
    expect["controller"] = controller;
    check(EBS, json!({"configuration_values": off}), gpu(), expect, &[]);
    let useless = json!({"node": {"tolerations": [{"key": "x", "operator": "Exists"}]}});
    check(
        EBS,
        json!({"configuration_values": useless}),
        json!({"p": {}}),
        useless,
        &["W tolerations-ignored"],
    );
}

#[test]
fn policies_reach_daemonsets_and_spare_deployments() {
    let old = json!({"addon_version": "v1.0.0-eksbuild.1", "toleration_policy": "all", "ignore_findings": ["version-incompatible"]});
    check(AGENT, old, gpu(), json!({"tolerations": [{"operator": "Exists"}]}), &[]);
    check(EBS, json!({"toleration_policy": "all"}), json!({"p": {}}), json!({}), &[]);
    let asked = json!({"components": {"controller": {"toleration_policy": "all"}}});
    let wildcard = json!({"controller": {"tolerations": [{"operator": "Exists"}]}});
    check(EBS, asked, json!({"p": {}}), wildcard.clone(), &["W wildcard-on-deployment"]);
    check(
        EBS,
        json!({"configuration_values": wildcard}),
        json!({"p": {}}),
        wildcard,
        &["W wildcard-on-deployment"],
    );
}

#[test]
fn what_a_version_does_not_take_is_refused_with_the_versions_that_do() {
    let old = json!({"addon_version": "v1.12.1-eksbuild.1", "ignore_findings": ["version-incompatible"]});
    check(EBS, old, gpu(), json!({}), &["E path-unavailable"]);
    let switch = json!({"addon_version": "v1.10.0-eksbuild.1", "ignore_findings": ["version-incompatible"]});
    let critical = json!({"a": {"taints": ["CriticalAddonsOnly:NoSchedule"]}, "b": {"os": "windows", "taints": ["x:NoSchedule"]}});
    check(EBS, switch, critical, json!({"node": {"tolerateAllTaints": true}}), &[]);
}

#[test]
fn affinity_draws_pods_to_pools_and_keeps_what_the_defaults_require() {
    let pools = json!({"system": {"labels": {"role": "system"}}, "other": {"labels": {"role": "other"}}});
    let required =
        json!({"addon_version": "v1.64.0-eksbuild.1", "run_on": ["system"], "node_affinity": "required"});
    let role = json!({"key": "role", "operator": "In", "values": ["system"]});
    let not = json!({"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate", "auto", "hybrid"]});
    let terms = |expressions: Json| json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}});
    check(
        EBS,
        required,
        pools.clone(),
        json!({"controller": {"affinity": terms(json!([role]))}, "node": {"affinity": terms(json!([not, role]))}}),
        &[],
    );
    let preferred =
        json!({"components": {"controller": {"run_on": ["system"], "node_affinity": "preferred"}}});
    let default = json!({"weight": 1, "preference": {"matchExpressions": [not]}});
    let added = json!({"weight": 100, "preference": {"matchExpressions": [role]}});
    check(
        EBS,
        preferred,
        pools,
        json!({"controller": {"affinity": {"nodeAffinity": {PREFERRED: [default, added]}}}}),
        &[],
    );
    let same = json!({"a": {"labels": {"role": "x"}}, "b": {"labels": {"role": "x"}}});
    let impossible = json!({"components": {"controller": {"run_on": ["a"], "node_affinity": "required"}}});
    check(EBS, impossible, same, json!({}), &["E no-distinguishing-label"]);
}

#[test]
fn values_that_eks_or_kubernetes_would_refuse_are_errors() {
    let check_values = |values: Json, findings: &[&str]| {
        check(EBS, json!({"configuration_values": values}), json!({"p": {}}), values, findings);
    };
    check_values(json!({"tolerations": [{"operator": "Exists"}]}), &["E configuration-invalid"]);
    check_values(
        json!({"controller": {"tolerations": [{"key": "a", "effect": "NO_SCHEDULE"}]}}),
        &["E toleration-invalid"],
    );
    check_values(json!({"controller": {"tolerations": [{"value": "a"}]}}), &["E toleration-invalid"]);
    let affinity = json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "a", "operator": "In", "values": "b"}]}]}}});
    check_values(json!({"controller": {"affinity": affinity}}), &["E affinity-invalid"]);
}

#[test]
fn every_object_of_the_ebs_driver_is_modelled() {
    let names = |values: Json, version: &str| {
        let arguments = json!({"addon_version": version, "configuration_values": values});
        let outcome = decide(&json!({"kubernetes_version": "1.33", "on_unschedulable": "warning",
            "node_pools": {"p": {}}, "addons": {EBS: arguments}}));
        outcome.placements.into_iter().map(|it| it.component).collect::<Vec<_>>()
    };
    let newest = "v1.64.0-eksbuild.1";
    assert_eq!(names(json!({}), newest), ["controller", "node", "node-windows"]);
    assert_eq!(names(json!({"node": {"enableWindows": false}}), newest), ["controller", "node"]);
    let more = json!({"additionalDaemonSets": {"gpu": {"nodeSelector": {"a": "b"}}}, "node": {"enableWindows": false}});
    assert_eq!(names(more, newest), ["controller", "node", "node-gpu"]);
    let a1 = json!({"a1CompatibilityDaemonSet": true, "node": {"enableWindows": false}});
    assert_eq!(names(a1, "v1.54.0-eksbuild.1"), ["controller", "node", "node-a1compat"]);
}

#[test]
fn hybrid_agents_exist_when_asked_for_and_run_on_hybrid_nodes() {
    let values = json!({"daemonsets": {"hybrid": {"create": true}, "hybrid-bottlerocket": {"create": true}}});
    let outcome = decide(
        &json!({"kubernetes_version": "1.33", "node_pools": {"h": {"compute_type": "hybrid"}, "p": {}},
        "addons": {AGENT: {"configuration_values": values}}}),
    );
    let runs: Vec<_> = outcome
        .placements
        .iter()
        .map(|it| (it.component.trim_start_matches(AGENT), it.node_pool.as_str(), it.reason.schedulable()))
        .collect();
    let expect = [
        ("", "h", Some(false)),
        ("", "p", Some(true)),
        ("-hybrid", "h", Some(true)),
        ("-hybrid", "p", Some(false)),
        ("-hybrid-bottlerocket", "h", Some(false)),
        ("-hybrid-bottlerocket", "p", Some(false)),
    ];
    assert_eq!(runs, expect);
}

#[test]
fn an_unknown_addon_is_a_slip_or_passed_through() {
    check("amazon-vpc-cni", json!({}), json!({"p": {}}), json!({}), &["E unknown-addon"]);
    check("amazon-vpc-cni", exact("v1.2.3-eksbuild.1"), json!({"p": {}}), json!({}), &["E unknown-addon"]);
    check("kubecost", json!({}), json!({"p": {}}), json!({}), &["E unknown-addon"]);
    check("kubecost", exact("v1.2.3-eksbuild.1"), json!({"p": {}}), json!({}), &["W unmodelled"]);
    check("adot", json!({}), json!({"p": {}}), json!({}), &[]);
    check(
        EBS,
        json!({"components": {"controler": {}}}),
        json!({"p": {}}),
        json!({}),
        &["E unknown-component"],
    );
}

#[test]
fn gaps_can_be_made_warnings_and_findings_ignored() {
    let pools = json!({"a": {"taints": ["a:NoSchedule"]}, "b": {"taints": ["b:NoSchedule"]}});
    check(EBS, json!({"on_unschedulable": "warning"}), pools.clone(), json!({}), &["W run-on-ambiguous"]);
    check(EBS, json!({"ignore_findings": ["run-on-ambiguous"]}), pools, json!({}), &[]);
}

#[test]
fn versions_are_checked_without_pools_too() {
    let outcome =
        decide(&json!({"kubernetes_version": "1.33", "addons": {CNI: {}, EBS: exact("v1.35.0-eksbuild.1")}}));
    assert!(
        outcome.placements.is_empty() && outcome.schedulable && outcome.findings.is_empty(),
        "{outcome:#?}"
    );
    assert_eq!(outcome.upgrade_blockers, []);
}

#[test]
fn what_stands_in_the_way_of_the_next_minor_is_named() {
    let adot = exact("v0.117.0-eksbuild.1");
    let old = decide(&json!({"kubernetes_version": "1.32", "addons": {CNI: {}, "adot": adot}}));
    let blockers: Vec<_> = old
        .upgrade_blockers
        .iter()
        .map(|it| format!("{} {} {}", it.addon, it.addon_version, it.kubernetes_version))
        .collect();
    assert_eq!(blockers, ["adot v0.117.0-eksbuild.1 1.33"]);
    let last = decide(&json!({"kubernetes_version": "1.36", "addons": {CNI: {}}}));
    assert_eq!(last.upgrade_blockers, []);
}

#[test]
fn the_order_of_the_input_changes_nothing() {
    let config = |taints: Json| {
        let outcome = decide(
            &json!({"kubernetes_version": "1.33", "node_pools": {"a": {"taints": taints}}, "addons": {EBS: {}}}),
        );
        outcome.rendered[EBS].configuration_values.clone()
    };
    let one = config(json!(["b=1:NoSchedule", "a=1:NoSchedule", "a=1:NoExecute"]));
    let other = config(json!(["a=1:NoExecute", "a=1:NoSchedule", "b=1:NO_SCHEDULE", "a=1:NoSchedule"]));
    assert_eq!(one, other);
}
