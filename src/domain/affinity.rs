//! Node affinity and nodeSelector: parsed once with every problem and its path, then matched without
//! failing (component-helpers `nodeaffinity` works the same way).

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Json;

use super::toleration::kind_of;
use super::{nearest, syntax};

/// One expression of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// A label key, or a field's name in `matchFields`.
    pub key: String,
    /// How values count.
    pub operator: Operator,
    /// Values; how many depends on the operator.
    pub values: Vec<String>,
}

/// The operators of node affinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The label has one of the values.
    In,
    /// The label has none of the values; also when there is no such label.
    NotIn,
    /// There is such a label.
    Exists,
    /// There is no such label.
    DoesNotExist,
    /// The label is an integer greater than the one value.
    Gt,
    /// The label is an integer less than the one value.
    Lt,
}

/// The operators by name.
const OPERATORS: [(&str, Operator); 6] = [
    ("In", Operator::In),
    ("NotIn", Operator::NotIn),
    ("Exists", Operator::Exists),
    ("DoesNotExist", Operator::DoesNotExist),
    ("Gt", Operator::Gt),
    ("Lt", Operator::Lt),
];

/// A term: all expressions and fields must hold; an empty term matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// Over labels.
    pub expressions: Vec<Requirement>,
    /// Over `metadata.name`.
    pub fields: Vec<Requirement>,
}

/// What of an affinity filters nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeAffinity {
    /// Terms of which one must hold; `None`: no requirement.
    pub required: Option<Vec<Term>>,
}

/// What is wrong somewhere in an affinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, below the affinity, such as `nodeAffinity.…[0].values`.
    pub path: String,
    /// What was found and what is expected.
    pub message: String,
}

/// The labels of a node as far as they are known.
pub trait NodeLabels {
    /// The value of a label, that there is none, or that this cannot be known.
    fn label(&self, key: &str) -> Label<'_>;
    /// The node's name where it is known.
    fn name(&self) -> Option<&str> {
        None
    }
    /// Whether an unstated label certainly differs from `value`.
    fn excludes(&self, _key: &str, _value: &str) -> bool {
        false
    }
}

/// What is known of one label of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label<'a> {
    /// It has this value.
    Is(&'a str),
    /// The node has no such label.
    Absent,
    /// A well-known label that nobody stated.
    Unstated,
}

/// Whether a node matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Matches,
    /// It does unless a label that is not stated has one of a few excluded values.
    Likely(String),
    /// It does only if a label that is not stated has one of a few values.
    Unknown(String),
    /// It does not, because of this expression.
    Fails(String),
}

impl Verdict {
    /// From the best to the worst, which is also the order in which they decide.
    fn rank(&self) -> u8 {
        match self {
            Self::Matches => 0,
            Self::Likely(_) => 1,
            Self::Unknown(_) => 2,
            Self::Fails(_) => 3,
        }
    }

    /// Both must match: the worse counts, of two alike the first.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    /// One must match: the better counts, of two alike the first.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if other.rank() < self.rank() { other } else { self }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operator = OPERATORS.iter().find(|(_, it)| *it == self.operator).map_or("", |(name, _)| *name);
        write!(f, "{} {operator}", self.key)?;
        if self.values.is_empty() { Ok(()) } else { write!(f, " [{}]", self.values.join(", ")) }
    }
}

impl Requirement {
    fn matches(&self, node: &impl NodeLabels) -> Verdict {
        let fails = || Verdict::Fails(self.to_string());
        let verdict = |holds: bool| if holds { Verdict::Matches } else { fails() };
        let value = match node.label(&self.key) {
            Label::Unstated => {
                let excluded = !self.values.is_empty()
                    && self.values.iter().all(|value| node.excludes(&self.key, value));
                return match self.operator {
                    Operator::NotIn if excluded => Verdict::Matches,
                    Operator::In if excluded => fails(),
                    Operator::NotIn => Verdict::Likely(self.key.clone()),
                    _ => Verdict::Unknown(self.key.clone()),
                };
            }
            Label::Absent => None,
            Label::Is(value) => Some(value),
        };
        let listed = value.is_some_and(|value| self.values.iter().any(|it| it == value));
        let compared = || {
            let bound: i64 = self.values.first()?.parse().ok()?;
            let value: i64 = value?.parse().ok()?;
            Some(value.cmp(&bound))
        };
        match self.operator {
            Operator::In => verdict(listed),
            Operator::NotIn => verdict(!listed),
            Operator::Exists => verdict(value.is_some()),
            Operator::DoesNotExist => verdict(value.is_none()),
            Operator::Gt => verdict(compared().is_some_and(std::cmp::Ordering::is_gt)),
            Operator::Lt => verdict(compared().is_some_and(std::cmp::Ordering::is_lt)),
        }
    }

    /// Only `metadata.name` is a field (core/v1, `NodeSelectorTerm.matchFields`).
    fn matches_field(&self, node: &impl NodeLabels) -> Verdict {
        let listed = match node.name() {
            Some(name) => self.values.iter().any(|value| value == name),
            None => return Verdict::Unknown(self.key.clone()),
        };
        let holds = if self.operator == Operator::NotIn { !listed } else { listed };
        if holds { Verdict::Matches } else { Verdict::Fails(self.to_string()) }
    }
}

impl Term {
    /// Whether a node satisfies all of the term.
    pub fn matches(&self, node: &impl NodeLabels) -> Verdict {
        if self.expressions.is_empty() && self.fields.is_empty() {
            return Verdict::Fails("an empty term, which matches nothing".into());
        }
        let labels = self.expressions.iter().map(|requirement| requirement.matches(node));
        let fields = self.fields.iter().map(|requirement| requirement.matches_field(node));
        labels.chain(fields).fold(Verdict::Matches, Verdict::and)
    }
}

impl NodeAffinity {
    /// Whether a node satisfies one of the required terms, or nothing is required.
    pub fn matches(&self, node: &impl NodeLabels) -> Verdict {
        match &self.required {
            None => Verdict::Matches,
            Some(terms) => terms
                .iter()
                .map(|term| term.matches(node))
                .reduce(Verdict::or)
                .unwrap_or_else(|| Verdict::Fails("no term at all".into())),
        }
    }

    /// Reads a pod's `affinity`. What cannot be read is a problem; a term with a problem matches
    /// nothing, as the API server would refuse the pod.
    #[must_use]
    pub fn read(affinity: &Json) -> (Self, Vec<Problem>) {
        let mut problems = Problems::default();
        let mut required = None;
        if let Some(affinity) = problems.object(affinity, "", &AFFINITY_KEYS)
            && let Some(node) = affinity.get("nodeAffinity")
            && let Some(node) = problems.object(node, "nodeAffinity", &[REQUIRED, PREFERRED])
        {
            let path = format!("nodeAffinity.{REQUIRED}");
            if let Some(selector) = node.get(REQUIRED).filter(|it| !it.is_null()) {
                required = Some(problems.selector(selector, &path));
            }
            if let Some(preferred) = node.get(PREFERRED).filter(|it| !it.is_null()) {
                problems.preferred(preferred, &format!("nodeAffinity.{PREFERRED}"));
            }
        }
        // Other pods do not filter nodes here, but what is no such object is rejected all the same.
        for key in ["podAffinity", "podAntiAffinity"] {
            if let Some(pods) = affinity.get(key)
                && let Some(pods) = problems.object(pods, key, &[REQUIRED, PREFERRED])
            {
                for member in [REQUIRED, PREFERRED] {
                    problems.list(pods.get(member), &format!("{key}.{member}"));
                }
            }
        }
        (Self { required }, problems.0)
    }
}

/// Whether the labels contain everything that a nodeSelector asks for.
pub fn selector_matches(selector: &BTreeMap<String, String>, node: &impl NodeLabels) -> Verdict {
    let pair = |(key, value): (&String, &String)| {
        let requirement =
            Requirement { key: key.clone(), operator: Operator::In, values: vec![value.clone()] };
        match requirement.matches(node) {
            Verdict::Fails(_) => Verdict::Fails(format!("nodeSelector {key}={value}")),
            other => other,
        }
    };
    selector.iter().map(pair).fold(Verdict::Matches, Verdict::and)
}

/// The member of `nodeAffinity` that filters.
pub const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
/// The member of `nodeAffinity` that only attracts.
pub const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const AFFINITY_KEYS: [&str; 3] = ["nodeAffinity", "podAffinity", "podAntiAffinity"];

/// Whether a key that does not belong there holds what should stand in its place.
fn is_wrapping(key: &str, value: &Json, keys: &[&str]) -> bool {
    let members = value.as_object();
    key == "affinity"
        || members.is_some_and(|it| !it.is_empty() && it.keys().all(|key| keys.contains(&key.as_str())))
}

/// Problems found so far; its methods read one level each.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, path: &str, message: impl Into<String>) {
        self.0.push(Problem { path: path.to_owned(), message: message.into() });
    }

    /// An object with only these keys. Null counts as absent.
    fn object<'a>(
        &mut self,
        json: &'a Json,
        path: &str,
        keys: &[&str],
    ) -> Option<&'a serde_json::Map<String, Json>> {
        let Json::Object(object) = json else {
            if !json.is_null() {
                self.add(path, format!("found {}, expected an object", kind_of(json)));
            }
            return None;
        };
        for (key, value) in object.iter().filter(|(key, _)| !keys.contains(&key.as_str())) {
            let near = nearest(key, keys.iter().copied()).map(|near| format!("; did you mean {near:?}?"));
            let hint = if is_wrapping(key, value, keys) {
                "; its content belongs one level up".to_owned()
            } else {
                near.unwrap_or_default()
            };
            self.add(path, format!("unknown key {key:?}{hint}"));
        }
        Some(object)
    }

    fn list<'a>(&mut self, json: Option<&'a Json>, path: &str) -> &'a [Json] {
        match json {
            None | Some(Json::Null) => &[],
            Some(Json::Array(elements)) => elements,
            Some(other) => {
                self.add(path, format!("found {}, expected a list", kind_of(other)));
                &[]
            }
        }
    }

    fn selector(&mut self, json: &Json, path: &str) -> Vec<Term> {
        let Some(selector) = self.object(json, path, &["nodeSelectorTerms"]) else { return Vec::new() };
        let path = format!("{path}.nodeSelectorTerms");
        let terms = self.list(selector.get("nodeSelectorTerms"), &path);
        if terms.is_empty() {
            self.add(&path, "needs at least one term: without one it matches no node and is rejected");
        }
        terms.iter().enumerate().map(|(index, term)| self.term(term, &format!("{path}[{index}]"))).collect()
    }

    fn preferred(&mut self, json: &Json, path: &str) {
        for (index, element) in self.list(Some(json), path).iter().enumerate() {
            let path = format!("{path}[{index}]");
            let Some(object) = self.object(element, &path, &["weight", "preference"]) else { continue };
            let weight = object.get("weight").and_then(Json::as_i64);
            if !weight.is_some_and(|weight| (1..=100).contains(&weight)) {
                self.add(&format!("{path}.weight"), "expected a whole number from 1 to 100");
            }
            match object.get("preference") {
                Some(preference) => {
                    self.term(preference, &format!("{path}.preference"));
                }
                None => self.add(&path, "has no \"preference\""),
            }
        }
    }

    fn term(&mut self, json: &Json, path: &str) -> Term {
        let before = self.0.len();
        let Some(term) = self.object(json, path, &["matchExpressions", "matchFields"]) else {
            return Term::default();
        };
        let expressions =
            self.requirements(term.get("matchExpressions"), &format!("{path}.matchExpressions"));
        for (index, Requirement { operator, values, .. }) in expressions.iter().enumerate() {
            let listed = matches!(operator, Operator::In | Operator::NotIn);
            // The scheduler refuses such a selector as a whole, so that the pods stay pending.
            for (place, value) in values.iter().enumerate().filter(|_| listed) {
                if let Err(why) = syntax::label_value(value) {
                    let path = format!("{path}.matchExpressions[{index}].values[{place}]");
                    self.add(&path, format!("{value:?}: {why}"));
                }
            }
        }
        let fields = self.requirements(term.get("matchFields"), &format!("{path}.matchFields"));
        for (index, field) in fields.iter().enumerate() {
            let path = format!("{path}.matchFields[{index}]");
            if field.key != "metadata.name" {
                self.add(&path, format!("{:?}: only \"metadata.name\" can be matched", field.key));
            }
            if !matches!(field.operator, Operator::In | Operator::NotIn) || field.values.len() != 1 {
                self.add(&path, "expected \"In\" or \"NotIn\" with exactly one value");
            }
        }
        if self.0.len() > before { Term::default() } else { Term { expressions, fields } }
    }

    fn requirements(&mut self, json: Option<&Json>, path: &str) -> Vec<Requirement> {
        let elements = self.list(json, path);
        let read = |(index, element)| self.requirement(element, &format!("{path}[{index}]"));
        elements.iter().enumerate().filter_map(read).collect()
    }

    fn requirement(&mut self, json: &Json, path: &str) -> Option<Requirement> {
        let object = self.object(json, path, &["key", "operator", "values"])?;
        let key = object.get("key").and_then(Json::as_str).unwrap_or_default().to_owned();
        if let Err(why) = syntax::qualified_name(&key) {
            self.add(&format!("{path}.key"), format!("{key:?}: {why}"));
        }
        let operator = self.operator(object.get("operator"), &format!("{path}.operator"))?;
        let values_path = format!("{path}.values");
        let values = self.values(object.get("values"), &values_path)?;
        let integer = |values: &[String]| matches!(values, [one] if one.parse::<i64>().is_ok());
        match operator {
            Operator::In | Operator::NotIn if values.is_empty() => {
                self.add(&values_path, "needs at least one value");
            }
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
                self.add(&values_path, "must be left out with \"Exists\" and \"DoesNotExist\"");
            }
            Operator::Gt | Operator::Lt if !integer(&values) => {
                self.add(&values_path, "expected exactly one whole number, in quotes");
            }
            _ => {}
        }
        Some(Requirement { key, operator, values })
    }

    fn operator(&mut self, json: Option<&Json>, path: &str) -> Option<Operator> {
        let found = json.and_then(Json::as_str).unwrap_or_default();
        let operator = OPERATORS.iter().find(|(name, _)| *name == found);
        if operator.is_none() {
            let near = nearest(found, OPERATORS.map(|(name, _)| name));
            let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            let names = "In, NotIn, Exists, DoesNotExist, Gt or Lt";
            self.add(path, format!("{found:?}: expected {names}{near}"));
        }
        operator.map(|(_, operator)| *operator)
    }

    fn values(&mut self, json: Option<&Json>, path: &str) -> Option<Vec<String>> {
        if let Some(Json::String(text)) = json {
            self.add(path, format!("found the string {text:?}, expected a list: [{text:?}]"));
            return None;
        }
        let before = self.0.len();
        let mut values = Vec::new();
        for (index, element) in self.list(json, path).iter().enumerate() {
            match element {
                Json::String(text) => values.push(text.clone()),
                other => self.add(
                    &format!("{path}[{index}]"),
                    format!("found {}, expected a string (put it in quotes)", kind_of(other)),
                ),
            }
        }
        (self.0.len() == before).then_some(values)
    }
}
