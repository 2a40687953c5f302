//! JSON texts. `serde_json::Value` reads them too, but keeps the last of two equal keys in silence.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::MAX_DEPTH;
use super::error::{DocumentError, Position};

/// How `serde_json` hands over a number with all its digits (feature `arbitrary_precision`): as a map of
/// this one key. A text that spells this key itself is read as that number, by `serde_json` as well.
const NUMBER: &str = "$serde_json::private::Number";

/// Reads a JSON text.
pub(super) fn read(text: &str) -> Result<Value, DocumentError> {
    let refused = RefCell::new(None);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Node { depth: 0, refused: &refused }.deserialize(&mut deserializer);
    value.and_then(|value| deserializer.end().map(|()| value)).map_err(|error| {
        let at = Position { line: error.line(), column: error.column() };
        match refused.take() {
            Some(Refused::TooDeep) => DocumentError::TooDeep { at },
            Some(Refused::Duplicate(key)) => DocumentError::DuplicateKey { key, at },
            None => DocumentError::Json { message: without_place(&error), at },
        }
    })
}

/// The message alone: the place is told once, in our own words.
fn without_place(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    if let Some(place) = message.rfind(" at line ") {
        message.truncate(place);
    }
    message
}

/// What a visitor refuses. An error of serde is but a text, so the reason goes out beside it.
enum Refused {
    TooDeep,
    Duplicate(String),
}

/// One value of the text, below `depth` lists and objects.
#[derive(Clone, Copy)]
struct Node<'a> {
    depth: usize,
    refused: &'a RefCell<Option<Refused>>,
}

impl Node<'_> {
    fn below(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    fn refuse<T, E: serde::de::Error>(self, reason: Refused) -> Result<T, E> {
        *self.refused.borrow_mut() = Some(reason);
        Err(E::custom("refused"))
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    // Whole numbers of 64 bits come as such, all others as a map (see NUMBER): no digit is lost.
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        if self.depth == MAX_DEPTH {
            return self.refuse(Refused::TooDeep);
        }
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self.below())? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == NUMBER && entries.is_empty() {
                let text: String = map.next_value()?;
                return text.parse().map(Value::Number).map_err(A::Error::custom);
            }
            if self.depth == MAX_DEPTH {
                return self.refuse(Refused::TooDeep);
            }
            if entries.contains_key(&key) {
                return self.refuse(Refused::Duplicate(key));
            }
            let value = map.next_value_seed(self.below())?;
            entries.insert(key, value);
        }
        Ok(Value::Object(entries))
    }
}
