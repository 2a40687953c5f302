//! What a developer needs to let Terraform use a provider that already runs (A9).

use serde_json::json;

use super::handshake::{Address, PLUGIN_PROTOCOL};

/// The provider's address in `required_providers`.
const PROVIDER: &str = "registry.terraform.io/eksaddon/eksaddon";

/// Says how to use this process from another terminal.
pub(crate) fn instructions(address: &Address) -> String {
    format!(
        "The provider runs until Ctrl-C. To make Terraform use it, run in another terminal:\n\n    \
         export TF_REATTACH_PROVIDERS='{}'\n",
        value(address, std::process::id()),
    )
}

/// The value of `TF_REATTACH_PROVIDERS`. `Test` tells Terraform not to end a process that it did not
/// start. No path of a socket of ours has a quote, unless the temporary directory has.
fn value(address: &Address, process: u32) -> String {
    let config = json!({
        "Protocol": "grpc",
        "ProtocolVersion": PLUGIN_PROTOCOL,
        "Pid": process,
        "Test": true,
        "Addr": {"Network": address.network(), "String": address.to_string()},
    });
    json!({ PROVIDER: config }).to_string().replace('\'', r"'\''")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_what_terraform_parses() {
        let json: serde_json::Value =
            serde_json::from_str(&value(&Address::Unix("/tmp/d/socket".into()), 7)).expect("JSON");
        let config = &json[PROVIDER];
        assert_eq!((&config["Pid"], &config["ProtocolVersion"]), (&json!(7), &json!(6)));
        assert_eq!(config["Addr"], json!({"Network": "unix", "String": "/tmp/d/socket"}));
    }
}
