//! What is special about single add-ons.

use serde_json::{Value as Json, json};

use super::tests::{codes, decide};

/// One add-on on pools: the rendered values and the findings' codes.
fn check(addon: &str, arguments: Json, pools: Json, expect: Json, findings: &[&str]) -> String {
    let config = json!({"kubernetes_version": "1.33", "node_pools": pools, "addons": {addon: arguments}});
    let outcome = decide(&config);
    let values: Json =
        serde_json::from_str(&outcome.rendered[addon].configuration_values).expect("canonical JSON");
    assert_eq!(values, expect, "{config}: {:#?}", outcome.findings);
    assert_eq!(codes(&outcome), findings, "{config}: {:#?}", outcome.findings);
    outcome.findings.iter().map(|it| format!("{}\n{}\n", it.summary, it.detail)).collect()
}

fn fargate(namespace: &str) -> Json {
    json!({"compute_type": "fargate", "selectors": [{"namespace": namespace}]})
}

fn tainted() -> Json {
    json!({"taints": ["dedicated=x:NoSchedule"]})
}

fn toleration() -> Json {
    json!({"key": "dedicated", "operator": "Equal", "value": "x", "effect": "NoSchedule"})
}

#[test]
fn coredns_gets_its_compute_type_where_only_fargate_runs_it() {
    let on = json!({"computeType": "Fargate"});
    check("coredns", json!({}), json!({"f": fargate("kube-system")}), on.clone(), &[]);
    check(
        "coredns",
        json!({}),
        json!({"f": fargate("kube-system"), "k": {"provisioner": "karpenter"}}),
        on.clone(),
        &[],
    );
    check(
        "coredns",
        json!({"run_on": ["f"]}),
        json!({"f": fargate("kube-system"), "p": {}}),
        on.clone(),
        &[],
    );
    check("coredns", json!({}), json!({"f": fargate("kube-system"), "p": {}}), json!({}), &[]);
    check("coredns", json!({}), json!({"f": fargate("batch"), "p": {}}), json!({}), &[]);
    let spelt = json!({"computeType": "fargate"});
    let own = json!({"configuration_values": spelt});
    check("coredns", own, json!({"f": fargate("kube-system")}), spelt, &[]);
    let none = json!({"toleration_policy": "none"});
    check("coredns", none, json!({"f": fargate("kube-system")}), json!({}), &["E untolerated-taint"]);
    check("coredns", json!({}), json!({"f": fargate("batch")}), json!({}), &["E unschedulable"]);
}

#[test]
fn what_has_no_settings_says_so_and_stops_nothing() {
    let text =
        check("aws-guardduty-agent", json!({}), json!({"p": tainted()}), json!({}), &["W untolerated-taint"]);
    assert!(text.contains("has scheduling settings: it skips these nodes without a word"), "{text}");
    let asked = json!({"tolerate": ["dedicated=x:NoSchedule"]});
    check("aws-guardduty-agent", asked, json!({"p": {}}), json!({}), &["W path-unavailable"]);
    check("kube-proxy", json!({}), json!({"p": tainted()}), json!({}), &[]);
    let values = json!({"configuration_values": {"tolerations": []}, "toleration_policy": "none"});
    let text = check(
        "kube-proxy",
        values,
        json!({"p": {}}),
        json!({"tolerations": []}),
        &["E configuration-invalid"],
    );
    assert!(text.contains("No version of kube-proxy has scheduling settings."), "{text}");
}

#[test]
fn a_setting_at_the_wrong_place_is_told_where_this_version_has_it() {
    for (addon, values, part) in [
        ("vpc-cni", json!({"nodeSelector": {"a": "b"}}), "no nodeSelector; affinity can say the same"),
        (
            "eks-node-monitoring-agent",
            json!({"monitoringAgent": {"tolerations": []}}),
            "nodeAgent.tolerations",
        ),
        ("cert-manager", json!({"controller": {"tolerations": []}}), "unknown key"),
        ("aws-ebs-csi-driver", json!({"tolerations": []}), "controller.tolerations, node.tolerations"),
    ] {
        let text = check(
            addon,
            json!({"configuration_values": values}),
            json!({"p": {}}),
            values,
            &["E configuration-invalid"],
        );
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn what_is_asked_for_regardless_of_pools_needs_none() {
    let decide_without_pools = |arguments: Json| {
        let outcome = decide(&json!({"kubernetes_version": "1.33", "addons": {"coredns": arguments}}));
        assert!(outcome.placements.is_empty() && outcome.findings.is_empty(), "{outcome:#?}");
        outcome.rendered["coredns"].configuration_values.clone()
    };
    assert!(decide_without_pools(json!({"tolerate": ["x=y:NoSchedule"]})).contains("\"x\""));
    assert_eq!(decide_without_pools(json!({})), "{}");
    let old = json!({"addon_version": "v1.0.0-eksbuild.1", "toleration_policy": "all"});
    let outcome = decide(&json!({"addons": {"eks-pod-identity-agent": old}}));
    let values = &outcome.rendered["eks-pod-identity-agent"].configuration_values;
    assert_eq!(values, "{\"tolerations\":[{\"operator\":\"Exists\"}]}");
}

#[test]
fn the_agent_is_missing_once_and_windows_needs_no_credentials() {
    let users = json!({"vpc-cni": {"pod_identity": true}, "aws-ebs-csi-driver": {"pod_identity": true}});
    let outcome = decide(&json!({"kubernetes_version": "1.33", "node_pools": {"p": {}}, "addons": users}));
    assert_eq!(codes(&outcome), ["W pod-identity-agent-missing"]);
    assert!(outcome.findings[0].summary.contains("aws-ebs-csi-driver, vpc-cni"), "{:?}", outcome.findings);
    let agent = |values: Json| {
        json!({"eks-pod-identity-agent": {"configuration_values": values},
        "aws-ebs-csi-driver": {"pod_identity": true, "run_on": ["p"]}})
    };
    let pools = json!({"p": {}, "w": {"os": "windows"}});
    let windows =
        decide(&json!({"kubernetes_version": "1.33", "node_pools": pools, "addons": agent(json!({}))}));
    assert_eq!(codes(&windows), [""; 0]);
    let pools = json!({"h": {"compute_type": "hybrid"}, "p": {}});
    let hybrid = |values| {
        codes(&decide(&json!({"kubernetes_version": "1.33", "node_pools": pools, "addons": agent(values)})))
    };
    assert_eq!(hybrid(json!({})), ["W pod-identity-nodes"]);
    assert_eq!(hybrid(json!({"daemonsets": {"hybrid": {"create": true}}})), [""; 0]);
}

#[test]
fn a_name_with_or_without_its_owner_is_recognised() {
    for (name, near) in
        [("amazon-vpc-cni", "vpc-cni"), ("ebs-csi-driver", "aws-ebs-csi-driver"), ("corends", "coredns")]
    {
        let outcome = decide(&json!({"kubernetes_version": "1.33", "addons": {name: {}}}));
        assert!(
            outcome.findings[0].detail.contains(&format!("Did you mean {near:?}?")),
            "{:?}",
            outcome.findings
        );
    }
    let exact = json!({"addon_version": "v1.0.0-eksbuild.1"});
    let outcome = decide(&json!({"addons": {"acme_cert-manager-plus": exact}}));
    assert_eq!(codes(&outcome), ["W unmodelled"]);
}

#[test]
fn cert_manager_has_three_components_at_three_paths() {
    let list = json!([{"key": "CriticalAddonsOnly", "operator": "Exists"}, toleration()]);
    let expect =
        json!({"tolerations": list, "webhook": {"tolerations": list}, "cainjector": {"tolerations": list}});
    check("cert-manager", json!({}), json!({"p": tainted()}), expect, &[]);
    let pools = json!({"p": tainted(), "q": {"taints": ["CriticalAddonsOnly:NoSchedule"]}});
    let only = json!({"components": {"webhook": {"run_on": ["p"]}}});
    check("cert-manager", only, pools, json!({"webhook": {"tolerations": list}}), &[]);
}

#[test]
fn components_whose_nodes_nobody_describes_are_named_once() {
    let text = check(
        "amazon-cloudwatch-observability",
        json!({}),
        json!({"p": {}}),
        json!({}),
        &["W label-unstated"],
    );
    assert!(text.contains("dcgm-exporter, neuron-monitor") && text.contains("instance-type"), "{text}");
    let gpu = json!({"gpu": {"labels": {"node.kubernetes.io/instance-type": "g5.xlarge"}, "taints": ["nvidia.com/gpu:NoSchedule"]}, "p": {}});
    let exists = json!({"dcgmAgent": {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}});
    check("eks-node-monitoring-agent", json!({}), gpu, exists, &[]);
    check("eks-node-monitoring-agent", json!({}), json!({"p": tainted()}), json!({}), &["W label-unstated"]);
}

#[test]
fn a_list_that_is_appended_needs_no_defaults() {
    let off = json!({"node": {"tolerateAllTaints": false}});
    let arguments = json!({"configuration_values": off});
    let expect = json!({"node": {"tolerateAllTaints": false, "tolerations": [toleration()]},
        "controller": {"tolerations": [toleration()]}});
    check("aws-mountpoint-s3-csi-driver", arguments, json!({"p": tainted()}), expect, &[]);
}

#[test]
fn a_key_that_was_renamed_is_written_as_the_version_calls_it() {
    let off = |version: &str, key: &str, list: Json| {
        let values = json!({key: {"tolerations": list}});
        let arguments = json!({"addon_version": version, "configuration_values": values,
            "ignore_findings": ["version-incompatible", "label-unstated", "defaults-lost"]});
        let mut both = list.as_array().cloned().unwrap_or_default();
        both.push(toleration());
        check(
            "eks-node-monitoring-agent",
            arguments,
            json!({"p": tainted()}),
            json!({key: {"tolerations": both}}),
            &[],
        );
    };
    let own = json!([{"key": "a", "operator": "Exists"}]);
    off("v1.5.2-eksbuild.1", "monitoringAgent", own.clone());
    off("v1.6.1-eksbuild.1", "nodeAgent", own);
}

#[test]
fn a_version_without_the_path_names_the_next_ones_that_have_it() {
    let old = |version: &str| json!({"addon_version": version, "ignore_findings": ["version-incompatible"]});
    let text = check(
        "coredns",
        old("v1.9.3-eksbuild.2"),
        json!({"p": tainted()}),
        json!({}),
        &["E path-unavailable"],
    );
    assert!(text.contains("v1.9.3-eksbuild.3 in the same branch, and v1.10.1-eksbuild.1."), "{text}");
    let ebs = old("v1.12.1-eksbuild.1");
    let text = check("aws-ebs-csi-driver", ebs, json!({"p": tainted()}), json!({}), &["E path-unavailable"]);
    assert!(text.contains("The first version that has it is v1.14.0-eksbuild.1."), "{text}");
    let unknown = old("v7.0.1-eksbuild.1");
    check("snapshot-controller", unknown, json!({"p": tainted()}), json!({}), &["W defaults-unknown"]);
}

#[test]
fn pod_identity_is_refused_where_no_version_supports_it() {
    let arguments = json!({"pod_identity": true});
    let findings = ["E pod-identity-unsupported"];
    check("aws-mountpoint-s3-csi-driver", arguments, json!({"p": {}}), json!({}), &findings);
}
