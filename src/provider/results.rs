//! An outcome as Terraform's values.

use std::collections::BTreeMap;

use crate::domain::{Finding, Request};
use crate::schedule::{Placement, report};
use crate::scheduling::{Outcome, RenderedAddon, UpgradeBlocker};
use crate::tf::Value;

use crate::catalog::Source;

/// Every result, by attribute.
pub(super) fn of(request: &Request, outcome: &Outcome, source: &Source) -> BTreeMap<String, Value> {
    let version = |it: &RenderedAddon| it.addon_version.map(|version| version.to_string());
    let versions =
        outcome.rendered.iter().filter_map(|(name, it)| Some((name.clone(), version(it)?))).collect();
    let list = |values: Vec<Value>| Value::Sequence(values);
    [
        ("rendered", Value::mapping(outcome.rendered.iter().map(|(name, it)| (name.clone(), rendered(it))))),
        ("placements", list(outcome.placements.iter().map(placement).collect())),
        ("findings", list(outcome.findings.iter().map(finding).collect())),
        ("report", Value::string(report(&outcome.placements, &versions))),
        ("upgrade_blockers", list(outcome.upgrade_blockers.iter().map(upgrade_blocker).collect())),
        ("schedulable", Value::Bool(outcome.schedulable)),
        ("kubernetes_version", text(request.kubernetes_version)),
        ("catalog_source", Value::string(source.name.clone())),
        ("catalog_date", Value::string(source.date.clone())),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn text(value: Option<impl ToString>) -> Value {
    Value::optional_string(value.map(|value| value.to_string()))
}

fn rendered(rendered: &RenderedAddon) -> Value {
    let on_create = if rendered.preinstalled { "OVERWRITE" } else { "NONE" };
    Value::mapping([
        ("addon_version", text(rendered.addon_version)),
        ("configuration_values", Value::string(rendered.configuration_values.clone())),
        ("schema_source", Value::string(rendered.schema_source.word())),
        ("resolve_conflicts_on_create", Value::string(on_create)),
        ("resolve_conflicts_on_update", Value::string("OVERWRITE")),
        ("before_compute", Value::Bool(rendered.before_compute)),
        ("default_version", text(rendered.default_version)),
        ("latest_version", text(rendered.latest_version)),
        ("reasons", Value::strings(rendered.reasons.iter().cloned())),
        ("service_account", Value::Null),
        ("recommended_policies", Value::Null),
    ])
}

fn placement(placement: &Placement) -> Value {
    Value::mapping([
        ("addon", Value::string(placement.addon.clone())),
        ("component", Value::string(placement.component.clone())),
        ("kind", Value::string(placement.kind.to_string())),
        ("node_pool", Value::string(placement.node_pool.clone())),
        ("schedulable", placement.reason.schedulable().map_or(Value::Null, Value::Bool)),
        ("reason", Value::string(placement.reason.to_string())),
    ])
}

fn finding(finding: &Finding) -> Value {
    Value::mapping([
        ("code", Value::string(finding.code.as_str())),
        ("severity", Value::string(finding.severity.word())),
        ("addon", text(Some(&finding.addon).filter(|addon| !addon.is_empty()))),
        ("component", text(finding.component.as_ref())),
        ("node_pool", text(finding.node_pool.as_ref())),
        ("path", text(finding.path.as_ref())),
        ("summary", Value::string(finding.summary.clone())),
        ("detail", Value::string(finding.detail.clone())),
    ])
}

fn upgrade_blocker(blocker: &UpgradeBlocker) -> Value {
    Value::mapping([
        ("addon", Value::string(blocker.addon.clone())),
        ("addon_version", Value::string(blocker.addon_version.to_string())),
        ("kubernetes_version", Value::string(blocker.kubernetes_version.to_string())),
    ])
}
