//! Tolerations of pods, and which taints they match.

use serde_json::{Map, Value as Json};

use super::{Effect, Taint, syntax};

/// A toleration, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toleration {
    /// Empty: every key.
    pub key: String,
    /// How the value counts.
    pub operator: TolerationOperator,
    /// Compared under `Equal`.
    pub value: String,
    /// `None`: every effect.
    pub effect: Option<Effect>,
    /// How long a `NoExecute` taint is tolerated; `None`: for ever.
    pub toleration_seconds: Option<i64>,
}

/// How a toleration compares values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TolerationOperator {
    /// The values are equal. The default.
    Equal,
    /// Any value.
    Exists,
    /// Numeric comparison: an alpha gate upstream, off on EKS, so it never matches.
    Numeric,
}

/// What is wrong with one toleration. Kubernetes would reject the pods (core/v1 `ValidateTolerations`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key inside the toleration; empty for the toleration itself.
    pub key: &'static str,
    /// What was found and what is expected.
    pub message: String,
    /// Whether the scheduler merely ignores it.
    pub harmless: bool,
}

impl Toleration {
    /// The toleration that matches exactly what `taint` says.
    #[must_use]
    pub fn of(taint: &Taint) -> Self {
        let operator =
            if taint.value.is_empty() { TolerationOperator::Exists } else { TolerationOperator::Equal };
        Self {
            key: taint.key.clone(),
            operator,
            value: taint.value.clone(),
            effect: Some(taint.effect),
            toleration_seconds: None,
        }
    }

    /// `operator: Exists` and nothing else: tolerates everything.
    #[must_use]
    pub fn wildcard() -> Self {
        let (key, value) = (String::new(), String::new());
        Self { key, operator: TolerationOperator::Exists, value, effect: None, toleration_seconds: None }
    }

    /// Whether it tolerates every taint of every effect.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        self.key.is_empty() && self.operator == TolerationOperator::Exists && self.effect.is_none()
    }

    /// Whether a pod with this toleration may be on a node with `taint`. The rules, in the order of
    /// core/v1 `ToleratesTaint`:
    ///
    /// 1. an effect that is given must be the taint's;
    /// 2. a key that is given must be the taint's;
    /// 3. `Exists` matches any value, `Equal` (also when omitted) only the same one.
    #[must_use]
    pub fn tolerates(&self, taint: &Taint) -> bool {
        if self.effect.is_some_and(|effect| effect != taint.effect) {
            return false;
        }
        if !self.key.is_empty() && self.key != taint.key {
            return false;
        }
        match self.operator {
            TolerationOperator::Exists => true,
            TolerationOperator::Equal => self.value == taint.value,
            TolerationOperator::Numeric => false,
        }
    }

    /// Whether every taint that `other` tolerates is tolerated by this one too, and as long.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let effect = self.effect.is_none_or(|effect| other.effect == Some(effect));
        let key = self.key.is_empty() || self.key == other.key;
        let value = match self.operator {
            TolerationOperator::Exists => true,
            TolerationOperator::Equal => {
                other.operator == TolerationOperator::Equal && self.value == other.value
            }
            TolerationOperator::Numeric => false,
        };
        let seconds = self.toleration_seconds == other.toleration_seconds;
        effect && key && value && seconds
    }

    /// The object of a pod spec, with only the keys that apply.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Map::new();
        let operator = match self.operator {
            TolerationOperator::Equal => "Equal",
            TolerationOperator::Exists => "Exists",
            TolerationOperator::Numeric => "Gt",
        };
        object.insert("operator".into(), operator.into());
        if !self.key.is_empty() {
            object.insert("key".into(), self.key.clone().into());
        }
        if self.operator != TolerationOperator::Exists {
            object.insert("value".into(), self.value.clone().into());
        }
        if let Some(effect) = self.effect {
            object.insert("effect".into(), effect.kubernetes().into());
        }
        if let Some(seconds) = self.toleration_seconds {
            object.insert("tolerationSeconds".into(), seconds.into());
        }
        Json::Object(object)
    }

    /// Reads one element of a `tolerations` list. What cannot be read is a problem and counts as
    /// absent, so that the rest can still be judged.
    #[must_use]
    pub fn read(json: &Json) -> (Option<Self>, Vec<Problem>) {
        let mut problems = Vec::new();
        let Json::Object(object) = json else {
            problems.push(problem("", format!("found {}, expected an object", kind_of(json))));
            return (None, problems);
        };
        for key in object.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            let nearest = super::nearest(key, KEYS).map(|near| format!("; did you mean {near:?}?"));
            problems.push(problem("", format!("unknown key {key:?}{}", nearest.unwrap_or_default())));
        }
        let key = text(object, "key", &mut problems);
        let value = text(object, "value", &mut problems);
        let operator = operator(object, &mut problems);
        let effect = effect(object, &mut problems);
        let toleration_seconds = seconds(object, &mut problems);
        let (Some(key), Some(value), Some(operator), Some(effect)) = (key, value, operator, effect) else {
            return (None, problems);
        };
        let toleration = Self { key, operator, value, effect, toleration_seconds };
        toleration.check(&mut problems);
        (Some(toleration), problems)
    }

    /// What Kubernetes' validation demands of the whole toleration.
    fn check(&self, problems: &mut Vec<Problem>) {
        if self.key.is_empty() && self.operator != TolerationOperator::Exists {
            problems.push(problem(
                "operator",
                "a toleration without a key must have operator \"Exists\" (which tolerates everything)",
            ));
        }
        if !self.key.is_empty()
            && let Err(why) = syntax::qualified_name(&self.key)
        {
            problems.push(problem("key", format!("{:?}: {why}", self.key)));
        }
        match self.operator {
            TolerationOperator::Exists if !self.value.is_empty() => problems.push(problem(
                "value",
                format!("{:?} must be left out when the operator is \"Exists\"", self.value),
            )),
            TolerationOperator::Equal if let Err(why) = syntax::label_value(&self.value) => {
                problems.push(problem("value", format!("{:?}: {why}", self.value)));
            }
            TolerationOperator::Numeric => problems.push(Problem {
                key: "operator",
                message: "\"Lt\" and \"Gt\" are an alpha feature of Kubernetes that EKS does not turn on: \
                          they never match. Use \"Equal\" or \"Exists\""
                    .into(),
                harmless: true,
            }),
            _ => {}
        }
        if self.toleration_seconds.is_some() && self.effect != Some(Effect::NoExecute) {
            problems.push(problem(
                "tolerationSeconds",
                "is only allowed with effect \"NoExecute\": other effects do not evict",
            ));
        }
    }
}

/// The keys of a toleration (core/v1).
const KEYS: [&str; 5] = ["key", "operator", "value", "effect", "tolerationSeconds"];

fn problem(key: &'static str, message: impl Into<String>) -> Problem {
    Problem { key, message: message.into(), harmless: false }
}

/// A JSON value's type as a user would name it.
#[must_use]
pub fn kind_of(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a bool",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// A string member; absent or null is empty, as the API server treats it.
fn text(object: &Map<String, Json>, key: &'static str, problems: &mut Vec<Problem>) -> Option<String> {
    match object.get(key) {
        None | Some(Json::Null) => Some(String::new()),
        Some(Json::String(text)) => Some(text.clone()),
        Some(other) => {
            let hint = if key == "value" { " (put it in quotes)" } else { "" };
            problems.push(problem(key, format!("found {}, expected a string{hint}", kind_of(other))));
            None
        }
    }
}

fn operator(object: &Map<String, Json>, problems: &mut Vec<Problem>) -> Option<TolerationOperator> {
    match text(object, "operator", problems)?.as_str() {
        "" | "Equal" => Some(TolerationOperator::Equal),
        "Exists" => Some(TolerationOperator::Exists),
        "Lt" | "Gt" => Some(TolerationOperator::Numeric),
        other => {
            let near = super::nearest(other, ["Equal", "Exists"]).unwrap_or("Exists");
            let message = format!("{other:?}: expected \"Equal\" or \"Exists\"; did you mean {near:?}?");
            problems.push(problem("operator", message));
            None
        }
    }
}

fn effect(object: &Map<String, Json>, problems: &mut Vec<Problem>) -> Option<Option<Effect>> {
    let text = text(object, "effect", problems)?;
    if text.is_empty() {
        return Some(None);
    }
    if let Some(effect) = Effect::from_kubernetes(&text) {
        return Some(Some(effect));
    }
    let message = match Effect::from_eks(&text) {
        Some(effect) => format!(
            "{text:?} is how the EKS API spells it for node groups; Kubernetes rejects the pods. Expected \
             \"{effect}\""
        ),
        None => super::NotATaint::Effect(text.clone(), nearest_kubernetes(&text)).to_string(),
    };
    problems.push(problem("effect", message));
    None
}

fn nearest_kubernetes(text: &str) -> &'static str {
    super::nearest(text, ["NoSchedule", "PreferNoSchedule", "NoExecute"]).unwrap_or("NoSchedule")
}

fn seconds(object: &Map<String, Json>, problems: &mut Vec<Problem>) -> Option<i64> {
    match object.get("tolerationSeconds") {
        None | Some(Json::Null) => None,
        Some(Json::Number(number)) if number.as_i64().is_some() => number.as_i64(),
        Some(other) => {
            let found = match other {
                Json::Number(number) => number.to_string(),
                other => kind_of(other).to_owned(),
            };
            problems.push(problem("tolerationSeconds", format!("found {found}, expected whole seconds")));
            None
        }
    }
}

/// The tolerations that the DaemonSet controller adds to every pod by itself (Kubernetes
/// documentation, "DaemonSet", taints and tolerations). `not-ready` with NoSchedule is not among them.
#[must_use]
pub fn added_by_the_daemonset_controller(host_network: HostNetwork) -> Vec<Toleration> {
    let exists = |key: &str, effect| Toleration {
        key: format!("node.kubernetes.io/{key}"),
        operator: TolerationOperator::Exists,
        value: String::new(),
        effect: Some(effect),
        toleration_seconds: None,
    };
    let mut tolerations = vec![
        exists("not-ready", Effect::NoExecute),
        exists("unreachable", Effect::NoExecute),
        exists("disk-pressure", Effect::NoSchedule),
        exists("memory-pressure", Effect::NoSchedule),
        exists("pid-pressure", Effect::NoSchedule),
        exists("unschedulable", Effect::NoSchedule),
    ];
    if host_network == HostNetwork::Yes {
        tolerations.push(exists("network-unavailable", Effect::NoSchedule));
    }
    tolerations
}

/// Whether pods use the node's network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostNetwork {
    /// They do, so they start before the CNI.
    Yes,
    /// They need the CNI.
    No,
}
