//! Components of an add-on at one version: what runs, where its settings are, what they are by default.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Json;

use super::affinity::{NodeAffinity, NodeLabels, Verdict, selector_matches};
use super::toleration::{HostNetwork, added_by_the_daemonset_controller};
use super::values::{ValuesPath, coalesce, is_empty};
use super::{Taint, Toleration};

/// The kind of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
pub enum Kind {
    /// One pod on every node that admits it.
    DaemonSet,
    /// Some pods, anywhere that admits them.
    Deployment,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DaemonSet => "DaemonSet",
            Self::Deployment => "Deployment",
        })
    }
}

/// Something that the catalog knows of a version, or knows that it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact<T> {
    /// Known.
    Known(T),
    /// Unknown for this version.
    Unknown,
}

/// A setting's place, and the place that counts when it is not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Where the version takes it; `None` if it does not.
    pub path: Option<ValuesPath>,
    /// Where other versions take it, if this one does not.
    pub elsewhere: Option<ValuesPath>,
    /// Where the value comes from otherwise.
    pub fallback: Option<Fallback>,
}

/// What a template takes when a component's own setting says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The value there, if the own one is empty: `false`, `[]` and `{}` count as unset.
    WhenEmpty(ValuesPath),
    /// The value there, if the own one is absent or null: `[]` counts as set.
    WhenNull(ValuesPath),
}

impl Setting {
    /// A setting of its own at `path`, where the version accepts that.
    #[must_use]
    pub fn at(path: ValuesPath, accepted: bool) -> Self {
        let (path, elsewhere) = if accepted { (Some(path), None) } else { (None, Some(path)) };
        Self { path, elsewhere, fallback: None }
    }

    /// The value that counts, and where it stands.
    #[must_use]
    pub fn get<'a>(&'a self, values: &'a Json) -> Option<(&'a ValuesPath, &'a Json)> {
        let at = |path: &'a ValuesPath| path.get(values).map(|value| (path, value));
        let own = self.path.as_ref().and_then(at);
        match (&self.fallback, own) {
            (None, own) => own,
            (Some(Fallback::WhenEmpty(_)), Some(own)) if !is_empty(own.1) => Some(own),
            (Some(Fallback::WhenNull(_)), Some(own)) => Some(own),
            (Some(Fallback::WhenEmpty(path) | Fallback::WhenNull(path)), _) => at(path),
        }
    }

    /// Where to write so that it counts: where the value stands, else the shared place, else its own.
    #[must_use]
    pub fn writing_path<'a>(&'a self, values: &'a Json) -> Option<&'a ValuesPath> {
        if let Some((path, _)) = self.get(values) {
            return Some(path);
        }
        match &self.fallback {
            Some(Fallback::WhenEmpty(path)) => Some(path),
            Some(Fallback::WhenNull(_)) | None => self.path.as_ref(),
        }
    }
}

/// A bool of the values with its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switch {
    /// Where it is set.
    pub setting: Setting,
    /// What it is otherwise.
    pub default: bool,
}

impl Switch {
    /// A bool that nothing sets.
    #[must_use]
    pub fn fixed(default: bool) -> Self {
        Self { setting: Setting::default(), default }
    }

    /// Whether it is on under these values.
    #[must_use]
    pub fn is_on(&self, values: &Json) -> bool {
        self.setting.get(values).and_then(|(_, value)| value.as_bool()).unwrap_or(self.default)
    }
}

/// How a user's toleration list combines with the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserList {
    /// It replaces them.
    Replaces,
    /// It is added to them.
    Appends,
}

/// Everything about a component's tolerations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tolerations {
    /// The list.
    pub setting: Setting,
    /// The list when the user gives none.
    pub default: Fact<Vec<Json>>,
    /// Entries that the template always adds.
    pub always: Vec<Json>,
    /// What a user's list does.
    pub user_list: UserList,
    /// A switch that replaces everything by `operator: Exists`.
    pub tolerate_all: Option<Switch>,
    /// A switch that turns the defaults off when it is false.
    pub keep_defaults: Switch,
}

/// A component of an add-on at one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name in placements and in `components`.
    pub name: String,
    /// What kind of workload it is.
    pub kind: Kind,
    /// Whether it exists under given values.
    pub exists: Fact<Vec<Switch>>,
    /// Whether its pods use the node's network.
    pub host_network: Switch,
    /// Whether nodes do not become ready without it.
    pub before_ready: bool,
    /// Its tolerations.
    pub tolerations: Tolerations,
    /// Where its affinity is set.
    pub affinity: Setting,
    /// Its affinity by default; a user's is merged over it as Helm merges.
    pub default_affinity: Fact<Json>,
    /// Where its nodeSelector is set.
    pub node_selector: Setting,
    /// What the template always adds to it.
    pub fixed_node_selector: BTreeMap<String, String>,
}

/// What the scheduler sees of a component's pods under given values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodScheduling {
    /// The tolerations, those of the DaemonSet controller included.
    pub tolerations: Fact<Vec<Toleration>>,
    /// The required node affinity.
    pub affinity: Fact<NodeAffinity>,
    /// The nodeSelector.
    pub node_selector: BTreeMap<String, String>,
}

impl Component {
    /// Changes every setting, for a component that is configured elsewhere than its model.
    pub fn map_settings(&mut self, mut change: impl FnMut(&mut Setting)) {
        let Self { exists, host_network, tolerations, affinity, node_selector, .. } = self;
        let switches = match exists {
            Fact::Known(switches) => switches.as_mut_slice(),
            Fact::Unknown => &mut [],
        };
        let switches = switches.iter_mut().chain(&mut tolerations.tolerate_all).chain([host_network]);
        switches.for_each(|switch| change(&mut switch.setting));
        [&mut tolerations.setting, affinity, node_selector].into_iter().for_each(change);
    }

    /// Whether it exists under these values; `None` if that is unknown for the version.
    #[must_use]
    pub fn exists(&self, values: &Json) -> Option<bool> {
        match &self.exists {
            Fact::Known(switches) => Some(switches.iter().all(|switch| switch.is_on(values))),
            Fact::Unknown => None,
        }
    }

    /// Whether everything is tolerated by a switch, whatever the list says.
    #[must_use]
    pub fn tolerates_all_by_switch(&self, values: &Json) -> bool {
        self.tolerations.tolerate_all.as_ref().is_some_and(|switch| switch.is_on(values))
    }

    /// The list as the template makes it from these values.
    #[must_use]
    pub fn toleration_list(&self, values: &Json) -> Fact<Vec<Json>> {
        let facts = &self.tolerations;
        if self.tolerates_all_by_switch(values) {
            return Fact::Known(vec![Toleration::wildcard().to_json()]);
        }
        let user = facts.setting.get(values).and_then(|(_, value)| value.as_array());
        let keep = facts.keep_defaults.is_on(values);
        let mut list = match (user, facts.user_list, &facts.default) {
            (Some(user), UserList::Replaces, _) => user.clone(),
            (user, _, Fact::Known(default)) => {
                let kept = if keep { default.as_slice() } else { &[] };
                kept.iter().chain(user.into_iter().flatten()).cloned().collect()
            }
            (_, _, Fact::Unknown) => return Fact::Unknown,
        };
        list.extend(facts.always.iter().cloned());
        Fact::Known(list)
    }

    /// What the scheduler sees under these values. Entries that Kubernetes would reject count as
    /// absent; they are findings of their own.
    #[must_use]
    pub fn scheduling(&self, values: &Json) -> PodScheduling {
        let tolerations = match self.toleration_list(values) {
            Fact::Unknown => Fact::Unknown,
            Fact::Known(list) => {
                let mut read: Vec<_> = list.iter().filter_map(|json| Toleration::read(json).0).collect();
                if self.kind == Kind::DaemonSet {
                    let host = self.host_network.is_on(values);
                    let host = if host { HostNetwork::Yes } else { HostNetwork::No };
                    read.extend(added_by_the_daemonset_controller(host));
                }
                Fact::Known(read)
            }
        };
        let affinity = match self.affinity_object(values) {
            Fact::Unknown => Fact::Unknown,
            Fact::Known(json) => Fact::Known(NodeAffinity::read(&json).0),
        };
        PodScheduling { tolerations, affinity, node_selector: self.selector(values) }
    }

    /// The affinity object under these values.
    #[must_use]
    pub fn affinity_object(&self, values: &Json) -> Fact<Json> {
        let Fact::Known(default) = &self.default_affinity else { return Fact::Unknown };
        let mut merged = default.clone();
        if let Some(Fallback::WhenEmpty(path) | Fallback::WhenNull(path)) = &self.affinity.fallback {
            merged = coalesce(&merged, path.get(values));
        }
        let own = self.affinity.path.as_ref().and_then(|path| path.get(values));
        Fact::Known(coalesce(&merged, own))
    }

    /// The nodeSelector: the template's own pairs stand beside the user's.
    fn selector(&self, values: &Json) -> BTreeMap<String, String> {
        let mut selector = self.fixed_node_selector.clone();
        if let Some((_, Json::Object(user))) = self.node_selector.get(values) {
            let pairs =
                user.iter().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
            selector.extend(pairs);
        }
        selector
    }
}

impl PodScheduling {
    /// Whether labels admit the pods to a node.
    pub fn admits(&self, node: &impl NodeLabels) -> Verdict {
        let affinity = match &self.affinity {
            Fact::Known(affinity) => affinity.matches(node),
            Fact::Unknown => Verdict::Likely("the default affinity of this version".into()),
        };
        match (selector_matches(&self.node_selector, node), affinity) {
            (Verdict::Matches, affinity) => affinity,
            (Verdict::Unknown(_), failure @ Verdict::Fails(_)) => failure,
            (selector, _) => selector,
        }
    }

    /// Whether a taint is tolerated; `None` if the tolerations are unknown.
    #[must_use]
    pub fn tolerates(&self, taint: &Taint) -> Option<bool> {
        match &self.tolerations {
            Fact::Known(tolerations) => Some(tolerations.iter().any(|it| it.tolerates(taint))),
            Fact::Unknown => None,
        }
    }
}
