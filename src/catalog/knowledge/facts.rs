//! The form of a file of `catalog/components`, as it is read.
//!
//! A fact is a list of runs: the last run whose `since` is not above a version holds for it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::domain::{AddonVersion, Kind, ValuesPath};

/// What an add-on needs to take its credentials from EKS Pod Identity.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PodIdentity {
    /// The first version that can; `None`: no version can.
    pub minimum: Option<AddonVersion>,
}

/// One object of an add-on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComponentFacts {
    pub(super) name: String,
    /// Another component whose facts hold, but for its name, `since`, `for_each` and `replaced_by`,
    /// and for `kind` and `exists` where they are stated here.
    pub(super) like: Option<String>,
    pub(super) for_each: Option<ForEach>,
    /// A list or map of the user's that takes its place once it is given.
    pub(super) replaced_by: Option<String>,
    /// The first version that has it.
    pub(super) since: Option<AddonVersion>,
    pub(super) kind: Option<Kind>,
    /// A text of the values that makes another kind of it.
    pub(super) kind_from: Option<KindFacts>,
    /// Without runs it always exists.
    #[serde(default)]
    pub(super) exists: Vec<ExistsRun>,
    #[serde(default)]
    pub(super) host_network: Vec<SwitchFacts>,
    /// Whether nodes do not become ready without it.
    #[serde(default)]
    pub(super) before_ready: bool,
    #[serde(default)]
    pub(super) removes_taints: Vec<TaintRun>,
    pub(super) fargate: Option<FargateFacts>,
    #[serde(default)]
    pub(super) tolerations: TolerationFacts,
    #[serde(default)]
    pub(super) node_selector: SelectorFacts,
    #[serde(default)]
    pub(super) affinity: AffinityFacts,
}

impl ComponentFacts {
    /// Every path whose value decides whether the component exists, how often, and of which kind.
    pub(super) fn shaping_paths(&self) -> Vec<ValuesPath> {
        let texts = self.for_each.iter().map(|each| &each.of).chain(&self.replaced_by);
        let switches = self.exists.iter().flat_map(|run| run.switches.iter().chain(&run.any_of));
        let kinds = self.kind_from.iter().map(|kind| &kind.path);
        let settings = switches.map(|switch| &switch.path).chain(kinds).flat_map(|paths| paths.0.clone());
        texts.map(|text| ValuesPath::from(text.as_str())).chain(settings).collect()
    }
}

/// One component for every member of a map, or item of a list, in the user's values. Settings below
/// `instead_of` stand in the entry and, where the entry says nothing, at `instead_of`. `{key}` in the
/// component's name is the member's key, or the item's `name`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ForEach {
    pub(super) of: String,
    pub(super) instead_of: String,
    pub(super) falls_back_when: FallsBackWhen,
}

/// What counts as nothing said.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FallsBackWhen {
    /// Absent or null.
    #[default]
    Absent,
    /// That, `false`, `[]` and `{}`.
    Empty,
    /// Null in so many words.
    ExplicitNull,
}

/// A text of the values and the kinds that it makes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KindFacts {
    pub(super) path: Paths,
    pub(super) kinds: BTreeMap<String, Kind>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ExistsRun {
    since: Option<AddonVersion>,
    pub(super) unknown: bool,
    /// All of these must be on.
    pub(super) switches: Vec<SwitchFacts>,
    /// One of these must be on.
    pub(super) any_of: Vec<SwitchFacts>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SwitchFacts {
    since: Option<AddonVersion>,
    pub(super) path: Paths,
    pub(super) default: bool,
}

/// A start-up taint that the component takes off its node.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaintRun {
    pub(super) since: Option<AddonVersion>,
    pub(super) key: String,
}

/// The value that lets pods run on Fargate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FargateFacts {
    pub(super) path: Paths,
    pub(super) value: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TolerationFacts {
    pub(super) path: Paths,
    pub(super) inherits: Vec<InheritRun>,
    pub(super) tolerate_all: Vec<SwitchFacts>,
    /// A switch that drops the defaults when it is off.
    pub(super) keep_defaults: Option<SwitchFacts>,
    pub(super) runs: Vec<TolerationRun>,
}

/// A list of tolerations for several components, which counts where a component has none of its own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct InheritRun {
    since: Option<AddonVersion>,
    /// Where it stands; nothing is inherited without.
    pub(super) from: Paths,
    pub(super) falls_back_when: FallsBackWhen,
    /// With `explicit_null`: what holds if nothing stands there.
    pub(super) default: Vec<Json>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TolerationRun {
    since: Option<AddonVersion>,
    pub(super) unknown: bool,
    pub(super) default: Vec<Json>,
    pub(super) always: Vec<Json>,
    pub(super) user_list_appends: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SelectorFacts {
    pub(super) path: Paths,
    pub(super) fixed: BTreeMap<String, String>,
    /// The first version with the fixed pairs.
    pub(super) fixed_since: Option<AddonVersion>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AffinityFacts {
    pub(super) path: Paths,
    pub(super) runs: Vec<AffinityRun>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AffinityRun {
    since: Option<AddonVersion>,
    pub(super) unknown: bool,
    /// Terms, each a list of expressions. A list among an expression's values stands for its members.
    pub(super) required: Vec<Vec<Json>>,
    pub(super) preferred: Vec<Json>,
}

/// Where a setting stands: one path or, where it was renamed, all of them with the newest first. The
/// first that a version takes is its path.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Json")]
pub(super) struct Paths(pub(super) Vec<ValuesPath>);

impl TryFrom<Json> for Paths {
    type Error = String;

    fn try_from(json: Json) -> Result<Self, String> {
        let one = |json: &Json| json.as_str().map(ValuesPath::from);
        let paths = match &json {
            Json::Array(several) => several.iter().map(one).collect(),
            json => one(json).map(|path| vec![path]),
        };
        paths.map(Self).ok_or_else(|| format!("{json}: a path is a text, or a list of texts"))
    }
}

/// A fact that holds from a version on.
pub(super) trait Run {
    fn since(&self) -> Option<AddonVersion>;
}

macro_rules! runs {
    ($($run:ty),+) => { $(impl Run for $run {
        fn since(&self) -> Option<AddonVersion> {
            self.since
        }
    })+ };
}

runs!(ExistsRun, SwitchFacts, TaintRun, InheritRun, TolerationRun, AffinityRun);

/// The last run that has begun by `version`.
pub(super) fn at<'a, R: Run>(runs: &'a [R], version: &AddonVersion) -> Option<&'a R> {
    runs.iter().rev().find(|run| has_begun(run.since(), version))
}

/// Whether a fact holds by `version`.
pub(super) fn has_begun(since: Option<AddonVersion>, version: &AddonVersion) -> bool {
    since.is_none_or(|since| since <= *version)
}

#[cfg(test)]
impl ComponentFacts {
    /// Every version that bounds a run.
    pub(super) fn versions_named(&self) -> Vec<AddonVersion> {
        fn of<R: Run>(runs: &[R]) -> Vec<AddonVersion> {
            runs.iter().filter_map(Run::since).collect()
        }
        let Self { exists, host_network, removes_taints, tolerations, affinity, .. } = self;
        let single = [self.since, self.node_selector.fixed_since].into_iter().flatten().collect();
        let lists = [of(&tolerations.runs), of(&tolerations.tolerate_all), of(&tolerations.inherits)];
        [single, of(exists), of(host_network), of(removes_taints), of(&affinity.runs)]
            .into_iter()
            .chain(lists)
            .flatten()
            .collect()
    }

    /// Every path that the add-on is said to have in some version.
    pub(super) fn paths_named(&self) -> Vec<ValuesPath> {
        let Self { exists, host_network, tolerations, node_selector, affinity, .. } = self;
        let switches = exists.iter().flat_map(|run| run.switches.iter().chain(&run.any_of));
        let switches = switches.chain(host_network).chain(&tolerations.tolerate_all);
        let switches = switches.chain(&tolerations.keep_defaults).map(|switch| &switch.path);
        let texts = self.kind_from.iter().map(|kind| &kind.path);
        let fargate = self.fargate.iter().map(|fargate| &fargate.path);
        let lists = tolerations.inherits.iter().map(|run| &run.from);
        let settings = [&tolerations.path, &node_selector.path, &affinity.path].into_iter();
        let all = switches.chain(texts).chain(fargate).chain(lists).chain(settings);
        all.flat_map(|paths| paths.0.clone()).collect()
    }
}
