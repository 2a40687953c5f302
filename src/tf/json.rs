//! Values as JSON, directed by their type: the second form of a `DynamicValue` (C1, C11).

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Json;

use super::{Number, Type, Value};

/// Why a JSON document is not a value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub String);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads a value of `ty`. JSON cannot say unknown, so the result is wholly known.
///
/// # Errors
/// A document that does not fit the type.
pub fn decode(json: &Json, ty: &Type) -> Result<Value, DecodeError> {
    let mismatch = || DecodeError(format!("expected {ty}, found {json}"));
    match (ty, json) {
        // A dynamic null may come with its type; a plain null has none.
        (_, Json::Null) => Ok(Value::Null),
        (Type::Bool, Json::Bool(flag)) => Ok(Value::Bool(*flag)),
        (Type::Number, Json::Number(number)) => {
            number.to_string().parse().map(Value::Number).map_err(|_| mismatch())
        }
        (Type::String, Json::String(text)) => Ok(Value::string(text.clone())),
        (Type::List(element) | Type::Set(element), Json::Array(elements)) => {
            let elements = elements.iter().map(|json| decode(json, element));
            elements.collect::<Result<_, _>>().map(Value::Sequence)
        }
        (Type::Tuple(types), Json::Array(elements)) if types.len() == elements.len() => {
            let elements = elements.iter().zip(types).map(|(json, ty)| decode(json, ty));
            elements.collect::<Result<_, _>>().map(Value::Sequence)
        }
        (Type::Map(element), Json::Object(entries)) => {
            let entries = entries.iter().map(|(key, json)| Ok((key.clone(), decode(json, element)?)));
            entries.collect::<Result<_, _>>().map(Value::Mapping)
        }
        (Type::Object(types), Json::Object(entries)) => decode_object(entries, types),
        (Type::Dynamic, Json::Object(pair)) => {
            let ty = pair.get("type").ok_or_else(mismatch)?;
            let ty = Type::from_json(ty).map_err(|error| DecodeError(error.to_string()))?;
            let value = decode(pair.get("value").unwrap_or(&Json::Null), &ty)?;
            Ok(Value::Dynamic(Box::new((ty, value))))
        }
        _ => Err(mismatch()),
    }
}

fn decode_object(
    entries: &serde_json::Map<String, Json>,
    types: &BTreeMap<String, Type>,
) -> Result<Value, DecodeError> {
    if let Some(extra) = entries.keys().find(|name| !types.contains_key(*name)) {
        return Err(DecodeError(format!("the object has no attribute {extra:?}")));
    }
    let attributes = types.iter().map(|(name, ty)| {
        let json = entries.get(name).unwrap_or(&Json::Null);
        Ok((name.clone(), decode(json, ty)?))
    });
    attributes.collect::<Result<_, _>>().map(Value::Mapping)
}

/// The plain JSON of a known value, as Terraform's `jsonencode` writes it, without types.
/// `None` if any part of it is unknown.
#[must_use]
pub fn plain(value: &Value) -> Option<Json> {
    Some(match value {
        Value::Null => Json::Null,
        Value::Unknown(_) => return None,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Number(number) => Json::Number(json_number(number)),
        Value::String(text) => Json::String(text.clone()),
        Value::Sequence(elements) => Json::Array(elements.iter().map(plain).collect::<Option<_>>()?),
        Value::Mapping(entries) => Json::Object(
            entries.iter().map(|(key, value)| Some((key.clone(), plain(value)?))).collect::<Option<_>>()?,
        ),
        Value::Dynamic(inner) => plain(&inner.1)?,
    })
}

/// With arbitrary precision a JSON number keeps its text, so this loses nothing.
fn json_number(number: &Number) -> serde_json::Number {
    let text = number.to_string();
    serde_json::from_str(&text).unwrap_or_else(|_| unreachable!("{text} is valid JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_becomes_the_value_its_type_says() {
        let ty = Type::object([
            ("n", Type::Number),
            ("t", Type::Tuple(vec![Type::Bool, Type::String])),
            ("d", Type::Dynamic),
            ("m", Type::map(Type::set(Type::String))),
        ]);
        let json = json!({"n": 1.50, "t": [true, "x"], "m": {"k": ["v"]},
            "d": {"type": ["list", "number"], "value": [1]}});
        let value = decode(&json, &ty).expect("decodes");
        assert_eq!(value.get("n"), &Value::Number("1.5".parse().expect("a number")));
        assert_eq!(plain(value.get("d")), Some(json!([1])));
        let list = Value::Sequence(vec![Value::Number(Number::from(1_i64))]);
        assert_eq!(value.get("d"), &Value::Dynamic(Box::new((Type::list(Type::Number), list))));
        assert_eq!(plain(value.get("m")), Some(json!({"k": ["v"]})));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (json, ty) in [
            (json!("1"), Type::Number),
            (json!({"a": 1}), Type::object([])),
            (json!([1]), Type::Tuple(vec![])),
            (json!({"value": 1}), Type::Dynamic),
        ] {
            assert!(decode(&json, &ty).is_err(), "{json} as {ty}");
        }
    }

    #[test]
    fn a_huge_number_keeps_every_digit() {
        let json: Json = serde_json::from_str("123456789012345678901234567890").expect("json");
        let value = decode(&json, &Type::Number).expect("decodes");
        assert_eq!(plain(&value).map(|json| json.to_string()), Some(json.to_string()));
        assert_eq!(plain(&Value::unknown()), None);
    }
}
