//! Components of an add-on at one version: what runs, where its settings are, what they are by default.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;

use super::affinity::{NodeAffinity, NodeLabels, Verdict, selector_matches};
use super::toleration::{HostNetwork, added_by_the_daemonset_controller};
use super::values::{ValuesPath, coalesce, is_empty};
use super::{Taint, Tolerance, Toleration, TolerationList};

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

/// What a template takes when a component's own setting says nothing. Objects are merged over what
/// they fall back to; for anything else the rule says what counts as nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The value there, if the own one is empty: `false`, `[]` and `{}` count as unset.
    WhenEmpty(Box<Setting>),
    /// The value there, if the own one is absent or null: `[]` counts as set.
    WhenNull(Box<Setting>),
    /// The value there, if the own one is null in so many words: absent means the own default.
    /// With what holds if nothing stands there either.
    WhenExplicitNull(Box<Setting>, Json),
}

impl Fallback {
    /// What is fallen back to.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        match self {
            Self::WhenEmpty(shared) | Self::WhenNull(shared) | Self::WhenExplicitNull(shared, _) => shared,
        }
    }
}

impl Setting {
    /// Whether the values say nothing of it, here or where it falls back to.
    #[must_use]
    pub fn is_untouched(&self, values: &Json) -> bool {
        let own = self.path.as_ref().is_none_or(|path| path.get(values).is_none() && !path.is_null(values));
        own && self.fallback.as_ref().is_none_or(|fallback| fallback.setting().is_untouched(values))
    }

    /// The path whose null deletes the default, as Helm does. Where there is something to fall back to, null
    /// means that instead.
    #[must_use]
    pub fn deleted_by(&self, values: &Json) -> Option<&ValuesPath> {
        match &self.fallback {
            None => self.path.as_ref().filter(|path| path.is_null(values)),
            Some(Fallback::WhenEmpty(shared) | Fallback::WhenNull(shared)) => shared.deleted_by(values),
            Some(Fallback::WhenExplicitNull(..)) => None,
        }
    }

    /// A setting of its own at `path`, where the version accepts that.
    #[must_use]
    pub fn at(path: ValuesPath, accepted: bool) -> Self {
        let (path, elsewhere) = if accepted { (Some(path), None) } else { (None, Some(path)) };
        Self { path, elsewhere, fallback: None }
    }

    /// The setting with something to fall back to. Without a path of its own it is that itself.
    #[must_use]
    pub fn or(self, fallback: Fallback) -> Self {
        match fallback {
            fallback if self.path.is_some() => Self { fallback: Some(fallback), ..self },
            Fallback::WhenEmpty(shared) | Fallback::WhenNull(shared) => {
                let elsewhere = shared.elsewhere.clone().or(self.elsewhere);
                let elsewhere = elsewhere.filter(|_| shared.path.is_none());
                Self { elsewhere, ..*shared }
            }
            Fallback::WhenExplicitNull(..) => self,
        }
    }

    /// The value that counts, and where it stands.
    #[must_use]
    pub fn get<'a>(&'a self, values: &'a Json) -> Option<(&'a ValuesPath, &'a Json)> {
        let own = self.path.as_ref().and_then(|path| path.get(values).map(|value| (path, value)));
        match (&self.fallback, own) {
            (Some(Fallback::WhenEmpty(_)), Some(own)) if !is_empty(own.1) => Some(own),
            (Some(Fallback::WhenEmpty(shared)), _) => shared.get(values),
            (Some(Fallback::WhenNull(shared)), None) => shared.get(values),
            (Some(Fallback::WhenExplicitNull(shared, default)), None) => {
                self.path.as_ref().filter(|path| path.is_null(values))?;
                shared.get(values).or_else(|| Some((shared.path.as_ref()?, default)))
            }
            (_, own) => own,
        }
    }

    /// Where to write so that it counts: where the value stands, else the shared place, else its own.
    #[must_use]
    pub fn writing_path<'a>(&'a self, values: &'a Json) -> Option<&'a ValuesPath> {
        if let Some((path, _)) = self.get(values) {
            return Some(path);
        }
        match &self.fallback {
            Some(Fallback::WhenEmpty(shared)) => shared.writing_path(values).or(self.path.as_ref()),
            Some(Fallback::WhenNull(_) | Fallback::WhenExplicitNull(..)) | None => self.path.as_ref(),
        }
    }

    /// An object as Helm merges it: the defaults, under what is fallen back to, under the own one.
    fn merged(&self, values: &Json, defaults: &Json) -> Json {
        let under = match &self.fallback {
            Some(Fallback::WhenEmpty(shared) | Fallback::WhenNull(shared)) => shared.merged(values, defaults),
            Some(Fallback::WhenExplicitNull(..)) | None => defaults.clone(),
        };
        coalesce(&under, self.path.as_ref().and_then(|path| path.get(values)))
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

/// A value without which an annotation keeps pods off Fargate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FargateSetting {
    /// Where it is set.
    pub setting: Setting,
    /// What it must be, in any case of letters: both `Fargate` and `fargate` are in use.
    pub value: String,
}

impl FargateSetting {
    /// Whether pods may run on Fargate under these values.
    #[must_use]
    pub fn is_on(&self, values: &Json) -> bool {
        let set = self.setting.get(values).and_then(|(_, value)| value.as_str());
        set.is_some_and(|set| set.eq_ignore_ascii_case(&self.value))
    }
}

/// A component of an add-on at one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name in placements and in `components`.
    pub name: String,
    /// What kind of workload it is.
    pub kind: Kind,
    /// Whether it exists under given values: in every group a switch must be on.
    pub exists: Fact<Vec<Vec<Switch>>>,
    /// Whether its pods use the node's network.
    pub host_network: Switch,
    /// Whether nodes do not become ready without it.
    pub before_ready: bool,
    /// Keys of the start-up taints that its pods take off the node: these it meets, whatever else does not.
    pub removes_taints: Vec<String>,
    /// What lets its pods run on Fargate, if they are kept off it otherwise.
    pub fargate: Option<FargateSetting>,
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
    /// What the scheduler sees where the values say nothing of it, once somebody has asked.
    pub by_default: OnceLock<Arc<PodScheduling>>,
}

/// What the scheduler sees of a component's pods under given values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodScheduling {
    /// The tolerations, those of the DaemonSet controller included.
    pub tolerations: Fact<TolerationList>,
    /// The required node affinity.
    pub affinity: Fact<NodeAffinity>,
    /// The nodeSelector.
    pub node_selector: BTreeMap<String, String>,
    /// The setting that keeps the pods off Fargate as it is, if there is one.
    pub kept_off_fargate_by: Option<ValuesPath>,
}

impl Component {
    /// Changes every setting, for a component that is configured elsewhere than its model.
    pub fn map_settings(&mut self, mut change: impl FnMut(&mut Setting)) {
        let Self { exists, host_network, tolerations, affinity, node_selector, .. } = self;
        let groups = match exists {
            Fact::Known(groups) => groups.as_mut_slice(),
            Fact::Unknown => &mut [],
        };
        let own = [host_network, &mut tolerations.keep_defaults];
        let switches = groups.iter_mut().flatten().chain(&mut tolerations.tolerate_all).chain(own);
        switches.for_each(|switch| change(&mut switch.setting));
        [&mut tolerations.setting, affinity, node_selector].into_iter().for_each(change);
    }

    /// Whether it exists under these values; `None` if that is unknown for the version.
    #[must_use]
    pub fn exists(&self, values: &Json) -> Option<bool> {
        match &self.exists {
            Fact::Known(groups) => {
                Some(groups.iter().all(|group| group.iter().any(|switch| switch.is_on(values))))
            }
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
        // A template makes nothing of null, as of an empty list.
        let none = Vec::new();
        let user = user.or_else(|| facts.setting.deleted_by(values).map(|_| &none));
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
    pub fn scheduling(&self, values: &Json) -> Arc<PodScheduling> {
        if self.settings().all(|setting| setting.is_untouched(values)) {
            return Arc::clone(self.by_default.get_or_init(|| Arc::new(self.read_scheduling(values))));
        }
        Arc::new(self.read_scheduling(values))
    }

    /// Every setting that the scheduler's view depends on.
    fn settings(&self) -> impl Iterator<Item = &Setting> {
        let Self { host_network, tolerations, affinity, node_selector, fargate, .. } = self;
        let switches = [&host_network.setting, &tolerations.keep_defaults.setting].into_iter();
        let switches = switches.chain(tolerations.tolerate_all.iter().map(|switch| &switch.setting));
        let lists = [&tolerations.setting, affinity, node_selector].into_iter();
        switches.chain(lists).chain(fargate.iter().map(|fargate| &fargate.setting))
    }

    fn read_scheduling(&self, values: &Json) -> PodScheduling {
        let tolerations = match self.toleration_list(values) {
            Fact::Unknown => Fact::Unknown,
            Fact::Known(list) => {
                let mut read: Vec<_> = list.iter().filter_map(|json| Toleration::read(json).0).collect();
                if self.kind == Kind::DaemonSet {
                    let host = self.host_network.is_on(values);
                    let host = if host { HostNetwork::Yes } else { HostNetwork::No };
                    read.extend(added_by_the_daemonset_controller(host));
                }
                Fact::Known(read.into_iter().collect())
            }
        };
        let affinity = match self.affinity_object(values) {
            Fact::Unknown => Fact::Unknown,
            Fact::Known(json) => Fact::Known(NodeAffinity::read(&json).0),
        };
        let kept_off = self.fargate.as_ref().filter(|fargate| !fargate.is_on(values));
        let kept_off_fargate_by = kept_off.and_then(|fargate| fargate.setting.path.clone());
        PodScheduling { tolerations, affinity, node_selector: self.selector(values), kept_off_fargate_by }
    }

    /// The affinity object under these values.
    #[must_use]
    pub fn affinity_object(&self, values: &Json) -> Fact<Json> {
        let none = Json::Object(serde_json::Map::new());
        match &self.default_affinity {
            _ if self.affinity.deleted_by(values).is_some() => {
                Fact::Known(self.affinity.merged(values, &none))
            }
            Fact::Known(default) => Fact::Known(self.affinity.merged(values, default)),
            Fact::Unknown => Fact::Unknown,
        }
    }

    /// The nodeSelector: the template's own pairs stand beside the user's, also beside a null. A value that
    /// is no string counts as its text, which is what was meant; it is a finding of its own.
    fn selector(&self, values: &Json) -> BTreeMap<String, String> {
        let fixed = self.fixed_node_selector.iter().map(|(key, value)| (key.clone(), value.as_str().into()));
        let Json::Object(merged) = self.node_selector.merged(values, &Json::Object(fixed.collect())) else {
            return self.fixed_node_selector.clone();
        };
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        merged.iter().map(|(key, value)| (key.clone(), text(value))).collect()
    }

    /// Whether it meets a taint of start-up: nodes need it before that clears, or it clears it.
    #[must_use]
    pub fn meets_at_startup(&self, taint: &Taint) -> bool {
        self.before_ready || self.removes_taints.contains(&taint.key)
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
            Fact::Known(tolerations) => Some(tolerations.tolerance(taint) != Tolerance::Never),
            Fact::Unknown => None,
        }
    }
}
