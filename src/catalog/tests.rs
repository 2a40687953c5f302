//! The embedded catalog: complete, readable, and right about what a path is.

use std::collections::BTreeSet;
use std::path::Path;

use jsonschema::PatternOptions;
use serde_json::{Value, json};

use super::{Acceptance, Addon, Catalog, VersionFacts, embedded, format};
use crate::domain::{AddonVersion, KubernetesVersion, VersionRun};

fn addon(name: &str) -> &'static Addon {
    Catalog::embedded().addon(name).expect("an add-on of the catalog")
}

fn all() -> impl Iterator<Item = &'static Addon> {
    Catalog::embedded().addon_names().map(addon)
}

fn version(text: &str) -> AddonVersion {
    text.parse().expect("an add-on version")
}

fn minor(text: &str) -> KubernetesVersion {
    text.parse().expect("a Kubernetes version")
}

/// `node.tolerations[].key` as a path.
fn keys(path: &str) -> Vec<&str> {
    path.split('.').filter(|key| !key.is_empty()).collect()
}

#[test]
fn every_text_is_listed_and_in_normal_form() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/snapshot");
    let entries = std::fs::read_dir(directory).expect("the directory of texts");
    let files: BTreeSet<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    let listed: Vec<_> = embedded::ADDONS.iter().map(|(name, _)| format!("{name}.txt")).collect();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), listed);
    for (name, text) in embedded::ADDONS {
        let addon = format::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(addon.name, name);
        assert!(format::write(&addon) == text, "{name} is not what catalog-refresh writes");
    }
    let source = Catalog::embedded().source();
    assert_eq!(source.write(), embedded::SOURCE);
    assert_eq!(source.to_string(), format!("{} ({}, {})", source.name, source.date, source.region));
}

#[test]
fn an_addon_is_parsed_once() {
    assert!(std::ptr::eq(addon("vpc-cni"), addon("vpc-cni")));
    assert!(Catalog::embedded().addon("amazon-vpc-cni").is_none());
}

#[test]
fn versions_are_whole() {
    for addon in all() {
        let distinct: BTreeSet<_> = addon.versions.iter().map(|facts| facts.version).collect();
        assert_eq!(distinct.len(), addon.versions.len(), "{}", addon.name);
        assert_eq!(addon.newest().map(|facts| facts.version), distinct.last().copied());
        assert_eq!(addon.oldest().map(|facts| facts.version), distinct.first().copied());
        for facts in &addon.versions {
            assert!(!facts.kubernetes.is_empty() && facts.kubernetes.is_sorted(), "{}", facts.version);
            assert!(facts.default_for.iter().all(|minor| facts.kubernetes.contains(minor)));
        }
        for minor in Catalog::embedded().kubernetes_versions() {
            let defaults = addon.versions.iter().filter(|facts| facts.default_for.contains(minor)).count();
            assert!(defaults <= 1, "{} has {defaults} defaults for {minor}", addon.name);
        }
    }
}

#[test]
fn facts_are_found_by_version() {
    let found = |facts: Option<&VersionFacts>| facts.map(|facts| facts.version.to_string());
    let ebs = addon("aws-ebs-csi-driver");
    assert_eq!(found(ebs.oldest()).as_deref(), Some("v1.4.0-eksbuild.preview"));
    assert_eq!(found(ebs.latest_for(minor("1.2"))), None);
    let facts = ebs.version(&version("v1.10.0-eksbuild.1")).expect("a version of the driver");
    assert_eq!(facts.platform_versions[&minor("1.21")], ["eks.9+"]);
    assert!(facts.requires_iam_permissions && !facts.requires_configuration);
    let agent = addon("eks-pod-identity-agent");
    assert_eq!(found(agent.default_for(minor("1.28"))).as_deref(), Some("v1.3.10-eksbuild.1"));
    // The latest is seldom the default.
    assert!(agent.latest_for(minor("1.30")) != agent.default_for(minor("1.30")));
    assert_eq!(agent.namespace, "kube-system");
}

#[test]
fn every_rebuilt_schema_compiles_and_accepts_an_empty_object() {
    // 1,022 versions have but 175 schemas.
    let mut seen = BTreeSet::new();
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    for addon in all() {
        for facts in &addon.versions {
            let schema = addon.surface.schema(&facts.version);
            if seen.insert(schema.to_string()) {
                let compiled = options.build(&schema);
                let compiled =
                    compiled.unwrap_or_else(|error| panic!("{} {}: {error}", addon.name, facts.version));
                assert!(compiled.is_valid(&json!({})), "{} {}", addon.name, facts.version);
            }
        }
    }
}

#[test]
fn a_schema_says_what_its_rows_say() {
    let schema = |name: &str, text: &str| addon(name).surface.schema(&version(text));
    let check = |name: &str, text: &str, pointer: &str, expect: Value| {
        let schema = schema(name, text);
        assert_eq!(schema.pointer(pointer).unwrap_or(&Value::Null), &expect, "{name} {text} {pointer}");
    };
    let (ebs, one) = ("aws-ebs-csi-driver", "v1.39.1-eksbuild.1");
    check(ebs, one, "/$schema", json!("http://json-schema.org/draft-07/schema#"));
    check(ebs, one, "/type", json!("object"));
    check(ebs, one, "/additionalProperties", json!(false));
    check(ebs, one, "/properties/additionalDaemonSets/type", json!("object"));
    check(
        ebs,
        one,
        "/properties/additionalDaemonSets/patternProperties/^.*$/properties/selinux",
        json!({"type": "boolean"}),
    );
    check(
        ebs,
        one,
        "/properties/controller/properties/tolerations",
        json!({"type": "array", "items": {"type": "object"}}),
    );
    check(ebs, "v1.40.0-eksbuild.1", "/properties/additionalDaemonSets/type", json!(["object", "null"]));
    let subnet = "/properties/eniConfig/properties/subnets/additionalProperties/required";
    check("vpc-cni", "v1.20.0-eksbuild.1", subnet, json!(["id"]));
    // Unknown formats stay annotations: the value is a text that says so.
    let schema = schema("vpc-cni", "v1.20.0-eksbuild.1");
    let compiled = jsonschema::options().build(&schema).expect("a schema");
    assert!(compiled.is_valid(&json!({"enableNetworkPolicy": "true"})));
    assert!(!compiled.is_valid(&json!({"enableNetworkPolicy": true})));
}

#[test]
fn paths_are_accepted_by_version() {
    let check = |name: &str, text: &str, path: &str, expect: Acceptance| {
        let got = addon(name).surface.accepts(&version(text), &keys(path));
        assert_eq!(got, expect, "{path} in {name} {text}");
    };
    use Acceptance::{AnyKey, Declared, No};
    for (text, path, expect) in [
        ("v1.13.0-eksbuild.1", "controller.tolerations", No),
        ("v1.14.0-eksbuild.1", "controller.tolerations", Declared),
        ("v1.14.0-eksbuild.1", "", Declared),
        ("v1.14.0-eksbuild.1", "tolerations", No),
        ("v1.14.0-eksbuild.1", "controller.tolerations.[]", Declared),
        ("v1.14.0-eksbuild.1", "controller.tolerations.12", Declared),
        ("v1.14.0-eksbuild.1", "controller.tolerations.[0].key", AnyKey),
        ("v1.14.0-eksbuild.1", "controller.tolerations.key", No),
        ("v1.14.0-eksbuild.1", "controller.0", No),
        ("v1.14.0-eksbuild.1", "node.tolerateAllTaints.x", No),
        ("v1.55.0-eksbuild.1", "a1CompatibilityDaemonSet", No),
        ("v1.22.0-eksbuild.1", "additionalDaemonSets.gpu", No),
        ("v1.23.0-eksbuild.1", "additionalDaemonSets.gpu", AnyKey),
        ("v1.23.0-eksbuild.1", "additionalDaemonSets.gpu.tolerations", Declared),
        ("v1.23.0-eksbuild.1", "additionalDaemonSets.gpu.taints", No),
        ("v1.16.0-eksbuild.1", "controller.affinity.nodeAffinity.x", AnyKey),
        ("v999.0.0-eksbuild.1", "controller.tolerations", Declared),
    ] {
        check("aws-ebs-csi-driver", text, path, expect);
    }
    let cni = "v1.20.0-eksbuild.1";
    for (path, expect) in [
        ("nodeSelector", No),
        ("env.AWS_VPC_K8S_CNI_LOGLEVEL", Declared),
        ("podLabels.team", AnyKey),
        ("podLabels.team.x", No),
        ("eniConfig.subnets.us-east-1a", AnyKey),
        ("eniConfig.subnets.us-east-1a.id", Declared),
        ("eniConfig.subnets.us-east-1a.securityGroups.0", Declared),
        ("eniConfig.subnets.us-east-1a.ids", No),
    ] {
        check("vpc-cni", cni, path, expect);
    }
    let runs = "secrets-store-csi-driver.linux.tolerations";
    check("aws-secrets-store-csi-driver-provider", "v3.1.2-eksbuild.1", runs, AnyKey);
}

#[test]
fn runs_and_children_tell_where_else_to_look() {
    let check = |name: &str, path: &str, expect: &[(&str, &str)]| {
        let end = |text: &str| text.parse().ok();
        let expect: Vec<_> =
            expect.iter().map(|(first, last)| VersionRun { first: end(first), last: end(last) }).collect();
        assert_eq!(addon(name).surface.runs_accepting(&keys(path)), expect, "{path} in {name}");
    };
    check("kube-proxy", "tolerations", &[]);
    check("coredns", "nodeSelector", &[("", "")]);
    check("aws-ebs-csi-driver", "controller.tolerations", &[("v1.14.0-eksbuild.1", "")]);
    let a1 = [("v1.23.2-eksbuild.1", "v1.23.2-eksbuild.1"), ("v1.24.1-eksbuild.1", "v1.54.0-eksbuild.1")];
    check("aws-ebs-csi-driver", "a1CompatibilityDaemonSet", &a1);
    let ebs = &addon("aws-ebs-csi-driver").surface;
    let first = |path, from: &str| {
        ebs.first_accepting(&keys(path), from.parse().ok()).map(|version| version.to_string())
    };
    assert_eq!(first("controller.tolerations", "").as_deref(), Some("v1.14.0-eksbuild.1"));
    assert_eq!(first("controller.tolerations", "v1.14.1-eksbuild.1").as_deref(), Some("v1.14.1-eksbuild.1"));
    assert_eq!(
        first("a1CompatibilityDaemonSet", "v1.24.0-eksbuild.1").as_deref(),
        Some("v1.24.1-eksbuild.1")
    );
    assert_eq!(first("tolerations", ""), None);
    let children = |text: &str, path| ebs.children(&version(text), &keys(path));
    assert!(children("v1.14.0-eksbuild.1", "controller").contains("tolerations"));
    assert!(!children("v1.13.0-eksbuild.1", "controller").contains("tolerations"));
    assert!(children("v1.14.0-eksbuild.1", "controller.x").is_empty());
    assert!(children("v1.40.0-eksbuild.1", "additionalDaemonSets.gpu").contains("tolerateAllTaints"));
}
