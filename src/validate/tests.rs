//! Schema errors, one by one: the path, what was found, what is expected and what was meant.

use serde_json::{Value as Json, json};

use super::CompiledSchema;
use crate::catalog::Catalog;

/// Every error of these values under the newest schema of an add-on, as `(path, part of the text)`.
fn check(addon: &str, values: Json, expect: &[(&str, &str)]) {
    let facts = Catalog::embedded().addon(addon).expect("an add-on of the catalog");
    let version = facts.newest().expect("a version").version;
    let schema = CompiledSchema::compile(facts.surface.schema(&version)).expect("a schema");
    let found = schema.check(&values);
    assert_eq!(found.len(), expect.len(), "{values}: {found:#?}");
    for (error, (path, part)) in found.iter().zip(expect) {
        assert!(error.path == *path && error.message.contains(part), "{values}: {error:?}");
    }
}

#[test]
fn an_unknown_key_names_what_may_have_been_meant() {
    let ebs = "aws-ebs-csi-driver";
    check(
        ebs,
        json!({"tolerations": []}),
        &[("tolerations", "valid at controller.tolerations, node.tolerations")],
    );
    check(ebs, json!({"contoller": {}}), &[("contoller", "did you mean \"controller\"?")]);
    check(
        ebs,
        json!({"controller": {"toleration": []}}),
        &[("controller.toleration", "did you mean \"tolerations\"?")],
    );
    check("vpc-cni", json!({"nodeSelector": {}}), &[("nodeSelector", "unknown key. Valid here: affinity")]);
    check(ebs, json!({"a": 1, "b": 2}), &[("a", "unknown key"), ("b", "unknown key")]);
}

#[test]
fn wrong_types_say_what_is_expected() {
    check(
        "vpc-cni",
        json!({"env": {"WARM_IP_TARGET": 2}}),
        &[("env.WARM_IP_TARGET", "found 2, expected string: \"2\" in quotes")],
    );
    check("vpc-cni", json!({"enableNetworkPolicy": true}), &[("enableNetworkPolicy", "\"true\" in quotes")]);
    check("vpc-cni", json!({"tolerations": {}}), &[("tolerations", "found an object, expected array")]);
    check("vpc-cni", json!({"tolerations": ["x"]}), &[("tolerations[0]", "expected object")]);
    check(
        "vpc-cni",
        json!({"nodeAgent": {"logLevel": "inf"}}),
        &[("nodeAgent.logLevel", "did you mean \"info\"?")],
    );
    check(
        "vpc-cni",
        json!({"eniConfig": {"create": true, "region": "r"}}),
        &[("eniConfig", "\"subnets\" is missing")],
    );
    check("vpc-cni", json!({"env": {"ENABLE_POD_ENI": "true"}}), &[]);
    check(
        "aws-ebs-csi-driver",
        json!({"controller": {"replicaCount": 0}}),
        &[("controller.replicaCount", "expected at least 1")],
    );
}

#[test]
fn only_a_list_has_indexes() {
    let schema = CompiledSchema::compile(
        json!({"additionalProperties": {"type": "array", "items": {"type": "string"}}}),
    );
    let found = schema.expect("a schema").check(&json!({"0": 1, "a": ["x", 2]}));
    let paths: Vec<_> = found.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["0", "a[1]"]);
}

#[test]
fn a_long_list_is_cut() {
    let properties: serde_json::Map<_, _> = (10..30).map(|it| (format!("k{it}"), json!({}))).collect();
    let schema = CompiledSchema::compile(json!({"properties": properties, "additionalProperties": false}));
    let found = schema.expect("a schema").check(&json!({"other": 1}));
    assert!(found[0].message.ends_with("k20, k21, … and 8 more"), "{found:?}");
}

#[test]
fn a_schema_that_is_none_is_refused() {
    assert!(CompiledSchema::compile(json!({"type": "strin"})).is_err());
    assert!(CompiledSchema::compile(json!({"pattern": "("})).is_err());
    // The linear engine has no look-around, which is where a pattern could hang.
    assert!(CompiledSchema::compile(json!({"pattern": "(?=a)"})).is_err());
}
