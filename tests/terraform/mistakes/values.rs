//! Mistakes in `configuration_values` and `configuration_schema`.

use super::{Mistake, in_addons};

pub(super) fn all() -> Vec<Mistake> {
    let mut all = texts();
    all.extend(schema());
    all.extend(tolerations());
    all
}

fn texts() -> Vec<Mistake> {
    vec![
        in_addons(
            "json_that_ends_early",
            r#"{ vpc-cni = { configuration_values = "{\"env\": {\"WARM_IP_TARGET\": \"2\"}" } }"#,
            "{ configuration_values = ",
            &[r#"addons["vpc-cni"].configuration_values"#, "invalid JSON at line 1, column 3"],
        ),
        in_addons(
            "json_with_a_key_twice",
            r#"{ vpc-cni = { configuration_values = "{\"env\":{},\"env\":{}}" } }"#,
            "{ configuration_values = ",
            &[r#"addons["vpc-cni"].configuration_values"#, r#"the key "env""#, "line 1", "once"],
        ),
        in_addons(
            "json_that_is_a_list",
            r#"{ vpc-cni = { configuration_values = "[1]" } }"#,
            "{ configuration_values = ",
            &["found a list", "expected an object"],
        ),
        in_addons(
            "yaml_that_is_broken",
            "{ vpc-cni = { configuration_values = \"env:\\n  A: [1\\n\" } }",
            "{ configuration_values = ",
            &[r#"addons["vpc-cni"].configuration_values"#, "invalid YAML at line", "expected"],
        ),
        in_addons(
            "yaml_with_a_key_twice",
            "{ vpc-cni = { configuration_values = \"env:\\n  WARM_IP_TARGET: '1'\\n  WARM_IP_TARGET: '2'\\n\" } }",
            "{ configuration_values = ",
            &[r#"the key "WARM_IP_TARGET""#, "line 3", "once"],
        ),
        in_addons(
            "a_text_that_is_no_document",
            r#"{ vpc-cni = { configuration_values = "values.yaml" } }"#,
            "{ configuration_values = ",
            &["found a string", "expected an object"],
        ),
        in_addons(
            "configuration_values_that_are_a_number",
            "{ vpc-cni = { configuration_values = 5 } }",
            "{ configuration_values = ",
            &["found 5", "JSON or YAML text, or an object"],
        ),
        in_addons(
            "a_schema_that_is_no_json",
            r#"{ vpc-cni = { configuration_schema = "{" } }"#,
            "{ configuration_schema = ",
            &[r#"addons["vpc-cni"].configuration_schema"#, "line 1"],
        ),
    ]
}

fn schema() -> Vec<Mistake> {
    let all = vec![
        in_addons(
            "top_level_tolerations_for_ebs",
            r#"{ aws-ebs-csi-driver = { configuration_values = { tolerations = [{ operator = "Exists" }] } } }"#,
            "{ configuration_values = ",
            &[
                "aws-ebs-csi-driver: tolerations",
                "valid at controller.tolerations, node.tolerations",
                "refuse",
            ],
        ),
        in_addons(
            "a_misspelt_value",
            "{ aws-ebs-csi-driver = { configuration_values = { controller = { replicaCnt = 1 } } } }",
            "{ configuration_values = ",
            &["controller.replicaCnt", "unknown key", r#"mean "replicaCount"?"#],
        ),
        in_addons(
            "a_value_of_another_type",
            "{ vpc-cni = { configuration_values = { enableNetworkPolicy = true } } }",
            "{ configuration_values = ",
            &["enableNetworkPolicy", "found true", "expected string", r#""true" in quotes"#],
        ),
        in_addons(
            "a_value_that_is_not_in_the_list",
            r#"{ aws-ebs-csi-driver = { configuration_values = { controller = { loggingFormat = "jso" } } } }"#,
            "{ configuration_values = ",
            &["controller.loggingFormat", r#"found "jso""#, r#""text""#, r#"mean "json"?"#],
        ),
        // One value, two keywords of the schema: still one mistake.
        in_addons(
            "a_null_where_a_word_belongs",
            r#"{ aws-ebs-csi-driver = { configuration_values = "{\"controller\":{\"loggingFormat\":null}}" } }"#,
            "{ configuration_values = ",
            &["controller.loggingFormat", "found null", r#""json""#],
        ),
        in_addons(
            "tolerations_that_are_a_text",
            r#"{ aws-ebs-csi-driver = { configuration_values = { controller = { tolerations = "nonsense" } } } }"#,
            "{ configuration_values = ",
            &["controller.tolerations", r#"found "nonsense""#, "expected array"],
        ),
    ];
    all.into_iter().map(Mistake::seen_by_plan).collect()
}

fn tolerations() -> Vec<Mistake> {
    let all = vec![
        in_addons(
            "a_toleration_without_operator_or_key",
            r#"{ aws-ebs-csi-driver = { configuration_values = { controller = { tolerations = [{ value = "x" }] } } } }"#,
            "{ configuration_values = ",
            &["aws-ebs-csi-driver: controller.tolerations[0].operator", "without a key", r#""Exists""#],
        ),
        in_addons(
            "a_toleration_with_a_misspelt_operator",
            r#"{ vpc-cni = { configuration_values = { tolerations = [{ key = "a", oprator = "Exists" }] } } }"#,
            "{ configuration_values = ",
            &["vpc-cni: tolerations[0]", r#"unknown key "oprator""#, r#"mean "operator"?"#],
        ),
        in_addons(
            "a_toleration_with_an_unknown_operator",
            r#"{ eks-pod-identity-agent = { configuration_values = { tolerations = [{ key = "a", operator = "Exist" }] } } }"#,
            "{ configuration_values = ",
            &["tolerations[0].operator", r#""Exist""#, r#""Equal" or "Exists""#, r#"mean "Exists"?"#],
        ),
        in_addons(
            "a_toleration_with_an_unknown_effect",
            r#"{ vpc-cni = { configuration_values = { tolerations = [{ key = "a", operator = "Exists", effect = "NO_SCHEDULE" }] } } }"#,
            "{ configuration_values = ",
            &["tolerations[0].effect", r#""NO_SCHEDULE""#, r#""NoSchedule""#],
        ),
    ];
    all.into_iter().map(Mistake::seen_by_plan).collect()
}
