//! What is not known yet is never an error: the plan says `(known after apply)`, apply knows, and the next
//! plan has nothing to do.

use crate::cli::Workspace;
use crate::harness::{Test, test};

/// One place in which something may be unknown; `value` is a `terraform_data` that is made by apply.
struct Case {
    name: &'static str,
    /// What the resource takes in, hence gives out.
    input: &'static str,
    kubernetes_version: &'static str,
    node_pools: &'static str,
    addons: &'static str,
    /// What `configuration_values` hold after apply.
    expect: &'static str,
}

/// The agent of a version that tolerates nothing, so that taints show in what is rendered.
const AGENT: &str = r#"{ eks-pod-identity-agent = { addon_version = "v1.0.0-eksbuild.1" } }"#;

const CASE: Case = Case {
    name: "",
    input: r#""gpu""#,
    kubernetes_version: r#""1.29""#,
    node_pools: r#"{ gpu = { taints = ["dedicated=gpu:NoSchedule"] } }"#,
    addons: AGENT,
    expect: r#"{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"gpu"}"#,
};

const CASES: [Case; 14] = [
    Case {
        name: "the_value_of_a_taint",
        node_pools: r#"{ gpu = { taints = [{ key = "dedicated", value = local.value, effect = "NO_SCHEDULE" }] } }"#,
        ..CASE
    },
    Case {
        name: "the_key_of_a_taint",
        input: r#""dedicated""#,
        node_pools: r#"{ gpu = { taints = { a = { key = local.value, value = "gpu", effect = "NO_SCHEDULE" } } } }"#,
        ..CASE
    },
    Case {
        name: "a_taint_as_text",
        node_pools: r#"{ gpu = { taints = ["dedicated=${local.value}:NoSchedule"] } }"#,
        ..CASE
    },
    Case {
        name: "an_element_of_the_taints",
        input: r#"{ key = "dedicated", value = "gpu", effect = "NoSchedule" }"#,
        node_pools: r#"{ gpu = { taints = [local.value, "CriticalAddonsOnly:NoSchedule"] } }"#,
        ..CASE
    },
    Case {
        name: "all_taints",
        input: r#"["dedicated=gpu:NoSchedule"]"#,
        node_pools: "{ gpu = { taints = local.value } }",
        ..CASE
    },
    Case {
        name: "a_set_of_taints",
        node_pools: r#"{ gpu = { taints = toset(["dedicated=${local.value}:NoSchedule"]) } }"#,
        ..CASE
    },
    Case {
        name: "a_pool",
        input: r#"{ taints = ["dedicated=gpu:NoSchedule"] }"#,
        node_pools: "{ gpu = local.value }",
        ..CASE
    },
    Case {
        name: "all_pools",
        input: r#"{ gpu = { taints = ["dedicated=gpu:NoSchedule"] } }"#,
        node_pools: "local.value",
        // A name that cannot be checked yet.
        addons: r#"{ eks-pod-identity-agent = { addon_version = "v1.0.0-eksbuild.1", run_on = ["gpu"] } }"#,
        ..CASE
    },
    Case { name: "the_kubernetes_version", input: r#""1.29""#, kubernetes_version: "local.value", ..CASE },
    Case {
        name: "an_add_on",
        input: r#"{ addon_version = "v1.0.0-eksbuild.1" }"#,
        addons: "{ eks-pod-identity-agent = local.value }",
        ..CASE
    },
    Case { name: "all_add_ons", input: AGENT, addons: "local.value", ..CASE },
    Case {
        name: "a_member_of_configuration_values",
        addons: r#"{ eks-pod-identity-agent = {
          addon_version        = "v1.0.0-eksbuild.1"
          configuration_values = { agent = { additionalArgs = { "-b" = local.value } } }
        } }"#,
        expect: r#""additionalArgs":{"-b":"gpu"}"#,
        ..CASE
    },
    Case {
        name: "configuration_values_as_text",
        addons: r#"{ eks-pod-identity-agent = {
          addon_version        = "v1.0.0-eksbuild.1"
          configuration_values = jsonencode({ agent = { additionalArgs = { "-b" = local.value } } })
        } }"#,
        expect: r#""additionalArgs":{"-b":"gpu"}"#,
        ..CASE
    },
    Case {
        name: "a_name_in_run_on",
        addons: r#"{ eks-pod-identity-agent = { addon_version = "v1.0.0-eksbuild.1", run_on = [local.value] } }"#,
        ..CASE
    },
];

pub(crate) fn tests() -> Vec<Test> {
    let life = |case: Case| test(format!("unknown::{}", case.name), move || check(&case));
    let mut tests: Vec<_> = CASES.into_iter().map(life).collect();
    tests.push(test("unknown::hides_no_mistake_beside_it", a_mistake_beside_it));
    tests
}

fn check(case: &Case) {
    let Case { input, kubernetes_version, node_pools, addons, expect, .. } = case;
    let workspace = Workspace::of(&format!(
        r#"
resource "terraform_data" "this" {{
  input = {input}
}}

locals {{
  value = terraform_data.this.output
}}

data "eksaddon_scheduling" "this" {{
  kubernetes_version = {kubernetes_version}
  node_pools         = {node_pools}
  addons             = {addons}
}}

output "configuration_values" {{
  value = data.eksaddon_scheduling.this.rendered["eks-pod-identity-agent"].configuration_values
}}
"#
    ));
    let plan = workspace.must(&["plan", "-no-color"]);
    for line in ["rendered           = (known after apply)", "configuration_values = (known after apply)"] {
        assert!(plan.contains(line), "no {line:?} in:\n{plan}");
    }
    workspace.must(&["apply", "-auto-approve", "-no-color"]);
    let rendered = workspace.output("configuration_values");
    assert!(rendered.as_str().is_some_and(|text| text.contains(expect)), "{rendered}");
    workspace.must_have_nothing_to_do();
}

/// An unknown value is no reason to keep quiet about what is known.
fn a_mistake_beside_it() {
    let workspace = Workspace::of(
        r#"
resource "terraform_data" "this" {
  input = "gpu"
}

data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.33"
  node_pools         = { gpu = { taints = [{ key = "dedicated", value = terraform_data.this.output, effect = "NoSchedul" }] } }
  addons             = { vpc-cni = { addon_version = terraform_data.this.output, runs_on = ["gpu"] } }
}
"#,
    );
    let said: Vec<_> = workspace.plan_diagnostics().into_iter().map(|it| it.text).collect();
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].contains("\"NoSchedul\""), "{said:#?}");
    assert!(said[1].contains("\"runs_on\""), "{said:#?}");
}
