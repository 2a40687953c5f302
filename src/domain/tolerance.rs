//! How long pods stand a taint.

use std::collections::BTreeMap;

use super::component::PodScheduling;
use super::toleration::TolerationOperator;
use super::{Effect, Fact, Taint, Toleration};

/// How long a pod may be on a node with a taint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tolerance {
    /// It does not get there.
    Never,
    /// It gets there and is evicted after so many seconds, again and again.
    Seconds(i64),
    /// As long as it likes.
    Forever,
}

/// A list of tolerations in which the first that matches a taint is found without reading all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TolerationList {
    list: Vec<Toleration>,
    /// Places of those with a key, by that: pools often differ only in the value of one key.
    by_key: BTreeMap<String, Keyed>,
    /// Places of those that match every key.
    keyless: Vec<usize>,
}

/// Places of tolerations with one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Keyed {
    /// Those that want a value, by that.
    by_value: BTreeMap<String, Vec<usize>>,
    /// Those that take any value, or none at all.
    others: Vec<usize>,
}

impl FromIterator<Toleration> for TolerationList {
    fn from_iter<I: IntoIterator<Item = Toleration>>(tolerations: I) -> Self {
        let mut this = Self { list: tolerations.into_iter().collect(), ..Self::default() };
        for (place, toleration) in this.list.iter().enumerate() {
            if toleration.key.is_empty() {
                this.keyless.push(place);
                continue;
            }
            let keyed = this.by_key.entry(toleration.key.clone()).or_default();
            if toleration.operator == TolerationOperator::Equal {
                keyed.by_value.entry(toleration.value.clone()).or_default().push(place);
            } else {
                keyed.others.push(place);
            }
        }
        this
    }
}

impl TolerationList {
    /// The tolerations in order.
    pub fn iter(&self) -> impl Iterator<Item = &Toleration> {
        self.list.iter()
    }

    /// Of several tolerations the first that matches counts, and its `tolerationSeconds` only under
    /// `NoExecute` (kube-controller-manager, taint eviction: `GetMatchingTolerations` stops at the first).
    #[must_use]
    pub fn tolerance(&self, taint: &Taint) -> Tolerance {
        let first =
            |places: &Vec<usize>| places.iter().copied().find(|place| self.list[*place].tolerates(taint));
        let keyed = self.by_key.get(&taint.key);
        let places = [
            keyed.and_then(|keyed| keyed.by_value.get(&taint.value)),
            keyed.map(|keyed| &keyed.others),
            Some(&self.keyless),
        ];
        let place = places.into_iter().flatten().filter_map(first).min();
        match place.map(|place| self.list[place].toleration_seconds) {
            None => Tolerance::Never,
            Some(Some(seconds)) if taint.effect == Effect::NoExecute => Tolerance::Seconds(seconds.max(0)),
            Some(_) => Tolerance::Forever,
        }
    }
}

impl PodScheduling {
    /// How long the pods stand a taint; `None` if their tolerations are unknown.
    #[must_use]
    pub fn tolerance(&self, taint: &Taint) -> Option<Tolerance> {
        match &self.tolerations {
            Fact::Known(tolerations) => Some(tolerations.tolerance(taint)),
            Fact::Unknown => None,
        }
    }

    /// Whether the pods stand a taint for good; unknown is not.
    #[must_use]
    pub fn stands(&self, taint: &Taint) -> bool {
        self.tolerance(taint) == Some(Tolerance::Forever)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_match_decides_how_long() {
        let timed = json!({"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
        let plain = json!({"key": "a", "operator": "Exists"});
        let check = |list: &[&serde_json::Value], taint: &str, expect: Tolerance| {
            let list: TolerationList = list.iter().filter_map(|json| Toleration::read(json).0).collect();
            assert_eq!(list.tolerance(&taint.parse().expect("a taint")), expect, "{taint}");
        };
        check(&[&timed], "a:NoExecute", Tolerance::Seconds(300));
        check(&[&timed, &plain], "a:NoExecute", Tolerance::Seconds(300));
        check(&[&plain, &timed], "a:NoExecute", Tolerance::Forever);
        check(&[&timed, &plain], "a:NoSchedule", Tolerance::Forever);
        check(&[&timed], "a:NoSchedule", Tolerance::Never);
    }
}
