//! Node pools, and the nodes that one stands for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::affinity::{Label, NodeLabels};
use super::{Effect, Taint};

/// The label that tells Fargate, Auto Mode and hybrid nodes from ordinary ones.
pub const COMPUTE_TYPE_LABEL: &str = "eks.amazonaws.com/compute-type";
/// The label that Karpenter (and Auto Mode, which is Karpenter) puts on its nodes.
pub const KARPENTER_POOL_LABEL: &str = "karpenter.sh/nodepool";

/// A set of nodes that are alike for the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The user's name for it.
    pub name: String,
    /// Labels that the user states.
    pub labels: BTreeMap<String, String>,
    /// Taints of the nodes.
    pub taints: BTreeSet<Taint>,
    /// Taints that something removes once the node is up.
    pub startup_taints: BTreeSet<Taint>,
    /// What the nodes run on.
    pub compute_type: ComputeType,
    /// For Fargate: which pods run there. `None`: not stated.
    pub selectors: Option<Vec<Selector>>,
    /// The operating system.
    pub os: Os,
    /// Architectures of its nodes; never empty.
    pub architectures: BTreeSet<Architecture>,
    /// Who makes the nodes.
    pub provisioner: Provisioner,
}

/// What nodes run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComputeType {
    /// EC2 instances.
    Ec2,
    /// Fargate: one node for each pod, chosen by selectors.
    Fargate,
    /// EKS Auto Mode.
    Auto,
    /// Hybrid nodes.
    Hybrid,
}

/// Operating systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Os {
    /// Linux
    Linux,
    /// Windows
    Windows,
}

/// Processor architectures, in Kubernetes' words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Architecture {
    /// x86-64
    Amd64,
    /// Graviton
    Arm64,
}

/// Who makes the nodes of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provisioner {
    /// A node group or a person: the nodes are there when add-ons are created.
    Managed,
    /// Karpenter: no node exists before Karpenter itself runs.
    Karpenter,
}

/// A selector of a Fargate profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The pods' namespace; `*` and `?` are wildcards.
    pub namespace: String,
    /// Labels that the pods must have.
    pub labels: BTreeMap<String, String>,
}

impl ComputeType {
    /// The value of [`COMPUTE_TYPE_LABEL`]; ordinary nodes have no such label.
    #[must_use]
    pub fn label(self) -> Option<&'static str> {
        match self {
            Self::Ec2 => None,
            Self::Fargate => Some("fargate"),
            Self::Auto => Some("auto"),
            Self::Hybrid => Some("hybrid"),
        }
    }
}

impl Os {
    /// The value of `kubernetes.io/os`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Windows => "windows",
        }
    }
}

impl Architecture {
    /// The value of `kubernetes.io/arch`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl Pool {
    /// One untainted pool of ordinary Linux nodes.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            labels: BTreeMap::new(),
            taints: BTreeSet::new(),
            startup_taints: BTreeSet::new(),
            compute_type: ComputeType::Ec2,
            selectors: None,
            os: Os::Linux,
            architectures: BTreeSet::from([Architecture::Amd64]),
            provisioner: Provisioner::Managed,
        }
    }

    /// Taints that keep pods away, Fargate's own among them.
    pub fn hard_taints(&self) -> impl Iterator<Item = Taint> {
        let fargate = (self.compute_type == ComputeType::Fargate).then(|| Taint {
            key: COMPUTE_TYPE_LABEL.into(),
            value: "fargate".into(),
            effect: Effect::NoSchedule,
        });
        self.taints.iter().cloned().chain(fargate).filter(|taint| taint.effect.filters())
    }

    /// The different nodes that the pool may have: one for each architecture.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.architectures.iter().map(|architecture| Node { pool: self, architecture: *architecture })
    }

    /// Whether no node comes before Karpenter runs in the cluster. Auto Mode runs outside of it, so pods
    /// that are pending are enough there.
    #[must_use]
    pub fn starts_empty(&self) -> bool {
        self.provisioner == Provisioner::Karpenter && self.compute_type != ComputeType::Auto
    }

    /// Whether Karpenter makes the nodes, its own or that of Auto Mode, and labels them.
    #[must_use]
    pub fn made_by_karpenter(&self) -> bool {
        self.provisioner == Provisioner::Karpenter || self.compute_type == ComputeType::Auto
    }
}

/// A node of a pool, as the scheduler sees it.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The pool it belongs to.
    pub pool: &'a Pool,
    /// Its architecture.
    pub architecture: Architecture,
}

/// Labels that every node has, or may have, with a value that no pool description contains.
const UNSTATED: [&str; 13] = [
    "beta.kubernetes.io/instance-type",
    "eks.amazonaws.com/capacityType",
    "eks.amazonaws.com/nodegroup",
    "eks.amazonaws.com/nodegroup-image",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "k8s.io/cloud-provider-aws",
    "kubernetes.io/hostname",
    "node.kubernetes.io/instance-type",
    "topology.ebs.csi.aws.com/zone",
    "topology.k8s.aws/zone-id",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];

impl NodeLabels for Node<'_> {
    fn label(&self, key: &str) -> Label<'_> {
        if let Some(value) = self.pool.labels.get(key) {
            return Label::Is(value);
        }
        let by_karpenter = self.pool.made_by_karpenter();
        match key {
            "kubernetes.io/os" | "beta.kubernetes.io/os" => Label::Is(self.pool.os.label()),
            "kubernetes.io/arch" | "beta.kubernetes.io/arch" => Label::Is(self.architecture.label()),
            COMPUTE_TYPE_LABEL => self.pool.compute_type.label().map_or(Label::Absent, Label::Is),
            KARPENTER_POOL_LABEL if by_karpenter => Label::Is(&self.pool.name),
            key if UNSTATED.contains(&key) => Label::Unstated,
            key if by_karpenter && is_karpenters(key) => Label::Unstated,
            _ => Label::Absent,
        }
    }

    /// The a1 instance types are Graviton 1, so a node of another architecture is none of them. The
    /// EBS node DaemonSet excludes them from v1.24.1 to v1.54.0.
    fn excludes(&self, key: &str, value: &str) -> bool {
        let instance_type =
            matches!(key, "node.kubernetes.io/instance-type" | "beta.kubernetes.io/instance-type");
        instance_type && value.starts_with("a1.") && self.architecture != Architecture::Arm64
    }
}

/// Labels that Karpenter and Auto Mode put on nodes by the instance they chose.
fn is_karpenters(key: &str) -> bool {
    let prefixes = ["karpenter.k8s.aws/", "eks.amazonaws.com/instance-", "karpenter.sh/"];
    prefixes.iter().any(|prefix| key.starts_with(prefix))
}

impl Selector {
    /// Whether pods of a namespace are selected; `None` when that hangs on the pods' labels.
    #[must_use]
    pub fn selects(&self, namespace: &str) -> Option<bool> {
        if !glob(self.namespace.as_bytes(), namespace.as_bytes()) {
            return Some(false);
        }
        self.labels.is_empty().then_some(true)
    }
}

/// Fargate selectors know `*` and `?` (EKS user guide, "Fargate profile wildcards").
///
/// Only the last star ever takes more of the text: what earlier ones took is enough if anything is. So
/// the work is at most the product of the lengths, whatever the pattern.
#[must_use]
pub fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    // Where to go on after the last star, and how much of the text is before what it takes next.
    let mut last_star = None;
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                last_star = Some((at, read));
            }
            Some(expected) if *expected == b'?' || *expected == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((after, taken)) = last_star else { return false };
                (at, read) = (after, taken + 1);
                last_star = Some((after, taken + 1));
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_implies_labels_and_taints() {
        let mut pool = Pool::new("gpu");
        pool.compute_type = ComputeType::Fargate;
        pool.provisioner = Provisioner::Karpenter;
        pool.labels.insert("kubernetes.io/arch".into(), "arm64".into());
        let node = pool.nodes().next().expect("one architecture");
        for (key, expect) in [
            ("kubernetes.io/os", Label::Is("linux")),
            ("kubernetes.io/arch", Label::Is("arm64")),
            ("beta.kubernetes.io/arch", Label::Is("amd64")),
            (COMPUTE_TYPE_LABEL, Label::Is("fargate")),
            (KARPENTER_POOL_LABEL, Label::Is("gpu")),
            ("topology.kubernetes.io/zone", Label::Unstated),
            ("karpenter.k8s.aws/instance-category", Label::Unstated),
            ("role", Label::Absent),
        ] {
            assert_eq!(node.label(key), expect, "{key}");
        }
        assert_eq!(pool.hard_taints().count(), 1);
        let plain = Pool::new("plain");
        let node = plain.nodes().next().expect("one architecture");
        assert_eq!(node.label(COMPUTE_TYPE_LABEL), Label::Absent);
        assert_eq!(node.label(KARPENTER_POOL_LABEL), Label::Absent);
        assert!(node.excludes("node.kubernetes.io/instance-type", "a1.large"));
    }

    #[test]
    fn auto_mode_needs_no_karpenter_in_the_cluster() {
        let mut pool = Pool::new("p");
        assert!(!pool.starts_empty() && !pool.made_by_karpenter());
        pool.provisioner = Provisioner::Karpenter;
        assert!(pool.starts_empty() && pool.made_by_karpenter());
        pool.compute_type = ComputeType::Auto;
        assert!(!pool.starts_empty() && pool.made_by_karpenter());
    }

    #[test]
    fn fargate_selectors_know_wildcards() {
        for (pattern, text, expect) in [
            ("kube-system", "kube-system", true),
            ("kube-*", "kube-system", true),
            ("*", "", true),
            ("k?be*", "kube", true),
            ("kube", "kube-system", false),
            ("*batch", "batch-x", false),
            ("*a?c*", "xabxabcx", true),
            ("a*b*a", "aba", true),
            ("a*b*a", "ab", false),
            ("", "", true),
            ("?", "", false),
        ] {
            assert_eq!(glob(pattern.as_bytes(), text.as_bytes()), expect, "{pattern} {text}");
        }
        let stars = format!("{}b", "*a".repeat(30) + &"*".repeat(60));
        assert!(!glob(stars.as_bytes(), "a".repeat(253).as_bytes()));
        let mut selector = Selector { namespace: "a".into(), labels: BTreeMap::new() };
        assert_eq!(selector.selects("a"), Some(true));
        assert_eq!(selector.selects("b"), Some(false));
        selector.labels.insert("app".into(), "x".into());
        assert_eq!(selector.selects("a"), None);
    }
}
