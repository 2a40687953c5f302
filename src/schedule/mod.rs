//! Which component can run on which pool, and why not: the filters of kube-scheduler that a pool's
//! description decides (NodeAffinity, TaintToleration), the DaemonSet controller and Fargate.

mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use crate::domain::affinity::Verdict;
use crate::domain::component::PodScheduling;
use crate::domain::pool::{ComputeType, Node};
use crate::domain::{Component, Kind, Pool, Taint, Tolerance, ValuesPath};

pub use report::report;

/// Where one component stands with one pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The add-on.
    pub addon: String,
    /// The component.
    pub component: String,
    /// Its kind.
    pub kind: Kind,
    /// The pool.
    pub node_pool: String,
    /// The answer and its reason.
    pub reason: Reason,
    /// Whether it must be able to run there.
    pub required: bool,
}

/// Why a component can or cannot run on a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Labels admit it and there is no taint in the way.
    Admitted,
    /// Labels admit it and it tolerates these taints.
    Tolerates(Vec<Taint>),
    /// A Fargate profile selects its pods.
    FargateSelected,
    /// It does not tolerate these taints.
    Untolerated(Vec<Taint>),
    /// It gets there and is evicted by this taint after so many seconds, again and again.
    Evicted(Taint, i64),
    /// Its nodeSelector or affinity excludes the pool's nodes.
    Excluded(String),
    /// It runs on the pool's nodes, but its nodeSelector or affinity excludes those of one architecture.
    ExcludedArchitecture(String, String),
    /// Fargate runs no DaemonSets.
    DaemonSetOnFargate,
    /// No selector of the Fargate profile matches its namespace.
    NotSelected(String),
    /// A selector matches, but this setting keeps the pods off Fargate.
    KeptOffFargate(ValuesPath),
    /// The Fargate profile's selectors are not stated, or ask for labels of pods.
    SelectorsUnknown,
    /// That hangs on a label that the pool does not state, or on a fact the catalog does not know; but it
    /// is what one should expect.
    Likely(String),
    /// That hangs on a label that the pool does not state, or on a fact the catalog does not know.
    Unknown(String),
    /// Whatever the unstated label is, it does not tolerate these taints.
    UntoleratedAndUnknown(Vec<Taint>, String),
}

impl Reason {
    /// The answer; `None` is unknown and never an error.
    #[must_use]
    pub fn schedulable(&self) -> Option<bool> {
        match self {
            Self::Admitted | Self::Tolerates(_) | Self::FargateSelected | Self::ExcludedArchitecture(..) => {
                Some(true)
            }
            Self::Untolerated(_)
            | Self::Excluded(_)
            | Self::Evicted(..)
            | Self::UntoleratedAndUnknown(..)
            | Self::DaemonSetOnFargate
            | Self::NotSelected(_)
            | Self::KeptOffFargate(_) => Some(false),
            Self::SelectorsUnknown | Self::Likely(_) | Self::Unknown(_) => None,
        }
    }

    /// Whether the component is to be expected there once its tolerations are right: not if that hangs
    /// on a label that few nodes have.
    #[must_use]
    pub fn is_expected(&self) -> bool {
        self.is_eligible() && !matches!(self, Self::Unknown(_) | Self::UntoleratedAndUnknown(..))
    }

    /// Whether taints alone stand in the way, or nothing does: whether tolerations could help.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        !matches!(self, Self::Excluded(_) | Self::DaemonSetOnFargate | Self::NotSelected(_))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Admitted => f.write_str("no taint in the way"),
            Self::Tolerates(taints) => write!(f, "tolerates {}", joined(taints)),
            Self::FargateSelected => f.write_str("a selector of the Fargate profile matches"),
            Self::Untolerated(taints) => write!(f, "does not tolerate {}", joined(taints)),
            Self::Evicted(taint, seconds) => write!(f, "is evicted after {seconds} s by {taint}"),
            Self::Excluded(what) => write!(f, "requires {what}"),
            Self::ExcludedArchitecture(architecture, what) => {
                write!(f, "not on its {architecture} nodes: requires {what}")
            }
            Self::DaemonSetOnFargate => f.write_str("Fargate runs no DaemonSets"),
            Self::NotSelected(namespace) => {
                write!(f, "no selector of the Fargate profile matches the namespace {namespace:?}")
            }
            Self::KeptOffFargate(path) => write!(f, "{path} keeps it off Fargate"),
            Self::SelectorsUnknown => f.write_str("depends on the Fargate profile's selectors"),
            Self::Likely(what) | Self::Unknown(what) => write!(f, "depends on {what}, which is not known"),
            Self::UntoleratedAndUnknown(taints, what) => {
                write!(f, "does not tolerate {}, and depends on {what}", joined(taints))
            }
        }
    }
}

fn joined(taints: &[Taint]) -> String {
    let texts: Vec<_> = taints.iter().map(ToString::to_string).collect();
    texts.join(" and ")
}

/// A component's answer for one pool.
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    /// The pool.
    pub pool: &'a Pool,
    /// The answer and its reason.
    pub reason: Reason,
}

/// Decides one component, whose pods the scheduler sees as `pod`, on every pool, in order of the pools' names.
#[must_use]
pub fn place_all<'a>(
    component: &Component,
    pod: &PodScheduling,
    namespace: &str,
    pools: &'a BTreeMap<String, Pool>,
) -> Vec<Placed<'a>> {
    pools.values().map(|pool| Placed { pool, reason: place(component, pod, namespace, pool) }).collect()
}

/// Decides one component on one pool.
#[must_use]
pub fn place(component: &Component, pod: &PodScheduling, namespace: &str, pool: &Pool) -> Reason {
    if pool.compute_type == ComputeType::Fargate {
        return match component.kind {
            Kind::DaemonSet => Reason::DaemonSetOnFargate,
            Kind::Deployment => on_fargate(pod, namespace, pool),
        };
    }
    match admission(component.kind, pod, pool) {
        Admission::No(reason) => reason,
        Admission::Likely(what) => match tainted(component, pod, pool) {
            untolerated @ Reason::Untolerated(_) => untolerated,
            _ => Reason::Likely(what),
        },
        Admission::Unknown(what) => match tainted(component, pod, pool) {
            Reason::Untolerated(taints) => Reason::UntoleratedAndUnknown(taints, what),
            _ => Reason::Unknown(what),
        },
        // Taints are those of all its nodes: they are judged before what is said of one architecture.
        Admission::Except(architecture, what) => match tainted(component, pod, pool) {
            Reason::Admitted | Reason::Tolerates(_) => Reason::ExcludedArchitecture(architecture, what),
            other => other,
        },
        Admission::Yes => tainted(component, pod, pool),
    }
}

/// The Fargate scheduler goes by the profile's selectors and sets taints aside, which are its own.
fn on_fargate(pod: &PodScheduling, namespace: &str, pool: &Pool) -> Reason {
    if let Admission::No(reason) = admission(Kind::Deployment, pod, pool) {
        return reason;
    }
    let Some(selectors) = &pool.selectors else { return Reason::SelectorsUnknown };
    let answers: Vec<_> = selectors.iter().map(|selector| selector.selects(namespace)).collect();
    if answers.contains(&Some(true)) {
        pod.kept_off_fargate_by.clone().map_or(Reason::FargateSelected, Reason::KeptOffFargate)
    } else if answers.contains(&None) {
        Reason::SelectorsUnknown
    } else {
        Reason::NotSelected(namespace.to_owned())
    }
}

enum Admission {
    Yes,
    /// To all nodes but those of an architecture, which this keeps it off.
    Except(String, String),
    Likely(String),
    Unknown(String),
    No(Reason),
}

/// A DaemonSet runs on the architectures that it fits, and a Deployment needs only one of them.
fn admission(kind: Kind, pod: &PodScheduling, pool: &Pool) -> Admission {
    let verdicts: Vec<(Node<'_>, Verdict)> = pool.nodes().map(|node| (node, pod.admits(&node))).collect();
    let fails = |verdict: &Verdict| matches!(verdict, Verdict::Fails(_));
    let some = verdicts.iter().any(|(_, verdict)| !fails(verdict));
    let except = verdicts.iter().find_map(|(node, verdict)| match verdict {
        Verdict::Fails(what) if some => Some((node.architecture.to_string(), what.clone())),
        _ => None,
    });
    let verdicts = verdicts.into_iter().map(|(_, verdict)| verdict);
    let verdict = match kind {
        Kind::DaemonSet => verdicts.filter(|it| !some || !fails(it)).reduce(Verdict::and),
        Kind::Deployment => verdicts.reduce(Verdict::or),
    };
    match verdict {
        None | Some(Verdict::Matches) => match except.filter(|_| kind == Kind::DaemonSet) {
            Some((architecture, what)) => Admission::Except(architecture, what),
            None => Admission::Yes,
        },
        Some(Verdict::Likely(what)) => Admission::Likely(what),
        Some(Verdict::Unknown(what)) => Admission::Unknown(what),
        Some(Verdict::Fails(what)) => Admission::No(Reason::Excluded(what)),
    }
}

/// Taints that a component meets on a pool: none on Fargate, whose scheduler sets its own taint aside; what
/// must run before a node is ready meets those of
/// start-up too.
pub fn taints_met(component: &Component, pool: &Pool) -> Vec<Taint> {
    if pool.compute_type == ComputeType::Fargate {
        return Vec::new();
    }
    let met = |taint: &&Taint| component.meets_at_startup(taint) && taint.effect.filters();
    let startup = pool.startup_taints.iter().filter(met);
    let mut taints: Vec<_> = pool.hard_taints().chain(startup.cloned()).collect();
    taints.sort();
    taints.dedup();
    taints
}

fn tainted(component: &Component, pod: &PodScheduling, pool: &Pool) -> Reason {
    let taints = taints_met(component, pool);
    if taints.is_empty() {
        return Reason::Admitted;
    }
    let tolerances: Option<Vec<_>> = taints.iter().map(|taint| pod.tolerance(taint)).collect();
    let Some(tolerances) = tolerances else {
        return Reason::Likely("the default tolerations of this version".into());
    };
    let untolerated: Vec<_> = taints
        .iter()
        .zip(&tolerances)
        .filter(|(_, tolerance)| **tolerance == Tolerance::Never)
        .map(|(taint, _)| taint.clone())
        .collect();
    if !untolerated.is_empty() {
        return Reason::Untolerated(untolerated);
    }
    let evicted = taints.iter().zip(&tolerances).find_map(|(taint, tolerance)| match tolerance {
        Tolerance::Seconds(seconds) => Some(Reason::Evicted(taint.clone(), *seconds)),
        Tolerance::Never | Tolerance::Forever => None,
    });
    evicted.unwrap_or(Reason::Tolerates(taints))
}
