//! Terraform's type constraints and their JSON form.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value as Json, json};

/// A type constraint as in the plugin protocol's object wire format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool,
    /// `number`
    Number,
    /// `string`
    String,
    /// `dynamic`: every value brings its own type.
    Dynamic,
    /// `list(T)`
    List(Box<Type>),
    /// `set(T)`
    Set(Box<Type>),
    /// `map(T)`
    Map(Box<Type>),
    /// `tuple([T, ...])`
    Tuple(Vec<Type>),
    /// `object({name = T, ...})`
    Object(BTreeMap<String, Type>),
}

/// A JSON text that is not a type constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAType(pub String);

impl fmt::Display for NotAType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a Terraform type constraint: {}", self.0)
    }
}

impl Type {
    /// `list(element)`
    #[must_use]
    pub fn list(element: Self) -> Self {
        Self::List(Box::new(element))
    }

    /// `set(element)`
    #[must_use]
    pub fn set(element: Self) -> Self {
        Self::Set(Box::new(element))
    }

    /// `map(element)`
    #[must_use]
    pub fn map(element: Self) -> Self {
        Self::Map(Box::new(element))
    }

    /// `object({name = type, ...})`
    pub fn object<'a>(attributes: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Object(attributes.into_iter().map(|(name, ty)| (name.to_owned(), ty)).collect())
    }

    /// Whether `dynamic` occurs at any depth.
    #[must_use]
    pub fn has_dynamic(&self) -> bool {
        match self {
            Self::Bool | Self::Number | Self::String => false,
            Self::Dynamic => true,
            Self::List(element) | Self::Set(element) | Self::Map(element) => element.has_dynamic(),
            Self::Tuple(elements) => elements.iter().any(Self::has_dynamic),
            Self::Object(attributes) => attributes.values().any(Self::has_dynamic),
        }
    }

    /// The JSON form that the protocol uses in schemas and beside dynamic values.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Bool => json!("bool"),
            Self::Number => json!("number"),
            Self::String => json!("string"),
            Self::Dynamic => json!("dynamic"),
            Self::List(element) => json!(["list", element.to_json()]),
            Self::Set(element) => json!(["set", element.to_json()]),
            Self::Map(element) => json!(["map", element.to_json()]),
            Self::Tuple(elements) => {
                json!(["tuple", elements.iter().map(Self::to_json).collect::<Vec<_>>()])
            }
            Self::Object(attributes) => {
                let attributes: serde_json::Map<_, _> =
                    attributes.iter().map(|(name, ty)| (name.clone(), ty.to_json())).collect();
                json!(["object", attributes])
            }
        }
    }

    /// Reads the JSON form. A third element of an object type, its optional attributes, does not
    /// concern values and is passed over.
    ///
    /// # Errors
    /// Anything that is not a type constraint.
    pub fn from_json(json: &Json) -> Result<Self, NotAType> {
        let bad = || NotAType(json.to_string());
        match json {
            Json::String(name) => match name.as_str() {
                "bool" => Ok(Self::Bool),
                "number" => Ok(Self::Number),
                "string" => Ok(Self::String),
                "dynamic" => Ok(Self::Dynamic),
                _ => Err(bad()),
            },
            Json::Array(parts) => match (parts.first().and_then(Json::as_str), parts.get(1)) {
                (Some("list"), Some(element)) => Ok(Self::list(Self::from_json(element)?)),
                (Some("set"), Some(element)) => Ok(Self::set(Self::from_json(element)?)),
                (Some("map"), Some(element)) => Ok(Self::map(Self::from_json(element)?)),
                (Some("tuple"), Some(Json::Array(elements))) => {
                    elements.iter().map(Self::from_json).collect::<Result<_, _>>().map(Self::Tuple)
                }
                (Some("object"), Some(Json::Object(attributes))) => attributes
                    .iter()
                    .map(|(name, ty)| Ok((name.clone(), Self::from_json(ty)?)))
                    .collect::<Result<_, _>>()
                    .map(Self::Object),
                _ => Err(bad()),
            },
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Type {
    /// The type as an author of HCL writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::Dynamic => f.write_str("any"),
            Self::List(element) => write!(f, "list of {element}"),
            Self::Set(element) => write!(f, "set of {element}"),
            Self::Map(element) => write!(f, "map of {element}"),
            Self::Tuple(_) => f.write_str("list"),
            Self::Object(_) => f.write_str("object"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_survives_its_json_form() {
        let ty = Type::object([
            ("a", Type::Bool),
            ("b", Type::list(Type::set(Type::Number))),
            ("c", Type::map(Type::Tuple(vec![Type::String, Type::Dynamic]))),
        ]);
        assert_eq!(Type::from_json(&ty.to_json()), Ok(ty.clone()));
        assert!(ty.has_dynamic());
    }

    #[test]
    fn optional_attributes_are_passed_over_and_nonsense_is_refused() {
        let with_optional = json!(["object", {"a": "string"}, ["a"]]);
        assert_eq!(Type::from_json(&with_optional), Ok(Type::object([("a", Type::String)])));
        for nonsense in [json!("str"), json!(["list"]), json!(["object", []]), json!(3)] {
            assert!(Type::from_json(&nonsense).is_err(), "{nonsense}");
        }
    }
}
