//! Mistakes of form: each is one diagnostic, at its place, with what was found and what is expected.

use serde_json::{Value as Json, json};

use super::{Read, read_scheduling};
use crate::domain::request::VersionRequest;
use crate::tf::{Number, Severity, Value};

/// A value as Terraform would send it, but for the types; `"<unknown>"` is unknown.
pub(crate) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => Value::Number(number.to_string().parse::<Number>().expect("a number")),
        Json::String(text) if text == "<unknown>" => Value::unknown(),
        Json::String(text) => Value::string(text.clone()),
        Json::Array(elements) => Value::Sequence(elements.iter().map(value).collect()),
        Json::Object(entries) => Value::mapping(entries.iter().map(|(key, json)| (key.clone(), value(json)))),
    }
}

fn read(config: Json) -> Read {
    read_scheduling(&value(&config))
}

/// Every diagnostic, as `(place that Terraform shows, part of the text)`.
fn check(config: Json, expect: &[(&str, &str)]) {
    let read = read(config.clone());
    let found: Vec<_> = read
        .diagnostics
        .iter()
        .map(|it| (it.severity, it.path.to_string(), format!("{}\n{}", it.summary, it.detail)))
        .collect();
    assert_eq!(found.len(), expect.len(), "{config}: {found:#?}");
    for ((severity, place, text), (expected_place, part)) in found.iter().zip(expect) {
        assert!(
            *severity == Severity::Error && place == expected_place && text.contains(part),
            "{config}: {found:#?}"
        );
    }
}

fn addon(arguments: Json) -> Json {
    json!({"node_pools": {"gpu": {}, "system": {}}, "addons": {"vpc-cni": arguments}})
}

fn pool(arguments: Json) -> Json {
    json!({"node_pools": {"gpu": arguments}, "addons": {}})
}

const CNI: &str = r#"addons["vpc-cni"]"#;
const GPU: &str = r#"node_pools["gpu"]"#;

#[test]
fn unknown_keys_name_the_nearest_one() {
    check(addon(json!({"runs_on": ["gpu"]})), &[(CNI, "Did you mean \"run_on\"")]);
    check(addon(json!({"colour": 1})), &[(CNI, "Valid arguments: addon_version")]);
    check(pool(json!({"taint": []})), &[(GPU, "Did you mean \"taints\"")]);
    check(
        pool(json!({"taints": [{"key": "a", "effect": "NoSchedule", "values": 1}]})),
        &[(GPU, "Did you mean \"value\"")],
    );
    check(addon(json!({"components": {"x": {"tolerates": []}}})), &[(CNI, "Did you mean \"tolerate\"")]);
    check(addon(json!({"preserve": true, "tags": {}, "create": true, "timeouts": null})), &[]);
}

#[test]
fn taints_come_in_every_form_and_mistakes_are_named() {
    let taint = json!({"key": "a", "value": "b", "effect": "NO_SCHEDULE"});
    for taints in [
        json!(["a=b:NoSchedule"]),
        json!([taint]),
        json!({"x": taint, "y": null}),
        json!({"x": "a=b:NoSchedule"}),
    ] {
        let pools = read(pool(json!({"taints": taints}))).request.pools.expect("pools");
        let texts: Vec<_> = pools["gpu"].taints.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["a=b:NoSchedule"], "{taints}");
    }
    check(pool(json!({"taints": ["a=b:NoSchedul"]})), &[(GPU, "taints[0]: \"NoSchedul\" is not an effect")]);
    check(pool(json!({"taints": [{"key": "a b", "effect": "NoSchedule"}]})), &[(GPU, "not a taint key")]);
    check(pool(json!({"taints": [{"key": "a"}]})), &[(GPU, "there is no effect")]);
    let three = json!({"taints": [{"key": "a b", "value": "c d", "effect": "NoSchedul"}]});
    check(pool(three), &[(GPU, "not a taint key"), (GPU, "not a taint value"), (GPU, "not an effect")]);
    check(pool(json!({"taints": [{"key": "<unknown>", "effect": "NoSchedul"}]})), &[(GPU, "not an effect")]);
    check(
        pool(json!({"taints": [{"key": "a", "efect": "NoSchedule"}]})),
        &[(GPU, "Did you mean \"effect\"")],
    );
    check(pool(json!({"labels": {"a b": "c", "d": "e f"}})), &[(GPU, "not a label"), (GPU, "not a label")]);
    check(pool(json!({"taints": taint})), &[(GPU, "found one taint, expected a list")]);
    check(pool(json!({"taints": "a=b:NoSchedule"})), &[(GPU, "expected a list of taints")]);
    check(pool(json!({"taints": [3]})), &[(GPU, "found 3, expected an object (a taint)")]);
    check(json!({"taints": ["x"], "addons": {}}), &[("taints", "has no effect")]);
    check(json!({"taints": [], "node_pools": {}, "addons": {}}), &[("taints", "exclude each other")]);
    assert!(read(json!({"node_pools": {}, "addons": {}})).request.pools.is_none());
}

#[test]
fn words_are_checked_against_the_valid_ones() {
    check(pool(json!({"compute_type": "fargat"})), &[(GPU, "Did you mean \"fargate\"")]);
    check(pool(json!({"os": "macos"})), &[(GPU, "expected one of \"linux\", \"windows\"")]);
    check(pool(json!({"architectures": ["x86"]})), &[(GPU, "expected one of \"amd64\", \"arm64\"")]);
    check(pool(json!({"provisioner": true})), &[(GPU, "expected one of")]);
    check(pool(json!({"selectors": [{"namespace": "a"}]})), &[(GPU, "only a Fargate profile")]);
    check(pool(json!({"compute_type": "fargate", "selectors": [{}]})), &[(GPU, "has no namespace")]);
    check(
        pool(json!({"labels": {"a": true, "b": 1, "c": []}})),
        &[(GPU, "labels[\"c\"]: found a list, expected a string")],
    );
    check(addon(json!({"toleration_policy": ["a"]})), &[(CNI, "use tolerate = [...]")]);
    check(addon(json!({"toleration_policy": "every"})), &[(CNI, "\"pools\"")]);
    check(addon(json!({"node_affinity": "require"})), &[(CNI, "Did you mean \"required\"")]);
    check(addon(json!({"on_unschedulable": "warn"})), &[(CNI, "Did you mean \"warning\"")]);
    check(addon(json!({"ignore_findings": ["unmodeled"]})), &[(CNI, "Did you mean \"unmodelled\"")]);
    check(addon(json!({"ignore_findings": ["version-not-found"]})), &[(CNI, "cannot be ignored")]);
    check(addon(json!("x")), &[(CNI, "expected an object (an add-on)")]);
}

#[test]
fn pools_that_components_run_on_must_exist() {
    check(addon(json!({"run_on": ["gpu", "sytem"]})), &[(CNI, "Did you mean \"system\"")]);
    check(addon(json!({"run_on": []})), &[(CNI, "is empty")]);
    check(addon(json!({"run_on": "gpu"})), &[(CNI, "expected a list of names")]);
    check(addon(json!({"run_on": ["g*"]})), &[]);
    check(addon(json!({"run_on": ["x*"]})), &[(CNI, "found \"x*\"")]);
    check(json!({"addons": {"vpc-cni": {"run_on": ["gpu"]}}}), &[(CNI, "no node_pools are described")]);
    check(json!({"node_pools": {"a*": {}}, "addons": {}}), &[("node_pools[\"a*\"]", "need cluster_name")]);
}

#[test]
fn versions_are_read_or_explained() {
    let version = |text: &str| {
        let read = read(addon(json!({"addon_version": text})));
        (read.request.addons["vpc-cni"].version.clone(), read.diagnostics.has_errors())
    };
    assert_eq!(version("default"), (VersionRequest::Default, false));
    assert_eq!(version("latest"), (VersionRequest::Latest, false));
    assert!(matches!(version(">= 1.19, < 2"), (VersionRequest::Constrained(..), false)));
    assert!(matches!(version("v1.19.0-eksbuild.1"), (VersionRequest::Exact(_), false)));
    check(addon(json!({"addon_version": "1.19.0"})), &[(CNI, "expected vMAJOR.MINOR.PATCH-eksbuild.N")]);
    check(addon(json!({"addon_version": "v1.19.0"})), &[(CNI, "Did you mean \"= 1.19.0\"")]);
    check(addon(json!({"addon_version": "lastest"})), &[(CNI, "Did you mean \"latest\"")]);
    check(addon(json!({"addon_version": ">= 1.x"})), &[(CNI, "is not a term of a constraint")]);
    check(addon(json!({"addon_version": "installed"})), &[(CNI, "needs cluster_name")]);
    check(addon(json!({"addon_version": "default", "most_recent": true})), &[(CNI, "exclude each other")]);
    assert_eq!(
        read(addon(json!({"most_recent": true}))).request.addons["vpc-cni"].version,
        VersionRequest::Latest
    );
    check(json!({"kubernetes_version": "latest", "addons": {}}), &[("kubernetes_version", "in quotes")]);
    check(json!({"cluster_name": "c", "addons": {}}), &[("cluster_name", "not supported yet")]);
}

#[test]
fn configuration_values_are_text_or_an_object() {
    let values = |json| {
        read(addon(json!({"configuration_values": json}))).request.addons["vpc-cni"].configuration.clone()
    };
    for same in [json!({"env": {"A": "b"}}), json!("{\"env\": {\"A\": \"b\"}}"), json!("env:\n  A: b\n")] {
        assert_eq!(values(same), json!({"env": {"A": "b"}}));
    }
    for empty in [json!(null), json!(""), json!("null"), json!({})] {
        assert_eq!(values(empty), json!({}));
    }
    check(addon(json!({"configuration_values": "{\"env\": "})), &[(CNI, "neither JSON nor YAML")]);
    check(addon(json!({"configuration_values": "{\"a\": 1, \"a\": 2}"})), &[(CNI, "a")]);
    check(addon(json!({"configuration_values": "[1]"})), &[(CNI, "found a list, expected an object")]);
    check(addon(json!({"configuration_values": [1]})), &[(CNI, "JSON or YAML text, or an object")]);
    check(addon(json!({"configuration_schema": "{"})), &[(CNI, "is not JSON")]);
    let notes = &read(addon(json!({"configuration_values": "a: no"}))).request.addons["vpc-cni"].notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn pod_identity_is_said_or_implied() {
    let implied = |arguments| read(addon(arguments)).request.addons["vpc-cni"].pod_identity;
    assert!(!implied(json!({})));
    assert!(implied(json!({"pod_identity": true})));
    assert!(implied(json!({"pod_identity_association": [{"role_arn": "x", "service_account": "y"}]})));
    assert!(!implied(json!({"pod_identity_association": []})));
    assert!(!implied(json!({"pod_identity": false, "pod_identity_association": [{}]})));
}

#[test]
fn unknown_values_are_noted_and_never_an_error() {
    for config in [
        json!({"kubernetes_version": "<unknown>", "addons": {}}),
        json!({"taints": "<unknown>", "addons": {}}),
        json!({"taints": ["<unknown>"], "addons": {}}),
        json!({"taints": [{"key": "a", "value": "<unknown>", "effect": "NoSchedule"}], "addons": {}}),
        json!({"node_pools": "<unknown>", "addons": {"vpc-cni": {"run_on": ["gpu"]}}}),
        json!({"node_pools": {"gpu": "<unknown>"}, "addons": {}}),
        pool(json!({"labels": {"a": "<unknown>"}})),
        pool(json!({"compute_type": "fargate", "selectors": [{"namespace": "<unknown>"}]})),
        json!({"addons": "<unknown>"}),
        json!({"addons": {"vpc-cni": "<unknown>"}}),
        addon(json!({"run_on": "<unknown>"})),
        addon(json!({"run_on": ["<unknown>"]})),
        addon(json!({"configuration_values": {"env": {"A": "<unknown>"}}})),
        addon(json!({"components": {"x": {"toleration_policy": "<unknown>"}}})),
    ] {
        let read = read(config.clone());
        assert!(
            read.diagnostics.is_empty() && read.has_unknown && !read.is_whole(),
            "{config}: {:?}",
            read.diagnostics
        );
    }
}

#[test]
fn several_mistakes_are_all_told() {
    let config = json!({
        "kubernetes_version": "x",
        "node_pools": {"gpu": {"taints": ["a=b:NoSchedul"], "os": "beos"}},
        "addons": {"vpc-cni": {"runs_on": [], "toleration_policy": []}},
        "on_unschedulable": "maybe",
    });
    assert_eq!(read(config).diagnostics.iter().count(), 6);
}
