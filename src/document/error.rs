//! Why a text is no document.

use std::fmt;

use super::{MAX_BYTES, MAX_DEPTH, yaml};

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1. Characters in YAML, bytes in JSON (that is how `serde_json` counts).
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text is no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentError {
    /// Longer than [`MAX_BYTES`].
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Lists and objects nest deeper than [`MAX_DEPTH`].
    TooDeep {
        /// Where the limit is passed.
        at: Position,
    },
    /// Not JSON.
    Json {
        /// What the reader found and expected.
        message: String,
        /// Where.
        at: Position,
    },
    /// Not YAML.
    Yaml {
        /// What the reader found and expected.
        message: String,
        /// Where.
        at: Position,
    },
    /// A key stands twice in one object. Readers differ on which one wins.
    DuplicateKey {
        /// The key.
        key: String,
        /// Where it stands again.
        at: Position,
    },
    /// A second YAML document begins.
    SecondDocument {
        /// Where.
        at: Position,
    },
    /// A YAML key that JSON cannot hold.
    NotAKey {
        /// What it is: a list, a mapping, null.
        found: &'static str,
        /// Where.
        at: Position,
    },
    /// `<<`, which YAML 1.2 does not know and not every reader merges.
    MergeKey {
        /// Where.
        at: Position,
    },
    /// A tag that is not one of YAML's core schema, or that does not fit what it stands on.
    Tag {
        /// The tag.
        tag: String,
        /// What it stands on.
        on: String,
        /// Where.
        at: Position,
    },
    /// An alias stands inside the very value it repeats.
    EndlessAlias {
        /// Where.
        at: Position,
    },
    /// Anchors and aliases stand for more than any configuration needs: the "billion laughs".
    TooManyAliases {
        /// Where the limit is passed.
        at: Position,
    },
    /// A number that JSON cannot hold: `.inf`, `.nan`, or a based one of more than 128 bits.
    NotANumber {
        /// As it is written.
        text: String,
        /// Where.
        at: Position,
    },
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => {
                write!(f, "the text has {bytes} bytes: expected at most {MAX_BYTES}")
            }
            Self::TooDeep { at } => {
                write!(f, "lists and objects nest too deep at {at}: expected at most {MAX_DEPTH} levels")
            }
            Self::Json { message, at } => write!(f, "invalid JSON at {at}: {message}"),
            Self::Yaml { message, at } => write!(f, "invalid YAML at {at}: {message}"),
            Self::DuplicateKey { key, at } => {
                write!(f, "the key {key:?} appears again at {at}: expected each key of an object once")
            }
            Self::SecondDocument { at } => {
                write!(f, "a second YAML document begins at {at}: expected one")
            }
            Self::NotAKey { found, at } => {
                write!(f, "{found} stands as a key at {at}: expected a text")
            }
            Self::MergeKey { at } => write!(
                f,
                "a merge key (<<) stands at {at}: YAML 1.2 has none, expected the merged keys written out"
            ),
            Self::Tag { tag, on, at } => write!(
                f,
                "the tag {tag} stands on {on} at {at}: expected no tag, or one of YAML's core schema (!!str, \
                 !!int, !!float, !!bool, !!null, !!seq, !!map) that fits"
            ),
            Self::EndlessAlias { at } => {
                write!(f, "an alias stands inside the value it repeats at {at}: expected it after that value")
            }
            Self::TooManyAliases { at } => write!(
                f,
                "anchors and aliases repeat too much at {at}: expected at most {} values",
                yaml::MAX_REPEATED_VALUES
            ),
            Self::NotANumber { text, at } => {
                write!(f, "{text} at {at} has no spelling in JSON: expected a finite number")
            }
        }
    }
}

impl std::error::Error for DocumentError {}
