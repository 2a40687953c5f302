//! What is wrong with an add-on's values: against the JSON Schema of the very version, and against
//! what Kubernetes makes of tolerations and affinity, which the schema leaves open.

mod kubernetes;
mod lists;
mod schema;
#[cfg(test)]
mod tests;

pub use kubernetes::{check as check_kubernetes, check_lists};
pub use schema::{CompiledSchema, NotASchema, SchemaError};
