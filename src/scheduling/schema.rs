//! An add-on's values against the schema that counts, and where a setting belongs that it does not know.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::catalog::{Addon, Knowledge};
use crate::domain::component::Setting;
use crate::domain::request::AddonRequest;
use crate::domain::{Code, Component, Finding, sentence};
use crate::resolve::Resolved;
use crate::validate::CompiledSchema;

use super::addon::Decided;
use super::{Scheduler, SchemaSource};

/// The schema that counts; what a user hands over outweighs the catalog.
pub(super) fn of(
    scheduler: &Scheduler,
    addon: &Addon,
    asked: &AddonRequest,
    resolved: Resolved,
    decided: &mut Decided,
) -> Option<Arc<CompiledSchema>> {
    if asked.configuration_schema.is_some() {
        return argument(&addon.name, asked, decided);
    }
    decided.rendered.schema_source = SchemaSource::Embedded;
    scheduler.schema(addon, resolved.known_version)
}

/// The schema that the user hands over.
pub(super) fn argument(
    name: &str,
    asked: &AddonRequest,
    decided: &mut Decided,
) -> Option<Arc<CompiledSchema>> {
    match CompiledSchema::compile(asked.configuration_schema.clone()?) {
        Ok(schema) => {
            decided.rendered.schema_source = SchemaSource::Argument;
            Some(Arc::new(schema))
        }
        Err(error) => {
            let summary = format!("{name}: configuration_schema does not compile");
            let detail = format!("configuration_schema: {}", sentence(&error.to_string()));
            let finding = Finding::error(Code::SchemaInvalid, name, summary, detail);
            decided.findings.push(finding.path("configuration_schema"));
            None
        }
    }
}

/// Says how values break the schema; the paths at which they do.
pub(super) fn check(
    name: &str,
    resolved: Resolved,
    schema: Option<&CompiledSchema>,
    values: &Json,
    decided: &mut Decided,
) -> Vec<String> {
    let errors = schema.map(|schema| schema.check(values)).unwrap_or_default();
    for error in &errors {
        let place = if error.path.is_empty() { "the whole" } else { &error.path };
        let summary = format!("{name}: {place} does not fit the schema of {}", resolved.version);
        let who = match decided.rendered.schema_source {
            SchemaSource::Argument => "It is checked against configuration_schema.",
            _ => "EKS would refuse it at apply.",
        };
        let detail = sentence(&format!("configuration_values: {place}: {}", error.message));
        let finding = Finding::error(Code::ConfigurationInvalid, name, summary, format!("{detail} {who}"));
        decided.findings.push(finding.path(place));
    }
    errors.into_iter().map(|error| error.path).collect()
}

/// Adds to the findings about these paths what only the knowledge of components can say.
pub(super) fn name_right_places(
    addon: &Addon,
    knowledge: &Knowledge,
    components: &[Component],
    paths: &[String],
    decided: &mut Decided,
) {
    for path in paths {
        let Some(hint) = right_place(addon, knowledge, components, path) else { continue };
        let about =
            |it: &&mut Finding| it.code == Code::ConfigurationInvalid && it.path.as_ref() == Some(path);
        if let Some(finding) = decided.findings.iter_mut().find(about) {
            finding.detail = format!("{} {hint}", finding.detail);
        }
    }
}

/// Where this version has a setting that its schema does not know at `path`, or that no version has it.
fn right_place(addon: &Addon, knowledge: &Knowledge, components: &[Component], path: &str) -> Option<String> {
    let places = |setting: fn(&Component) -> &Setting| {
        let paths = components.iter().filter_map(|component| setting(component).path.as_ref());
        let paths: BTreeSet<_> = paths.map(ToString::to_string).collect();
        paths.into_iter().collect::<Vec<_>>().join(", ")
    };
    let tolerations = places(|component| &component.tolerations.setting);
    let affinity = places(|component| &component.affinity);
    let selector = places(|component| &component.node_selector);
    let here = match path.rsplit('.').next().unwrap_or(path) {
        "tolerations" => &tolerations,
        "affinity" => &affinity,
        "nodeSelector" if selector.is_empty() && !affinity.is_empty() => {
            return Some(format!("This version has no nodeSelector; {affinity} can say the same."));
        }
        "nodeSelector" => &selector,
        // A key that other versions have, such as monitoringAgent before it became nodeAgent.
        _ if knowledge.toleration_paths().iter().any(|it| it.keys().first() == Some(&path)) => &tolerations,
        _ => return None,
    };
    if !here.is_empty() {
        return Some(format!("This version has {here}."));
    }
    let elsewhere = components.iter().any(|it| it.tolerations.setting.elsewhere.is_some());
    let which = if elsewhere { "This version" } else { "No version" };
    Some(format!("{which} of {} has scheduling settings.", addon.name))
}
