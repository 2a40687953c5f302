//! What the project itself knows of an add-on's components: `catalog/components/<addon>.yaml`.
//!
//! Every fact is a list of runs: the last run whose `since` is not above a version holds for it.
//! Whether a version takes a path at all is not stated here but looked up in its schema.

mod facts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::domain::affinity::{PREFERRED, REQUIRED};
use crate::domain::component::{Fallback, FargateSetting, Setting, Switch, Tolerations, UserList};
use crate::domain::{AddonVersion, Component, Fact, Kind, ValuesPath};

pub use facts::PodIdentity;
use facts::{AffinityFacts, ComponentFacts, ExistsRun, FallsBackWhen, ForEach, Paths, SelectorFacts};
use facts::{SwitchFacts, TolerationFacts, at, has_begun};

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
    #[serde(skip)]
    shaping_keys: OnceLock<BTreeSet<String>>,
}

/// Whether a version's schema takes a path.
pub type Accepts<'a> = &'a dyn Fn(&ValuesPath) -> bool;

/// What components are made for.
#[derive(Clone, Copy)]
struct Subject<'a> {
    version: &'a AddonVersion,
    accepts: Accepts<'a>,
    values: &'a Json,
}

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
        let subject = Subject { version, accepts, values };
        let facts = self.components.iter().filter(|facts| has_begun(facts.since, version));
        facts.flat_map(|facts| self.instances(facts, subject)).collect()
    }

    /// The first keys of all values that decide which components there are. Values without any of them
    /// have the same components as no values at all.
    #[must_use]
    pub fn shaping_keys(&self) -> &BTreeSet<String> {
        self.shaping_keys.get_or_init(|| {
            let paths = self.components.iter().flat_map(ComponentFacts::shaping_paths);
            paths.filter_map(|path| path.keys().first().map(|key| (*key).to_owned())).collect()
        })
    }

    /// Every path that takes tolerations in some version, for texts that name the right one.
    #[must_use]
    pub fn toleration_paths(&self) -> BTreeSet<ValuesPath> {
        let lists = self.components.iter().map(|facts| &facts.tolerations);
        let paths =
            lists.flat_map(|list| [&list.path].into_iter().chain(list.inherits.iter().map(|it| &it.from)));
        paths.flat_map(|paths| paths.0.clone()).collect()
    }

    /// Every version that bounds a fact.
    #[cfg(test)]
    pub(super) fn versions_named(&self) -> Vec<AddonVersion> {
        let minimum = self.pod_identity.iter().filter_map(|it| it.minimum);
        self.components.iter().flat_map(ComponentFacts::versions_named).chain(minimum).collect()
    }

    /// Every path that some component is said to have.
    #[cfg(test)]
    pub(super) fn paths_named(&self) -> BTreeSet<ValuesPath> {
        self.components.iter().flat_map(ComponentFacts::paths_named).collect()
    }

    fn model_of<'a>(&'a self, facts: &'a ComponentFacts) -> Option<&'a ComponentFacts> {
        match &facts.like {
            Some(name) => self.components.iter().find(|it| it.name == *name),
            None => Some(facts),
        }
    }

    fn instances(&self, facts: &ComponentFacts, subject: Subject<'_>) -> Vec<Component> {
        let Some(model) = self.model_of(facts) else { return Vec::new() };
        let given = |path: &str| {
            let path = ValuesPath::from(path);
            let value = path.get(subject.values).filter(|_| (subject.accepts)(&path));
            value.map(|value| (path.clone(), value))
        };
        let Some(each) = &facts.for_each else {
            let replaced = facts.replaced_by.as_deref().is_some_and(|path| given(path).is_some());
            let component = facts.component(model, subject, facts.name.clone(), &|_| {});
            return if replaced { Vec::new() } else { vec![component] };
        };
        let Some((path, value)) = given(&each.of) else { return Vec::new() };
        let component = |(key, step): (String, String)| {
            let entry = ValuesPath::new(path.keys().into_iter().map(str::to_owned).chain([step]));
            let name = facts.name.replace("{key}", &key);
            let overlay = |setting: &mut Setting| overlay(setting, each, &entry, subject.accepts);
            facts.component(model, subject, name, &overlay)
        };
        entries(value).into_iter().map(component).collect()
    }
}

/// The members of a map or the items of a list: what each is called, and the last step of its path.
fn entries(value: &Json) -> Vec<(String, String)> {
    match value {
        Json::Object(members) => members.keys().map(|key| (key.clone(), key.clone())).collect(),
        Json::Array(items) => {
            let named = |(index, item): (usize, &Json)| {
                let name = item.get("name").and_then(Json::as_str).map(str::to_owned);
                (name.unwrap_or_else(|| index.to_string()), format!("[{index}]"))
            };
            items.iter().enumerate().map(named).collect()
        }
        _ => Vec::new(),
    }
}

/// A setting below `instead_of` is taken from the same place below `entry`, unless nothing is said there.
fn overlay(setting: &mut Setting, each: &ForEach, entry: &ValuesPath, accepts: Accepts<'_>) {
    let base = ValuesPath::from(each.instead_of.as_str());
    let keys = setting.path.as_ref().map(ValuesPath::keys).unwrap_or_default();
    let Some(rest) = keys.strip_prefix(base.keys().as_slice()) else { return };
    let own = ValuesPath::new(entry.keys().into_iter().chain(rest.iter().copied()));
    let own = Setting::at(own.clone(), accepts(&own));
    let shared = Box::new(std::mem::take(setting));
    *setting = own.or(match each.falls_back_when {
        FallsBackWhen::Empty => Fallback::WhenEmpty(shared),
        FallsBackWhen::Absent => Fallback::WhenNull(shared),
        FallsBackWhen::ExplicitNull => Fallback::WhenExplicitNull(shared, Json::Null),
    });
}

impl ComponentFacts {
    /// The component that these facts and those of their model make, with every setting moved.
    fn component(
        &self,
        model: &Self,
        subject: Subject<'_>,
        name: String,
        place: &dyn Fn(&mut Setting),
    ) -> Component {
        let Subject { version, accepts, values } = subject;
        let exists = if self.exists.is_empty() { &model.exists } else { &self.exists };
        let host_network = at(&model.host_network, version);
        let removed = model.removes_taints.iter().filter(|run| has_begun(run.since, version));
        let mut component = Component {
            name,
            kind: self.kind.or(model.kind).unwrap_or(Kind::DaemonSet),
            exists: at(exists, version).map_or(Fact::Known(Vec::new()), |run| run.groups(accepts)),
            host_network: host_network.map_or(Switch::fixed(false), |switch| switch.at(accepts)),
            before_ready: model.before_ready,
            removes_taints: removed.map(|run| run.key.clone()).collect(),
            fargate: model.fargate.as_ref().map(|facts| FargateSetting {
                setting: facts.path.setting(accepts),
                value: facts.value.clone(),
            }),
            tolerations: model.tolerations.at(version, accepts),
            affinity: model.affinity.path.setting(accepts),
            default_affinity: model.affinity.at(version),
            node_selector: model.node_selector.path.setting(accepts),
            by_default: OnceLock::new(),
            fixed_node_selector: model.node_selector.fixed_at(version),
        };
        component.map_settings(place);
        if let Some(facts) = self.kind_from.as_ref().or(model.kind_from.as_ref()) {
            let mut setting = facts.path.setting(accepts);
            place(&mut setting);
            let text = setting.get(values).and_then(|(_, value)| value.as_str());
            component.kind = text.and_then(|text| facts.kinds.get(text)).copied().unwrap_or(component.kind);
        }
        component
    }
}

impl Paths {
    /// The first path that is accepted; else the oldest of them, which the nearest versions have.
    fn setting(&self, accepts: Accepts<'_>) -> Setting {
        let accepted = self.0.iter().find(|path| accepts(path));
        let path = accepted.or(self.0.last());
        path.map_or_else(Setting::default, |path| Setting::at(path.clone(), accepted.is_some()))
    }
}

impl SwitchFacts {
    fn at(&self, accepts: Accepts<'_>) -> Switch {
        Switch { setting: self.path.setting(accepts), default: self.default }
    }
}

impl ExistsRun {
    fn groups(&self, accepts: Accepts<'_>) -> Fact<Vec<Vec<Switch>>> {
        if self.unknown {
            return Fact::Unknown;
        }
        let switch = |facts: &SwitchFacts| facts.at(accepts);
        let mut groups: Vec<Vec<_>> = self.switches.iter().map(|facts| vec![switch(facts)]).collect();
        if !self.any_of.is_empty() {
            groups.push(self.any_of.iter().map(switch).collect());
        }
        Fact::Known(groups)
    }
}

impl TolerationFacts {
    fn at(&self, version: &AddonVersion, accepts: Accepts<'_>) -> Tolerations {
        let run = at(&self.runs, version).cloned().unwrap_or_default();
        let default = if run.unknown { Fact::Unknown } else { Fact::Known(run.default) };
        let keep = self.keep_defaults.as_ref().map(|switch| switch.at(accepts));
        Tolerations {
            setting: self.setting(version, accepts),
            default,
            always: run.always,
            user_list: if run.user_list_appends { UserList::Appends } else { UserList::Replaces },
            tolerate_all: at(&self.tolerate_all, version).map(|switch| switch.at(accepts)),
            keep_defaults: keep.unwrap_or(Switch::fixed(true)),
        }
    }

    fn setting(&self, version: &AddonVersion, accepts: Accepts<'_>) -> Setting {
        let own = self.path.setting(accepts);
        let Some(run) = at(&self.inherits, version).filter(|run| !run.from.0.is_empty()) else { return own };
        let shared = Box::new(run.from.setting(accepts));
        own.or(match run.falls_back_when {
            FallsBackWhen::Empty => Fallback::WhenEmpty(shared),
            FallsBackWhen::Absent => Fallback::WhenNull(shared),
            FallsBackWhen::ExplicitNull => {
                Fallback::WhenExplicitNull(shared, Json::Array(run.default.clone()))
            }
        })
    }
}

impl SelectorFacts {
    fn fixed_at(&self, version: &AddonVersion) -> BTreeMap<String, String> {
        if has_begun(self.fixed_since, version) { self.fixed.clone() } else { BTreeMap::new() }
    }
}

impl AffinityFacts {
    fn at(&self, version: &AddonVersion) -> Fact<Json> {
        let Some(run) = at(&self.runs, version) else { return Fact::Known(json!({})) };
        if run.unknown {
            return Fact::Unknown;
        }
        let mut node = Map::new();
        if !run.required.is_empty() {
            let term =
                |term: &Vec<Json>| json!({"matchExpressions": term.iter().map(flat).collect::<Vec<_>>()});
            let terms: Vec<_> = run.required.iter().map(term).collect();
            node.insert(REQUIRED.into(), json!({"nodeSelectorTerms": terms}));
        }
        if !run.preferred.is_empty() {
            node.insert(PREFERRED.into(), json!(run.preferred));
        }
        Fact::Known(if node.is_empty() { json!({}) } else { json!({"nodeAffinity": node}) })
    }
}

/// An expression whose values are texts: a list among them stands for its members, so that versions
/// can share the long lists of instance types.
fn flat(expression: &Json) -> Json {
    fn spread(json: &Json) -> Vec<Json> {
        match json {
            Json::Array(members) => members.iter().flat_map(spread).collect(),
            one => vec![one.clone()],
        }
    }
    let mut flat = expression.clone();
    if let Some(values @ Json::Array(_)) = flat.get_mut("values") {
        *values = Json::Array(spread(values));
    }
    flat
}
