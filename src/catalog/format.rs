//! The text of one add-on in `catalog/snapshot/`, both ways. `catalog/README.md` explains it.

mod cells;
mod error;
mod read;
mod write;

pub(super) use cells::{read_kubernetes, write_kubernetes};
pub use error::FormatError;
pub(super) use read::{header, read};
pub(super) use write::write;
