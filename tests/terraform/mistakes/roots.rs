//! Mistakes beside pools and add-ons: the arguments of the root, and the provider block.

use super::{Mistake, data, in_arguments, in_main};

pub(super) fn all() -> Vec<Mistake> {
    let provider = |catalog: &str| {
        let arguments = data("  kubernetes_version = \"1.33\"\n  addons = {}");
        format!("provider \"eksaddon\" {{\n  catalog = {catalog:?}\n}}\n\n{arguments}")
    };
    vec![
        in_main(
            "catalog_of_the_api",
            provider("eks-api"),
            "\"eks-api\"",
            &[r#"catalog = "eks-api" is not supported yet"#, "Leave catalog out"],
        ),
        in_main(
            "catalog",
            provider("embeded"),
            "\"embeded\"",
            &["catalog", r#"Found "embeded""#, r#"expected "embedded" or "eks-api""#, r#"mean "embedded"?"#],
        ),
        in_arguments(
            "cluster_name",
            "  cluster_name = \"prod\"\n  addons = {}",
            "\"prod\"",
            &["cluster_name is not supported yet", "Leave cluster_name out"],
        ),
        in_arguments(
            "both_taints_and_node_pools",
            "  taints = [\"a:NoSchedule\"]\n  node_pools = {}\n  addons = {}",
            "[\"a:NoSchedule\"]",
            &["taints and node_pools exclude each other", "Set one of them"],
        ),
        in_arguments(
            "on_unschedulable",
            "  on_unschedulable = \"warnin\"\n  addons = {}",
            "\"warnin\"",
            &["on_unschedulable", r#"found "warnin""#, r#""error", "warning""#, r#"mean "warning"?"#],
        ),
        in_arguments(
            "an_ignored_finding",
            "  ignore_findings = [\"wildcard-on-deploymnt\"]\n  addons = {}",
            "[\"wildcard-on-deploymnt\"]",
            &["ignore_findings", r#"found "wildcard-on-deploymnt""#, r#"mean "wildcard-on-deployment"?"#],
        ),
        in_arguments(
            "a_finding_that_cannot_be_ignored",
            "  ignore_findings = [\"version-not-found\"]\n  addons = {}",
            "[\"version-not-found\"]",
            &["ignore_findings", r#""version-not-found""#, "cannot be ignored"],
        ),
        // 1.30 without quotes is a number, and arrives as 1.3; two add-ons make no two mistakes of it.
        in_main(
            "kubernetes_version_without_quotes",
            data("  kubernetes_version = 1.30\n  addons = { coredns = {}, vpc-cni = {} }"),
            "1.30",
            &[r#""1.3""#, r#"mean "1.30"?"#, "in quotes"],
        )
        .seen_by_plan(),
        in_main(
            "kubernetes_version_of_a_patch",
            data("  kubernetes_version = \"v1.33.2\"\n  addons = {}"),
            "\"v1.33.2\"",
            &["kubernetes_version", r#"Found "v1.33.2""#, r#""1.33""#],
        ),
        in_main(
            "kubernetes_version_that_nobody_knows",
            data("  kubernetes_version = \"1.99\"\n  addons = { coredns = {}, vpc-cni = {} }"),
            "\"1.99\"",
            &["kubernetes_version", r#""1.99""#, "exact addon_version"],
        )
        .seen_by_plan(),
        in_main(
            "kubernetes_version_that_is_missing",
            data("  addons = { vpc-cni = {} }"),
            "{}",
            &[r#"addons["vpc-cni"].addon_version"#, "Set kubernetes_version"],
        )
        .seen_by_plan(),
    ]
}
