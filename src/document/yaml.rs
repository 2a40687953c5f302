//! YAML 1.2 texts, from the events of saphyr-parser: which has no opinion on duplicates, tags or aliases.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use serde_json::{Map, Value};

use super::error::{DocumentError, Position};
use super::note::Note;
use super::scalar::{self, NotANumber};
use super::{Document, MAX_BYTES, MAX_DEPTH};

/// How many values all anchors and aliases of a text may stand for together.
pub(super) const MAX_REPEATED_VALUES: usize = 100_000;

/// The prefix of the tags that `!!` abbreviates.
const CORE: &str = "tag:yaml.org,2002:";

/// Reads a YAML text: at most one document.
pub(super) fn read(text: &str) -> Result<Document, DocumentError> {
    let mut reader = Reader::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| broken(error.info(), *error.marker()))?;
        reader.event(event, position(span.start))?;
    }
    Ok(Document { value: reader.root.unwrap_or(Value::Null), notes: reader.notes })
}

/// The parser counts columns from 0.
fn position(marker: Marker) -> Position {
    Position { line: marker.line(), column: marker.col() + 1 }
}

fn broken(message: &str, marker: Marker) -> DocumentError {
    let at = position(marker);
    match message {
        // The scanner reads ahead of its events, and stops by itself at 255 brackets.
        "recursion limit exceeded" => DocumentError::TooDeep { at },
        _ => DocumentError::Yaml { message: message.to_owned(), at },
    }
}

/// A list or mapping that is not complete yet, and its anchor (0 is none).
enum Open {
    List { anchor: usize, values: Vec<Value> },
    Mapping { anchor: usize, entries: Map<String, Value>, key: Option<String> },
}

/// What an alias repeats, and what that costs.
struct Anchored {
    value: Value,
    cost: Cost,
}

#[derive(Clone, Copy, Default)]
struct Cost {
    values: usize,
    bytes: usize,
    depth: usize,
}

/// Builds a value out of events, with a stack of its own: no text can overflow that of the thread.
#[derive(Default)]
struct Reader {
    documents: usize,
    open: Vec<Open>,
    root: Option<Value>,
    anchors: BTreeMap<usize, Anchored>,
    repeated: Cost,
    notes: Vec<Note>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, at: Position) -> Result<(), DocumentError> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(DocumentError::SecondDocument { at });
                }
            }
            Event::Alias(anchor) => self.alias(anchor, at)?,
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                self.scalar(&text, plain, anchor, tag.as_deref(), at)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin("a list", "seq", tag.as_deref(), at)?;
                self.open.push(Open::List { anchor, values: Vec::new() });
            }
            Event::MappingStart(anchor, tag) => {
                self.begin("a mapping", "map", tag.as_deref(), at)?;
                self.open.push(Open::Mapping { anchor, entries: Map::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// Checks that a list or mapping may begin here.
    fn begin(
        &self,
        kind: &'static str,
        core: &str,
        tag: Option<&Tag>,
        at: Position,
    ) -> Result<(), DocumentError> {
        if self.awaits_key() {
            return Err(DocumentError::NotAKey { found: kind, at });
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(DocumentError::TooDeep { at });
        }
        match tag.map(tag_name) {
            Some(name) if name != "!" && name.strip_prefix(CORE) != Some(core) => {
                Err(wrong_tag(&name, kind, at))
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, at: Position) -> Result<(), DocumentError> {
        let (anchor, value) = match self.open.pop() {
            Some(Open::List { anchor, values }) => (anchor, Value::Array(values)),
            Some(Open::Mapping { anchor, entries, .. }) => (anchor, Value::Object(entries)),
            None => return Ok(()),
        };
        self.anchor(anchor, &value, at)?;
        self.place(value);
        Ok(())
    }

    fn scalar(
        &mut self,
        text: &str,
        plain: bool,
        anchor: usize,
        tag: Option<&Tag>,
        at: Position,
    ) -> Result<(), DocumentError> {
        let plain = plain && tag.is_none();
        let value = match tag {
            None if plain => resolve(text, at)?,
            None => Value::String(text.to_owned()),
            Some(tag) => tagged(text, &tag_name(tag), at)?,
        };
        self.anchor(anchor, &value, at)?;
        let is_key = self.awaits_key();
        if is_key {
            if plain && text == "<<" {
                return Err(DocumentError::MergeKey { at });
            }
            self.key(&value, text, at)?;
        }
        if plain {
            self.note(text);
        }
        if !is_key {
            self.place(value);
        }
        Ok(())
    }

    /// Takes a key. Numbers and booleans are keys by their text; null, lists and mappings are none.
    fn key(&mut self, value: &Value, text: &str, at: Position) -> Result<(), DocumentError> {
        let found = match value {
            Value::Null => "null",
            Value::Array(_) => "a list",
            Value::Object(_) => "a mapping",
            Value::Bool(_) | Value::Number(_) | Value::String(_) => "",
        };
        if !found.is_empty() {
            return Err(DocumentError::NotAKey { found, at });
        }
        let Some(Open::Mapping { entries, key, .. }) = self.open.last_mut() else { return Ok(()) };
        if entries.contains_key(text) {
            return Err(DocumentError::DuplicateKey { key: text.to_owned(), at });
        }
        *key = Some(text.to_owned());
        Ok(())
    }

    /// Repeats what an anchor stands on, if that is complete and still within the limits.
    fn alias(&mut self, anchor: usize, at: Position) -> Result<(), DocumentError> {
        let Some(Anchored { value, cost }) = self.anchors.get(&anchor) else {
            return Err(DocumentError::EndlessAlias { at });
        };
        if self.open.len() + cost.depth > MAX_DEPTH {
            return Err(DocumentError::TooDeep { at });
        }
        let cost = *cost;
        self.repeated = spend(self.repeated, cost, at)?;
        let value = value.clone();
        if !self.awaits_key() {
            self.place(value);
            return Ok(());
        }
        let text = match &value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.key(&value, &text, at)
    }

    /// Keeps a copy of a value for aliases. The copy counts: anchors may nest.
    fn anchor(&mut self, anchor: usize, value: &Value, at: Position) -> Result<(), DocumentError> {
        if anchor > 0 {
            let cost = cost(value);
            self.repeated = spend(self.repeated, cost, at)?;
            self.anchors.insert(anchor, Anchored { value: value.clone(), cost });
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Mapping { key: None, .. }))
    }

    fn place(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::List { values, .. }) => values.push(value),
            Some(Open::Mapping { entries, key, .. }) => {
                entries.insert(key.take().unwrap_or_default(), value);
            }
        }
    }

    fn note(&mut self, text: &str) {
        let path = || {
            self.open.iter().filter_map(|open| match open {
                Open::List { values, .. } => Some(values.len().to_string()),
                Open::Mapping { key, .. } => key.clone(),
            })
        };
        if scalar::is_yaml11_boolean(text) {
            let note = Note::Yaml11Boolean { path: path().collect(), text: text.to_owned() };
            self.notes.push(note);
        } else if scalar::is_yaml11_number(text) {
            let note = Note::Yaml11Number { path: path().collect(), text: text.to_owned() };
            self.notes.push(note);
        }
    }
}

fn resolve(text: &str, at: Position) -> Result<Value, DocumentError> {
    scalar::resolve(text).map_err(|NotANumber| DocumentError::NotANumber { text: text.to_owned(), at })
}

/// A scalar with a tag: `!` and `!!str` make a text of it, the others say what it must be already.
fn tagged(text: &str, name: &str, at: Position) -> Result<Value, DocumentError> {
    let core = name.strip_prefix(CORE);
    if name == "!" || core == Some("str") {
        return Ok(Value::String(text.to_owned()));
    }
    let value = resolve(text, at)?;
    let whole = |number: &serde_json::Number| !number.as_str().contains(['.', 'e', 'E']);
    let fits = match (core, &value) {
        (Some("null"), Value::Null) | (Some("bool"), Value::Bool(_)) | (Some("float"), Value::Number(_)) => {
            true
        }
        (Some("int"), Value::Number(number)) => whole(number),
        _ => false,
    };
    if fits { Ok(value) } else { Err(wrong_tag(name, &format!("{text:?}"), at)) }
}

fn tag_name(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

fn wrong_tag(name: &str, on: &str, at: Position) -> DocumentError {
    let tag = name.strip_prefix(CORE).map_or_else(|| name.to_owned(), |core| format!("!!{core}"));
    DocumentError::Tag { tag, on: on.to_owned(), at }
}

fn cost(value: &Value) -> Cost {
    let (below, own): (Vec<Cost>, usize) = match value {
        Value::Array(values) => (values.iter().map(cost).collect(), 0),
        Value::Object(entries) => {
            (entries.values().map(cost).collect(), entries.keys().map(String::len).sum())
        }
        Value::String(text) => return Cost { values: 1, bytes: text.len(), depth: 0 },
        Value::Number(number) => return Cost { values: 1, bytes: number.as_str().len(), depth: 0 },
        Value::Null | Value::Bool(_) => return Cost { values: 1, ..Cost::default() },
    };
    let start = Cost { values: 1, bytes: own, depth: 1 };
    below.iter().fold(start, |sum, cost| Cost {
        values: sum.values + cost.values,
        bytes: sum.bytes + cost.bytes,
        depth: sum.depth.max(cost.depth + 1),
    })
}

/// Adds up what is repeated. Bytes count too: few aliases of one long text fill the memory as well.
fn spend(sum: Cost, more: Cost, at: Position) -> Result<Cost, DocumentError> {
    let sum = Cost { values: sum.values + more.values, bytes: sum.bytes + more.bytes, depth: 0 };
    let within = sum.values <= MAX_REPEATED_VALUES && sum.bytes <= MAX_BYTES;
    within.then_some(sum).ok_or(DocumentError::TooManyAliases { at })
}
