//! How long pods stand a taint.

use super::component::PodScheduling;
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

impl Tolerance {
    /// Of a list of tolerations the first that matches counts, and its `tolerationSeconds` only under
    /// `NoExecute` (kube-controller-manager, taint eviction: `GetMatchingTolerations` stops at the first).
    #[must_use]
    pub fn of(tolerations: &[Toleration], taint: &Taint) -> Self {
        match tolerations.iter().find(|it| it.tolerates(taint)) {
            None => Self::Never,
            Some(Toleration { toleration_seconds: Some(seconds), .. })
                if taint.effect == Effect::NoExecute =>
            {
                Self::Seconds((*seconds).max(0))
            }
            Some(_) => Self::Forever,
        }
    }
}

impl PodScheduling {
    /// How long the pods stand a taint; `None` if their tolerations are unknown.
    #[must_use]
    pub fn tolerance(&self, taint: &Taint) -> Option<Tolerance> {
        match &self.tolerations {
            Fact::Known(tolerations) => Some(Tolerance::of(tolerations, taint)),
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
            let list: Vec<_> = list.iter().filter_map(|json| Toleration::read(json).0).collect();
            assert_eq!(Tolerance::of(&list, &taint.parse().expect("a taint")), expect, "{taint}");
        };
        check(&[&timed], "a:NoExecute", Tolerance::Seconds(300));
        check(&[&timed, &plain], "a:NoExecute", Tolerance::Seconds(300));
        check(&[&plain, &timed], "a:NoExecute", Tolerance::Forever);
        check(&[&timed, &plain], "a:NoSchedule", Tolerance::Forever);
        check(&[&timed], "a:NoSchedule", Tolerance::Never);
    }
}
