//! One add-on of a request.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::catalog::{Addon, Knowledge};
use crate::document::canonical;
use crate::domain::request::{AddonRequest, VersionRequest};
use crate::domain::{AddonVersion, Build, Code, Component, Finding, Request, Severity, ValuesPath, nearest};
use crate::render::{self, Input};
use crate::resolve::{self, Cluster, Resolved};
use crate::schedule::Placement;
use crate::validate::{CompiledSchema, check_kubernetes, check_lists};

use super::{RenderedAddon, Scheduler, judge, labels, pod_identity, schema};

/// What was decided for one add-on.
pub(super) struct Decided {
    pub(super) rendered: RenderedAddon,
    pub(super) placements: Vec<Placement>,
    pub(super) findings: Vec<Finding>,
    pub(super) schedulable: bool,
    /// Components that hang on a label which no pool states, by that label.
    pub(super) unstated: BTreeMap<String, Vec<String>>,
}

pub(super) fn decide(
    scheduler: &Scheduler,
    name: &str,
    asked: &AddonRequest,
    request: &Request,
    cluster: Cluster<'_>,
) -> Decided {
    let mut decided = Decided {
        rendered: RenderedAddon {
            configuration_values: canonical(&asked.configuration),
            ..Default::default()
        },
        placements: Vec::new(),
        findings: ambiguous_texts(name, asked),
        schedulable: true,
        unstated: BTreeMap::new(),
    };
    let Some(addon) = scheduler.catalog().addon(name) else {
        unknown(scheduler, name, asked, &mut decided);
        return decided;
    };
    decided.rendered.default_version = resolve::default_version(addon, cluster);
    decided.rendered.latest_version = resolve::latest_version(addon, cluster);
    let knowledge = scheduler.catalog().knowledge(name);
    decided.rendered.before_compute = knowledge.is_some_and(|it| it.before_compute);
    decided.rendered.preinstalled = knowledge.is_some_and(|it| it.preinstalled);
    let (resolved, findings) = resolve::resolve(addon, &asked.version, cluster);
    decided.findings.extend(findings);
    let Some(resolved) = resolved else {
        decided.schedulable = false;
        return decided;
    };
    decided.rendered.addon_version = Some(resolved.version);
    let schema = schema::of(scheduler, addon, asked, resolved, &mut decided);
    let wrong = schema::check(name, resolved, schema.as_deref(), &asked.configuration, &mut decided);
    if !wrong.is_empty() {
        if let Some(knowledge) = knowledge {
            let found = scheduler.components(addon, knowledge, resolved.known_version, &asked.configuration);
            schema::name_right_places(addon, knowledge, &found.existing, &wrong, &mut decided);
        }
        // Rendering into values of the wrong shape would hide the mistake or lose what the user wrote.
        return decided;
    }
    match knowledge {
        Some(knowledge) => {
            let subject = Subject { addon, knowledge, resolved, schema: schema.as_deref() };
            place(scheduler, &subject, asked, request, &mut decided);
        }
        None => decided.findings.push(unmodelled(addon)),
    }
    decided
}

/// What is known of the add-on at the version that was decided on.
struct Subject<'a> {
    addon: &'a Addon,
    knowledge: &'a Knowledge,
    resolved: Resolved,
    schema: Option<&'a CompiledSchema>,
}

/// Renders, checks the result, simulates and judges.
fn place(
    scheduler: &Scheduler,
    subject: &Subject<'_>,
    asked: &AddonRequest,
    request: &Request,
    decided: &mut Decided,
) {
    let Subject { addon, knowledge, resolved, schema } = *subject;
    let name = &addon.name;
    decided.findings.extend(knowledge.unmodelled.iter().map(|object| unmodelled_object(name, object)));
    let version = resolved.known_version;
    let found = scheduler.components(addon, knowledge, version, &asked.configuration);
    let components = found.existing.as_slice();
    decided.findings.extend(unknown_components(name, asked, &found.names));
    decided.findings.extend(check_kubernetes(name, components, &asked.configuration));
    let waited_for = |component: &Component| {
        component.before_ready
            && (name != pod_identity::AGENT || pod_identity::nodes_wait_for_the_agent(request))
    };
    let lists = |applied: &Json| check_lists(name, components, &asked.configuration, applied, waited_for);
    // Without pools nothing is said of placement, but what is asked for regardless of pools is rendered.
    let none = BTreeMap::new();
    let pools = request.pools.as_ref().unwrap_or(&none);
    let versions_taking = |path: &ValuesPath| versions_taking(addon, version, path);
    let input = Input {
        addon: name,
        version: resolved.version,
        components,
        namespace: &addon.namespace,
        request: asked,
        pools,
        versions_taking: &versions_taking,
    };
    let rendered = render::render(&input);
    if rendered.values != asked.configuration {
        schema::check(name, resolved, schema, &rendered.values, decided);
    }
    // Values that Kubernetes would reject place nothing: their mistake is told, not its consequences.
    let broken = |it: &Finding| {
        decided
            .findings
            .iter()
            .any(|other| other.severity == Severity::Error && other.component == it.component)
    };
    let findings: Vec<_> =
        rendered.findings.into_iter().filter(|it| it.component.is_none() || !broken(it)).collect();
    decided.findings.extend(findings);
    decided.findings.extend(lists(&rendered.values));
    decided.rendered.configuration_values = canonical(&rendered.values);
    decided.rendered.reasons = rendered.reasons;
    if request.pools.is_some() {
        for component in components {
            judge::component(&input, component, &rendered.values, &rendered.told, decided);
        }
    }
    decided.findings.extend(labels::unstated_labels(name, &decided.unstated));
}

fn ambiguous_texts(name: &str, asked: &AddonRequest) -> Vec<Finding> {
    let finding = |note: &String| {
        let summary = format!("{name}: configuration_values can be read in two ways");
        Finding::warning(Code::TextAmbiguous, name, summary, format!("{note}.")).path("configuration_values")
    };
    asked.notes.iter().map(finding).collect()
}

/// What people put before an add-on's name, or leave out.
const OWNERS: [&str; 4] = ["amazon-", "aws-", "eks-", "kube-"];

/// An add-on that the catalog does not have: a slip of the pen, or one that it never had.
fn unknown(scheduler: &Scheduler, name: &str, asked: &AddonRequest, decided: &mut Decided) {
    if asked.configuration_schema.is_some()
        && let Some(schema) = schema::argument(name, asked, decided)
        && let VersionRequest::Exact(version) = asked.version
    {
        let resolved = Resolved { version, known_version: version };
        schema::check(name, resolved, Some(&schema), &asked.configuration, decided);
    }
    let names: Vec<&str> = scheduler.catalog().addon_names().collect();
    let near = nearest(name, names.iter().copied());
    // `amazon-vpc-cni` and `ebs-csi-driver`: the same name with or without whose it is.
    let bare =
        |name: &str| OWNERS.iter().find_map(|owner| name.strip_prefix(owner)).unwrap_or(name).to_owned();
    let near = near.or_else(|| names.iter().copied().find(|it| bare(it) == bare(name)));
    let VersionRequest::Exact(version) = asked.version else {
        let hint = near.map(|near| format!(" Did you mean {near:?}?")).unwrap_or_default();
        let detail = format!(
            "The catalog has no add-on {name:?}.{hint} It knows {}. Another add-on is passed through unchecked if \
             it has an exact addon_version.",
            names.join(", ")
        );
        let summary = format!("{name}: no such add-on in the catalog");
        decided.findings.push(Finding::error(Code::UnknownAddon, name, summary, detail));
        decided.schedulable = false;
        return;
    };
    if let Some(near) = near {
        let detail = format!("The catalog has no add-on {name:?}. Did you mean {near:?}?");
        let summary = format!("{name}: no such add-on in the catalog");
        decided.findings.push(Finding::error(Code::UnknownAddon, name, summary, detail));
        decided.schedulable = false;
        return;
    }
    decided.rendered.addon_version = Some(version);
    let detail = format!(
        "The catalog has no add-on {name:?}: version {version} and its values are passed through, and nothing is \
         said of where it runs."
    );
    let summary = format!("{name}: not in the catalog, so not checked");
    decided.findings.push(Finding::warning(Code::Unmodelled, name, summary, detail));
}

fn unmodelled(addon: &Addon) -> Finding {
    let name = &addon.name;
    let detail = format!(
        "The catalog has the versions and schemas of {name} but does not describe its components: no tolerations \
         are rendered for it and nothing is said of where it runs."
    );
    let summary = format!("{name}: components are not modelled");
    Finding::warning(Code::Unmodelled, name, summary, detail)
}

fn unmodelled_object(name: &str, object: &str) -> Finding {
    let detail = format!("{name} also has {object}, which the catalog does not describe: check it yourself.");
    let summary = format!("{name}: {object} is not modelled");
    Finding::warning(Code::Unmodelled, name, summary, detail).component(object)
}

/// `components` names something that the version does not have.
fn unknown_components(name: &str, asked: &AddonRequest, names: &[String]) -> Vec<Finding> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let unknown = asked.components.keys().filter(|key| !names.contains(&key.as_str()));
    let finding = |key: &String| {
        let near = nearest(key, names.iter().copied()).map(|near| format!(" Did you mean {near:?}?"));
        let detail = format!(
            "addons[{name:?}].components[{key:?}]: {name} has the components {}.{}",
            names.join(", "),
            near.unwrap_or_default()
        );
        let summary = format!("{name}: no component {key:?}");
        Finding::error(Code::UnknownComponent, name, summary, detail).path(format!("components[{key:?}]"))
    };
    unknown.map(finding).collect()
}

/// The first versions above this one that take a path, in its branch and beyond, in words.
fn versions_taking(addon: &Addon, version: AddonVersion, path: &ValuesPath) -> String {
    let keys = path.keys();
    // This version refuses the path, so the first from it on is a later one.
    let first = addon.surface.first_accepting(&keys, Some(version));
    let in_branch = first.filter(|it| (it.major, it.minor) == (version.major, version.minor));
    let next_branch = AddonVersion { minor: version.minor + 1, patch: 0, build: Build::Preview, ..version };
    let beyond = addon.surface.first_accepting(&keys, Some(next_branch));
    match (in_branch, beyond) {
        (Some(near), Some(far)) => {
            format!("The first versions that have it are {near} in the same branch, and {far}.")
        }
        (Some(first), None) | (None, Some(first)) => format!("The first version that has it is {first}."),
        (None, None) => format!("No later version of {} has it.", addon.name),
    }
}
