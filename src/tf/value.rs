//! A Terraform value: what a configuration, a state or a result holds.

use std::collections::BTreeMap;

use super::{Number, Type};

/// A value. Its type is known from the schema; only a [`Value::Dynamic`] carries its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Absent. Any type has it.
    Null,
    /// Not known before apply; the refinements narrow what it may become.
    Unknown(Refinements),
    /// A bool.
    Bool(bool),
    /// A number without loss.
    Number(Number),
    /// A string.
    String(String),
    /// A list, set or tuple.
    Sequence(Vec<Value>),
    /// A map or an object.
    Mapping(BTreeMap<String, Value>),
    /// The value of a `dynamic` attribute together with the type it came with.
    Dynamic(Box<(Type, Value)>),
}

/// What is known of an unknown value. All may be ignored by who reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refinements {
    /// `Some(false)`: certainly not null; `Some(true)`: certainly null.
    pub nullness: Option<bool>,
    /// A string that begins like this.
    pub prefix: Option<String>,
    /// Lower bound of a number, and whether the bound itself is possible.
    pub minimum: Option<(Number, bool)>,
    /// Upper bound of a number, and whether the bound itself is possible.
    pub maximum: Option<(Number, bool)>,
    /// Least number of elements of a collection.
    pub min_length: Option<u64>,
    /// Greatest number of elements of a collection.
    pub max_length: Option<u64>,
}

impl Value {
    /// An unknown value of which nothing else is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self::Unknown(Refinements::default())
    }

    /// An unknown value that will certainly not be null.
    #[must_use]
    pub fn unknown_not_null() -> Self {
        Self::Unknown(Refinements { nullness: Some(false), ..Refinements::default() })
    }

    /// A string.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// A string, or null for `None`.
    pub fn optional_string(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Null, |text| Self::String(text.into()))
    }

    /// A list of strings.
    pub fn strings(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Sequence(texts.into_iter().map(Self::string).collect())
    }

    /// An object or map.
    pub fn mapping<K: Into<String>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Mapping(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The value inside any number of dynamic wrappers.
    #[must_use]
    pub fn undressed(&self) -> &Self {
        match self {
            Self::Dynamic(inner) => inner.1.undressed(),
            other => other,
        }
    }

    /// Whether the value is null, also inside a dynamic one.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.undressed(), Self::Null)
    }

    /// Whether no part of the value is unknown.
    #[must_use]
    pub fn is_wholly_known(&self) -> bool {
        match self {
            Self::Unknown(_) => false,
            Self::Sequence(elements) => elements.iter().all(Self::is_wholly_known),
            Self::Mapping(entries) => entries.values().all(Self::is_wholly_known),
            Self::Dynamic(inner) => inner.1.is_wholly_known(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => true,
        }
    }

    /// The attribute of an object or the element of a map; null where there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &Self {
        match self.undressed() {
            Self::Mapping(entries) => entries.get(name).unwrap_or(&Self::Null),
            _ => &Self::Null,
        }
    }
}
