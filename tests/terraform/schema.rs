//! What `terraform providers schema` shows, and what the registry makes pages of.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::cli::Workspace;
use crate::harness::{Test, test};

/// What a user gives and gets: names that may be added to but never taken away.
const SCHEDULING: &str = "kubernetes_version cluster_name region taints node_pools addons on_unschedulable \
                          ignore_findings rendered placements findings report upgrade_blockers schedulable \
                          catalog_source catalog_date";

const NESTED: [(&str, &str); 4] = [
    (
        "rendered",
        "addon_version configuration_values schema_source resolve_conflicts_on_create \
         resolve_conflicts_on_update before_compute default_version latest_version reasons service_account \
         recommended_policies",
    ),
    ("placements", "addon component kind node_pool schedulable reason"),
    ("findings", "code severity addon component node_pool path summary detail"),
    ("upgrade_blockers", "addon addon_version kubernetes_version"),
];

/// As in hashicorp/aws, so that a block can be pasted.
const PROVIDER: &str = "catalog region profile access_key secret_key token shared_config_files \
                        shared_credentials_files custom_ca_bundle http_proxy https_proxy no_proxy use_fips_endpoint \
                        use_dualstack_endpoint max_retries retry_mode";

const PROVIDER_BLOCKS: &str = "assume_role assume_role_with_web_identity endpoints";

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("schema::names_are_those_of_the_interface", names_are_those_of_the_interface),
        test("schema::everything_is_described", everything_is_described),
        test("schema::a_provider_block_of_hashicorp_aws_fits", a_provider_block_of_hashicorp_aws_fits),
    ]
}

fn schema() -> Json {
    let text = Workspace::of("").must(&["providers", "schema", "-json"]);
    let json: Json = serde_json::from_str(&text).expect("JSON");
    json["provider_schemas"]["registry.terraform.io/eksaddon/eksaddon"].clone()
}

fn names(json: &Json) -> BTreeSet<String> {
    json.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn names_are_those_of_the_interface() {
    let schema = schema();
    let attributes = &schema["data_source_schemas"]["eksaddon_scheduling"]["block"]["attributes"];
    assert_eq!(names(attributes), words(SCHEDULING));
    for (name, nested) in NESTED {
        assert_eq!(names(&attributes[name]["nested_type"]["attributes"]), words(nested), "{name}");
    }
    let dynamic: BTreeSet<_> =
        names(attributes).into_iter().filter(|name| attributes[name]["type"] == "dynamic").collect();
    assert_eq!(dynamic, words("addons node_pools taints"));
    let provider = &schema["provider"]["block"];
    assert_eq!(names(&provider["attributes"]), words(PROVIDER));
    assert_eq!(names(&provider["block_types"]), words(PROVIDER_BLOCKS));
}

fn everything_is_described() {
    let schema = schema();
    let mut bare = Vec::new();
    let mut seen = 0;
    undescribed_block("provider", &schema["provider"]["block"], &mut bare, &mut seen);
    for kind in ["data_source_schemas", "resource_schemas", "ephemeral_resource_schemas"] {
        for (name, schema) in schema[kind].as_object().into_iter().flatten() {
            undescribed_block(name, &schema["block"], &mut bare, &mut seen);
        }
    }
    for (name, function) in schema["functions"].as_object().into_iter().flatten() {
        note(name, function, &mut bare, &mut seen);
        for parameter in function["parameters"].as_array().into_iter().flatten() {
            note(&format!("{name}({})", parameter["name"]), parameter, &mut bare, &mut seen);
        }
    }
    assert!(bare.is_empty(), "without a description: {bare:?}");
    assert!(seen > 60, "only {seen} things seen: does this test still read the schema?");
}

fn undescribed_block(path: &str, block: &Json, bare: &mut Vec<String>, seen: &mut usize) {
    note(path, block, bare, seen);
    undescribed_attributes(path, &block["attributes"], bare, seen);
    for (name, nested) in block["block_types"].as_object().into_iter().flatten() {
        undescribed_block(&format!("{path}.{name}"), &nested["block"], bare, seen);
    }
}

fn undescribed_attributes(path: &str, attributes: &Json, bare: &mut Vec<String>, seen: &mut usize) {
    for (name, attribute) in attributes.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        note(&path, attribute, bare, seen);
        undescribed_attributes(&path, &attribute["nested_type"]["attributes"], bare, seen);
    }
}

fn note(path: &str, described: &Json, bare: &mut Vec<String>, seen: &mut usize) {
    *seen += 1;
    if described["description"].as_str().is_none_or(|text| text.trim().is_empty()) {
        bare.push(path.to_owned());
    }
}

fn a_provider_block_of_hashicorp_aws_fits() {
    let workspace = Workspace::of(
        r#"
provider "eksaddon" {
  region                      = "eu-central-1"
  profile                     = "does-not-exist"
  shared_config_files         = ["missing/config"]
  shared_credentials_files    = ["missing/credentials"]
  use_fips_endpoint           = true
  max_retries                 = 5
  retry_mode                  = "standard"

  assume_role {
    role_arn     = "arn:aws:iam::123456789012:role/terraform"
    session_name = "terraform"
    tags         = { team = "platform" }
  }

  endpoints {
    eks = "https://localhost:1"
    sts = "https://localhost:1"
  }
}

data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.33"
  addons             = { vpc-cni = {} }
}

output "catalog_source" {
  value = data.eksaddon_scheduling.this.catalog_source
}
"#,
    );
    let said = workspace.plan_diagnostics();
    assert!(said.is_empty(), "{said:#?}");
}
