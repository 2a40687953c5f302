//! Texts of JSON and YAML, as `configuration_values` takes them, read strictly into one JSON value.
//!
//! EKS reads both languages, and readers differ where a text is sloppy: a key given twice, `no` that is
//! a boolean here and a word there, a number that loses digits. So nothing is guessed: a doubtful text
//! is refused with its place, and what YAML 1.1 would read otherwise is told as a [`Note`].

mod canonical;
mod error;
mod json;
mod note;
mod scalar;
#[cfg(test)]
mod tests;
mod yaml;

use serde_json::Value;

pub use canonical::canonical;
pub use error::{DocumentError, Position};
pub use note::Note;

/// The longest text that is read. EKS's own limit for configuration values is far lower; this one keeps
/// a file given by mistake from filling the memory.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// How deep lists and objects may nest. `serde_json` stops at 127 by itself; staying below it gives one
/// limit, and one message, for both languages. Whoever drops or walks a value may then recurse.
pub const MAX_DEPTH: usize = 100;

/// A text that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What the text says; an empty text says null.
    pub value: Value,
    /// What another reader might understand otherwise, in the order of the text.
    pub notes: Vec<Note>,
}

/// Reads a text of JSON or of YAML 1.2.
///
/// JSON is nearly a subset of YAML. A text that begins like JSON is read as JSON first; if it is not
/// JSON but valid YAML (flow style, say) it is taken as YAML, and if it is neither, the error is that
/// of the language it looks like.
///
/// # Errors
/// The first thing that is wrong, with line and column.
pub fn parse(text: &str) -> Result<Document, DocumentError> {
    if text.len() > MAX_BYTES {
        return Err(DocumentError::TooLong { bytes: text.len() });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[', '"']) {
        return yaml::read(text);
    }
    match json::read(text) {
        Ok(value) => Ok(Document { value, notes: Vec::new() }),
        Err(DocumentError::Json { message, at }) => match yaml::read(text) {
            Ok(document) if !looks_like_json(text) => Ok(document),
            Ok(Document { value, mut notes }) => {
                notes.insert(0, Note::NotJson { message, at });
                Ok(Document { value, notes })
            }
            // JSON would only speak of trailing characters.
            Err(error @ DocumentError::SecondDocument { .. }) => Err(error),
            Err(_) if looks_like_json(text) => Err(DocumentError::Json { message, at }),
            Err(error) => Err(error),
        },
        Err(refused) => Err(refused),
    }
}

/// Whether the author meant JSON: an object whose first key is quoted, or a list of what JSON knows.
/// `{a: b}` and `"a": b` are YAML by intent.
fn looks_like_json(text: &str) -> bool {
    let mut chars = text.chars().filter(|c| !c.is_whitespace());
    match (chars.next(), chars.next()) {
        (Some('{' | '['), None) => true,
        (Some('{'), Some(next)) => matches!(next, '"' | '}'),
        (Some('['), Some(next)) => matches!(next, '{' | '[' | '"' | ']') || next.is_ascii_digit(),
        _ => false,
    }
}
