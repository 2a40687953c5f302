//! What a user asks for, after all mistakes of form are out of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::{AddonVersion, Code, Constraint, KubernetesVersion, Pool, Taint};

/// Everything that one data source or resource asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The cluster's Kubernetes version.
    pub kubernetes_version: Option<KubernetesVersion>,
    /// The region, where it is stated.
    pub region: Option<String>,
    /// The pools by name; `None`: none were described, so nothing is said of placement.
    pub pools: Option<BTreeMap<String, Pool>>,
    /// The add-ons by name.
    pub addons: BTreeMap<String, AddonRequest>,
    /// What to do where a component cannot run.
    pub on_unschedulable: OnUnschedulable,
    /// Findings that the user has seen and accepted.
    pub ignore_findings: BTreeSet<Code>,
}

/// What is asked for one add-on.
#[derive(Clone, Debug)]
pub struct AddonRequest {
    /// Which version.
    pub version: VersionRequest,
    /// The user's own values, an object.
    pub configuration: Json,
    /// Where another reader would understand the user's text otherwise.
    pub notes: Vec<String>,
    /// What holds for every component that has no override.
    pub placement: Placement,
    /// What holds for single components instead, by component.
    pub components: BTreeMap<String, Override>,
    /// Taints to tolerate at every toleration path.
    pub tolerate: BTreeSet<Taint>,
    /// A JSON Schema to validate against instead.
    pub configuration_schema: Option<Json>,
    /// Whether the add-on takes its credentials from EKS Pod Identity.
    pub pod_identity: bool,
    /// Overrides the request's.
    pub on_unschedulable: Option<OnUnschedulable>,
    /// Beside the request's.
    pub ignore_findings: BTreeSet<Code>,
}

impl Default for AddonRequest {
    fn default() -> Self {
        Self {
            version: VersionRequest::default(),
            configuration: Json::Object(Map::new()),
            notes: Vec::new(),
            placement: Placement::default(),
            components: BTreeMap::new(),
            tolerate: BTreeSet::new(),
            configuration_schema: None,
            pod_identity: false,
            on_unschedulable: None,
            ignore_findings: BTreeSet::new(),
        }
    }
}

/// Which version of an add-on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VersionRequest {
    /// What EKS would install.
    #[default]
    Default,
    /// The newest that supports the cluster.
    Latest,
    /// The default if it satisfies, else the newest that does.
    Constrained(Constraint, String),
    /// This one.
    Exact(AddonVersion),
}

/// Where a component shall run, and how its tolerations are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Pools that it must be able to run on; `None`: decided from the defaults.
    pub run_on: Option<BTreeSet<String>>,
    /// Whether its pods are drawn to them.
    pub node_affinity: NodeAffinityMode,
    /// How tolerations are chosen.
    pub toleration_policy: TolerationPolicy,
}

/// What overrides [`Placement`] for one component; `None` keeps the add-on's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// See [`Placement::run_on`].
    pub run_on: Option<BTreeSet<String>>,
    /// See [`Placement::node_affinity`].
    pub node_affinity: Option<NodeAffinityMode>,
    /// See [`Placement::toleration_policy`].
    pub toleration_policy: Option<TolerationPolicy>,
    /// Beside the add-on's.
    pub tolerate: BTreeSet<Taint>,
}

/// Whether pods are attracted to `run_on`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeAffinityMode {
    /// Not at all.
    #[default]
    None,
    /// If there is room.
    Preferred,
    /// They run nowhere else.
    Required,
}

/// How tolerations are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TolerationPolicy {
    /// DaemonSets reach every pool they can run on, Deployments those of `run_on`.
    #[default]
    Auto,
    /// DaemonSets tolerate everything.
    All,
    /// Every component tolerates the taints of every pool that it can run on.
    Pools,
    /// The user's values as they are.
    None,
}

/// What to do where a component cannot run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnUnschedulable {
    /// Stop.
    #[default]
    Error,
    /// Say so.
    Warning,
}

impl AddonRequest {
    /// What holds for one component.
    #[must_use]
    pub fn placement_of(&self, component: &str) -> Placement {
        let Some(special) = self.components.get(component) else { return self.placement.clone() };
        Placement {
            run_on: special.run_on.clone().or_else(|| self.placement.run_on.clone()),
            node_affinity: special.node_affinity.unwrap_or(self.placement.node_affinity),
            toleration_policy: special.toleration_policy.unwrap_or(self.placement.toleration_policy),
        }
    }

    /// The taints that one component must tolerate whatever the pools are.
    pub fn tolerate_of(&self, component: &str) -> impl Iterator<Item = &Taint> {
        self.tolerate.iter().chain(self.components.get(component).into_iter().flat_map(|it| &it.tolerate))
    }
}
