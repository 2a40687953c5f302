//! What a provider offers to Terraform, in Terraform's terms. `plugin` serves any of these.

use std::future::Future;
use std::pin::Pin;

use super::{Diagnostics, Schema, Value};

/// A piece of work that may wait. Dropping it cancels it: that is all `StopProvider` needs.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A value, or none when errors say why, together with what the user is told.
pub type Reply = (Option<Value>, Diagnostics);

/// A provider: its own configuration and the things it offers, by type name.
pub trait Provider: Send + Sync + 'static {
    /// The schema of the provider's own block. Constant: Terraform caches it (rule B8).
    fn schema(&self) -> Schema;

    /// Checks the provider block; unknown values are normal and never an error (D1).
    fn validate_config(&self, config: &Value) -> Diagnostics;

    /// Takes the provider block for the calls that follow. Must not connect to anything (K1).
    fn configure(&self, request: ConfigureRequest) -> Work<'_, Diagnostics>;

    /// All data sources by type name.
    fn data_sources(&self) -> Vec<(&'static str, &dyn DataSource)>;

    /// One data source.
    fn data_source(&self, type_name: &str) -> Option<&dyn DataSource> {
        self.data_sources().into_iter().find_map(|(name, it)| (name == type_name).then_some(it))
    }
}

/// The provider block, and who asks.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigureRequest {
    /// The provider block; may hold unknown values during plan (K1).
    pub config: Value,
    /// The version of Terraform, for the user agent only (K2).
    pub terraform_version: String,
}

/// A data source.
pub trait DataSource: Send + Sync {
    /// Its schema. Constant.
    fn schema(&self) -> Schema;

    /// Checks a configuration in which anything may be unknown (D1).
    fn validate(&self, config: &Value) -> Diagnostics;

    /// Reads. The configuration is wholly known; the result echoes it (H2) and is wholly known (H1).
    fn read(&self, config: Value) -> Work<'_, Reply>;
}
