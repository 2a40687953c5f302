//! Taints of nodes.

use std::fmt;
use std::str::FromStr;

use super::syntax;

/// What a taint does to a pod that does not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// No new pod lands on the node.
    NoSchedule,
    /// The scheduler avoids the node but may use it: it never filters.
    PreferNoSchedule,
    /// No new pod lands, and running ones are evicted.
    NoExecute,
}

impl Effect {
    /// All effects, Kubernetes' spelling first, then that of the EKS API.
    pub const SPELLINGS: [(Self, &'static str, &'static str); 3] = [
        (Self::NoSchedule, "NoSchedule", "NO_SCHEDULE"),
        (Self::PreferNoSchedule, "PreferNoSchedule", "PREFER_NO_SCHEDULE"),
        (Self::NoExecute, "NoExecute", "NO_EXECUTE"),
    ];

    /// Kubernetes' spelling.
    #[must_use]
    pub fn kubernetes(self) -> &'static str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
        }
    }

    /// The effect that Kubernetes spells like this.
    #[must_use]
    pub fn from_kubernetes(text: &str) -> Option<Self> {
        Self::SPELLINGS.iter().find(|(_, name, _)| *name == text).map(|(effect, ..)| *effect)
    }

    /// The effect that the EKS API spells like this.
    #[must_use]
    pub fn from_eks(text: &str) -> Option<Self> {
        Self::SPELLINGS.iter().find(|(.., name)| *name == text).map(|(effect, ..)| *effect)
    }

    /// Whether the taint keeps pods away for certain.
    #[must_use]
    pub fn filters(self) -> bool {
        self != Self::PreferNoSchedule
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kubernetes())
    }
}

/// A taint of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taint {
    /// A qualified name.
    pub key: String,
    /// A label value, often empty.
    pub value: String,
    /// What it does.
    pub effect: Effect,
}

/// Why something is not a taint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotATaint {
    /// A text without `:Effect`.
    NoColon(String),
    /// No key.
    NoKey,
    /// No effect.
    NoEffect,
    /// An effect of neither spelling; holds it and the nearest valid one.
    Effect(String, &'static str),
    /// A key that is no qualified name; holds it and why.
    Key(String, &'static str),
    /// A value that is no label value; holds it and why.
    Value(String, &'static str),
}

impl fmt::Display for NotATaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoColon(text) => write!(f, "{text:?} has no effect: expected \"key=value:Effect\""),
            Self::NoKey => f.write_str("there is no key"),
            Self::NoEffect => {
                f.write_str("there is no effect: expected NoSchedule, PreferNoSchedule or NoExecute")
            }
            Self::Effect(found, nearest) => write!(
                f,
                "{found:?} is not an effect: expected NoSchedule, PreferNoSchedule or NoExecute (or \
                 NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE as the EKS API spells them). Did you mean \
                 {nearest:?}?"
            ),
            Self::Key(found, why) => write!(f, "{found:?} is not a taint key: {why}"),
            Self::Value(found, why) => write!(f, "{found:?} is not a taint value: {why}"),
        }
    }
}

impl Taint {
    /// A taint of checked parts.
    ///
    /// # Errors
    /// Every part that is wrong.
    pub fn new(key: &str, value: &str, effect: &str) -> Result<Self, Vec<NotATaint>> {
        let problems = Self::problems(Some(key), Some(value), Some(effect));
        let read = Effect::from_kubernetes(effect).or_else(|| Effect::from_eks(effect));
        match read {
            Some(effect) if problems.is_empty() => {
                Ok(Self { key: key.to_owned(), value: value.to_owned(), effect })
            }
            _ => Err(problems),
        }
    }

    /// What is wrong with the parts of a taint; `None` is a part that is not known yet. Kubernetes' own
    /// validation (core/v1 `ValidateTaints`): the key is a qualified name and the value a label value.
    #[must_use]
    pub fn problems(key: Option<&str>, value: Option<&str>, effect: Option<&str>) -> Vec<NotATaint> {
        let key = key.and_then(|key| {
            let missing = key.is_empty().then_some(NotATaint::NoKey);
            missing
                .or_else(|| syntax::qualified_name(key).err().map(|why| NotATaint::Key(key.to_owned(), why)))
        });
        let value = value.and_then(|value| {
            syntax::label_value(value).err().map(|why| NotATaint::Value(value.to_owned(), why))
        });
        let effect = effect.and_then(|effect| match effect {
            "" => Some(NotATaint::NoEffect),
            known if Effect::from_kubernetes(known).or_else(|| Effect::from_eks(known)).is_some() => None,
            other => Some(NotATaint::Effect(other.to_owned(), nearest_effect(other))),
        });
        [key, value, effect].into_iter().flatten().collect()
    }
}

/// The taint of a node that is not ready yet: it keeps it until its network and everything else it waits
/// for runs.
#[must_use]
pub fn not_ready() -> Taint {
    Taint { key: "node.kubernetes.io/not-ready".into(), value: String::new(), effect: Effect::NoSchedule }
}

fn nearest_effect(found: &str) -> &'static str {
    let spellings = Effect::SPELLINGS.iter().flat_map(|(_, kubernetes, eks)| [*kubernetes, *eks]);
    let distance = |name: &str| strsim::damerau_levenshtein(&found.to_lowercase(), &name.to_lowercase());
    spellings.min_by_key(|name| distance(name)).unwrap_or("NoSchedule")
}

impl FromStr for Taint {
    type Err = Vec<NotATaint>;

    /// Reads `key=value:Effect` or `key:Effect`, as `kubectl taint` takes it.
    fn from_str(text: &str) -> Result<Self, Vec<NotATaint>> {
        let no_colon = || vec![NotATaint::NoColon(text.to_owned())];
        let (left, effect) = text.rsplit_once(':').ok_or_else(no_colon)?;
        let (key, value) = left.split_once('=').unwrap_or((left, ""));
        Self::new(key, value, effect)
    }
}

impl fmt::Display for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let equals = if self.value.is_empty() { "" } else { "=" };
        write!(f, "{}{equals}{}:{}", self.key, self.value, self.effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: Result<&str, &str>) {
        match (input.parse::<Taint>(), expect) {
            (Ok(taint), Ok(text)) => assert_eq!(taint.to_string(), text, "{input}"),
            (Err(errors), Err(part)) => {
                let text: String = errors.iter().map(ToString::to_string).collect();
                assert!(errors.len() == 1 && text.contains(part), "{input}: {errors:?}");
            }
            (found, expect) => panic!("{input}: found {found:?}, expected {expect:?}"),
        }
    }

    #[test]
    fn taints_read_as_kubectl_takes_them() {
        check("dedicated=gpu:NoSchedule", Ok("dedicated=gpu:NoSchedule"));
        check("nvidia.com/gpu:NO_EXECUTE", Ok("nvidia.com/gpu:NoExecute"));
        check("a=:PreferNoSchedule", Ok("a:PreferNoSchedule"));
        check("a=b", Err("has no effect"));
        check("a=b:NoSchedul", Err("Did you mean \"NoSchedule\""));
        check("a=b:noschedule", Err("Did you mean \"NoSchedule\""));
        check("a b:NoSchedule", Err("is not a taint key"));
        check(":NoSchedule", Err("there is no key"));
        check("a:", Err("there is no effect"));
        check("a=b c:NoSchedule", Err("is not a taint value"));
        check("a=x=y:NoSchedule", Err("is not a taint value"));
    }
}
