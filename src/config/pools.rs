//! Node pools.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::pool::{Architecture, ComputeType, Os, Provisioner, Selector};
use crate::domain::{Pool, sentence, syntax};
use crate::tf::{Path, Value};

use super::arguments::{NODE_POOL, SELECTOR};
use super::decoder::Decoder;
use super::taints;

/// The pool that `taints` at the root describes.
const DEFAULT: &str = "default";

/// What is known of the pools.
pub(super) enum Pools {
    /// None were described.
    None,
    /// These, and no others.
    Known(BTreeMap<String, Pool>),
    /// Not even their names.
    Unknown,
}

/// The names that `run_on` may use.
pub(super) enum Names {
    /// There are no pools.
    None,
    /// These.
    Known(BTreeSet<String>),
    /// It cannot be checked yet.
    Unknown,
}

impl Pools {
    /// The names of the pools.
    pub(super) fn names(&self) -> Names {
        match self {
            Self::None => Names::None,
            Self::Known(pools) => Names::Known(pools.keys().cloned().collect()),
            Self::Unknown => Names::Unknown,
        }
    }

    /// The pools, if any were described and are known.
    pub(super) fn into_known(self) -> Option<BTreeMap<String, Pool>> {
        match self {
            Self::Known(pools) => Some(pools),
            Self::None | Self::Unknown => None,
        }
    }
}

/// Reads `node_pools`, or `taints` for one pool.
pub(super) fn read(decoder: &mut Decoder, config: &Value) -> Pools {
    let (pools, taints) = (config.get("node_pools").undressed(), config.get("taints").undressed());
    let (pools_path, taints_path) =
        (Path::attribute_of_root("node_pools"), Path::attribute_of_root("taints"));
    match (pools, taints) {
        (Value::Null, Value::Null) => Pools::None,
        (Value::Unknown(_), _) | (Value::Null, Value::Unknown(_)) => {
            decoder.has_unknown = true;
            Pools::Unknown
        }
        (Value::Null, taints) => {
            let mut pool = Pool::new(DEFAULT);
            pool.taints = taints::read(decoder, taints, &taints_path);
            Pools::Known(BTreeMap::from([(DEFAULT.into(), pool)]))
        }
        (pools, taints) => {
            if !matches!(taints, Value::Null) {
                let detail =
                    "taints is short for node_pools = { default = { taints = ... } }. Set one of them.";
                decoder.error(&taints_path, "taints and node_pools exclude each other", detail);
            }
            let entries = decoder.entries(pools, &pools_path, "node pools");
            if entries.is_empty() && matches!(taints, Value::Null) {
                // A variable that defaults to {}: no pools at all.
                return Pools::None;
            }
            let read = |(name, value, path): (&str, &Value, Path)| {
                Some((name.to_owned(), read_one(decoder, name, value, &path)?))
            };
            Pools::Known(entries.into_iter().filter_map(read).collect())
        }
    }
}

fn read_one(decoder: &mut Decoder, name: &str, value: &Value, path: &Path) -> Option<Pool> {
    if name.ends_with('*') || name.is_empty() {
        let detail =
            format!("{path}: a name that ends in * stands for discovered pools, which need cluster_name.");
        decoder.error(path, &format!("{path}: not the name of one pool"), &detail);
    }
    let members = decoder.members(value, path, "a node pool", &NODE_POOL)?;
    let mut pool = Pool::new(name);
    let (value, at) = members.get("taints");
    pool.taints = taints::read(decoder, value, &at);
    let (value, at) = members.get("startup_taints");
    pool.startup_taints = taints::read(decoder, value, &at);
    let (value, at) = members.get("labels");
    pool.labels = labels(decoder, value, &at);
    let (value, at) = members.get("compute_type");
    pool.compute_type = decoder.one_of(value, &at, &COMPUTE_TYPES).unwrap_or(ComputeType::Ec2);
    let (value, at) = members.get("os");
    pool.os =
        decoder.one_of(value, &at, &[("linux", Os::Linux), ("windows", Os::Windows)]).unwrap_or(Os::Linux);
    let (value, at) = members.get("provisioner");
    let provisioners = [("managed", Provisioner::Managed), ("karpenter", Provisioner::Karpenter)];
    pool.provisioner = decoder.one_of(value, &at, &provisioners).unwrap_or(Provisioner::Managed);
    let (value, at) = members.get("architectures");
    let read: BTreeSet<_> = decoder
        .elements(value, &at, "\"amd64\" and \"arm64\"")
        .into_iter()
        .filter_map(|(value, _)| decoder.one_of(value, &at, &ARCHITECTURES))
        .collect();
    if !read.is_empty() {
        pool.architectures = read;
    }
    let (value, at) = members.get("selectors");
    pool.selectors = selectors(decoder, value, &at);
    if pool.selectors.is_some() && pool.compute_type != ComputeType::Fargate {
        let detail = format!("{at}: only a Fargate profile has selectors. Set compute_type = \"fargate\".");
        decoder.error(&at, &format!("{at} is for Fargate"), &detail);
    }
    Some(pool)
}

const COMPUTE_TYPES: [(&str, ComputeType); 4] = [
    ("ec2", ComputeType::Ec2),
    ("fargate", ComputeType::Fargate),
    ("auto", ComputeType::Auto),
    ("hybrid", ComputeType::Hybrid),
];

/// Kubernetes' words, and those of EC2 and the kernel.
const ARCHITECTURES: [(&str, Architecture); 4] = [
    ("amd64", Architecture::Amd64),
    ("arm64", Architecture::Arm64),
    ("x86_64", Architecture::Amd64),
    ("aarch64", Architecture::Arm64),
];

/// Labels of nodes, which follow the same rules as taints.
fn labels(decoder: &mut Decoder, value: &Value, path: &Path) -> BTreeMap<String, String> {
    let labels = decoder.text_map(value, path);
    for (key, value) in &labels {
        let path = path.key(key);
        let wrong = [
            syntax::qualified_name(key).err().map(|why| (key, why)),
            syntax::label_value(value).err().map(|why| (value, why)),
        ];
        for (found, why) in wrong.into_iter().flatten() {
            let detail = sentence(&format!("{path}: found {found:?}, but {why}"));
            decoder.error(&path, &format!("{path} is not a label"), &detail);
        }
    }
    labels
}

fn selectors(decoder: &mut Decoder, value: &Value, path: &Path) -> Option<Vec<Selector>> {
    decoder.present(value)?;
    let elements = decoder.elements(value, path, "selectors");
    let read = |(value, path): (&Value, Path)| {
        let members = decoder.members(value, &path, "a Fargate selector", &SELECTOR)?;
        let (value, at) = members.get("namespace");
        let namespace = decoder.text(value, &at).unwrap_or_default();
        if namespace.is_empty() && !matches!(value.undressed(), Value::Unknown(_)) {
            let detail = format!("{path}: a selector names the namespace of the pods that it selects.");
            decoder.error(&path, &format!("{path} has no namespace"), &detail);
        }
        let (value, at) = members.get("labels");
        Some(Selector { namespace, labels: decoder.text_map(value, &at) })
    };
    Some(elements.into_iter().filter_map(read).collect())
}
