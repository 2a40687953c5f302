//! Why recorded answers make no catalog.

use std::fmt;

use crate::catalog::format::FormatError;
use crate::domain::version::NotAVersion;

/// Why the inputs make no catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefreshError {
    /// An input is not what it should be: broken JSON, or a field that this code does not know.
    Input {
        /// `versions` or `surface`.
        input: &'static str,
        /// What `serde_json` says.
        message: String,
    },
    /// An add-on is in one of the inputs only.
    Unpaired {
        /// The add-on.
        addon: String,
    },
    /// A text that is no version.
    Version {
        /// The add-on.
        addon: String,
        /// The text.
        found: NotAVersion,
    },
    /// The versions of the inputs differ, or are not in order: runs of versions then mean nothing.
    Order {
        /// The add-on.
        addon: String,
    },
    /// A row of the surface that this code does not understand.
    Row {
        /// The add-on.
        addon: String,
        /// The path of the row.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The text that was written does not say what it was written from.
    Unfaithful {
        /// The add-on.
        addon: String,
        /// Why it cannot be read, if so.
        why: Option<FormatError>,
    },
}

impl fmt::Display for RefreshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { input, message } => write!(f, "the input {input} is not as expected: {message}"),
            Self::Unpaired { addon } => write!(f, "{addon} is in one input only: expected it in both"),
            Self::Version { addon, found } => write!(f, "{addon}: {found}"),
            Self::Order { addon } => {
                write!(f, "{addon}: version_order is not the versions listed, each once and ascending")
            }
            Self::Row { addon, path, problem } => write!(f, "{addon}, row {path}: {problem}"),
            Self::Unfaithful { addon, why: Some(why) } => {
                write!(f, "{addon}: cannot read its text back: {why}")
            }
            Self::Unfaithful { addon, why: None } => {
                write!(
                    f,
                    "{addon}: its text reads back as something else: does a name hold two spaces or a comma?"
                )
            }
        }
    }
}

impl std::error::Error for RefreshError {}
