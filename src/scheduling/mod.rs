//! One request in, one outcome out: versions, values, placements and findings of all its add-ons.
//!
//! Pure but for a cache of compiled schemas. The order is the same for every add-on: resolve the
//! version, check the user's values, render, check what came out, simulate, judge.

mod addon;
#[cfg(test)]
mod addons_tests;
#[cfg(test)]
mod affinity_tests;
#[cfg(test)]
mod checker_tests;
#[cfg(test)]
mod every_version_tests;
mod judge;
mod labels;
mod pod_identity;
#[cfg(test)]
mod review_tests;
mod schema;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value as Json, json};

use crate::catalog::{Acceptance, Addon, Catalog, Knowledge};
use crate::domain::finding::arrange;
use crate::domain::request::OnUnschedulable;
use crate::domain::{
    AddonVersion, Code, Component, Finding, KubernetesVersion, Request, Severity, ValuesPath,
};
use crate::resolve::{self, Cluster};
use crate::schedule::Placement;
use crate::validate::CompiledSchema;

/// Decides requests by a catalog. Keep one: it remembers the schemas it has compiled.
pub struct Scheduler {
    catalog: &'static Catalog,
    schemas: Mutex<HashMap<(String, AddonVersion), Arc<CompiledSchema>>>,
    /// Of values that do not change which components there are.
    components: Mutex<HashMap<(String, AddonVersion), Arc<Components>>>,
}

/// The components of a version.
struct Components {
    /// The names of all, also of those that do not exist under the values.
    names: Vec<String>,
    /// Those that exist, or of which that is unknown.
    existing: Vec<Component>,
}

/// Everything that is known about a request.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// By add-on; also those for which nothing could be rendered.
    pub rendered: BTreeMap<String, RenderedAddon>,
    /// Sorted by add-on, component and pool.
    pub placements: Vec<Placement>,
    /// Sorted; those that the user ignores are left out.
    pub findings: Vec<Finding>,
    /// What stands in the way of the next Kubernetes minor.
    pub upgrade_blockers: Vec<UpgradeBlocker>,
    /// Whether every component can run where it must.
    pub schedulable: bool,
}

/// What was decided for one add-on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedAddon {
    /// The exact version; `None` if it could not be resolved.
    pub addon_version: Option<AddonVersion>,
    /// Canonical JSON, `{}` when the defaults suffice.
    pub configuration_values: String,
    /// What the values were checked against.
    pub schema_source: SchemaSource,
    /// What EKS would install by default.
    pub default_version: Option<AddonVersion>,
    /// The newest version for the cluster.
    pub latest_version: Option<AddonVersion>,
    /// One line for each value that was added, why.
    pub reasons: Vec<String>,
    /// Whether it must exist before nodes become ready.
    pub before_compute: bool,
    /// Whether EKS installs it by itself in a new cluster, so that creating it meets existing objects.
    pub preinstalled: bool,
}

/// What values were checked against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaSource {
    /// The catalog in the binary.
    Embedded,
    /// The user's `configuration_schema`.
    Argument,
    /// Nothing.
    #[default]
    None,
}

impl SchemaSource {
    /// The word in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Argument => "argument",
            Self::None => "none",
        }
    }
}

/// An add-on version that the next Kubernetes minor does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradeBlocker {
    /// The add-on.
    pub addon: String,
    /// Its version.
    pub addon_version: AddonVersion,
    /// The minor that it does not support.
    pub kubernetes_version: KubernetesVersion,
}

impl Scheduler {
    /// Decides by this catalog.
    #[must_use]
    pub fn new(catalog: &'static Catalog) -> Self {
        Self { catalog, schemas: Mutex::default(), components: Mutex::default() }
    }

    /// The catalog it decides by.
    #[must_use]
    pub fn catalog(&self) -> &'static Catalog {
        self.catalog
    }

    /// Decides everything that a request asks for.
    #[must_use]
    pub fn decide(&self, request: &Request) -> Outcome {
        let known = self.catalog.kubernetes_versions();
        let cluster = Cluster { version: request.kubernetes_version, known };
        let mut outcome = Outcome { schedulable: true, ..Outcome::default() };
        for (name, addon) in &request.addons {
            let decided = addon::decide(self, name, addon, request, cluster);
            outcome.schedulable &= decided.schedulable;
            outcome.placements.extend(decided.placements);
            outcome.findings.extend(decided.findings);
            outcome.rendered.insert(name.clone(), decided.rendered);
        }
        // Add-ons and pools come in order; components come as the catalog describes them.
        outcome.placements.sort_by(|a, b| {
            (&a.addon, &a.component, &a.node_pool).cmp(&(&b.addon, &b.component, &b.node_pool))
        });
        if let Some(finding) = resolve::unknown_minor(cluster) {
            let needed = outcome.rendered.values().any(|it| it.addon_version.is_none());
            let severity = if needed { Severity::Error } else { Severity::Warning };
            outcome.findings.push(Finding { severity, ..finding });
        }
        outcome.findings.extend(pod_identity::check(self.catalog, request, &outcome));
        outcome.findings.extend(self.other_partition(request));
        outcome.upgrade_blockers = self.upgrade_blockers(request, &outcome.rendered);
        accept(request, &mut outcome.findings);
        outcome
    }

    /// The schema of a version, compiled at its first use.
    fn schema(&self, addon: &Addon, version: AddonVersion) -> Option<Arc<CompiledSchema>> {
        let key = (addon.name.clone(), version);
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = schemas.get(&key) {
            return Some(Arc::clone(schema));
        }
        // Every schema of the catalog compiles: a test goes through them all.
        let compiled = Arc::new(CompiledSchema::compile(addon.surface.schema(&version)).ok()?);
        schemas.insert(key, Arc::clone(&compiled));
        Some(compiled)
    }

    /// The components of a version under values, remembered where the values do not matter.
    fn components(
        &self,
        addon: &Addon,
        knowledge: &Knowledge,
        version: AddonVersion,
        values: &Json,
    ) -> Arc<Components> {
        let make = |values: &Json| {
            let accepts =
                |path: &ValuesPath| !matches!(addon.surface.accepts(&version, &path.keys()), Acceptance::No);
            let all = knowledge.components(&version, &accepts, values);
            let names = all.iter().map(|component| component.name.clone()).collect();
            let existing = all.into_iter().filter(|it| it.exists(values) != Some(false)).collect();
            Arc::new(Components { names, existing })
        };
        let keys = knowledge.shaping_keys();
        if values.as_object().is_none_or(|values| values.keys().any(|key| keys.contains(key))) {
            return make(values);
        }
        let mut known = self.components.lock().unwrap_or_else(PoisonError::into_inner);
        let components = known.entry((addon.name.clone(), version)).or_insert_with(|| make(&json!({})));
        Arc::clone(components)
    }

    /// Other partitions get versions later, and some never.
    fn other_partition(&self, request: &Request) -> Option<Finding> {
        let region = request.region.as_deref()?;
        let source = self.catalog.source();
        let other = ["cn-", "us-gov-"].iter().any(|prefix| region.starts_with(prefix));
        let detail = format!(
            "The embedded catalog is a snapshot of {} of {}. {region} is in another partition, where versions \
             may be missing or have other defaults: check them with `aws eks describe-addon-versions`.",
            source.region, source.date
        );
        let summary = format!("the catalog is not of {region}");
        other.then(|| Finding::warning(Code::RegionDiffers, "", summary, detail).path("region"))
    }

    fn upgrade_blockers(
        &self,
        request: &Request,
        rendered: &BTreeMap<String, RenderedAddon>,
    ) -> Vec<UpgradeBlocker> {
        let known = self.catalog.kubernetes_versions();
        let next = request.kubernetes_version.map(KubernetesVersion::next);
        let Some(next) = next.filter(|next| known.contains(next)) else { return Vec::new() };
        let blocks = |(name, it): (&String, &RenderedAddon)| {
            let version = it.addon_version?;
            let facts = self.catalog.addon(name)?.version(&version)?;
            (!facts.kubernetes.contains(&next)).then(|| UpgradeBlocker {
                addon: name.clone(),
                addon_version: version,
                kubernetes_version: next,
            })
        };
        rendered.iter().filter_map(blocks).collect()
    }
}

/// Applies what the user has said of findings: some are ignored, and gaps may be mere warnings.
fn accept(request: &Request, findings: &mut Vec<Finding>) {
    findings.retain(|finding| {
        let addon = request.addons.get(&finding.addon);
        let ignored = addon.is_some_and(|addon| addon.ignore_findings.contains(&finding.code));
        !ignored && !request.ignore_findings.contains(&finding.code)
    });
    for finding in findings.iter_mut().filter(|it| is_gap(it.code)) {
        let addon = request.addons.get(&finding.addon).and_then(|addon| addon.on_unschedulable);
        if addon.unwrap_or(request.on_unschedulable) == OnUnschedulable::Warning {
            finding.severity = Severity::Warning;
        } else if finding.severity == Severity::Error {
            finding.detail.push_str(" on_unschedulable = \"warning\" lets the plan go on.");
        }
    }
    arrange(findings);
}

/// Whether a finding says that something cannot run.
fn is_gap(code: Code) -> bool {
    matches!(
        code,
        Code::UntoleratedTaint
            | Code::Unschedulable
            | Code::RunOnAmbiguous
            | Code::RunOnIneligible
            | Code::PathUnavailable
    )
}
