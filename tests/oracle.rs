//! The algebra against a naive second version of itself: what the scheduler does, said once more in the
//! plainest way, over random input.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use eksaddon::domain::affinity::{Label, NodeLabels, REQUIRED, Verdict};
use eksaddon::domain::values::{coalesce, merge};
use eksaddon::domain::{
    AddonVersion, Constraint, Effect, NodeAffinity, Taint, Tolerance, Toleration, TolerationList,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Few letters, so that things meet.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn effect() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["NoSchedule", "PreferNoSchedule", "NoExecute"])
}

fn taint() -> impl Strategy<Value = Taint> {
    let value = prop_oneof![Just(String::new()), word()];
    (word(), value, effect())
        .prop_map(|(key, value, effect)| Taint::new(&key, &value, effect).expect("a taint"))
}

/// Any object that a pod may have, with members left out or null.
fn toleration() -> impl Strategy<Value = Json> {
    let text = || {
        prop_oneof![
            Just(None),
            Just(Some(json!(""))),
            Just(Some(json!(null))),
            word().prop_map(|it| Some(json!(it)))
        ]
    };
    let operator = prop::sample::select(vec![None, Some("Equal"), Some("Exists"), Some("Gt"), Some("Lt")]);
    let effect = prop_oneof![Just(None), Just(Some(json!(""))), effect().prop_map(|it| Some(json!(it)))];
    (text(), operator, text(), effect).prop_map(|(key, operator, value, effect)| {
        let members =
            [("key", key), ("operator", operator.map(|it| json!(it))), ("value", value), ("effect", effect)];
        Json::Object(members.into_iter().filter_map(|(name, it)| Some((name.to_owned(), it?))).collect())
    })
}

/// Kubernetes' rules, word by word, on the object itself.
fn naive_tolerates(toleration: &Json, taint: &Taint) -> bool {
    let text = |name: &str| toleration.get(name).and_then(Json::as_str).unwrap_or("").to_owned();
    let (key, operator, value, effect) = (text("key"), text("operator"), text("value"), text("effect"));
    let effect_matches = effect.is_empty() || effect == taint.effect.to_string();
    let key_matches = key.is_empty() || key == taint.key;
    let value_matches = match operator.as_str() {
        "Exists" => true,
        "" | "Equal" => value == taint.value,
        _ => false,
    };
    effect_matches && key_matches && value_matches
}

struct Node(BTreeMap<String, String>);

impl NodeLabels for Node {
    fn label(&self, key: &str) -> Label<'_> {
        self.0.get(key).map_or(Label::Absent, |value| Label::Is(value))
    }
}

fn requirement() -> impl Strategy<Value = Json> {
    let number = prop::sample::select(vec!["1", "2", "3"]).prop_map(str::to_owned);
    let value = || prop_oneof![word(), prop::sample::select(vec!["1", "2", "3"]).prop_map(str::to_owned)];
    let many = prop::collection::vec(value(), 1..3);
    prop_oneof![
        (word(), prop::sample::select(vec!["In", "NotIn"]), many)
            .prop_map(|(key, operator, values)| json!({"key": key, "operator": operator, "values": values})),
        (word(), prop::sample::select(vec!["Exists", "DoesNotExist"]))
            .prop_map(|(key, operator)| json!({"key": key, "operator": operator})),
        (word(), prop::sample::select(vec!["Gt", "Lt"]), number)
            .prop_map(|(key, operator, value)| json!({"key": key, "operator": operator, "values": [value]})),
    ]
}

fn naive_matches(requirement: &Json, labels: &BTreeMap<String, String>) -> bool {
    let value = labels.get(requirement["key"].as_str().expect("a key"));
    let values: Vec<&str> =
        requirement["values"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let integers = || Some((value?.parse::<i64>().ok()?, values.first()?.parse::<i64>().ok()?));
    match requirement["operator"].as_str() {
        Some("In") => value.is_some_and(|value| values.contains(&value.as_str())),
        Some("NotIn") => !value.is_some_and(|value| values.contains(&value.as_str())),
        Some("Exists") => value.is_some(),
        Some("DoesNotExist") => value.is_none(),
        Some("Gt") => integers().is_some_and(|(value, bound)| value > bound),
        Some("Lt") => integers().is_some_and(|(value, bound)| value < bound),
        _ => false,
    }
}

/// Objects, lists and scalars, three levels deep, over these leaves.
fn values_of(leaf: impl Strategy<Value = Json> + 'static) -> impl Strategy<Value = Json> {
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            prop::collection::btree_map(word(), inner, 0..3)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![any::<bool>().prop_map(|it| json!(it)), word().prop_map(|it| json!(it))]
}

fn values() -> impl Strategy<Value = Json> {
    values_of(prop_oneof![Just(json!(null)), scalar()])
}

/// Values of one schema: `a` is a scalar, `b` a list, `c` an object of both.
fn values_of_one_shape() -> impl Strategy<Value = Json> {
    let list = || prop::collection::vec(scalar(), 0..3).prop_map(Json::Array);
    let member = |it: BoxedStrategy<Json>| prop_oneof![Just(json!(null)), it];
    let inner = (member(scalar().boxed()), member(list().boxed())).prop_map(|(a, b)| json!({"a": a, "b": b}));
    (member(scalar().boxed()), member(list().boxed()), member(inner.boxed()))
        .prop_map(|(a, b, c)| json!({"a": a, "b": b, "c": c}))
}

/// Whether everything that is in `part` is in `whole`, at its place.
fn keeps(whole: &Json, part: &Json) -> bool {
    match (whole, part) {
        (_, Json::Null) => true,
        (Json::Object(whole), Json::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| keeps(whole, part)))
        }
        (Json::Array(whole), Json::Array(part)) => part.iter().all(|element| whole.contains(element)),
        (whole, part) => whole == part,
    }
}

fn version() -> impl Strategy<Value = (String, [u64; 4])> {
    let part = || prop_oneof![0..4_u64, Just(10), Just(20_251_106_123_u64)];
    (part(), part(), part(), part())
        .prop_map(|(a, b, c, d)| (format!("v{a}.{b}.{c}-eksbuild.{d}"), [a, b, c, d]))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn a_toleration_matches_as_kubernetes_says(toleration in toleration(), taint in taint()) {
        let (read, _) = Toleration::read(&toleration);
        let read = read.expect("members of the right type");
        prop_assert_eq!(read.tolerates(&taint), naive_tolerates(&toleration, &taint));
    }

    #[test]
    fn the_first_of_a_list_that_matches_decides(
        list in prop::collection::vec((toleration(), prop::option::of(0..400_i64)), 0..6), taint in taint(),
    ) {
        let read = |(json, seconds): &(Json, Option<i64>)| {
            let read = Toleration::read(json).0.expect("members of the right type");
            Toleration { toleration_seconds: *seconds, ..read }
        };
        let list: Vec<_> = list.iter().map(read).collect();
        let naive = match list.iter().find(|it| it.tolerates(&taint)) {
            None => Tolerance::Never,
            Some(Toleration { toleration_seconds: Some(seconds), .. }) if taint.effect == Effect::NoExecute => {
                Tolerance::Seconds(*seconds)
            }
            Some(_) => Tolerance::Forever,
        };
        prop_assert_eq!(list.into_iter().collect::<TolerationList>().tolerance(&taint), naive);
    }

    #[test]
    fn a_toleration_that_covers_another_tolerates_what_it_tolerates(one in toleration(), other in toleration(), taint in taint()) {
        let (one, other) = (Toleration::read(&one).0.expect("read"), Toleration::read(&other).0.expect("read"));
        prop_assert!(!(one.covers(&other) && other.tolerates(&taint)) || one.tolerates(&taint));
    }

    #[test]
    fn the_toleration_of_a_taint_tolerates_it_and_no_other_value(taint in taint(), other in taint()) {
        let toleration = Toleration::of(&taint);
        prop_assert!(toleration.tolerates(&taint));
        let may = other.key == taint.key && other.effect == taint.effect && (taint.value.is_empty() || taint.value == other.value);
        prop_assert_eq!(toleration.tolerates(&other), may);
    }

    #[test]
    fn an_affinity_matches_as_kubernetes_says(
        terms in prop::collection::vec(prop::collection::vec(requirement(), 0..3), 1..3),
        labels in prop::collection::btree_map(word(), prop_oneof![word(), Just("2".to_owned())], 0..4),
    ) {
        let objects: Vec<_> = terms.iter().map(|term| json!({"matchExpressions": term})).collect();
        let affinity = json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": objects}}});
        let (read, problems) = NodeAffinity::read(&affinity);
        prop_assert_eq!(problems, vec![]);
        let naive = terms.iter().any(|term| !term.is_empty() && term.iter().all(|it| naive_matches(it, &labels)));
        let verdict = read.matches(&Node(labels));
        prop_assert_eq!(verdict == Verdict::Matches, naive);
        prop_assert_eq!(matches!(verdict, Verdict::Fails(_)), !naive);
    }

    #[test]
    fn merging_loses_nothing_of_the_users_and_is_idempotent(user in values(), addition in values()) {
        let merged = merge(user.clone(), addition.clone());
        prop_assert!(keeps(&merged, &user), "{} + {} = {}", user, addition, merged);
        prop_assert_eq!(merge(merged.clone(), addition), merged.clone());
        prop_assert_eq!(merge(merged.clone(), user), merged);
    }

    #[test]
    fn merging_is_associative_where_shapes_agree(
        one in values_of_one_shape(), two in values_of_one_shape(), three in values_of_one_shape(),
    ) {
        let left = merge(merge(one.clone(), two.clone()), three.clone());
        let right = merge(one, merge(two, three));
        prop_assert_eq!(left, right);
    }

    #[test]
    fn defaults_under_a_users_values_keep_what_the_user_says(defaults in values(), user in values_of(scalar())) {
        let applied = coalesce(&defaults, Some(&user));
        prop_assert!(keeps(&applied, &user), "{} under {} = {}", defaults, user, applied);
        prop_assert_eq!(coalesce(&applied, Some(&user)), applied);
    }

    #[test]
    fn versions_sort_by_their_four_numbers((one, a) in version(), (other, b) in version()) {
        let parse = |text: &str| text.parse::<AddonVersion>().expect("a version");
        let naive = a.iter().zip(&b).map(|(a, b)| a.cmp(b)).find(|it| *it != Ordering::Equal);
        prop_assert_eq!(parse(&one).cmp(&parse(&other)), naive.unwrap_or(Ordering::Equal));
        prop_assert_eq!(parse(&one).to_string(), one);
    }

    #[test]
    fn constraints_agree_with_the_order((text, a) in version(), (_, b) in version()) {
        let version: AddonVersion = text.parse().expect("a version");
        let bound = format!("{}.{}.{}-eksbuild.{}", b[0], b[1], b[2], b[3]);
        for (operator, expect) in [
            (">=", a >= b), (">", a > b), ("<=", a <= b), ("<", a < b), ("=", a == b), ("!=", a != b),
        ] {
            let constraint: Constraint = format!("{operator} {bound}").parse().expect("a constraint");
            prop_assert_eq!(constraint.allows(&version), expect, "{} {} {}", text, operator, bound);
        }
    }
}
