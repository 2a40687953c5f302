//! Node affinity against labels, case by case; and what Kubernetes rejects.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::affinity::{Label, NodeAffinity, NodeLabels, REQUIRED, Verdict, selector_matches};

struct Node(BTreeMap<&'static str, &'static str>);

impl NodeLabels for Node {
    fn label(&self, key: &str) -> Label<'_> {
        match self.0.get(key) {
            Some(value) => Label::Is(value),
            None if key.starts_with("topology") => Label::Unstated,
            None => Label::Absent,
        }
    }

    fn name(&self) -> Option<&str> {
        self.0.get("name").copied()
    }
}

fn affinity(terms: Json) -> Json {
    json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}})
}

/// `expect`: true, false or null for unknown.
fn check(terms: Json, expect: Json) {
    let node = Node(BTreeMap::from([("a", "1"), ("b", "x"), ("name", "n1")]));
    let (affinity, _) = NodeAffinity::read(&affinity(terms.clone()));
    let found = match affinity.matches(&node) {
        Verdict::Matches => json!(true),
        Verdict::Fails(_) => json!(false),
        Verdict::Unknown(_) => json!(null),
        Verdict::Likely(_) => json!("likely"),
    };
    assert_eq!(found, expect, "{terms}");
}

fn one(key: &str, operator: &str, values: Json) -> Json {
    json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]})
}

#[test]
fn operators_match_as_the_scheduler_does() {
    check(json!([one("b", "In", json!(["x", "y"]))]), json!(true));
    check(json!([one("b", "In", json!(["y"]))]), json!(false));
    check(json!([one("c", "In", json!(["y"]))]), json!(false));
    check(json!([one("b", "NotIn", json!(["y"]))]), json!(true));
    check(json!([one("b", "NotIn", json!(["x"]))]), json!(false));
    check(json!([one("c", "NotIn", json!(["x"]))]), json!(true));
    check(json!([one("a", "Exists", json!([]))]), json!(true));
    check(json!([one("c", "Exists", json!(null))]), json!(false));
    check(json!([one("c", "DoesNotExist", json!(null))]), json!(true));
    check(json!([one("a", "DoesNotExist", json!(null))]), json!(false));
    check(json!([one("a", "Gt", json!(["0"]))]), json!(true));
    check(json!([one("a", "Gt", json!(["1"]))]), json!(false));
    check(json!([one("a", "Lt", json!(["2"]))]), json!(true));
    check(json!([one("b", "Lt", json!(["2"]))]), json!(false));
    check(json!([one("c", "Gt", json!(["2"]))]), json!(false));
}

#[test]
fn terms_are_ored_and_expressions_anded() {
    let both = json!({"matchExpressions": [
        {"key": "a", "operator": "Exists"}, {"key": "b", "operator": "In", "values": ["y"]}]});
    check(json!([both.clone()]), json!(false));
    check(json!([both, one("b", "Exists", json!(null))]), json!(true));
    check(json!([{}]), json!(false));
    check(json!([{}, one("b", "Exists", json!(null))]), json!(true));
    check(json!([]), json!(false));
    let field = |operator| {
        json!({"matchFields": [
        {"key": "metadata.name", "operator": operator, "values": ["n1"]}]})
    };
    check(json!([field("In")]), json!(true));
    check(json!([field("NotIn")]), json!(false));
}

#[test]
fn an_unstated_label_is_unknown_unless_something_else_decides() {
    let zone = one("topology.kubernetes.io/zone", "In", json!(["a"]));
    check(json!([zone]), json!(null));
    check(json!([one("topology.kubernetes.io/zone", "NotIn", json!(["a"]))]), json!("likely"));
    check(json!([zone, one("b", "Exists", json!(null))]), json!(true));
    check(json!([zone, one("c", "Exists", json!(null))]), json!(null));
    let and = |key| {
        json!([{"matchExpressions": [
        {"key": "topology.kubernetes.io/zone", "operator": "Exists"}, {"key": key, "operator": "Exists"}]}])
    };
    check(and("c"), json!(false));
    check(and("b"), json!(null));
}

#[test]
fn no_requirement_matches_and_a_selector_wants_every_pair() {
    let node = Node(BTreeMap::from([("a", "1")]));
    assert_eq!(NodeAffinity::default().matches(&node), Verdict::Matches);
    let selector = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        selector_matches(&pairs.collect(), &node)
    };
    assert_eq!(selector(&[]), Verdict::Matches);
    assert_eq!(selector(&[("a", "1")]), Verdict::Matches);
    assert_eq!(selector(&[("a", "1"), ("b", "1")]), Verdict::Fails("nodeSelector b=1".into()));
}

fn problems(affinity: Json, expect: &[&str]) {
    let (_, found) = NodeAffinity::read(&affinity);
    assert_eq!(found.len(), expect.len(), "{affinity}: {found:?}");
    for (problem, part) in found.iter().zip(expect) {
        assert!(format!("{}: {}", problem.path, problem.message).contains(part), "{problem:?}");
    }
}

#[test]
fn what_kubernetes_rejects_is_a_problem_with_its_path() {
    problems(json!(null), &[]);
    problems(json!({"nodeAffinity": null}), &[]);
    problems(json!([]), &["expected an object"]);
    problems(json!({"affinity": {}}), &["unknown key \"affinity\"; its content belongs one level up"]);
    problems(json!({"x": {"nodeAffinity": {}}}), &["unknown key \"x\"; its content belongs one level up"]);
    problems(json!({"podAffinity": null, "podAntiAffinity": {}}), &[]);
    problems(json!({"podAffinity": []}), &["podAffinity: found a list, expected an object"]);
    problems(json!({"podAntiAffinity": {REQUIRED: {}}}), &["expected a list"]);
    problems(affinity(json!([one("b", "In", json!(["x", "a b"]))])), &["[0].values[1]: \"a b\""]);
    problems(affinity(json!([one("b", "NotIn", json!(["a/b", ""]))])), &["[0].values[0]: \"a/b\""]);
    problems(json!({"nodeAffinities": {}}), &["did you mean \"nodeAffinity\""]);
    problems(affinity(json!([])), &["needs at least one term"]);
    problems(affinity(json!({})), &["expected a list", "needs at least one term"]);
    problems(affinity(json!([one("b", "In", json!("x"))])), &["[0].values: found the string \"x\""]);
    problems(affinity(json!([one("b", "In", json!([]))])), &["needs at least one value"]);
    problems(affinity(json!([one("b", "Exists", json!(["x"]))])), &["must be left out"]);
    problems(affinity(json!([one("b", "Gt", json!(["x"]))])), &["one whole number"]);
    problems(affinity(json!([one("b", "Equals", json!(["x"]))])), &["expected In, NotIn"]);
    problems(affinity(json!([one("b c", "Exists", json!(null))])), &["[0].key"]);
    problems(affinity(json!([one("b", "In", json!([true]))])), &["put it in quotes"]);
    let weight = json!({"nodeAffinity": {super::affinity::PREFERRED: [{"weight": 0, "preference": {}}]}});
    problems(weight, &["from 1 to 100"]);
}
