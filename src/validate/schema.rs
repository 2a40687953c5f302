//! JSON Schema: compiled once, checked often, every error with its path and the nearest valid key.

use std::collections::BTreeMap;
use std::fmt;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value as Json;

use crate::domain::nearest;
use crate::domain::toleration::kind_of;
use crate::domain::values::ValuesPath;

/// A schema that is ready to check values.
#[derive(Debug)]
pub struct CompiledSchema {
    validator: Validator,
    schema: Json,
}

/// One way in which values do not satisfy a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// Where, such as `controller.tolerations[0]`; empty for the values as a whole.
    pub path: String,
    /// What was found, what is expected and what may have been meant.
    pub message: String,
}

/// A schema that is none; holds why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASchema(pub String);

impl fmt::Display for NotASchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl CompiledSchema {
    /// Compiles a schema. Patterns run on the linear engine: a hostile one cannot hang a plan.
    ///
    /// # Errors
    /// A schema that does not compile.
    pub fn compile(schema: Json) -> Result<Self, NotASchema> {
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(&schema).map_err(|error| NotASchema(error.to_string()))?;
        Ok(Self { validator, schema })
    }

    /// Compiles a schema that nobody asked for: the first of a process also reads the meta-schema, which
    /// takes a millisecond that the first plan should not wait for.
    pub fn warm_up() {
        drop(Self::compile(serde_json::json!({"$schema": "http://json-schema.org/draft-07/schema#"})));
    }

    /// Every error, in order of its path.
    #[must_use]
    pub fn check(&self, values: &Json) -> Vec<SchemaError> {
        if self.validator.is_valid(values) {
            return Vec::new();
        }
        // A wrong value breaks several keywords: what it may be says most, then its type, and one is enough.
        let mut found: BTreeMap<String, (u8, String)> = BTreeMap::new();
        for error in self.validator.iter_errors(values) {
            let rank = match error.kind() {
                ValidationErrorKind::Enum { .. } => 0,
                ValidationErrorKind::Type { .. } => 1,
                _ => 2,
            };
            for (path, message) in self.explain(&error, values) {
                let explanation = (rank, message);
                let best = found.entry(path).or_insert_with(|| explanation.clone());
                if explanation < *best {
                    *best = explanation;
                }
            }
        }
        found.into_iter().map(|(path, (_, message))| SchemaError { path, message }).collect()
    }

    fn explain(&self, error: &ValidationError<'_>, values: &Json) -> Vec<(String, String)> {
        let path = dotted(error.instance_path().as_str(), values);
        let found = error.instance();
        let message = match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let pointer = error.schema_path().to_string();
                return unexpected
                    .iter()
                    .map(|key| (join(&path, key), self.unknown_key(key, found.get(key), &pointer)))
                    .collect();
            }
            ValidationErrorKind::Type { kind } => {
                let expected = match kind {
                    TypeKind::Single(one) => one.to_string(),
                    TypeKind::Multiple(several) => {
                        several.iter().map(|it| it.to_string()).collect::<Vec<_>>().join(" or ")
                    }
                };
                let hint =
                    if expected == "string" && !found.is_array() && !found.is_object() && !found.is_null() {
                        format!(": \"{found}\" in quotes")
                    } else {
                        String::new()
                    };
                format!("found {}, expected {expected}{hint}", shown(found))
            }
            ValidationErrorKind::Enum { options } => {
                let names: Vec<_> =
                    options.as_array().into_iter().flatten().map(ToString::to_string).collect();
                let texts = options.as_array().into_iter().flatten().filter_map(Json::as_str);
                let near = found.as_str().and_then(|found| nearest(found, texts));
                let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
                format!("found {}, expected one of {}{near}", shown(found), some(&names))
            }
            ValidationErrorKind::Minimum { limit } => {
                format!("found {}, expected at least {limit}", shown(found))
            }
            ValidationErrorKind::Maximum { limit } => {
                format!("found {}, expected at most {limit}", shown(found))
            }
            ValidationErrorKind::FalseSchema => "no key is allowed here".to_owned(),
            ValidationErrorKind::Required { property } => format!("the key {property} is missing"),
            _ => error.to_string(),
        };
        vec![(path, message)]
    }

    /// What a key may have been meant as: a key beside it, the same key elsewhere in the schema, or a
    /// wrapping that does not belong there.
    fn unknown_key(&self, key: &str, value: Option<&Json>, schema_path: &str) -> String {
        let parent = schema_path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let properties = self.schema.pointer(parent).and_then(|schema| schema.get("properties"));
        let keys: Vec<&str> =
            properties.and_then(Json::as_object).into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        let mut elsewhere = Vec::new();
        places_of(key, &self.schema, &mut Vec::new(), &mut elsewhere);
        elsewhere.sort_by_key(|path| path.matches('.').count());
        let valid = if keys.is_empty() { "no keys".to_owned() } else { some(&keys) };
        let members = value.and_then(Json::as_object);
        if members.is_some_and(|it| !it.is_empty() && it.keys().all(|key| keys.contains(&key.as_str()))) {
            return format!("unknown key; its members belong one level up. Valid here: {valid}");
        }
        let near = nearest(key, keys.iter().copied());
        match (near, elsewhere.as_slice()) {
            (Some(near), _) => format!("unknown key, did you mean {near:?}? Valid here: {valid}"),
            (None, []) => format!("unknown key. Valid here: {valid}"),
            (None, places) => {
                format!("unknown key, but valid at {}. Valid here: {valid}", some(places))
            }
        }
    }
}

/// Every path without patterns at which the schema declares a key of that name.
fn places_of(name: &str, schema: &Json, path: &mut Vec<String>, places: &mut Vec<String>) {
    for (key, inner) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
        path.push(key.clone());
        if key == name {
            places.push(ValuesPath::new(path.iter().cloned()).to_string());
        }
        places_of(name, inner, path, places);
        path.pop();
    }
}

/// A list in a message: beyond a dozen names nobody reads on, and the rest of the message is lost.
fn some(names: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<_> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let more = names.len() - shown.len();
    let more = if more == 0 { String::new() } else { format!(", … and {more} more") };
    format!("{}{more}", shown.join(", "))
}

/// A JSON pointer into values as a user writes the path: `/a/b/0` is `a.b[0]`, or `a.b.0` if `b` is an
/// object.
fn dotted(pointer: &str, values: &Json) -> String {
    let tokens = pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
    let (mut path, mut at) = (String::new(), Some(values));
    for token in tokens {
        if let Some(Json::Array(items)) = at {
            path = format!("{path}[{token}]");
            at = token.parse().ok().and_then(|index: usize| items.get(index));
        } else {
            path = join(&path, &token);
            at = at.and_then(|at| at.get(&token));
        }
    }
    path
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A value in a message: short ones as they are.
fn shown(json: &Json) -> String {
    match json {
        Json::Array(_) | Json::Object(_) | Json::Null => kind_of(json).to_owned(),
        Json::String(text) if text.chars().count() > 60 => "a long string".to_owned(),
        other => other.to_string(),
    }
}
