//! What each RPC does: convert, call, convert. One method per RPC, without gRPC around it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::guard::bug;
use crate::plugin::convert;
use crate::plugin::proto::tfplugin6 as wire;
use crate::tf::{ConfigureRequest, DataSource, Diagnostic, Diagnostics, Path, Provider, Reply, Type, Value};

/// A provider, and what is worked out once from its schemas.
pub(crate) struct Calls<P> {
    provider: P,
    provider_type: OnceLock<Type>,
    /// By type name. A plan may read a thousand data sources; each needs the type of its block.
    data_source_types: OnceLock<BTreeMap<&'static str, OnceLock<Type>>>,
}

impl<P: Provider> Calls<P> {
    pub(crate) fn new(provider: P) -> Self {
        Self { provider, provider_type: OnceLock::new(), data_source_types: OnceLock::new() }
    }

    /// Terraform may keep the schema of an earlier call and never ask this process (B7).
    fn capabilities() -> wire::ServerCapabilities {
        wire::ServerCapabilities { get_provider_schema_optional: true, ..Default::default() }
    }

    pub(crate) fn metadata(&self) -> wire::get_metadata::Response {
        let data_source =
            |(name, _): (&str, _)| wire::get_metadata::DataSourceMetadata { type_name: name.into() };
        wire::get_metadata::Response {
            server_capabilities: Some(Self::capabilities()),
            data_sources: self.provider.data_sources().into_iter().map(data_source).collect(),
            ..Default::default()
        }
    }

    /// Neither network nor configuration matter, and every call gives the same (B8).
    pub(crate) fn schema(&self) -> wire::get_provider_schema::Response {
        let data_source =
            |(name, it): (&str, &dyn DataSource)| (name.to_owned(), convert::schema(&it.schema()));
        wire::get_provider_schema::Response {
            provider: Some(convert::schema(&self.provider.schema())),
            data_source_schemas: self.provider.data_sources().into_iter().map(data_source).collect(),
            server_capabilities: Some(Self::capabilities()),
            ..Default::default()
        }
    }

    pub(crate) fn validate_provider(
        &self,
        request: wire::validate_provider_config::Request,
    ) -> Result<wire::validate_provider_config::Response, Diagnostic> {
        let config = decode(request.config, self.provider_type(), "the provider block")?;
        let diagnostics = convert::diagnostics(self.provider.validate_config(&config));
        Ok(wire::validate_provider_config::Response { diagnostics })
    }

    pub(crate) async fn configure(
        &self,
        request: wire::configure_provider::Request,
    ) -> Result<wire::configure_provider::Response, Diagnostic> {
        let config = decode(request.config, self.provider_type(), "the provider block")?;
        let terraform_version = request.terraform_version;
        let request = ConfigureRequest { config, terraform_version };
        let diagnostics = convert::diagnostics(self.provider.configure(request).await);
        Ok(wire::configure_provider::Response { diagnostics })
    }

    pub(crate) fn validate_data_source(
        &self,
        request: wire::validate_data_resource_config::Request,
    ) -> Result<wire::validate_data_resource_config::Response, Diagnostic> {
        let (source, ty) = self.data_source(&request.type_name)?;
        let config = decode(request.config, ty, &request.type_name)?;
        let diagnostics = convert::diagnostics(source.validate(&config));
        Ok(wire::validate_data_resource_config::Response { diagnostics })
    }

    pub(crate) async fn read_data_source(
        &self,
        request: wire::read_data_source::Request,
    ) -> Result<wire::read_data_source::Response, Diagnostic> {
        let (source, ty) = self.data_source(&request.type_name)?;
        let config = decode(request.config, ty, &request.type_name)?;
        let (state, diagnostics) = encode(source.read(config).await, ty, &request.type_name)?;
        let diagnostics = convert::diagnostics(diagnostics);
        Ok(wire::read_data_source::Response { state, diagnostics, deferred: None })
    }

    fn provider_type(&self) -> &Type {
        self.provider_type.get_or_init(|| self.provider.schema().block.implied_type())
    }

    fn data_source(&self, name: &str) -> Result<(&dyn DataSource, &Type), Diagnostic> {
        let types = self.data_source_types.get_or_init(|| {
            self.provider.data_sources().into_iter().map(|(name, _)| (name, OnceLock::new())).collect()
        });
        match (self.provider.data_source(name), types.get(name)) {
            (Some(source), Some(ty)) => Ok((source, ty.get_or_init(|| source.schema().block.implied_type()))),
            _ => Err(unknown("data source", name)),
        }
    }
}

/// What is asked for does not exist: another version of the provider wrote the state or the schema
/// that Terraform goes by.
pub(crate) fn unknown(kind: &str, name: &str) -> Diagnostic {
    let version = env!("CARGO_PKG_VERSION");
    let detail = format!("Version {version} of the eksaddon provider has no {kind} {name:?}.");
    Diagnostic::error(Path::root(), format!("Unknown {kind}"), detail)
}

fn decode(wire: Option<wire::DynamicValue>, ty: &Type, what: &str) -> Result<Value, Diagnostic> {
    convert::value(wire, ty).map_err(|why| {
        let detail = format!(
            "Terraform sent a value for {what} that does not fit its schema: {why}.\n\nThis is a bug in the \
             provider or in Terraform, or two versions of the provider are in use at once."
        );
        Diagnostic::error(Path::root(), "Unreadable value", detail)
    })
}

/// A reply without value must say why, and a value must fit the schema; core would report either in
/// words that blame nobody (H1, C13).
fn encode(
    (value, diagnostics): Reply,
    ty: &Type,
    what: &str,
) -> Result<(Option<wire::DynamicValue>, Diagnostics), Diagnostic> {
    let Some(value) = value else {
        return if diagnostics.has_errors() {
            Ok((None, diagnostics))
        } else {
            Err(bug(format!("{what} gave neither a value nor an error.")))
        };
    };
    let value = convert::dynamic_value(&value, ty)
        .map_err(|why| bug(format!("{what} gave a value that does not fit its schema: {why}.")))?;
    Ok((Some(value), diagnostics))
}
