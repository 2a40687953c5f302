//! The shapes in which users have their taints and add-ons at hand, and what variables make of them.

use serde_json::{Value as Json, json};

use crate::cli::Workspace;
use crate::harness::{Test, test};

/// The toleration that every shape of the one taint leads to.
fn tolerations() -> Json {
    json!([
        { "effect": "NoSchedule", "key": "dedicated", "operator": "Equal", "value": "gpu" },
        { "effect": "NoSchedule", "key": "node.kubernetes.io/not-ready", "operator": "Exists" },
    ])
}

/// Declarations, and an expression for `taints` of a pool.
const TAINTS: [(&str, &str, &str); 12] = [
    ("a_list_of_texts", "", r#"["dedicated=gpu:NoSchedule"]"#),
    ("a_list_of_objects", "", r#"[{ key = "dedicated", value = "gpu", effect = "NO_SCHEDULE" }]"#),
    ("a_set_of_texts", "", r#"toset(["dedicated=gpu:NoSchedule", "dedicated=gpu:NoSchedule"])"#),
    (
        "a_set_of_objects",
        "",
        r#"toset([{ key = "dedicated", value = "gpu", effect = "NoSchedule" }, { key = "dedicated", value = "gpu", effect = "NO_SCHEDULE" }])"#,
    ),
    (
        "a_tuple_of_both",
        "",
        r#"["dedicated=gpu:NO_SCHEDULE", { key = "dedicated", value = "gpu", effect = "NoSchedule" }, null]"#,
    ),
    ("a_map", "", r#"{ any = { key = "dedicated", value = "gpu", effect = "NO_SCHEDULE" } }"#),
    ("a_map_of_texts", "", r#"{ any = "dedicated=gpu:NoSchedule", none = null }"#),
    (
        // As terraform-aws-modules/eks declares the taints of its node groups.
        "the_map_of_the_eks_module",
        r#"
variable "taints" {
  type = map(object({
    key    = string
    value  = optional(string)
    effect = string
  }))
  default = {
    gpu    = { key = "dedicated", value = "gpu", effect = "NO_SCHEDULE" }
    softly = { key = "soft", effect = "PREFER_NO_SCHEDULE" }
    absent = null
  }
}"#,
        "var.taints",
    ),
    (
        "a_typed_list_with_null",
        r#"
variable "taints" {
  type    = list(object({ key = string, value = optional(string, "gpu"), effect = optional(string, "NoSchedule") }))
  default = [{ key = "dedicated" }, null]
}"#,
        "var.taints",
    ),
    (
        "anything",
        r#"
variable "taints" {
  type    = any
  default = [{ key = "dedicated", value = "gpu", effect = "NoSchedule" }]
}"#,
        "var.taints",
    ),
    ("a_try", "", r#"try(local.missing.taints, ["dedicated=gpu:NoSchedule"])"#),
    ("a_conditional", "", r#"true ? ["dedicated=gpu:NoSchedule"] : null"#),
];

pub(crate) fn tests() -> Vec<Test> {
    let pools = TAINTS.map(|(name, declarations, taints)| {
        test(format!("shapes::taints_as_{name}"), move || check(declarations, taints, &tolerations()))
    });
    let mut tests: Vec<_> = pools.into_iter().collect();
    tests.extend([
        test("shapes::no_taints", no_taints),
        test("shapes::taints_at_the_root", taints_at_the_root),
        test("shapes::a_map_that_feeds_the_module_too", a_map_that_feeds_the_module_too),
        test("shapes::typed_nulls_are_nothing", typed_nulls_are_nothing),
        test("shapes::labels_of_any_kind", labels_of_any_kind),
        test("shapes::values_that_are_sensitive", values_that_are_sensitive),
    ]);
    tests
}

fn data(arguments: &str) -> String {
    format!(
        "data \"eksaddon_scheduling\" \"this\" {{\n  kubernetes_version = \"1.29\"\n{arguments}\n}}\n\n\
         output \"rendered\" {{\n  value = data.eksaddon_scheduling.this.rendered\n}}\n"
    )
}

/// The values that come out for an add-on, after apply and an empty second plan.
fn values(main: &str, addon: &str) -> Json {
    let workspace = Workspace::of(main);
    if main.contains("variable") {
        // Here variables are unknown, but of a known type.
        workspace.must(&["validate"]);
    }
    workspace.must(&["apply", "-auto-approve", "-no-color"]);
    workspace.must_have_nothing_to_do();
    let rendered = workspace.output("rendered");
    let text = rendered[addon]["configuration_values"].as_str().expect("a text, never null");
    serde_json::from_str(text).expect("JSON")
}

const AGENT: &str = r#"  addons = { eks-pod-identity-agent = { addon_version = "v1.0.0-eksbuild.1" } }"#;

fn check(declarations: &str, taints: &str, expect: &Json) {
    let locals = "locals {\n  missing = {}\n}";
    let arguments = format!("  node_pools = {{ gpu = {{ taints = {taints} }} }}\n{AGENT}");
    let values = values(&format!("{declarations}\n{locals}\n{}", data(&arguments)), "eks-pod-identity-agent");
    assert_eq!(&values["tolerations"], expect);
}

fn no_taints() {
    for taints in ["[]", "{}", "toset([])", "null", "tolist([])", "tomap({})"] {
        let arguments = format!("  node_pools = {{ plain = {{ taints = {taints} }} }}\n{AGENT}");
        // Nodes are not ready before the agent runs, whatever else their taints are.
        let values = values(&data(&arguments), "eks-pod-identity-agent");
        let keys: Vec<_> =
            values["tolerations"].as_array().into_iter().flatten().map(|it| &it["key"]).collect();
        assert!(keys.iter().all(|key| *key == "node.kubernetes.io/not-ready"), "{taints}: {values}");
    }
}

fn taints_at_the_root() {
    for taints in [r#"["dedicated=gpu:NoSchedule"]"#, r#"toset(["dedicated=gpu:NoSchedule"])"#] {
        let values = values(
            &data(&format!("  taints = {taints}\n  node_pools = null\n{AGENT}")),
            "eks-pod-identity-agent",
        );
        assert_eq!(values["tolerations"], tolerations());
    }
}

/// Everything that `addons` of terraform-aws-modules/eks takes; read from a variable of type `any`.
fn a_map_that_feeds_the_module_too() {
    let variable = r#"
variable "addons" {
  type = any
  default = {
    vpc-cni = {
      name                        = "vpc-cni"
      create                      = true
      before_compute              = true
      most_recent                 = true
      preserve                    = false
      region                      = "eu-central-1"
      resolve_conflicts_on_create = "NONE"
      resolve_conflicts_on_update = "OVERWRITE"
      service_account_role_arn    = null
      tags                        = { team = "platform" }
      timeouts                    = { create = "5m" }
      pod_identity_association    = [{ role_arn = "arn:aws:iam::123456789012:role/cni", service_account = "aws-node" }]
      configuration_values        = "{\"env\":{\"ENABLE_PREFIX_DELEGATION\":\"true\"}}"
    }
    eks-pod-identity-agent = { before_compute = true }
  }
}
"#;
    let main = format!("{variable}{}", data("  taints = []\n  addons = var.addons"));
    assert_eq!(values(&main, "vpc-cni"), json!({ "env": { "ENABLE_PREFIX_DELEGATION": "true" } }));
}

/// `optional` without a default makes a null of everything that is not set.
fn typed_nulls_are_nothing() {
    let variables = r#"
variable "addons" {
  type = map(object({
    addon_version            = optional(string)
    most_recent              = optional(bool)
    configuration_values     = optional(string)
    run_on                   = optional(set(string))
    node_affinity            = optional(string)
    toleration_policy        = optional(string)
    tolerate                 = optional(list(object({ key = string, value = optional(string), effect = string })))
    components               = optional(map(object({ run_on = optional(set(string)) })))
    configuration_schema     = optional(string)
    pod_identity             = optional(bool)
    pod_identity_association = optional(list(any))
    on_unschedulable         = optional(string)
    ignore_findings          = optional(set(string))
  }))
  default = { vpc-cni = { components = { aws-node = {} } } }
}

variable "pools" {
  type = map(object({
    taints         = optional(map(object({ key = string, value = optional(string), effect = string })))
    startup_taints = optional(list(string))
    labels         = optional(map(string))
    compute_type   = optional(string)
    selectors      = optional(list(object({ namespace = string, labels = optional(map(string)) })))
    os             = optional(string)
    architectures  = optional(set(string))
    provisioner    = optional(string)
  }))
  default = { plain = {} }
}
"#;
    let rest = "  taints = null\n  region = null\n  cluster_name = null\n  on_unschedulable = null\n  \
                ignore_findings = null\n  node_pools = var.pools\n  addons = var.addons";
    assert_eq!(values(&format!("{variables}{}", data(rest)), "vpc-cni"), json!({}));
}

fn labels_of_any_kind() {
    let main = data(
        r#"  node_pools = {
    here  = { labels = { tier = 1, spot = false, "example.com/x" = "y" } }
    there = {}
  }
  addons = {
    aws-ebs-csi-driver = { components = { controller = { run_on = ["here"], node_affinity = "required" } } }
  }"#,
    );
    let values = values(&main, "aws-ebs-csi-driver");
    let text = values.to_string();
    assert!(text.contains("matchExpressions") || text.contains("nodeSelector"), "{text}");
    // Labels are texts in Kubernetes.
    assert!(!text.contains(":1") && !text.contains("[1]") && !text.contains("false"), "{text}");
}

/// The mark does not survive, and the page of the argument says so.
fn values_that_are_sensitive() {
    let variable =
        "variable \"value\" {\n  type      = string\n  sensitive = true\n  default   = \"true\"\n}\n\n";
    let arguments = "  taints = []\n  addons = { vpc-cni = { configuration_values = { env = { \
                     ENABLE_PREFIX_DELEGATION = var.value } } } }";
    let values = values(&format!("{variable}{}", data(arguments)), "vpc-cni");
    assert_eq!(values, json!({ "env": { "ENABLE_PREFIX_DELEGATION": "true" } }));
}
