//! Mistakes in the arguments of add-ons.

use super::{Mistake, data, in_addons, in_main};

pub(super) fn all() -> Vec<Mistake> {
    let mut all = arguments();
    all.extend(names_and_versions());
    all.extend(placement());
    all.extend(pod_identity());
    all
}

fn arguments() -> Vec<Mistake> {
    vec![
        in_addons(
            "runs_on",
            r#"{ aws-ebs-csi-driver = { runs_on = ["system"] } }"#,
            "{ runs_on = ",
            &[r#"addons["aws-ebs-csi-driver"]"#, r#"no argument "runs_on""#, r#"mean "run_on"?"#],
        ),
        in_addons(
            "a_list_as_toleration_policy",
            r#"{ aws-ebs-csi-driver = { toleration_policy = [{ key = "a" }] } }"#,
            "{ toleration_policy = ",
            &[
                r#"addons["aws-ebs-csi-driver"].toleration_policy"#,
                "found a list",
                r#""auto""#,
                "tolerate = [",
            ],
        ),
        in_addons(
            "toleration_policy",
            r#"{ aws-ebs-csi-driver = { toleration_policy = "pool" } }"#,
            "{ toleration_policy = ",
            &[r#"found "pool""#, r#""auto", "all", "pools", "none""#, r#"mean "pools"?"#],
        ),
        in_addons(
            "node_affinity",
            r#"{ aws-ebs-csi-driver = { run_on = ["system"], node_affinity = "require" } }"#,
            "{ run_on = ",
            &[r#"addons["aws-ebs-csi-driver"].node_affinity"#, r#""require""#, r#"mean "required"?"#],
        ),
        in_addons(
            "unknown_key_of_a_component",
            r#"{ aws-ebs-csi-driver = { components = { controller = { runon = ["system"] } } } }"#,
            "{ components = ",
            &[
                r#"addons["aws-ebs-csi-driver"].components["controller"]"#,
                r#"no argument "runon""#,
                r#"mean "run_on"?"#,
            ],
        ),
        in_addons(
            "unknown_component",
            r#"{ aws-ebs-csi-driver = { components = { controler = { run_on = ["system"] } } } }"#,
            "{ components = ",
            &[r#"components["controler"]"#, "controller, node", r#"mean "controller"?"#],
        )
        .seen_by_plan(),
        in_addons(
            "ignored_finding_of_an_add_on",
            r#"{ vpc-cni = { ignore_findings = ["unmodeled"] } }"#,
            "{ ignore_findings = ",
            &[r#"addons["vpc-cni"].ignore_findings"#, r#""unmodeled""#, r#"mean "unmodelled"?"#],
        ),
        in_addons(
            "on_unschedulable_of_an_add_on",
            r#"{ vpc-cni = { on_unschedulable = "eror" } }"#,
            "{ on_unschedulable = ",
            &[r#"addons["vpc-cni"].on_unschedulable"#, r#""eror""#, r#"mean "error"?"#],
        ),
        in_addons(
            "add_ons_that_are_a_list",
            r#"["vpc-cni"]"#,
            "[\"vpc-cni\"]",
            &["addons", "found a list", "expected a map of add-ons"],
        ),
        in_addons(
            "an_add_on_that_is_a_text",
            r#"{ vpc-cni = "latest" }"#,
            "latest\" }",
            &[r#"addons["vpc-cni"]"#, r#"found "latest""#, "addon_version"],
        ),
    ]
}

fn names_and_versions() -> Vec<Mistake> {
    vec![
        in_addons(
            "amazon-vpc-cni",
            "{ amazon-vpc-cni = {} }",
            "{}",
            &[r#"no add-on "amazon-vpc-cni""#, r#"mean "vpc-cni"?"#, "kube-proxy"],
        )
        .seen_by_plan(),
        in_addons(
            "amazon-vpc-cni_of_an_exact_version",
            r#"{ amazon-vpc-cni = { addon_version = "v1.19.0-eksbuild.1" } }"#,
            "{ addon_version",
            &[r#"no add-on "amazon-vpc-cni""#, r#"mean "vpc-cni"?"#],
        )
        .seen_by_plan(),
        in_addons(
            "a_version_that_does_not_exist",
            r#"{ vpc-cni = { addon_version = "v1.19.99-eksbuild.1" } }"#,
            "{ addon_version",
            &["vpc-cni: v1.19.99-eksbuild.1 does not exist", "nearest", "v1.19."],
        )
        .seen_by_plan(),
        in_addons(
            "a_version_that_is_none",
            r#"{ vpc-cni = { addon_version = "lates" } }"#,
            "{ addon_version",
            &[r#"addons["vpc-cni"].addon_version"#, r#""lates""#, "eksbuild", r#"mean "latest"?"#],
        ),
        in_addons(
            "a_version_without_its_build",
            r#"{ vpc-cni = { addon_version = "v1.19.0" } }"#,
            "{ addon_version",
            &[r#"addons["vpc-cni"].addon_version"#, r#""v1.19.0""#, "expected vMAJOR.MINOR.PATCH-eksbuild.N"],
        ),
        in_addons(
            "a_constraint_that_nothing_satisfies",
            r#"{ vpc-cni = { addon_version = ">= 9" } }"#,
            "{ addon_version",
            &["vpc-cni", r#"">= 9""#, "1.33"],
        )
        .seen_by_plan(),
        in_addons(
            "a_constraint_that_is_none",
            r#"{ vpc-cni = { addon_version = ">= 1.x" } }"#,
            "{ addon_version",
            &[r#"addons["vpc-cni"].addon_version"#, r#"">= 1.x""#, "~>"],
        ),
        in_addons(
            "most_recent_beside_a_version",
            r#"{ vpc-cni = { most_recent = true, addon_version = "v1.19.0-eksbuild.1" } }"#,
            "{ most_recent",
            &["most_recent", r#""latest""#, r#""v1.19.0-eksbuild.1""#],
        ),
        in_addons(
            "installed_without_a_cluster",
            r#"{ vpc-cni = { addon_version = "installed" } }"#,
            "{ addon_version",
            &[r#""installed""#, "cluster_name"],
        ),
    ]
}

fn placement() -> Vec<Mistake> {
    let two_pools = r#"
  kubernetes_version = "1.33"
  node_pools = {
    one = { taints = ["one:NoSchedule"] }
    two = { taints = ["two:NoSchedule"] }
  }
  addons = { aws-ebs-csi-driver = {} }
"#;
    let only_karpenter = r#"
  kubernetes_version = "1.33"
  node_pools         = { gpu = { provisioner = "karpenter" } }
  addons             = { aws-ebs-csi-driver = {} }
"#;
    vec![
        in_addons(
            "run_on_an_unknown_pool",
            r#"{ aws-ebs-csi-driver = { run_on = ["sytem"] } }"#,
            "{ run_on = ",
            &[r#"addons["aws-ebs-csi-driver"].run_on"#, r#"found "sytem""#, r#"mean "system"?"#],
        ),
        in_addons(
            "run_on_a_pattern_that_matches_nothing",
            r#"{ aws-ebs-csi-driver = { run_on = ["gpu-*"] } }"#,
            "{ run_on = ",
            &[r#"addons["aws-ebs-csi-driver"].run_on"#, r#"found "gpu-*""#, r#""system""#],
        ),
        in_addons(
            "run_on_nothing",
            "{ aws-ebs-csi-driver = { run_on = [] } }",
            "{ run_on = ",
            &[r#"addons["aws-ebs-csi-driver"].run_on"#, "empty", "Leave it out"],
        ),
        in_addons(
            "run_on_a_text",
            r#"{ aws-ebs-csi-driver = { run_on = "system" } }"#,
            "{ run_on = ",
            &[r#"addons["aws-ebs-csi-driver"].run_on"#, r#"found "system""#, "expected a list"],
        ),
        in_main(
            "run_on_cannot_be_guessed",
            data(two_pools),
            "{}",
            &[
                "aws-ebs-csi-driver",
                "controller",
                "run_on = [",
                "on_unschedulable = \"warning\"",
                "-refresh=false",
            ],
        )
        .seen_by_plan(),
        in_main(
            "only_karpenter_has_nodes",
            data(only_karpenter),
            "{}",
            &["aws-ebs-csi-driver", "controller", "before Karpenter runs"],
        )
        .seen_by_plan(),
    ]
}

/// Refusals, which `terraform test` cannot expect: `expect_failures` knows conditions only.
fn pod_identity() -> Vec<Mistake> {
    let pair = |cni: &str, agent: &str| {
        data(&format!(
            r#"
  kubernetes_version = "1.28"
  taints             = ["CriticalAddonsOnly=true:NO_SCHEDULE"]
  addons = {{
    eks-pod-identity-agent = {{ addon_version = "{agent}" }}
    vpc-cni                = {{ addon_version = "{cni}", pod_identity = true }}
  }}
"#
        ))
    };
    vec![
        in_main(
            "a_cni_too_old_for_pod_identity",
            pair("v1.15.4-eksbuild.1", "v1.2.0-eksbuild.1"),
            "{ addon_version = \"v1.15.4",
            &["vpc-cni: v1.15.4-eksbuild.1", "v1.15.5-eksbuild.1 is the first"],
        )
        .seen_by_plan(),
        in_main(
            "an_agent_too_old_for_the_cni",
            pair("v1.15.5-eksbuild.1", "v1.0.0-eksbuild.1"),
            "{ addon_version = \"v1.0.0",
            &["eks-pod-identity-agent: v1.0.0-eksbuild.1", "not-ready", "v1.2.0-eksbuild.1 is the first"],
        )
        .seen_by_plan(),
    ]
}
