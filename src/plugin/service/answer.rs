//! Responses that can carry a failure: users' mistakes and our bugs are diagnostics, since Terraform
//! shows a gRPC error as a crash of the plugin (D5).

use crate::plugin::convert;
use crate::plugin::proto::tfplugin6 as wire;
use crate::tf::{Diagnostic, Diagnostics};

/// A response of which a diagnostic makes a failed one.
pub(crate) trait Answer: Default + Send + 'static {
    /// The response that says only what went wrong.
    fn failed(diagnostic: Diagnostic) -> Self;
}

/// For responses with a field `diagnostics`.
macro_rules! answers {
    ($($rpc:ident),* $(,)?) => {
        $(impl Answer for wire::$rpc::Response {
            // Some responses have no other field.
            #[allow(clippy::needless_update)]
            fn failed(diagnostic: Diagnostic) -> Self {
                let diagnostics = convert::diagnostics(Diagnostics::from(diagnostic));
                Self { diagnostics, ..Self::default() }
            }
        })*
    };
}

answers!(
    get_metadata,
    get_provider_schema,
    validate_provider_config,
    configure_provider,
    validate_data_resource_config,
    read_data_source,
    validate_resource_config,
    upgrade_resource_state,
    read_resource,
    plan_resource_change,
    apply_resource_change,
    import_resource_state,
    move_resource_state,
    get_functions,
);

/// A function has one text and no diagnostics (J4).
impl Answer for wire::call_function::Response {
    fn failed(diagnostic: Diagnostic) -> Self {
        let text = format!("{}: {}", diagnostic.summary, diagnostic.detail);
        Self { result: None, error: Some(wire::FunctionError { text, function_argument: None }) }
    }
}
