//! Mistakes in pools and taints.

use super::{Mistake, in_arguments, in_main, in_pools};

/// The shape of terraform-aws-modules/eks.
const MODULE: &str = r#"
variable "taints" {
  type    = map(object({ key = string, value = optional(string), effect = string }))
  default = { gpu = { key = "nvidia.com/gpu", effect = "NO_SCHEDUL" } }
}

data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.33"
  addons             = { vpc-cni = {} }
  node_pools         = { gpu = { taints = var.taints } }
}
"#;

pub(super) fn all() -> Vec<Mistake> {
    let mut all = taints();
    all.extend(pools());
    all
}

fn taints() -> Vec<Mistake> {
    vec![
        in_pools(
            "effect",
            r#"{ gpu = { taints = [{ key = "a", value = "b", effect = "NoSchedul" }] } }"#,
            "{ taints = [{",
            &[r#"node_pools["gpu"].taints[0]"#, r#""NoSchedul""#, "expected", r#"mean "NoSchedule"?"#],
        ),
        in_pools(
            "effect_in_text",
            r#"{ gpu = { taints = ["a=b:NO_SCHEDUL"] } }"#,
            "{ taints = [",
            &[r#"node_pools["gpu"].taints[0]"#, r#""NO_SCHEDUL""#, r#"mean "NO_SCHEDULE"?"#],
        ),
        in_main(
            "effect_in_the_map_of_the_module",
            MODULE.to_owned(),
            "{ taints = var.taints }",
            &[r#"node_pools["gpu"].taints["gpu"]"#, r#""NO_SCHEDUL""#, r#"mean "NO_SCHEDULE"?"#],
        ),
        in_arguments(
            "effect_at_the_root",
            "  taints = [\"a=b:NoExecut\"]\n  addons = {}",
            "[\"a=b:NoExecut\"]",
            &["taints[0]", r#""NoExecut""#, r#"mean "NoExecute"?"#],
        ),
        in_pools(
            "effect_missing",
            r#"{ gpu = { taints = [{ key = "a" }] } }"#,
            "{ taints = [{",
            &[r#"node_pools["gpu"].taints[0]"#, "no effect", "NoSchedule"],
        ),
        in_pools(
            "effect_misspelt_as_a_key",
            r#"{ gpu = { taints = [{ key = "a", efect = "NoSchedule" }] } }"#,
            "{ taints = [{",
            &[r#"no argument "efect""#, r#"mean "effect"?"#],
        ),
        in_pools(
            "key_with_a_space",
            r#"{ gpu = { taints = [{ key = "my key", effect = "NoSchedule" }] } }"#,
            "{ taints = [{",
            &[r#"node_pools["gpu"].taints[0]"#, r#""my key""#, "letters, digits"],
        ),
        in_pools(
            "value_with_a_space",
            r#"{ gpu = { taints = ["a=b c:NoSchedule"] } }"#,
            "{ taints = [",
            &[r#"node_pools["gpu"].taints[0]"#, r#""b c""#],
        ),
        in_pools(
            "a_taint_without_brackets",
            r#"{ gpu = { taints = { key = "a", effect = "NoSchedule" } } }"#,
            "{ taints = {",
            &[r#"node_pools["gpu"].taints"#, "found one taint", "expected a list"],
        ),
        in_pools(
            "a_taint_without_an_effect",
            r#"{ gpu = { startup_taints = ["a=b"] } }"#,
            "{ startup_taints = [",
            &[r#"node_pools["gpu"].startup_taints[0]"#, r#""a=b""#, "key=value:Effect"],
        ),
        in_pools(
            "taints_that_are_none",
            r#"{ gpu = { taints = "a:NoSchedule" } }"#,
            "{ taints = ",
            &[r#"found "a:NoSchedule""#, "expected a list of taints"],
        ),
    ]
}

fn pools() -> Vec<Mistake> {
    vec![
        in_pools(
            "unknown_key_of_a_pool",
            r#"{ gpu = { taint = ["a:NoSchedule"] } }"#,
            "{ taint = [",
            &[r#"node_pools["gpu"]"#, r#"no argument "taint""#, r#"mean "taints"?"#],
        ),
        in_pools(
            "compute_type",
            r#"{ batch = { compute_type = "fargat" } }"#,
            "{ compute_type = ",
            &[r#"node_pools["batch"].compute_type"#, r#""fargat""#, r#""hybrid""#, r#"mean "fargate"?"#],
        ),
        in_pools(
            "architectures",
            r#"{ arm = { architectures = ["arm46"] } }"#,
            "{ architectures = [",
            &[r#"node_pools["arm"].architectures"#, r#""arm46""#, r#"mean "arm64"?"#],
        ),
        in_pools(
            "provisioner",
            r#"{ arm = { provisioner = "karpentr" } }"#,
            "{ provisioner = ",
            &[r#"node_pools["arm"].provisioner"#, r#"mean "karpenter"?"#],
        ),
        in_pools(
            "selectors_without_fargate",
            r#"{ batch = { selectors = [{ namespace = "batch" }] } }"#,
            "{ selectors = [",
            &[r#"node_pools["batch"].selectors"#, r#"compute_type = "fargate""#],
        ),
        in_pools(
            "a_selector_without_a_namespace",
            r#"{ batch = { compute_type = "fargate", selectors = [{ labels = {} }] } }"#,
            "{ compute_type = ",
            &[r#"node_pools["batch"].selectors[0]"#, "namespace"],
        ),
        in_pools(
            "labels_that_are_a_list",
            r#"{ gpu = { labels = ["role=gpu"] } }"#,
            "{ labels = [",
            &[r#"node_pools["gpu"].labels"#, "found a list", "expected a map"],
        ),
        in_pools(
            "a_pool_that_is_a_text",
            r#"{ gpu = "a:NoSchedule" }"#,
            "a:NoSchedule\" }",
            &[r#"node_pools["gpu"]"#, r#"found "a:NoSchedule""#, "expected an object"],
        ),
        in_pools(
            "pools_that_are_a_list",
            "[{ taints = [] }]",
            "[{ taints",
            &["node_pools", "found a list", "expected a map of node pools"],
        ),
    ]
}
