//! Why a text of the catalog is unreadable.

use std::fmt;

/// Why a text of the catalog is unreadable. Lines count from 1; a text that ends too early has line 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// A line that should name something else.
    Line {
        /// Its number.
        line: usize,
        /// As it is.
        found: String,
        /// What it should begin with.
        expected: String,
    },
    /// A line with too few cells.
    Cells {
        /// Its number.
        line: usize,
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A cell that says nothing valid.
    Cell {
        /// The line's number.
        line: usize,
        /// As it is.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, found, expected } => {
                write!(f, "line {line} is {found:?}: expected {expected}")
            }
            Self::Cells { line, found, expected } => {
                write!(f, "line {line} has {found} cells: expected {expected}, two spaces between them")
            }
            Self::Cell { line, found, expected } => {
                write!(f, "line {line} says {found:?}: expected {expected}")
            }
        }
    }
}

impl std::error::Error for FormatError {}
