//! Component knowledge against the snapshot: no version, path or default that does not exist.

use serde_json::{Value as Json, json};

use super::knowledge_facts::component_values;
use super::{Acceptance, Addon, Catalog, Knowledge};
use crate::domain::component::{Fact, Fallback, Setting};
use crate::domain::{AddonVersion, Component, NodeAffinity, Toleration, ValuesPath};
use crate::validate::CompiledSchema;

/// Every add-on and what is known of its components.
pub(super) fn described() -> impl Iterator<Item = (&'static Addon, &'static Knowledge)> {
    let catalog = Catalog::embedded();
    let pair = |name| Some((catalog.addon(name)?, catalog.knowledge(name)?));
    catalog.addon_names().filter_map(pair)
}

/// The components of a version under these values.
pub(super) fn components(
    addon: &Addon,
    knowledge: &Knowledge,
    version: &AddonVersion,
    values: &Json,
) -> Vec<Component> {
    let accepts = |path: &ValuesPath| addon.surface.accepts(version, &path.keys()) != Acceptance::No;
    knowledge.components(version, &accepts, values)
}

#[test]
fn every_addon_is_described() {
    assert_eq!(described().count(), Catalog::embedded().addon_names().count());
}

#[test]
fn every_version_that_is_named_is_listed() {
    for (addon, knowledge) in described() {
        for version in knowledge.versions_named() {
            assert!(addon.version(&version).is_some(), "{}: {version}", addon.name);
        }
    }
}

#[test]
fn every_path_is_taken_by_some_version() {
    // Known of the chart; that no version of the add-on takes it is what matters.
    let known_not_to_be = [("aws-fsx-csi-driver", "node.tolerateAllTaints")];
    for (addon, knowledge) in described() {
        for path in knowledge.paths_named() {
            let taken = addon.surface.first_accepting(&path.keys(), None).is_some();
            let exception = known_not_to_be.contains(&(addon.name.as_str(), path.to_string().as_str()));
            assert!(taken != exception, "{}: {path}", addon.name);
        }
        assert!(knowledge.toleration_paths().is_subset(&knowledge.paths_named()), "{}", addon.name);
    }
}

/// The paths that are written to for a setting.
fn paths_of(setting: &Setting) -> Vec<&ValuesPath> {
    let shared = match &setting.fallback {
        Some(
            Fallback::WhenEmpty(shared) | Fallback::WhenNull(shared) | Fallback::WhenExplicitNull(shared, _),
        ) => paths_of(shared),
        None => Vec::new(),
    };
    setting.path.iter().chain(shared).collect()
}

/// Values of the user's under which every component of an add-on exists that can.
fn values_of(addon: &Addon, version: &AddonVersion) -> Json {
    let mut values = json!({});
    for (path, value) in component_values(&addon.name) {
        if addon.surface.accepts(version, &path.keys()) != Acceptance::No {
            path.set(&mut values, value);
        }
    }
    values
}

#[test]
fn what_is_written_is_what_the_schema_of_every_version_takes() {
    let affinity = json!({"nodeAffinity": {}});
    let list = json!([{"key": "a", "operator": "Exists", "effect": "NoSchedule"}]);
    for (addon, knowledge) in described() {
        let mut compiled: Option<(Json, CompiledSchema)> = None;
        for facts in &addon.versions {
            let version = &facts.version;
            let schema = addon.surface.schema(version);
            if compiled.as_ref().is_none_or(|(text, _)| *text != schema) {
                let ready = CompiledSchema::compile(schema.clone()).expect("a schema of the catalog");
                compiled = Some((schema, ready));
            }
            let Some((_, schema)) = &compiled else { unreachable!("compiled above") };
            let user = values_of(addon, version);
            assert_eq!(schema.check(&user), [], "{} {version} {user}", addon.name);
            for component in components(addon, knowledge, version, &user) {
                for (setting, value) in [
                    (&component.tolerations.setting, &list),
                    (&component.affinity, &affinity),
                    (&component.node_selector, &json!({"a": "b"})),
                ] {
                    for path in paths_of(setting) {
                        let mut written = user.clone();
                        path.set(&mut written, value.clone());
                        assert_eq!(schema.check(&written), [], "{} {version} {path}", addon.name);
                        assert_eq!(path.get(&written), Some(value), "{} {version} {path}", addon.name);
                    }
                }
            }
        }
    }
}

#[test]
fn defaults_are_what_kubernetes_accepts_in_every_version() {
    for (addon, knowledge) in described() {
        for facts in &addon.versions {
            let user = values_of(addon, &facts.version);
            let components = components(addon, knowledge, &facts.version, &user);
            assert!(!components.is_empty(), "{} {}", addon.name, facts.version);
            let mut names: Vec<_> = components.iter().map(|component| &component.name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), components.len(), "{} {}: {names:?}", addon.name, facts.version);
            for component in components {
                let context = format!("{} {} {}", addon.name, facts.version, component.name);
                if let Fact::Known(list) = component.toleration_list(&user) {
                    let problems: Vec<_> = list.iter().flat_map(|json| Toleration::read(json).1).collect();
                    assert_eq!(problems, [], "{context}");
                }
                if let Fact::Known(affinity) = component.affinity_object(&user) {
                    assert_eq!(NodeAffinity::read(&affinity).1, [], "{context}");
                }
            }
        }
    }
}

#[test]
fn a_text_that_is_not_of_the_form_is_refused() {
    for (text, part) in [
        ("components: [{name: a, kind: Pod}]", "unknown variant"),
        ("components: [{name: a, colour: red}]", "unknown field"),
        ("components: [{name: a, like: b}]", "like what?"),
        ("components: [{name: a, since: 1.2.3}]", "not an add-on version"),
        ("components: [{name: a, affinity: {path: 3}}]", "a path is a text"),
    ] {
        let error = Knowledge::parse(text).expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
}
