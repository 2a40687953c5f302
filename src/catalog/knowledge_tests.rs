//! Component knowledge against the snapshot: no version, path or default that does not exist.

use serde_json::json;

use super::{Acceptance, Catalog, Knowledge};
use crate::domain::component::Fact;
use crate::domain::{NodeAffinity, Toleration, ValuesPath};

/// Every add-on that has component knowledge.
fn described() -> impl Iterator<Item = (&'static super::Addon, &'static Knowledge)> {
    let catalog = Catalog::embedded();
    let pair = |name| Some((catalog.addon(name)?, catalog.knowledge(name)?));
    catalog.addon_names().filter_map(pair)
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
    for (addon, knowledge) in described() {
        for path in knowledge.toleration_paths() {
            assert!(addon.surface.first_accepting(&path.keys(), None).is_some(), "{}: {path}", addon.name);
        }
    }
}

#[test]
fn defaults_are_what_kubernetes_accepts_in_every_version() {
    for (addon, knowledge) in described() {
        for facts in &addon.versions {
            let accepts =
                |path: &ValuesPath| addon.surface.accepts(&facts.version, &path.keys()) != Acceptance::No;
            let components = knowledge.components(&facts.version, &accepts, &json!({}));
            assert!(!components.is_empty(), "{} {}", addon.name, facts.version);
            for component in components {
                let Fact::Known(list) = component.toleration_list(&json!({})) else { continue };
                let problems: Vec<_> = list.iter().flat_map(|json| Toleration::read(json).1).collect();
                assert_eq!(problems, [], "{} {} {}", addon.name, facts.version, component.name);
                let Fact::Known(affinity) = component.affinity_object(&json!({})) else { continue };
                assert_eq!(NodeAffinity::read(&affinity).1, [], "{} {}", addon.name, component.name);
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
    ] {
        let error = Knowledge::parse(text).expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
}
