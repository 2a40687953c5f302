//! Tolerations against taints, case by case; and what Kubernetes rejects.

use serde_json::json;

use super::toleration::{HostNetwork, added_by_the_daemonset_controller};
use super::{Taint, Toleration};

fn check(toleration: serde_json::Value, taint: &str, expect: bool) {
    let taint: Taint = taint.parse().expect("a taint");
    let (read, _) = Toleration::read(&toleration);
    assert_eq!(read.is_some_and(|it| it.tolerates(&taint)), expect, "{toleration} on {taint}");
}

#[test]
fn tolerations_match_as_the_scheduler_does() {
    check(json!({"operator": "Exists"}), "a=b:NoSchedule", true);
    check(json!({"operator": "Exists"}), "a=b:NoExecute", true);
    check(json!({"operator": "Exists", "effect": "NoExecute"}), "a=b:NoSchedule", false);
    check(json!({"key": "a", "operator": "Exists"}), "a=b:NoSchedule", true);
    check(json!({"key": "a", "operator": "Exists"}), "c=b:NoSchedule", false);
    check(json!({"key": "a", "value": "b"}), "a=b:NoSchedule", true);
    check(json!({"key": "a", "value": "b", "effect": null}), "a=b:NoExecute", true);
    check(json!({"key": "a", "value": "x"}), "a=b:NoSchedule", false);
    check(json!({"key": "a"}), "a:NoSchedule", true);
    check(json!({"key": "a"}), "a=b:NoSchedule", false);
    check(
        json!({"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"}),
        "a=b:NoExecute",
        false,
    );
    check(json!({"key": "a", "operator": "Gt", "value": "1"}), "a=2:NoSchedule", false);
    check(json!({"key": "a", "operator": "exists"}), "a=2:NoSchedule", false);
}

fn problems(toleration: serde_json::Value, expect: &[(&str, &str)]) {
    let (_, found) = Toleration::read(&toleration);
    assert_eq!(found.len(), expect.len(), "{toleration}: {found:?}");
    for (problem, (key, part)) in found.iter().zip(expect) {
        assert!(problem.key == *key && problem.message.contains(part), "{toleration}: {problem:?}");
    }
}

#[test]
fn what_kubernetes_rejects_is_a_problem() {
    problems(json!({"key": "a", "operator": "Exists", "effect": "NoSchedule"}), &[]);
    problems(json!({"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}), &[]);
    problems(json!({"key": "a", "value": null, "effect": null}), &[]);
    problems(json!("a=b:NoSchedule"), &[("", "found a string")]);
    problems(json!({"key": "a", "effect": "NO_SCHEDULE"}), &[("effect", "Expected \"NoSchedule\"")]);
    problems(json!({"key": "a", "effect": "NoSchedul"}), &[("effect", "Did you mean \"NoSchedule\"")]);
    problems(json!({"key": "a", "operator": "exist"}), &[("operator", "did you mean \"Exists\"")]);
    problems(json!({"value": "b"}), &[("operator", "without a key")]);
    problems(json!({"key": "a b"}), &[("key", "a key is")]);
    problems(json!({"key": "a", "operator": "Exists", "value": "b"}), &[("value", "left out")]);
    problems(json!({"key": "a", "value": true}), &[("value", "put it in quotes")]);
    problems(json!({"key": "a", "value": "x y"}), &[("value", "a value is")]);
    problems(json!({"key": "a", "tolerationSeconds": 5}), &[("tolerationSeconds", "only allowed")]);
    problems(
        json!({"key": "a", "effect": "NoExecute", "tolerationSeconds": 0.5}),
        &[("tolerationSeconds", "whole seconds")],
    );
    problems(json!({"keys": "a", "operator": "Exists"}), &[("", "did you mean \"key\"")]);
    problems(json!({"key": "a", "operator": "Gt", "value": "1"}), &[("operator", "alpha")]);
}

#[test]
fn the_toleration_of_a_taint_tolerates_it_and_writes_only_what_applies() {
    for text in ["a=b:NoSchedule", "a:NoExecute"] {
        let taint: Taint = text.parse().expect("a taint");
        let toleration = Toleration::of(&taint);
        assert!(toleration.tolerates(&taint));
        let (read, problems) = Toleration::read(&toleration.to_json());
        assert_eq!((read, problems), (Some(toleration), vec![]));
    }
    let text = Toleration::of(&"a:NoExecute".parse().expect("a taint")).to_json().to_string();
    assert_eq!(text, r#"{"effect":"NoExecute","key":"a","operator":"Exists"}"#);
}

#[test]
fn a_daemonset_gets_its_own_tolerations_but_not_for_a_node_that_is_not_ready() {
    let tolerated = |text: &str, host_network| {
        let taint: Taint = text.parse().expect("a taint");
        added_by_the_daemonset_controller(host_network).iter().any(|it| it.tolerates(&taint))
    };
    assert!(tolerated("node.kubernetes.io/not-ready:NoExecute", HostNetwork::No));
    assert!(!tolerated("node.kubernetes.io/not-ready:NoSchedule", HostNetwork::Yes));
    assert!(tolerated("node.kubernetes.io/unschedulable:NoSchedule", HostNetwork::No));
    assert!(!tolerated("node.kubernetes.io/network-unavailable:NoSchedule", HostNetwork::No));
    assert!(tolerated("node.kubernetes.io/network-unavailable:NoSchedule", HostNetwork::Yes));
}
