//! Terraform's own words, without gRPC: types, values, schemas, paths and diagnostics.
//!
//! Nothing here knows how bytes reach the process or what the provider does. `plugin` converts
//! the wire into these types; `provider` is written in them.

pub mod diagnostic;
pub mod json;
pub mod msgpack;
pub mod number;
pub mod path;
pub mod provider;
pub mod schema;
pub mod types;
pub mod value;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use number::Number;
pub use path::{Path, Step};
pub use provider::{ConfigureRequest, DataSource, Provider, Reply};
pub use schema::{Attribute, AttributeType, Block, BlockNesting, Mode, NestedBlock, Nesting, Schema};
pub use types::Type;
pub use value::{Refinements, Value};
