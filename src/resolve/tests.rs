//! Versions by the facts of the embedded catalog.

use super::{Cluster, default_version, latest_version, one_minor_step, resolve, unknown_minor};
use crate::catalog::Catalog;
use crate::domain::request::VersionRequest;
use crate::domain::{Code, Severity};

/// What `version` of `addon` resolves to under a Kubernetes version: the version, or part of an error.
fn check(addon: &str, version: &str, kubernetes: Option<&str>, expect: Result<&str, (Code, &str)>) {
    let catalog = Catalog::embedded();
    let facts = catalog.addon(addon).expect("an add-on of the catalog");
    let kubernetes = kubernetes.map(|text| text.parse().expect("a minor"));
    let cluster = Cluster { version: kubernetes, known: catalog.kubernetes_versions() };
    let request = match version {
        "default" => VersionRequest::Default,
        "latest" => VersionRequest::Latest,
        text => match text.parse() {
            Ok(exact) => VersionRequest::Exact(exact),
            Err(_) => VersionRequest::Constrained(text.parse().expect("a constraint"), text.into()),
        },
    };
    let (resolved, findings) = resolve(facts, &request, cluster);
    match expect {
        Ok(expect) => {
            assert_eq!(resolved.map(|it| it.version.to_string()).as_deref(), Some(expect), "{findings:?}");
            assert_eq!(findings, [], "{addon} {version}");
        }
        Err((code, part)) => {
            let finding = findings.first().expect("a finding");
            assert!(finding.code == code && finding.detail.contains(part), "{addon} {version}: {finding:?}");
            assert_eq!(findings.len(), 1);
        }
    }
}

#[test]
fn versions_resolve_by_the_catalog() {
    check("vpc-cni", "default", Some("1.33"), Ok("v1.22.4-eksbuild.3"));
    check("vpc-cni", "latest", Some("1.33"), Ok("v1.23.0-eksbuild.1"));
    check("vpc-cni", ">= 1.19", Some("1.33"), Ok("v1.22.4-eksbuild.3"));
    check("vpc-cni", "~> 1.19.0", Some("1.33"), Ok("v1.19.6-eksbuild.7"));
    check("vpc-cni", "v1.15.5-eksbuild.1", None, Ok("v1.15.5-eksbuild.1"));
    check("eks-pod-identity-agent", "v1.0.0-eksbuild.1", Some("1.29"), Ok("v1.0.0-eksbuild.1"));
}

#[test]
fn what_does_not_resolve_says_why_and_what_to_do() {
    check("vpc-cni", "default", None, Err((Code::VersionUnresolved, "Set kubernetes_version")));
    check("vpc-cni", "> 2", Some("1.33"), Err((Code::VersionUnresolved, "none satisfies \"> 2\"")));
    check("vpc-cni", "v1.19.1-eksbuild.1", Some("1.33"), Err((Code::VersionNotFound, "The nearest is")));
    check(
        "vpc-cni",
        "v1.19.0-eksbuild.9",
        None,
        Err((Code::VersionNotFound, "The nearest is \"v1.19.0-eksbuild.1\"")),
    );
    check(
        "vpc-cni",
        "v1.6.3-eksbuild.2",
        Some("1.33"),
        Err((Code::VersionIncompatible, "The nearest version that supports it")),
    );
    check(
        "aws-fsx-csi-driver",
        "default",
        Some("1.19"),
        Err((Code::VersionUnresolved, "Leave the add-on out")),
    );
}

#[test]
fn an_unknown_minor_is_one_mistake_of_the_request() {
    let catalog = Catalog::embedded();
    let facts = catalog.addon("vpc-cni").expect("vpc-cni");
    for (minor, part) in
        [("1.3", "Did you mean \"1.30\"? It must be in quotes"), ("1.99", "exact addon_version")]
    {
        let version = Some(minor.parse().expect("a minor"));
        let cluster = Cluster { version, known: catalog.kubernetes_versions() };
        assert_eq!(resolve(facts, &VersionRequest::Default, cluster), (None, Vec::new()));
        let finding = unknown_minor(cluster).expect("a finding");
        assert!(
            finding.detail.contains(part) && finding.path.as_deref() == Some("kubernetes_version"),
            "{finding:?}"
        );
    }
    let known = Cluster { version: "1.30".parse().ok(), known: catalog.kubernetes_versions() };
    assert_eq!(unknown_minor(known), None);
}

#[test]
fn a_version_newer_than_the_catalog_is_accepted_with_a_warning() {
    let catalog = Catalog::embedded();
    let facts = catalog.addon("vpc-cni").expect("vpc-cni");
    let cluster = Cluster { version: None, known: catalog.kubernetes_versions() };
    let newer = "v9.0.0-eksbuild.1".parse().expect("a version");
    let (resolved, findings) = resolve(facts, &VersionRequest::Exact(newer), cluster);
    let resolved = resolved.expect("accepted");
    assert_eq!(resolved.version, newer);
    assert_eq!(Some(resolved.known_version), facts.newest().map(|facts| facts.version));
    assert!(findings[0].code == Code::VersionNewer && findings[0].severity == Severity::Warning);
}

#[test]
fn the_cni_climbs_one_minor_at_a_time() {
    let catalog = Catalog::embedded();
    let facts = catalog.addon("vpc-cni").expect("vpc-cni");
    let step = |from: &str, to: &str, kubernetes: Option<&str>| {
        let version = kubernetes.map(|text| text.parse().expect("a minor"));
        let cluster = Cluster { version, known: catalog.kubernetes_versions() };
        let parse = |text: &str| text.parse().expect("a version");
        one_minor_step(facts, parse(from), parse(to), cluster).to_string()
    };
    assert_eq!(step("v1.19.0-eksbuild.1", "v1.20.1-eksbuild.1", None), "v1.20.1-eksbuild.1");
    assert_eq!(step("v1.18.6-eksbuild.1", "v1.22.4-eksbuild.3", Some("1.33")), "v1.19.6-eksbuild.7");
    assert_eq!(step("v1.19.6-eksbuild.7", "v1.15.5-eksbuild.1", None), "v1.18.6-eksbuild.1");
    // Nothing of the minor in between supports the cluster: EKS will say so, and so will the plan.
    assert_eq!(step("v1.6.3-eksbuild.2", "v1.22.4-eksbuild.3", Some("1.36")), "v1.22.4-eksbuild.3");
}

#[test]
fn every_addon_has_a_default_and_a_latest_wherever_it_has_any_version() {
    let catalog = Catalog::embedded();
    for name in catalog.addon_names() {
        let facts = catalog.addon(name).expect("an add-on");
        for minor in catalog.kubernetes_versions() {
            let cluster = Cluster { version: Some(*minor), known: catalog.kubernetes_versions() };
            let supported = facts.versions.iter().any(|it| it.kubernetes.contains(minor));
            assert_eq!(default_version(facts, cluster).is_some(), supported, "{name} {minor}");
            assert_eq!(latest_version(facts, cluster).is_some(), supported, "{name} {minor}");
        }
    }
}
