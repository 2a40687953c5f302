//! The schema of the provider block. Arguments that concern AWS are those of hashicorp/aws, so that a
//! block can be pasted; with the embedded catalog none of them is used.

use std::collections::BTreeMap;

use crate::tf::{Attribute, Block, BlockNesting, Mode, NestedBlock, Schema, Type};

fn optional(ty: Type, text: &str) -> Attribute {
    Attribute::new(ty, Mode::Optional, text)
}

fn block(description: &str, attributes: Vec<(&str, Attribute)>) -> Block {
    let attributes = attributes.into_iter().map(|(name, attribute)| (name.to_owned(), attribute)).collect();
    Block { description: description.to_owned(), attributes, blocks: BTreeMap::new() }
}

/// At most one block, as hashicorp/aws declares them.
fn single(block: Block) -> NestedBlock {
    NestedBlock { nesting: BlockNesting::List, block, min_items: 0, max_items: 1 }
}

/// The provider's schema.
pub(super) fn provider() -> Schema {
    let text = || Type::String;
    let mut root = block(
        "Schedules EKS add-ons on tainted node pools: version-exact `configuration_values`, checked and simulated at \
         plan time. Everything is optional; with an empty block, or none, nothing is read from AWS, the network or \
         the environment's credentials.",
        vec![
            (
                "catalog",
                optional(
                    text(),
                    "Where versions and schemas come from: `embedded` (default), the snapshot of the EKS \
                                  API in the binary, or `eks-api`.",
                ),
            ),
            ("region", optional(text(), "The AWS region.")),
            ("profile", optional(text(), "The profile of the shared configuration and credentials files.")),
            ("access_key", optional(text(), "The AWS access key.").sensitive()),
            ("secret_key", optional(text(), "The AWS secret key.").sensitive()),
            ("token", optional(text(), "The session token of temporary credentials.").sensitive()),
            ("shared_config_files", optional(Type::list(text()), "Paths of shared configuration files.")),
            ("shared_credentials_files", optional(Type::list(text()), "Paths of shared credentials files.")),
            ("custom_ca_bundle", optional(text(), "File with certificates to trust for the AWS API.")),
            ("http_proxy", optional(text(), "Proxy for plain HTTP.")),
            ("https_proxy", optional(text(), "Proxy for HTTPS.")),
            ("no_proxy", optional(text(), "Hosts that are reached without a proxy, joined by commas.")),
            ("use_fips_endpoint", optional(Type::Bool, "Whether FIPS endpoints are used.")),
            ("use_dualstack_endpoint", optional(Type::Bool, "Whether dual-stack endpoints are used.")),
            ("max_retries", optional(Type::Number, "How often a failed API call is tried again.")),
            ("retry_mode", optional(text(), "`standard` or `adaptive`.")),
        ],
    );
    root.blocks.insert("assume_role".into(), single(assume_role()));
    root.blocks.insert("assume_role_with_web_identity".into(), single(web_identity()));
    root.blocks.insert("endpoints".into(), single(endpoints()));
    Schema { version: 0, block: root }
}

fn endpoints() -> Block {
    let url = |service: &str| {
        optional(Type::String, &format!("The URL to use instead of the default one of {service}."))
    };
    block("Other endpoints of the AWS API.", vec![("eks", url("EKS")), ("sts", url("STS"))])
}

fn assume_role() -> Block {
    block(
        "A role to assume before the AWS API is called.",
        vec![
            ("role_arn", optional(Type::String, "The role's ARN.")),
            ("session_name", optional(Type::String, "A name for the session.")),
            ("external_id", optional(Type::String, "The external id that the role asks for.")),
            ("duration", optional(Type::String, "How long the session lasts, such as `1h`.")),
            ("policy", optional(Type::String, "A JSON policy that narrows the session.")),
            ("policy_arns", optional(Type::set(Type::String), "Managed policies that narrow the session.")),
            ("source_identity", optional(Type::String, "The source identity of the session.")),
            ("tags", optional(Type::map(Type::String), "Tags of the session.")),
            (
                "transitive_tag_keys",
                optional(Type::set(Type::String), "Tags that pass on to further sessions."),
            ),
        ],
    )
}

fn web_identity() -> Block {
    block(
        "A role to assume with a token of a web identity before the AWS API is called.",
        vec![
            ("role_arn", optional(Type::String, "The role's ARN.")),
            ("session_name", optional(Type::String, "A name for the session.")),
            ("duration", optional(Type::String, "How long the session lasts, such as `1h`.")),
            ("policy", optional(Type::String, "A JSON policy that narrows the session.")),
            ("policy_arns", optional(Type::set(Type::String), "Managed policies that narrow the session.")),
            ("web_identity_token", optional(Type::String, "The token.").sensitive()),
            ("web_identity_token_file", optional(Type::String, "A file that holds the token.")),
        ],
    )
}
