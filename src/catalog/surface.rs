//! What the configuration of an add-on accepts, version by version.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::schema;
use crate::domain::{AddonVersion, VersionRun};

/// Whether a path is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// The schema names the last key of the path, or it is an item of a list that the schema describes.
    Declared,
    /// The schema does not name it, but takes any key there: a misspelt one passes in silence.
    AnyKey,
    /// The schema refuses it.
    No,
}

/// The shape of the configuration of one add-on in all its versions.
///
/// A version that is not listed is taken for its neighbours: one newer than the snapshot is read like
/// the newest one listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Every version listed, ascending.
    pub(super) versions: Vec<AddonVersion>,
    /// The drafts of JSON Schema that the originals declare. What is rebuilt here is draft 07.
    pub(super) drafts: Vec<(String, Vec<VersionRun>)>,
    pub(super) rows: Vec<Row>,
    root: Node,
}

/// What holds for one path in some versions. At most one row of a path holds in a version.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// `/` is the root, `[]` the items of a list, `<regex>` a pattern, `~1` a slash within a name.
    pub(super) path: String,
    /// The types it may have; none is any.
    pub(super) types: Vec<String>,
    /// Whether only the keys of rows below this one are accepted.
    pub(super) closed: bool,
    pub(super) runs: Vec<VersionRun>,
    /// Further keywords of JSON Schema.
    pub(super) keywords: Map<String, Value>,
}

/// The rows of one path, by index, and the paths below.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    rows: Vec<usize>,
    pub(super) names: BTreeMap<String, Node>,
    pub(super) patterns: BTreeMap<String, Node>,
    pub(super) items: Option<Box<Node>>,
}

/// Where a path leads.
enum Reach<'a> {
    /// To a path with a row.
    At(&'a Node, Acceptance),
    /// Below the rows, where this much is known.
    Beyond(Acceptance),
}

impl Row {
    fn may_be(&self, kind: &str) -> bool {
        self.types.is_empty() || self.types.iter().any(|own| own == kind)
    }
}

impl Surface {
    /// Arranges rows by path. `versions` ascend.
    pub(super) fn new(
        versions: Vec<AddonVersion>,
        drafts: Vec<(String, Vec<VersionRun>)>,
        rows: Vec<Row>,
    ) -> Self {
        let mut root = Node::default();
        for (index, row) in rows.iter().enumerate() {
            let mut node = &mut root;
            for token in row.path.split('/').filter(|token| !token.is_empty()) {
                let name = token.replace("~1", "/");
                let pattern = name.strip_prefix('<').and_then(|name| name.strip_suffix('>'));
                node = match pattern {
                    _ if name == "[]" => node.items.get_or_insert_default(),
                    Some(pattern) => node.patterns.entry(pattern.to_owned()).or_default(),
                    None => node.names.entry(name).or_default(),
                };
            }
            node.rows.push(index);
        }
        Self { versions, drafts, rows, root }
    }

    /// Whether this version accepts a path: keys, and `[]` or an index for an item of a list.
    ///
    /// Rules that depend on other values (`if`, `anyOf`, `propertyNames`) are left to validation.
    #[must_use]
    pub fn accepts(&self, version: &AddonVersion, path: &[&str]) -> Acceptance {
        match self.reach(version, path) {
            Reach::At(_, acceptance) | Reach::Beyond(acceptance) => acceptance,
        }
    }

    /// The oldest listed version, from `from` on, that accepts a path.
    #[must_use]
    pub fn first_accepting(&self, path: &[&str], from: Option<AddonVersion>) -> Option<AddonVersion> {
        let candidates = self.versions.iter().filter(|version| from.is_none_or(|from| from <= **version));
        candidates.copied().find(|version| self.accepts(version, path) != Acceptance::No)
    }

    /// The runs of listed versions that accept a path, ascending. A run that begins with the first
    /// version listed, or ends with the last, is open there.
    #[must_use]
    pub fn runs_accepting(&self, path: &[&str]) -> Vec<VersionRun> {
        let accepts = |version: &AddonVersion| self.accepts(version, path) != Acceptance::No;
        let mut runs = Vec::new();
        for group in self.versions.chunk_by(|one, next| accepts(one) == accepts(next)) {
            if let [first, ..] = group
                && accepts(first)
            {
                runs.push(self.run(*first, group[group.len() - 1]));
            }
        }
        runs
    }

    /// The keys that this version declares directly below a path, for the nearest name.
    #[must_use]
    pub fn children(&self, version: &AddonVersion, path: &[&str]) -> BTreeSet<String> {
        let Reach::At(node, _) = self.reach(version, path) else { return BTreeSet::new() };
        let declared = node.names.iter().filter(|(_, child)| self.row(child, version).is_some());
        declared.map(|(name, _)| name.clone()).collect()
    }

    /// The JSON Schema of this version, of draft 07, rebuilt from the rows.
    #[must_use]
    pub fn schema(&self, version: &AddonVersion) -> Value {
        schema::rebuild(self, &self.root, version)
    }

    /// The run between two listed versions, open where the list ends.
    pub(super) fn run(&self, first: AddonVersion, last: AddonVersion) -> VersionRun {
        VersionRun {
            first: (self.versions.first() != Some(&first)).then_some(first),
            last: (self.versions.last() != Some(&last)).then_some(last),
        }
    }

    /// The row of a path that holds in a version.
    pub(super) fn row(&self, node: &Node, version: &AddonVersion) -> Option<&Row> {
        let mut rows = node.rows.iter().map(|index| &self.rows[*index]);
        rows.find(|row| row.runs.iter().any(|run| run.contains(version)))
    }

    fn reach(&self, version: &AddonVersion, path: &[&str]) -> Reach<'_> {
        let (mut node, mut acceptance) = (&self.root, Acceptance::Declared);
        let Some(mut row) = self.row(node, version) else { return Reach::Beyond(Acceptance::No) };
        for (index, token) in path.iter().enumerate() {
            let rest = &path[index + 1..];
            let next = if is_index(token) && row.may_be("array") {
                node.items.as_deref().map(|items| (items, Acceptance::Declared))
            } else if row.may_be("object") {
                named(node, token, |child| self.row(child, version).is_some())
            } else {
                return Reach::Beyond(Acceptance::No);
            };
            let next = next.and_then(|(next, how)| Some((next, self.row(next, version)?, how)));
            let Some((child, below, how)) = next else {
                let any_item = is_index(token) && row.may_be("array");
                let refused = row.closed && !any_item;
                let other = row.keywords.get("additionalProperties").filter(|_| !any_item);
                return Reach::Beyond(if refused { Acceptance::No } else { within(other, rest) });
            };
            (node, row, acceptance) = (child, below, how);
        }
        Reach::At(node, acceptance)
    }
}

/// The path below by name, else by the first pattern that fits.
fn named<'a>(node: &'a Node, name: &str, holds: impl Fn(&Node) -> bool) -> Option<(&'a Node, Acceptance)> {
    if let Some(child) = node.names.get(name).filter(|child| holds(child)) {
        return Some((child, Acceptance::Declared));
    }
    let mut patterns = node.patterns.iter().filter(|(_, child)| holds(child));
    patterns.find(|(pattern, _)| schema::matches(pattern, name)).map(|(_, child)| (child, Acceptance::AnyKey))
}

/// `[]`, `0` or `[0]`.
fn is_index(token: &str) -> bool {
    let inner = token.strip_prefix('[').and_then(|token| token.strip_suffix(']'));
    let digits = inner.unwrap_or(token);
    token == "[]" || !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What the schema of any other key (none is no rule at all) says of the path below such a key.
fn within(schema: Option<&Value>, path: &[&str]) -> Acceptance {
    let (Some(mut schema), mut acceptance) = (schema, Acceptance::AnyKey) else { return Acceptance::AnyKey };
    for token in path {
        let child = if is_index(token) && value_may_be(schema, "array") {
            acceptance = Acceptance::Declared;
            schema.get("items")
        } else if !value_may_be(schema, "object") {
            return Acceptance::No;
        } else if let Some(child) = schema.get("properties").and_then(|properties| properties.get(token)) {
            acceptance = Acceptance::Declared;
            Some(child)
        } else {
            acceptance = Acceptance::AnyKey;
            schema.get("additionalProperties")
        };
        match child {
            Some(Value::Bool(false)) => return Acceptance::No,
            Some(child) => schema = child,
            None => return Acceptance::AnyKey,
        }
    }
    acceptance
}

/// Whether a schema leaves room for a type, by its `type` and by the `type` of its `not`.
fn value_may_be(schema: &Value, kind: &str) -> bool {
    let names = |types: &Value| match types {
        Value::Array(types) => types.iter().any(|own| own == kind),
        own => own == kind,
    };
    schema.get("type").is_none_or(names) && !schema.pointer("/not/type").is_some_and(names)
}
