//! What a reviewer found wrong or unsaid: nulls, nodeSelectors, architectures, and affinities of Deployments.

use serde_json::{Value as Json, json};

use super::Outcome;
use super::tests::{codes, decide};
use crate::domain::affinity::REQUIRED;

/// A hand-written configuration, as a text where a null shall count: the codes of its findings, and a part of
/// their texts.
fn check(addon: &str, values: Json, pools: Json, findings: &[&str], part: &str) -> Outcome {
    check_at(addon, "default", values, pools, findings, part)
}

fn check_at(addon: &str, version: &str, values: Json, pools: Json, findings: &[&str], part: &str) -> Outcome {
    let arguments = json!({"addon_version": version, "configuration_values": values.to_string(),
        "toleration_policy": "none", "ignore_findings": ["version-incompatible"]});
    let config = json!({"kubernetes_version": "1.33", "node_pools": pools, "addons": {addon: arguments}});
    let outcome = decide(&config);
    assert_eq!(codes(&outcome), findings, "{config}: {:#?}", outcome.findings);
    let text: String = outcome.findings.iter().map(|it| format!("{}\n{}\n", it.summary, it.detail)).collect();
    assert!(text.contains(part), "{config}: {text}");
    outcome
}

const EBS: &str = "aws-ebs-csi-driver";
const CNI: &str = "vpc-cni";
const COREDNS: &str = "coredns";
const METRICS: &str = "kube-state-metrics";

fn only(key: &str, operator: &str, values: Json) -> Json {
    json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]}}})
}

#[test]
fn values_of_a_node_selector_are_strings() {
    let error = &["E affinity-invalid"];
    let of = |pairs: Json| json!({"nodeSelector": pairs});
    let metrics = |pairs: Json, findings: &[&str], part: &str| {
        check("metrics-server", of(pairs), json!({"p": {"labels": {"a": "true"}}}), findings, part)
    };
    metrics(json!({"a": true}), error, "nodeSelector.a: found true, expected a string: \"true\" in quotes.");
    metrics(json!({"a": "true"}), &[], "");
    metrics(json!({"b": 1}), error, "nodeSelector.b: found 1");
    metrics(json!({"b": []}), error, "found a list, expected a string");
    metrics(json!({"a b": "c"}), error, "nodeSelector.a b: a key is");
    metrics(json!({"a": "b/c"}), error, "\"b/c\": a value is");
    check("metrics-server", json!({"nodeSelector": null}), json!({"p": {}}), &[], "");
}

#[test]
fn affinities_that_never_match_are_rejected_as_those_that_are_none() {
    let node = |affinity: Json| json!({"node": {"affinity": affinity}});
    let error = &["E affinity-invalid"];
    let values = only("role", "In", json!(["ok", "a/b"]));
    check(EBS, node(values), json!({"p": {}}), error, "[0].values[1]: \"a/b\": a value is");
    check(
        EBS,
        node(json!({"podAntiAffinity": []})),
        json!({"p": {}}),
        error,
        "podAntiAffinity: found a list",
    );
    let twice = json!({"affinity": {"affinity": only("a", "Exists", json!([]))}});
    check(CNI, twice, json!({"p": {}}), error, "\"affinity\"; its content belongs one level up");
}

#[test]
fn one_architecture_of_a_pool_is_enough_for_a_daemonset() {
    let affinity = only("kubernetes.io/arch", "In", json!(["amd64"]));
    let both = |taints: Json| json!({"p": {"provisioner": "karpenter", "architectures": ["amd64", "arm64"], "taints": taints}});
    let own = json!({"affinity": affinity});
    let outcome =
        check(CNI, own.clone(), both(json!([])), &["W defaults-lost"], "off the arm64 nodes of pool \"p\"");
    let placement = &outcome.placements[0];
    assert_eq!(placement.reason.schedulable(), Some(true));
    assert!(placement.required && placement.reason.to_string().starts_with("not on its arm64 nodes"));
    check(
        EBS,
        json!({"node": own}),
        both(json!(["a:NoSchedule"])),
        &["E unschedulable", "W defaults-lost"],
        "arm64",
    );
    let only_arm = json!({"p": {"architectures": ["arm64"]}});
    check(CNI, own, only_arm, &["E affinity-matches-no-pool"], "");
}

#[test]
fn two_entries_for_both_effects_are_a_wildcard() {
    let exists = |effect: &str| json!({"operator": "Exists", "effect": effect});
    let gpu = || json!({"gpu": {"taints": ["gpu=1:NoSchedule"]}});
    let list = |entries: Json| json!({"tolerations": entries});
    check(CNI, list(json!([exists("NoExecute"), exists("NoSchedule")])), gpu(), &[], "");
    check(CNI, list(json!([exists("NoSchedule")])), gpu(), &["W defaults-lost"], "any other taint");
    let timed = json!({"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
    check(CNI, list(json!([timed, exists("NoSchedule")])), gpu(), &["W defaults-lost"], "any other taint");
}

#[test]
fn a_deployment_that_may_land_where_its_default_keeps_it_off_is_told_of() {
    let windows = |taints: Json| json!({"linux": {}, "windows": {"os": "windows", "taints": taints}});
    let any = json!({"affinity": only("role", "DoesNotExist", json!([]))});
    let lost = &["W defaults-lost"];
    check(COREDNS, any.clone(), windows(json!([])), lost, "lets coredns onto pool \"windows\"");
    check(COREDNS, any.clone(), windows(json!(["os=windows:NoSchedule"])), &[], "");
    let hybrid = || json!({"hybrid": {"compute_type": "hybrid"}, "plain": {}});
    check(METRICS, any, hybrid(), lost, "now land on pool \"hybrid\"");
    let pods = json!({"affinity": {"podAntiAffinity": {}}});
    check(METRICS, pods, hybrid(), &[], "");
    let labels = json!({"linux": {"labels": {"a": "b"}}, "windows": {"os": "windows", "labels": {"a": "b"}}});
    check(COREDNS, json!({"nodeSelector": {"a": "b"}}), labels, &[], "");
}

#[test]
fn null_takes_a_default_away() {
    let pools = || json!({"auto": {"compute_type": "auto"}, "plain": {}});
    check(CNI, json!({"affinity": null}), pools(), &["W defaults-lost"], "affinity is null, which removes");
    check(CNI, json!({}), pools(), &[], "");
    // No schema of the catalog takes it for a list; one of the user's may.
    let lists = |addon: &str, values: Json| {
        let arguments = json!({"configuration_values": values.to_string(), "toleration_policy": "none",
            "configuration_schema": "{}"});
        codes(&decide(&json!({"kubernetes_version": "1.33", "addons": {addon: arguments},
            "node_pools": {"p": {"taints": ["CriticalAddonsOnly:NoSchedule"]}}})))
    };
    assert_eq!(lists(COREDNS, json!({})), [""; 0]);
    assert_eq!(lists(COREDNS, json!({"tolerations": null})), lists(COREDNS, json!({"tolerations": []})));
    assert_eq!(lists(CNI, json!({"tolerations": null})), ["E defaults-lost"]);
    // There null means the list at the root.
    let inherits = lists("amazon-cloudwatch-observability", json!({"manager": {"tolerations": null}}));
    assert!(!inherits.iter().any(|it| it.ends_with("untolerated-taint")), "{inherits:?}");
}

#[test]
fn a_list_that_no_setting_makes_count_is_to_be_left_out() {
    let list = json!({"node": {"tolerations": [{"key": "a", "operator": "Exists"}]}});
    let said = "nothing in this version makes it count";
    check("aws-fsx-csi-driver", list, json!({"p": {}}), &["W tolerations-ignored"], said);
}

#[test]
fn auto_mode_makes_nodes_for_pods_that_wait() {
    let auto = json!({"auto": {"compute_type": "auto", "provisioner": "karpenter"}});
    check(COREDNS, json!({}), auto, &[], "");
    check(COREDNS, json!({}), json!({"k": {"provisioner": "karpenter"}}), &["E unschedulable"], "");
}
