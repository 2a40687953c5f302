//! Which labels tell some pools from others.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::Pool;
use crate::domain::affinity::{Label, NodeLabels};
use crate::domain::pool::{COMPUTE_TYPE_LABEL, KARPENTER_POOL_LABEL};

/// A label and the values of it that are meant.
pub(super) type Choice = (String, BTreeSet<String>);

/// Labels that nodes have without anybody stating them, by what a pool is.
const IMPLIED: [&str; 4] =
    [COMPUTE_TYPE_LABEL, KARPENTER_POOL_LABEL, "kubernetes.io/arch", "kubernetes.io/os"];

/// Whether a label that another pool does not state, though its nodes have it, may be taken to differ.
/// That is the last resort: people state `eks.amazonaws.com/nodegroup` of one pool and mean this.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unstated {
    MayBeTheSame,
    Differs,
}

const FROM_SURE_TO_LIKELY: [Unstated; 2] = [Unstated::MayBeTheSame, Unstated::Differs];

/// Sets of labels of which each of the pools has one and none of the others has any: one label if there
/// is one that all pools have, else a set for each pool. `None` if labels do not suffice.
pub(super) fn terms(pools: &[&Pool], others: &[&Pool]) -> Option<Vec<Vec<Choice>>> {
    FROM_SURE_TO_LIKELY.into_iter().find_map(|unstated| match label(pools, others, usize::MAX, unstated) {
        Some(choice) => Some(vec![vec![choice]]),
        None => one_each(pools, others, unstated),
    })
}

/// A label that all pools have with one value and none of the others has.
pub(super) fn shared_label(pools: &[&Pool], others: &[&Pool]) -> Option<(String, String)> {
    let choice = FROM_SURE_TO_LIKELY.into_iter().find_map(|unstated| label(pools, others, 1, unstated));
    choice.and_then(|(key, values)| Some((key, values.into_iter().next()?)))
}

/// One label that all pools have, and whose values, at most so many, none of the others has. One that the
/// user states comes before one that is implied, and one with a single value before one with several.
fn label(pools: &[&Pool], others: &[&Pool], most: usize, unstated: Unstated) -> Option<Choice> {
    let stated: Vec<&str> = pools.first()?.labels.keys().map(String::as_str).collect();
    [stated.as_slice(), &IMPLIED].into_iter().find_map(|keys| {
        let told = keys.iter().filter_map(|key| {
            let values: BTreeSet<_> = pools.iter().map(|pool| value(pool, key)).collect::<Option<_>>()?;
            let taken = Taken::by(others, key);
            let tells = values.len() <= most && values.iter().all(|it| taken.leaves(it, unstated));
            tells.then(|| ((*key).to_owned(), values))
        });
        // The first of those that are alike, so that the order of the keys decides.
        told.min_by_key(|(_, values)| values.len() > 1)
    })
}

/// For each pool as few of its labels as tell it from the others.
fn one_each(pools: &[&Pool], others: &[&Pool], unstated: Unstated) -> Option<Vec<Vec<Choice>>> {
    let stated = pools.iter().flat_map(|pool| pool.labels.keys().map(String::as_str));
    let keys: BTreeSet<&str> = stated.chain(IMPLIED).collect();
    let taken: BTreeMap<&str, Taken> = keys.into_iter().map(|key| (key, Taken::by(others, key))).collect();
    let mut terms = Vec::new();
    for pool in pools {
        let stated = pool.labels.keys().map(String::as_str);
        let implied = IMPLIED.into_iter().filter(|key| !pool.labels.contains_key(*key));
        let pairs: Vec<_> = stated.chain(implied).filter_map(|key| Some((key, value(pool, key)?))).collect();
        let alone = pairs.iter().find(|(key, value)| taken[key].leaves(value, unstated));
        let chosen = match alone {
            Some(pair) => vec![pair],
            None => together(&pairs, others, unstated)?,
        };
        let term: Vec<Choice> = chosen
            .into_iter()
            .map(|(key, value)| ((*key).to_owned(), BTreeSet::from([value.clone()])))
            .collect();
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    Some(terms)
}

/// Labels of which every other pool lacks at least one.
fn together<'a>(
    pairs: &'a [(&'a str, String)],
    others: &[&Pool],
    unstated: Unstated,
) -> Option<Vec<&'a (&'a str, String)>> {
    let mut chosen: Vec<&(&str, String)> = Vec::new();
    for other in others {
        let tells = |pair: &&(&str, String)| lacks(other, pair.0, &pair.1, unstated);
        if !chosen.iter().any(&tells) {
            chosen.push(pairs.iter().find(tells)?);
        }
    }
    chosen.sort();
    Some(chosen)
}

/// The value of a label that all nodes of a pool have.
fn value(pool: &Pool, key: &str) -> Option<String> {
    let mut values = pool.nodes().map(|node| match node.label(key) {
        Label::Is(value) => Some(value.to_owned()),
        Label::Absent | Label::Unstated => None,
    });
    let first = values.next()??;
    values.all(|it| it.as_ref() == Some(&first)).then_some(first)
}

/// Whether no node of a pool has a label with this value.
fn lacks(pool: &Pool, key: &str, value: &str, unstated: Unstated) -> bool {
    pool.nodes().all(|node| match node.label(key) {
        Label::Is(own) => own != value,
        Label::Absent => true,
        Label::Unstated => unstated == Unstated::Differs,
    })
}

/// What the nodes of several pools have of one label.
#[derive(Default)]
struct Taken {
    values: BTreeSet<String>,
    unstated: bool,
}

impl Taken {
    fn by(pools: &[&Pool], key: &str) -> Self {
        let mut taken = Self::default();
        for node in pools.iter().flat_map(|pool| pool.nodes()) {
            match node.label(key) {
                Label::Is(value) if !taken.values.contains(value) => {
                    taken.values.insert(value.to_owned());
                }
                Label::Unstated => taken.unstated = true,
                Label::Is(_) | Label::Absent => {}
            }
        }
        taken
    }

    /// Whether a value is nobody's.
    fn leaves(&self, value: &str, unstated: Unstated) -> bool {
        !self.values.contains(value) && (!self.unstated || unstated == Unstated::Differs)
    }
}
