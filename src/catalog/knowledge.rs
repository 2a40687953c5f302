//! What the project itself knows of an add-on's components: `catalog/components/<addon>.yaml`.
//!
//! Every fact is a list of runs: the last run whose `since` is not above a version holds for it.
//! Whether a version takes a path at all is not stated here but looked up in its schema.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::domain::affinity::{PREFERRED, REQUIRED};
use crate::domain::component::{Fallback, Setting, Switch, Tolerations, UserList};
use crate::domain::{AddonVersion, Component, Fact, Kind, ValuesPath};

/// What is known of one add-on beside its versions and schemas.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Knowledge {
    /// Whether nodes do not become ready without it, so that it is created before them.
    pub before_compute: bool,
    /// Whether EKS installs it by itself in a new cluster, as something that is no add-on.
    pub preinstalled: bool,
    /// What it takes to use EKS Pod Identity.
    pub pod_identity: Option<PodIdentity>,
    /// Objects that exist and are not described below.
    pub unmodelled: Vec<String>,
    components: Vec<ComponentFacts>,
}

/// What an add-on needs to take its credentials from EKS Pod Identity.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PodIdentity {
    /// The first version that can; `None`: no version can.
    pub minimum: Option<AddonVersion>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentFacts {
    name: String,
    /// Another component whose facts hold where this one states none.
    like: Option<String>,
    for_each: Option<ForEach>,
    /// The first version that has it.
    since: Option<AddonVersion>,
    kind: Option<Kind>,
    #[serde(default)]
    exists: Vec<ExistsRun>,
    #[serde(default)]
    host_network: SwitchFacts,
    #[serde(default)]
    before_ready: bool,
    #[serde(default)]
    tolerations: TolerationFacts,
    #[serde(default)]
    node_selector: SelectorFacts,
    #[serde(default)]
    affinity: AffinityFacts,
}

/// One component for every entry of a map in the user's values, whose settings stand in the entry
/// and, where they are empty there, at `instead_of`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForEach {
    map: String,
    instead_of: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ExistsRun {
    since: Option<AddonVersion>,
    unknown: bool,
    switches: Vec<SwitchFacts>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SwitchFacts {
    since: Option<AddonVersion>,
    path: Option<String>,
    default: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TolerationFacts {
    path: Option<String>,
    tolerate_all: Vec<SwitchFacts>,
    runs: Vec<TolerationRun>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TolerationRun {
    since: Option<AddonVersion>,
    unknown: bool,
    default: Vec<Json>,
    always: Vec<Json>,
    user_list_appends: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SelectorFacts {
    path: Option<String>,
    fixed: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AffinityFacts {
    path: Option<String>,
    runs: Vec<AffinityRun>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AffinityRun {
    since: Option<AddonVersion>,
    unknown: bool,
    /// Terms, each a list of expressions.
    required: Vec<Vec<Json>>,
    preferred: Vec<Json>,
}

trait Run {
    fn since(&self) -> Option<AddonVersion>;
}

macro_rules! runs {
    ($($run:ty),+) => { $(impl Run for $run {
        fn since(&self) -> Option<AddonVersion> {
            self.since
        }
    })+ };
}

runs!(ExistsRun, SwitchFacts, TolerationRun, AffinityRun);

/// The last run that has begun by `version`.
fn at<'a, R: Run>(runs: &'a [R], version: &AddonVersion) -> Option<&'a R> {
    runs.iter().rev().find(|run| run.since().is_none_or(|since| since <= *version))
}

/// Whether a version's schema takes a path.
pub type Accepts<'a> = &'a dyn Fn(&ValuesPath) -> bool;

impl Knowledge {
    /// Reads a file of `catalog/components`.
    ///
    /// # Errors
    /// A text that is not of the form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document = crate::document::parse(text).map_err(|error| error.to_string())?;
        let knowledge: Self = serde_json::from_value(document.value).map_err(|error| error.to_string())?;
        for facts in &knowledge.components {
            knowledge.model_of(facts).ok_or_else(|| format!("{}: like what?", facts.name))?;
        }
        Ok(knowledge)
    }

    /// The components of a version under the user's values. A path that `accepts` refuses is left
    /// out, so that nothing is ever written where the version does not take it.
    #[must_use]
    pub fn components(&self, version: &AddonVersion, accepts: Accepts<'_>, values: &Json) -> Vec<Component> {
        let facts = self.components.iter();
        let facts = facts.filter(|facts| facts.since.is_none_or(|since| since <= *version));
        facts.flat_map(|facts| self.instances(facts, version, accepts, values)).collect()
    }

    /// Every path that takes tolerations in some version, for texts that name the right one.
    #[must_use]
    pub fn toleration_paths(&self) -> BTreeSet<ValuesPath> {
        let facts = self.components.iter().filter_map(|facts| facts.tolerations.path.as_deref());
        facts.map(ValuesPath::from).collect()
    }

    /// Every version that bounds a run.
    #[cfg(test)]
    pub(super) fn versions_named(&self) -> Vec<AddonVersion> {
        fn of<R: Run>(runs: &[R]) -> impl Iterator<Item = AddonVersion> {
            runs.iter().filter_map(Run::since)
        }
        let named = |facts: &ComponentFacts| {
            let own = facts.since.into_iter().chain(of(&facts.exists));
            let tolerations = of(&facts.tolerations.runs).chain(of(&facts.tolerations.tolerate_all));
            own.chain(tolerations).chain(of(&facts.affinity.runs)).collect::<Vec<_>>()
        };
        self.components.iter().flat_map(named).collect()
    }

    fn model_of<'a>(&'a self, facts: &'a ComponentFacts) -> Option<&'a ComponentFacts> {
        match &facts.like {
            Some(name) => self.components.iter().find(|it| it.name == *name),
            None => Some(facts),
        }
    }

    fn instances(
        &self,
        facts: &ComponentFacts,
        version: &AddonVersion,
        accepts: Accepts<'_>,
        values: &Json,
    ) -> Vec<Component> {
        let Some(model) = self.model_of(facts) else { return Vec::new() };
        let Some(each) = &facts.for_each else { return vec![model.at(version, accepts)] };
        let map = ValuesPath::from(each.map.as_str());
        let Some(Json::Object(entries)) = map.get(values).filter(|_| accepts(&map)) else {
            return Vec::new();
        };
        let base = ValuesPath::from(each.instead_of.as_str());
        let instance = |key: &String| {
            let mut component = model.at(version, accepts);
            component.name = facts.name.replace("{key}", key);
            let entry = ValuesPath::new(map.keys().into_iter().chain([key.as_str()]));
            component.map_settings(|setting| overlay(setting, &base, &entry, accepts));
            component
        };
        entries.keys().map(instance).collect()
    }
}

/// A setting below `base` is taken from the same place below `entry`, unless it is empty there.
fn overlay(setting: &mut Setting, base: &ValuesPath, entry: &ValuesPath, accepts: Accepts<'_>) {
    let Some(path) = setting.path.take() else { return };
    let keys = path.keys();
    let Some(rest) = keys.strip_prefix(base.keys().as_slice()) else {
        setting.path = Some(path);
        return;
    };
    let own = ValuesPath::new(entry.keys().into_iter().chain(rest.iter().copied()));
    setting.path = Some(own).filter(|own| accepts(own));
    setting.fallback = Some(Fallback::WhenEmpty(path));
}

impl SwitchFacts {
    fn at(&self, accepts: Accepts<'_>) -> Switch {
        Switch { setting: setting(self.path.as_deref(), accepts), default: self.default }
    }
}

fn setting(path: Option<&str>, accepts: Accepts<'_>) -> Setting {
    path.map(ValuesPath::from)
        .map(|path| (accepts(&path), path))
        .map_or_else(Setting::default, |(yes, path)| Setting::at(path, yes))
}

impl ComponentFacts {
    fn at(&self, version: &AddonVersion, accepts: Accepts<'_>) -> Component {
        let exists = match at(&self.exists, version) {
            Some(run) if run.unknown => Fact::Unknown,
            run => {
                let switches = run.into_iter().flat_map(|run| &run.switches);
                Fact::Known(switches.map(|switch| switch.at(accepts)).collect())
            }
        };
        Component {
            name: self.name.clone(),
            kind: self.kind.unwrap_or(Kind::DaemonSet),
            exists,
            host_network: self.host_network.at(accepts),
            before_ready: self.before_ready,
            tolerations: self.tolerations.at(version, accepts),
            affinity: setting(self.affinity.path.as_deref(), accepts),
            default_affinity: self.affinity.at(version),
            node_selector: setting(self.node_selector.path.as_deref(), accepts),
            fixed_node_selector: self.node_selector.fixed.clone(),
        }
    }
}

impl TolerationFacts {
    fn at(&self, version: &AddonVersion, accepts: Accepts<'_>) -> Tolerations {
        let run = at(&self.runs, version).cloned().unwrap_or_default();
        let default = if run.unknown { Fact::Unknown } else { Fact::Known(run.default) };
        Tolerations {
            setting: setting(self.path.as_deref(), accepts),
            default,
            always: run.always,
            user_list: if run.user_list_appends { UserList::Appends } else { UserList::Replaces },
            tolerate_all: at(&self.tolerate_all, version).map(|switch| switch.at(accepts)),
            keep_defaults: Switch::fixed(true),
        }
    }
}

impl AffinityFacts {
    fn at(&self, version: &AddonVersion) -> Fact<Json> {
        let Some(run) = at(&self.runs, version) else { return Fact::Known(json!({})) };
        if run.unknown {
            return Fact::Unknown;
        }
        let mut node = serde_json::Map::new();
        if !run.required.is_empty() {
            let terms: Vec<_> = run.required.iter().map(|term| json!({"matchExpressions": term})).collect();
            node.insert(REQUIRED.into(), json!({"nodeSelectorTerms": terms}));
        }
        if !run.preferred.is_empty() {
            node.insert(PREFERRED.into(), json!(run.preferred));
        }
        Fact::Known(if node.is_empty() { json!({}) } else { json!({"nodeAffinity": node}) })
    }
}
