//! Hand-written configurations: the mistakes that real people make, each with exactly one finding; and
//! configurations that work, with none.

use serde_json::{Value as Json, json};

use super::tests::{codes, decide};
use crate::domain::affinity::REQUIRED;

/// A hand-written configuration on pools: the codes of its findings, and a part of the first one's text.
fn check(addon: &str, version: &str, values: Json, pools: Json, findings: &[&str], part: &str) {
    let arguments = json!({"addon_version": version, "configuration_values": values, "toleration_policy": "none",
        "ignore_findings": ["version-incompatible"]});
    let config = json!({"kubernetes_version": "1.33", "node_pools": pools, "addons": {addon: arguments}});
    let outcome = decide(&config);
    assert_eq!(codes(&outcome), findings, "{config}: {:#?}", outcome.findings);
    let text: String = outcome.findings.iter().map(|it| format!("{}\n{}\n", it.summary, it.detail)).collect();
    assert!(text.contains(part), "{config}: {text}");
}

const AGENT: &str = "eks-pod-identity-agent";
const EBS: &str = "aws-ebs-csi-driver";
const CNI: &str = "vpc-cni";
const DEFAULT: &str = "default";

fn plain() -> Json {
    json!({"plain": {}})
}

fn tainted() -> Json {
    json!({"gpu": {"taints": ["gpu=1:NoSchedule"]}})
}

fn controller(list: Json) -> Json {
    json!({"controller": {"tolerations": list}})
}

#[test]
fn wrong_paths_and_shapes_are_named() {
    let exists = json!([{"operator": "Exists"}]);
    check(
        EBS,
        DEFAULT,
        json!({"tolerations": exists}),
        plain(),
        &["E configuration-invalid"],
        "controller.tolerations, node.tolerations",
    );
    check(
        CNI,
        DEFAULT,
        json!({"nodeSelector": {"a": "b"}}),
        plain(),
        &["E configuration-invalid"],
        "unknown key",
    );
    let nested = json!({"aws-ebs-csi-driver": {"controller": {"tolerations": exists}}});
    check(EBS, DEFAULT, nested, plain(), &["E configuration-invalid"], "belong one level up");
    let affinity = json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]}]}}});
    check(
        EBS,
        DEFAULT,
        json!({"controller": {"affinity": affinity}}),
        plain(),
        &["E affinity-invalid"],
        "[\"b\"]",
    );
}

#[test]
fn spellings_that_kubernetes_rejects_are_named() {
    let one = |toleration: Json| controller(json!([toleration]));
    check(
        EBS,
        DEFAULT,
        one(json!({"key": "a", "operator": "Exists", "effect": "NO_SCHEDULE"})),
        plain(),
        &["E toleration-invalid"],
        "Expected \"NoSchedule\"",
    );
    check(
        EBS,
        DEFAULT,
        one(json!({"key": "a", "operator": "Exist"})),
        plain(),
        &["E toleration-invalid"],
        "\"Exists\"",
    );
    check(
        EBS,
        DEFAULT,
        one(json!({"key": "a", "operator": "Gt", "value": "1"})),
        plain(),
        &["W toleration-invalid"],
        "alpha",
    );
}

#[test]
fn a_taint_that_is_not_covered_is_named_with_component_and_pool() {
    let wrong_effect = controller(json!([{"key": "gpu", "operator": "Exists", "effect": "NoExecute"}]));
    check(EBS, DEFAULT, wrong_effect, tainted(), &["E untolerated-taint"], "gpu=1:NoSchedule");
    let dropped_value = controller(json!([{"key": "gpu", "operator": "Equal", "effect": "NoSchedule"}]));
    check(EBS, DEFAULT, dropped_value, tainted(), &["E untolerated-taint"], "\"gpu\"");
    let only_node = json!({"node": {"tolerateAllTaints": true}});
    check(EBS, DEFAULT, only_node, tainted(), &["E untolerated-taint"], "controller");
    let covered = controller(json!([{"key": "gpu", "value": "1", "effect": "NoSchedule"}]));
    check(EBS, DEFAULT, covered, tainted(), &[], "");
    let null_effect = controller(json!([{"key": "gpu", "operator": "Exists", "effect": null}]));
    check(EBS, DEFAULT, null_effect, tainted(), &[], "");
}

#[test]
fn a_daemonset_that_loses_its_wildcard_is_told_what_that_means() {
    let list = json!({"tolerations": [{"key": "gpu", "operator": "Exists"}]});
    check(
        CNI,
        DEFAULT,
        list.clone(),
        tainted(),
        &["E defaults-lost"],
        "does not become ready without aws-node",
    );
    check(AGENT, DEFAULT, list, tainted(), &["W defaults-lost"], "does not start there before");
    let ready = json!({"tolerations": [{"key": "gpu", "operator": "Exists"},
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}]});
    check(CNI, DEFAULT, ready, tainted(), &["W defaults-lost"], "any other taint");
    check(CNI, DEFAULT, json!({"tolerations": []}), plain(), &["E defaults-lost"], "not-ready");
    check(EBS, DEFAULT, controller(json!([])), plain(), &["W defaults-lost"], "removes all defaults");
}

#[test]
fn what_does_nothing_is_said_to_do_nothing() {
    check(
        CNI,
        DEFAULT,
        json!({"tolerations": [{"operator": "Exists"}]}),
        tainted(),
        &["W redundant"],
        "by default",
    );
    let covered =
        json!([{"key": "gpu", "operator": "Exists"}, {"key": "gpu", "value": "1", "effect": "NoSchedule"}]);
    check(EBS, DEFAULT, controller(covered), tainted(), &["W redundant"], "[1] is covered by [0]");
    let twice = json!([{"key": "gpu", "operator": "Exists"}, {"key": "gpu", "operator": "Exists"}]);
    check(EBS, DEFAULT, controller(twice), tainted(), &["W redundant"], "[1] is covered by [0]");
    let seconds = json!([{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        {"key": "a", "operator": "Exists", "effect": "NoExecute"}]);
    check(EBS, DEFAULT, controller(seconds), plain(), &[], "");
    let ignored = json!({"node": {"tolerations": [{"key": "gpu", "operator": "Exists"}]}});
    check(EBS, DEFAULT, ignored, plain(), &["W tolerations-ignored"], "node.tolerateAllTaints");
    check(
        EBS,
        DEFAULT,
        controller(json!([{"operator": "Exists"}])),
        tainted(),
        &["W wildcard-on-deployment"],
        "drained",
    );
}

#[test]
fn an_affinity_is_measured_by_the_pools() {
    let terms = |key: &str, value: &str| {
        json!({"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]}}}})
    };
    check(
        CNI,
        DEFAULT,
        terms("role", "x"),
        plain(),
        &["E affinity-matches-no-pool"],
        "plain: requires role In [x]",
    );
    let auto = json!({"auto": {"compute_type": "auto"}, "plain": {}});
    check(
        CNI,
        DEFAULT,
        terms("kubernetes.io/os", "linux"),
        auto,
        &["W defaults-lost"],
        "lets aws-node onto pool \"auto\"",
    );
    check(CNI, DEFAULT, terms("kubernetes.io/os", "linux"), plain(), &[], "");
    check(CNI, DEFAULT, terms("topology.kubernetes.io/zone", "a"), plain(), &[], "");
}

#[test]
fn configurations_that_work_have_no_findings() {
    check(CNI, DEFAULT, json!({"env": {"ENABLE_PREFIX_DELEGATION": "true"}}), tainted(), &[], "");
    check(
        EBS,
        DEFAULT,
        json!({"controller": {"nodeSelector": {"role": "x"}}}),
        json!({"p": {"labels": {"role": "x"}}}),
        &[],
        "",
    );
    check(AGENT, "v1.0.0-eksbuild.1", json!({"tolerations": [{"operator": "Exists"}]}), tainted(), &[], "");
}
