//! What a text says here and might say otherwise to another reader.

use std::fmt;

use super::error::Position;

/// Something that is well-defined, but not for every reader of YAML.
///
/// `path` is the way from the root: keys, and indexes of lists from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A plain `no`, `yes`, `on`, `off`, `y` or `n`: a text here, a boolean in YAML 1.1. It may also be
    /// the last key of the path itself.
    Yaml11Boolean {
        /// Where it stands.
        path: Vec<String>,
        /// As it is written.
        text: String,
    },
    /// A plain scalar that YAML 1.1 reads as another number: `0777`, `0b11`, `0o17`, `1_000`, `1:30`.
    Yaml11Number {
        /// Where it stands.
        path: Vec<String>,
        /// As it is written.
        text: String,
    },
    /// The text looks like JSON and is none, but it is valid YAML and was read as such.
    NotJson {
        /// What is wrong with it as JSON.
        message: String,
        /// Where that is.
        at: Position,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yaml11Boolean { path, text } => write!(
                f,
                "{}: `{text}` is the text {text:?} in YAML 1.2, but a boolean to readers of YAML 1.1; \
                 quote it, or write true or false",
                Dotted(path)
            ),
            Self::Yaml11Number { path, text } => write!(
                f,
                "{}: `{text}` is not the same value to readers of YAML 1.1; quote a text, or write a number in \
                 plain decimal digits",
                Dotted(path)
            ),
            Self::NotJson { message, at } => {
                write!(f, "the text looks like JSON but was read as YAML: as JSON, {message} at {at}")
            }
        }
    }
}

/// `controller.tolerations.0.key`, or `the document` for the root.
struct Dotted<'a>(&'a [String]);

impl fmt::Display for Dotted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("the document") } else { f.write_str(&self.0.join(".")) }
    }
}
