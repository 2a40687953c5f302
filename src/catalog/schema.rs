//! JSON Schema out of the rows of a surface.
//!
//! The originals declare drafts 06, 07 and 2019-09. Draft 07 gives the same verdicts on what they use,
//! and its meta-schema compiles ten times faster than that of 2019-09.

use jsonschema::PatternOptions;
use serde_json::{Map, Value, json};

use super::surface::{Node, Row, Surface};
use crate::domain::AddonVersion;

/// What every rebuilt schema declares.
const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// The schema of one version.
pub(super) fn rebuild(surface: &Surface, root: &Node, version: &AddonVersion) -> Value {
    let mut schema = match surface.row(root, version) {
        Some(row) => object(surface, root, row, version),
        None => Map::new(),
    };
    schema.insert("$schema".to_owned(), Value::from(DRAFT));
    Value::Object(schema)
}

fn object(surface: &Surface, node: &Node, row: &Row, version: &AddonVersion) -> Map<String, Value> {
    // Other keywords go in as they are, also those that no draft knows (`format: boolean`): to
    // validators they are annotations.
    let mut schema = row.keywords.clone();
    match row.types.as_slice() {
        [] => {}
        [one] => {
            schema.insert("type".to_owned(), Value::from(one.as_str()));
        }
        several => {
            schema.insert("type".to_owned(), Value::from(several));
        }
    }
    if row.closed {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    let below = |child: &Node| {
        surface.row(child, version).map(|row| Value::Object(object(surface, child, row, version)))
    };
    for (keyword, children) in [("properties", &node.names), ("patternProperties", &node.patterns)] {
        let entries: Map<_, _> =
            children.iter().filter_map(|(name, child)| Some((name.clone(), below(child)?))).collect();
        if !entries.is_empty() {
            schema.insert(keyword.to_owned(), Value::Object(entries));
        }
    }
    if let Some(items) = node.items.as_deref().and_then(below) {
        schema.insert("items".to_owned(), items);
    }
    schema
}

/// Whether a key fits a pattern of `patternProperties`, by the rules of the validator itself.
pub(super) fn matches(pattern: &str, key: &str) -> bool {
    // The one pattern that AWS publishes so far; it need not be compiled at every step.
    if pattern == "^.*$" {
        return true;
    }
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    options.build(&json!({ "pattern": pattern })).is_ok_and(|schema| schema.is_valid(&Value::from(key)))
}
