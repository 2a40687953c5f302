//! Reads values of any shape, and says of each that is wrong what was found and what is expected.

use std::collections::BTreeMap;

use crate::domain::nearest;
use crate::tf::{Diagnostic, Diagnostics, Path, Value};

use super::arguments::Argument;

/// Collects what is wrong and whether anything was unknown.
#[derive(Default)]
pub(super) struct Decoder {
    pub(super) diagnostics: Diagnostics,
    pub(super) has_unknown: bool,
}

/// The members of an object whose keys are all known ones.
pub(super) struct Members<'a> {
    entries: Option<&'a BTreeMap<String, Value>>,
    path: Path,
}

impl Members<'_> {
    /// A member and its path; null where there is none.
    pub(super) fn get(&self, name: &str) -> (&Value, Path) {
        let value = self.entries.and_then(|entries| entries.get(name)).unwrap_or(&Value::Null);
        (value, self.path.attribute(name))
    }
}

impl Decoder {
    /// An error. Its place is cut to what Terraform can show; the whole path belongs into the text.
    pub(super) fn error(&mut self, path: &Path, summary: &str, detail: &str) {
        self.diagnostics.push(Diagnostic::error(path.addressable(), summary, detail));
    }

    /// A value of the wrong shape.
    pub(super) fn wrong(&mut self, path: &Path, found: &Value, expected: &str) {
        let detail = format!("{path}: found {}, expected {expected}.", found_as(found));
        self.error(path, &format!("{path} has the wrong type"), &detail);
    }

    /// A word that is not among the valid ones.
    pub(super) fn not_one_of<'a>(&mut self, path: &Path, found: &str, valid: impl Iterator<Item = &'a str>) {
        let valid: Vec<&str> = valid.collect();
        let near = nearest(found, valid.iter().copied());
        let near = near.map(|near| format!(" Did you mean {near:?}?")).unwrap_or_default();
        let quoted: Vec<_> = valid.iter().map(|it| format!("{it:?}")).collect();
        let detail = format!("{path}: found {found:?}, expected one of {}.{near}", quoted.join(", "));
        self.error(path, &format!("{path}: {found:?} is not a valid value"), &detail);
    }

    /// The value to look at, if it is there and known.
    pub(super) fn present<'a>(&mut self, value: &'a Value) -> Option<&'a Value> {
        match value.undressed() {
            Value::Null => None,
            Value::Unknown(_) => {
                self.has_unknown = true;
                None
            }
            known => Some(known),
        }
    }

    /// A string; numbers and bools become text, as Terraform converts them.
    pub(super) fn text(&mut self, value: &Value, path: &Path) -> Option<String> {
        match self.present(value)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            other => {
                self.wrong(path, other, "a string");
                None
            }
        }
    }

    /// A bool; the texts "true" and "false" are bools too, as Terraform converts them.
    pub(super) fn flag(&mut self, value: &Value, path: &Path) -> Option<bool> {
        match self.present(value)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if text == "true" || text == "false" => Some(text == "true"),
            other => {
                self.wrong(path, other, "true or false");
                None
            }
        }
    }

    /// A word of a list of valid ones.
    pub(super) fn one_of<T: Copy>(&mut self, value: &Value, path: &Path, valid: &[(&str, T)]) -> Option<T> {
        let names = || valid.iter().map(|(name, _)| *name);
        if let Some(other @ (Value::Sequence(_) | Value::Mapping(_))) = self.present(value) {
            let names: Vec<_> = names().map(|name| format!("{name:?}")).collect();
            self.wrong(path, other, &format!("one of {}", names.join(", ")));
            return None;
        }
        let text = self.text(value, path)?;
        let found = valid.iter().find(|(name, _)| *name == text).map(|(_, it)| *it);
        if found.is_none() {
            self.not_one_of(path, &text, names());
        }
        found
    }

    /// Elements of a list, set or tuple with their paths; nulls among them are passed over.
    pub(super) fn elements<'a>(&mut self, value: &'a Value, path: &Path, of: &str) -> Vec<(&'a Value, Path)> {
        match self.present(value) {
            None => Vec::new(),
            Some(Value::Sequence(elements)) => {
                let elements = elements.iter().enumerate().filter(|(_, element)| !element.is_null());
                elements.map(|(index, element)| (element, path.index(index))).collect()
            }
            Some(other) => {
                self.wrong(path, other, &format!("a list of {of}"));
                Vec::new()
            }
        }
    }

    /// A list or set of strings.
    pub(super) fn texts(&mut self, value: &Value, path: &Path) -> Vec<String> {
        // A set has no indexes that its author would know.
        let elements = self.elements(value, path, "strings");
        elements.into_iter().filter_map(|(element, _)| self.text(element, path)).collect()
    }

    /// Entries of a map or object with their paths.
    pub(super) fn entries<'a>(
        &mut self,
        value: &'a Value,
        path: &Path,
        of: &str,
    ) -> Vec<(&'a str, &'a Value, Path)> {
        match self.present(value) {
            None => Vec::new(),
            Some(Value::Mapping(entries)) => {
                entries.iter().map(|(key, value)| (key.as_str(), value, path.key(key))).collect()
            }
            Some(other) => {
                self.wrong(path, other, &format!("a map of {of}"));
                Vec::new()
            }
        }
    }

    /// A map of strings.
    pub(super) fn text_map(&mut self, value: &Value, path: &Path) -> BTreeMap<String, String> {
        let entries = self.entries(value, path, "strings");
        let read =
            |(key, value, path): (&str, &Value, Path)| Some((key.to_owned(), self.text(value, &path)?));
        entries.into_iter().filter_map(read).collect()
    }

    /// The members of an object with fixed keys. A key that is none of them is an error: Terraform
    /// would drop it without a word.
    pub(super) fn members<'a>(
        &mut self,
        value: &'a Value,
        path: &Path,
        what: &str,
        arguments: &[Argument],
    ) -> Option<Members<'a>> {
        let entries = match value.undressed() {
            Value::Null => None,
            Value::Unknown(_) => {
                self.has_unknown = true;
                return None;
            }
            Value::Mapping(entries) => Some(entries),
            other => {
                let names: Vec<_> = arguments.iter().map(|argument| argument.name).take(3).collect();
                self.wrong(
                    path,
                    other,
                    &format!("an object ({what}) such as {{ {} = ... }}", names.join(" = ..., ")),
                );
                return None;
            }
        };
        for key in entries.into_iter().flatten().map(|(key, _)| key) {
            if !arguments.iter().any(|argument| argument.name == key) {
                self.unknown_key(path, key, what, arguments);
            }
        }
        Some(Members { entries, path: path.clone() })
    }

    fn unknown_key(&mut self, path: &Path, key: &str, what: &str, arguments: &[Argument]) {
        let names: Vec<&str> = arguments.iter().filter(|it| !it.is_passed_over()).map(|it| it.name).collect();
        let near = nearest(key, arguments.iter().map(|it| it.name));
        let near = near.map(|near| format!(" Did you mean {near:?}?")).unwrap_or_default();
        let detail =
            format!("{path}: {what} has no argument {key:?}.{near} Valid arguments: {}.", names.join(", "));
        self.error(path, &format!("{path}: unknown argument {key:?}"), &detail);
    }
}

/// A value in a message, short.
fn found_as(value: &Value) -> String {
    match value.undressed() {
        Value::Null => "null".into(),
        Value::Unknown(_) => "an unknown value".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() <= 60 => format!("{text:?}"),
        Value::String(_) => "a long string".into(),
        Value::Sequence(_) => "a list".into(),
        Value::Mapping(_) => "an object".into(),
        Value::Dynamic(_) => unreachable!("undressed above"),
    }
}
