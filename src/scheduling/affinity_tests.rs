//! What node affinity goes by, and when there is nothing to say with it.

use serde_json::{Value as Json, json};

use super::Outcome;
use super::tests::{codes, decide};
use crate::domain::affinity::{PREFERRED, REQUIRED};

fn outcome_of(addon: &str, arguments: &Json, pools: &Json) -> Outcome {
    decide(&json!({"kubernetes_version": "1.33", "node_pools": pools, "addons": {addon: arguments}}))
}

/// One add-on on pools: the rendered values and the findings' codes. The texts of findings and reasons.
fn check(addon: &str, arguments: Json, pools: Json, expect: Json, findings: &[&str]) -> String {
    let outcome = outcome_of(addon, &arguments, &pools);
    let rendered = &outcome.rendered[addon];
    let values: Json = serde_json::from_str(&rendered.configuration_values).expect("canonical JSON");
    assert_eq!(values, expect, "{arguments} {pools}: {:#?}", outcome.findings);
    assert_eq!(codes(&outcome), findings, "{arguments} {pools}: {:#?}", outcome.findings);
    let found = outcome.findings.iter().map(|it| format!("{}\n{}\n", it.summary, it.detail));
    found.chain(rendered.reasons.iter().cloned()).collect()
}

fn required(run_on: &[&str]) -> Json {
    json!({"run_on": run_on, "node_affinity": "required"})
}

/// The label by which vpc-cni is limited to these pools, beside what its default requires.
fn limited_by(run_on: &[&str], pools: Json, terms: Json) {
    let default = [
        json!({"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}),
        json!({"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64", "arm64"]}),
        json!({"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate", "hybrid", "auto"]}),
    ];
    let term = |labels: &Json| {
        let labels = labels.as_object().expect("labels").iter();
        let labels = labels.map(|(key, values)| json!({"key": key, "operator": "In", "values": values}));
        json!({"matchExpressions": default.iter().cloned().chain(labels).collect::<Vec<_>>()})
    };
    let terms: Vec<_> = terms.as_array().expect("terms").iter().map(term).collect();
    let expect = json!({"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}});
    check("vpc-cni", required(run_on), pools, expect, &[]);
}

fn fargate() -> Json {
    json!({"compute_type": "fargate", "selectors": [{"namespace": "kube-system"}]})
}

#[test]
fn without_other_eligible_pools_there_is_nothing_to_say() {
    let tainted = json!({"default": {"taints": ["a:NoSchedule"]}});
    check("vpc-cni", required(&["default"]), tainted, json!({}), &[]);
    let windows =
        json!({"lin": {"labels": {"role": "x"}}, "win": {"os": "windows", "labels": {"role": "x"}}});
    check("vpc-cni", required(&["lin"]), windows.clone(), json!({}), &[]);
    check("coredns", json!({"run_on": ["lin"], "node_affinity": "preferred"}), windows, json!({}), &[]);
    // The version has no path for it, and needs none.
    check("aws-efs-csi-driver", required(&["p"]), json!({"p": {}}), json!({}), &[]);
    let outcome = outcome_of(
        "amazon-cloudwatch-observability",
        &json!({"run_on": ["p"], "node_affinity": "required"}),
        &json!({"p": {}}),
    );
    assert_eq!(codes(&outcome), ["W label-unstated"], "{:#?}", outcome.findings);
    // CoreDNS is kept off Fargate, or off everything else, by a setting.
    let both = json!({"f": fargate(), "p": {}});
    check("coredns", required(&["p"]), both.clone(), json!({}), &[]);
    check("coredns", required(&["f"]), both, json!({"computeType": "Fargate"}), &[]);
}

#[test]
fn one_label_of_all_pools_is_best_and_stated_ones_come_first() {
    let pool = |labels: Json| json!({"labels": labels});
    let karpenter = |labels: Json| json!({"provisioner": "karpenter", "labels": labels});
    let run_on: &[&str] = &["a", "b"];
    let pools = json!({"a": pool(json!({"n": "1", "team": "x"})), "b": pool(json!({"n": "2", "team": "x"})),
        "c": pool(json!({"n": "3"}))});
    limited_by(run_on, pools, json!([{"team": ["x"]}]));
    let pools = json!({"a": pool(json!({"n": "1"})), "b": pool(json!({"n": "2"})), "c": {}});
    limited_by(run_on, pools, json!([{"n": ["1", "2"]}]));
    let pools = json!({"a": pool(json!({"m": "1"})), "b": pool(json!({"n": "2", "z": "z"})),
        "c": pool(json!({"z": "z"}))});
    limited_by(run_on, pools, json!([{"m": ["1"]}, {"n": ["2"]}]));
    // Two labels together, where none does alone.
    let pools = json!({"a": pool(json!({"m": "1", "n": "1", "z": "z"})), "b": pool(json!({"m": "1", "n": "2"})),
        "c": pool(json!({"m": "2", "n": "1", "z": "z"}))});
    limited_by(&["a"], pools, json!([{"m": ["1"], "n": ["1"]}]));
    let pools = json!({"a": karpenter(json!({"n": "1"})), "b": {}});
    limited_by(&["a"], pools, json!([{"n": ["1"]}]));
    limited_by(
        &["a"],
        json!({"a": karpenter(json!({})), "b": {}}),
        json!([{"karpenter.sh/nodepool": ["a"]}]),
    );
    let named = karpenter(json!({"karpenter.sh/nodepool": "its-name"}));
    limited_by(&["a"], json!({"a": named, "b": {}}), json!([{"karpenter.sh/nodepool": ["its-name"]}]));
}

#[test]
fn implied_labels_tell_pools_too() {
    let arm = json!({"architectures": ["arm64"]});
    limited_by(&["a"], json!({"a": arm, "b": {}}), json!([{"kubernetes.io/arch": ["arm64"]}]));
    let pools = json!({"a": arm, "b": {"architectures": ["amd64", "arm64"]}});
    check("vpc-cni", required(&["a"]), pools, json!({}), &["E no-distinguishing-label"]);
    let term = |key: &str, values: &str| json!({"matchExpressions": [{"key": key, "operator": "In", "values": [values]}]});
    let coredns = |pools: Json, key: &str, value: &str| {
        let arguments = json!({"run_on": ["a"], "node_affinity": "preferred"});
        let entry = json!({"weight": 100, "preference": term(key, value)});
        let expect = json!({"affinity": {"nodeAffinity": {PREFERRED: [entry]}}});
        check("coredns", arguments, pools, expect, &[]);
    };
    let auto = json!({"compute_type": "auto"});
    let compute_type = "eks.amazonaws.com/compute-type";
    coredns(json!({"a": auto, "b": {}}), compute_type, "auto");
    coredns(json!({"a": {"compute_type": "hybrid"}, "b": {}}), compute_type, "hybrid");
    coredns(json!({"a": auto, "b": auto}), "karpenter.sh/nodepool", "a");
}

#[test]
fn a_label_that_others_do_not_state_is_the_last_resort() {
    let group = "eks.amazonaws.com/nodegroup";
    let pools = |labels: Json| json!({"a": {"labels": labels}, "b": {}});
    limited_by(&["a"], pools(json!({group: "a", "role": "x"})), json!([{"role": ["x"]}]));
    let outcome = outcome_of("vpc-cni", &required(&["a"]), &pools(json!({group: "a"})));
    assert_eq!(codes(&outcome), [""; 0]);
    let values = &outcome.rendered["vpc-cni"].configuration_values;
    assert!(
        values.contains(r#"{"key":"eks.amazonaws.com/nodegroup","operator":"In","values":["a"]}"#),
        "{values}"
    );
}

#[test]
fn components_that_share_an_affinity_keep_their_pools() {
    let pools = json!({"lin": {"labels": {"n": "1"}}, "lin2": {"labels": {"n": "2"}},
        "win": {"os": "windows", "labels": {"n": "3"}}, "win2": {"os": "windows", "labels": {"n": "4"}}});
    let node = |run_on: Json, others: Json| {
        let mut components = others;
        components["node"] = json!({"run_on": run_on, "node_affinity": "required"});
        outcome_of("aws-ebs-csi-driver", &json!({"components": components}), &pools)
    };
    let values = |outcome: &Outcome| outcome.rendered["aws-ebs-csi-driver"].configuration_values.clone();
    // The Windows DaemonSet has the same affinity and no limit.
    let alone = node(json!(["lin"]), json!({}));
    assert_eq!(codes(&alone), [""; 0], "{:#?}", alone.findings);
    assert!(
        values(&alone).contains(r#""key":"n","operator":"In","values":["1","3","4"]"#),
        "{}",
        values(&alone)
    );
    let both =
        node(json!(["lin"]), json!({"node-windows": {"run_on": ["win"], "node_affinity": "required"}}));
    assert_eq!(codes(&both), [""; 0], "{:#?}", both.findings);
    assert_eq!(values(&both).matches(r#""key":"n""#).count(), 1);
    assert!(values(&both).contains(r#""values":["1","3"]"#), "{}", values(&both));
    let runs: Vec<_> = both.placements.iter().filter(|it| it.component != "controller").collect();
    let runs: Vec<_> = runs.iter().filter(|it| it.reason.schedulable() == Some(true)).collect();
    let runs: Vec<_> = runs.iter().map(|it| (it.component.as_str(), it.node_pool.as_str())).collect();
    assert_eq!(runs, [("node", "lin"), ("node-windows", "win")]);
    // Limited to pools that it never runs on, it runs nowhere.
    let nowhere =
        node(json!(["lin"]), json!({"node-windows": {"run_on": ["lin"], "node_affinity": "required"}}));
    assert_eq!(codes(&nowhere), [""; 0], "{:#?}", nowhere.findings);
    assert!(values(&nowhere).contains(r#""key":"n","operator":"In","values":["1"]"#), "{}", values(&nowhere));
}

#[test]
fn one_setting_cannot_send_two_components_apart() {
    let pools = json!({"a": {"labels": {"n": "1"}}, "b": {"labels": {"n": "2"}}});
    let arguments = json!({"components": {"node": {"run_on": ["a"], "node_affinity": "required"}},
        "configuration_values": {"additionalDaemonSets": {"x": {}}}});
    let own = arguments["configuration_values"].clone();
    let text = check("aws-ebs-csi-driver", arguments, pools, own, &["E path-unavailable"]);
    assert!(text.contains("node and node-x share node.affinity"), "{text}");
}

#[test]
fn a_node_selector_takes_one_value() {
    let pools = |a: &str, b: &str| json!({"a": {"labels": {"n": a, "z": "1"}}, "b": {"labels": {"n": b}}, "c": {"labels": {"z": "1"}}});
    let both = json!({"components": {"node": required(&["a", "b"])}});
    let expect = json!({"node": {"nodeSelector": {"n": "x"}}});
    check("aws-efs-csi-driver", both.clone(), pools("x", "x"), expect, &[]);
    let findings = ["E no-distinguishing-label"];
    let text = check("aws-efs-csi-driver", both, pools("x", "y"), json!({}), &findings);
    let part = "a nodeSelector takes one value; give all pools of run_on one common label";
    assert!(text.contains(part), "{text}");
    let one = json!({"components": {"node": required(&["a"])}});
    let arm = json!({"a": {"architectures": ["arm64"]}, "b": {}, "win": {"os": "windows"}});
    let expect = json!({"node": {"nodeSelector": {"kubernetes.io/arch": "arm64"}}});
    check("aws-efs-csi-driver", one, arm, expect, &[]);
    // Here the template fixes the only label that would do.
    let windows = json!({"p": {}, "w": {"os": "windows"}});
    let arguments = json!({"components": {"node": required(&["w"])}});
    check("aws-efs-csi-driver", arguments, windows, json!({}), &findings);
    let preferred = json!({"run_on": ["a"], "node_affinity": "preferred"});
    let controller = json!({"components": {"controller": preferred}});
    let findings = ["E path-unavailable"];
    check("aws-mountpoint-s3-csi-driver", controller, pools("x", "y"), json!({}), &findings);
}

#[test]
fn unknown_defaults_are_not_said_to_be_kept() {
    let pools = json!({"a": {"labels": {"n": "1"}}, "b": {}});
    let expression = json!({"key": "n", "operator": "In", "values": ["1"]});
    let with = |expressions: Json| json!({"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}}});
    let findings = ["W defaults-unknown"];
    let text = check("adot", required(&["a"]), pools.clone(), with(json!([expression])), &findings);
    assert!(text.contains("the default requirements of this version are unknown"), "{text}");
    assert!(!text.contains("are kept in every term"), "{text}");
    // The user's own have replaced the defaults already, and stay.
    let own = json!({"key": "m", "operator": "Exists"});
    let mut arguments = required(&["a"]);
    arguments["configuration_values"] = with(json!([own]));
    check("adot", arguments, pools, with(json!([own, expression])), &[]);
}

#[test]
fn coredns_runs_on_fargate_or_elsewhere_and_not_on_both() {
    let pools = json!({"fg": fargate(), "ng": {}});
    let both = json!({"run_on": ["fg", "ng"]});
    let text = check("coredns", both.clone(), pools.clone(), json!({}), &["E run-on-ineligible"]);
    assert!(text.contains("coredns runs either on Fargate or on EC2") && text.contains("Choose"), "{text}");
    let mut warning = both.clone();
    warning["on_unschedulable"] = json!("warning");
    check("coredns", warning, pools.clone(), json!({}), &["W run-on-ineligible"]);
    let other = json!({"fg": {"compute_type": "fargate", "selectors": [{"namespace": "x"}]}, "ng": {}});
    let text = check("coredns", both, other, json!({}), &["E run-on-ineligible"]);
    assert!(text.contains("can never run on pool \"fg\""), "{text}");
    let on = json!({"computeType": "Fargate"});
    let text = check("coredns", json!({"run_on": ["fg"]}), pools, on, &[]);
    assert!(text.contains("is to run on Fargate") && !text.contains("can run only"), "{text}");
}

#[test]
fn what_several_components_lack_alike_is_asked_for_once() {
    let tainted = |key: &str| json!({"taints": [format!("{key}:NoSchedule")]});
    let pools = json!({"a": tainted("a"), "b": tainted("b")});
    let outcome = outcome_of("cert-manager", &json!({}), &pools);
    assert_eq!(codes(&outcome), ["E run-on-ambiguous"], "{:#?}", outcome.findings);
    assert!(!outcome.schedulable);
    let finding = &outcome.findings[0];
    assert_eq!(finding.component, None);
    assert!(finding.summary.contains("controller, webhook, cainjector"), "{finding:?}");
    // Only those that lack it, and of one component alone by its name.
    let placed = json!({"components": {"controller": {"run_on": ["a"]}, "webhook": {"run_on": ["a"]}}});
    let outcome = outcome_of("cert-manager", &placed, &pools);
    assert_eq!(codes(&outcome), ["E run-on-ambiguous"], "{:#?}", outcome.findings);
    assert_eq!(outcome.findings[0].component.as_deref(), Some("cainjector"));
}
