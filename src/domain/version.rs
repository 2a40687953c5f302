//! Versions of add-ons and of Kubernetes, and constraints on them.

use std::fmt;
use std::str::FromStr;

/// The version of an EKS add-on: `v{major}.{minor}.{patch}-eksbuild.{build}`.
///
/// Parts are 64 bits wide: some vendors' patch numbers are dates. Order is numeric on all four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddonVersion {
    /// The part that changes with every incompatible release.
    pub major: u64,
    /// The part that vpc-cni may climb one at a time.
    pub minor: u64,
    /// The patch release.
    pub patch: u64,
    /// EKS's own build of that release.
    pub build: Build,
}

/// The number after `eksbuild.`. `preview` exists once (EBS v1.4.0) and sorts below every number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Build {
    /// `eksbuild.preview`
    Preview,
    /// `eksbuild.N`, N from 0.
    Number(u64),
}

/// A text that is not a version; holds the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd)]
pub struct NotAVersion(pub String);

impl fmt::Display for NotAVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not an add-on version: expected vMAJOR.MINOR.PATCH-eksbuild.N", self.0)
    }
}

/// Digits only: `u64::from_str` would also take a `+`.
fn number(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

impl FromStr for AddonVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let parse = || {
            let (release, build) = text.strip_prefix('v')?.split_once("-eksbuild.")?;
            let mut parts = release.split('.').map(number);
            let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
            let build = match build {
                "preview" => Build::Preview,
                build => Build::Number(number(build)?),
            };
            parts.next().is_none().then_some(Self { major, minor, patch, build })
        };
        parse().ok_or_else(|| NotAVersion(text.to_owned()))
    }
}

impl<'de> serde::Deserialize<'de> for AddonVersion {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for AddonVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}.{}-eksbuild.", self.major, self.minor, self.patch)?;
        match self.build {
            Build::Preview => f.write_str("preview"),
            Build::Number(build) => write!(f, "{build}"),
        }
    }
}

/// A closed range of versions of one add-on, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionRun {
    /// The first version of the run; `None` is the first there is.
    pub first: Option<AddonVersion>,
    /// The last version of the run; `None` is the newest there will be.
    pub last: Option<AddonVersion>,
}

impl VersionRun {
    /// Whether `version` lies in the run.
    #[must_use]
    pub fn contains(&self, version: &AddonVersion) -> bool {
        self.first.is_none_or(|first| first <= *version) && self.last.is_none_or(|last| *version <= last)
    }
}

/// A minor version of Kubernetes, such as 1.33.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubernetesVersion {
    /// 1 until Kubernetes 2 comes.
    pub major: u32,
    /// The minor.
    pub minor: u32,
}

impl KubernetesVersion {
    /// The next minor version: an EKS cluster climbs one at a time.
    #[must_use]
    pub fn next(self) -> Self {
        Self { minor: self.minor + 1, ..self }
    }
}

impl FromStr for KubernetesVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let part = |text| number(text).and_then(|part| u32::try_from(part).ok());
        let parse = || {
            let (major, minor) = text.split_once('.')?;
            Some(Self { major: part(major)?, minor: part(minor)? })
        };
        parse().ok_or_else(|| NotAVersion(text.to_owned()))
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A version constraint in Terraform's words: terms joined by commas, all of which must hold.
///
/// Terms compare `major.minor.patch` and, where a term names it, the build. A term may leave parts
/// out: `>= 1.19` is `>= 1.19.0`, and `~> 1.19` allows every later 1.x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    terms: Vec<(Operator, Vec<u64>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Pessimistic,
}

/// Longest operators first, so that `>=` is not read as `>`.
const OPERATORS: [(&str, Operator); 7] = [
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("!=", Operator::NotEqual),
    ("~>", Operator::Pessimistic),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

/// A text that is not a version constraint; holds the term that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAConstraint(pub String);

impl Constraint {
    /// Whether a text is meant as a constraint: it begins with an operator.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        OPERATORS.iter().any(|(symbol, _)| text.trim_start().starts_with(symbol))
    }

    /// Whether `version` satisfies every term.
    #[must_use]
    pub fn allows(&self, version: &AddonVersion) -> bool {
        let build = match version.build {
            Build::Preview => None,
            Build::Number(build) => Some(build),
        };
        let parts = [Some(version.major), Some(version.minor), Some(version.patch), build];
        self.terms.iter().all(|(operator, bound)| holds(*operator, &parts, bound))
    }
}

/// Compares as many parts as both sides need; what a bound leaves out is zero, but a build that the
/// bound does not name never counts: `= 1.19.0` allows every build of 1.19.0.
fn holds(operator: Operator, parts: &[Option<u64>; 4], bound: &[u64]) -> bool {
    let width = bound.len().max(3);
    let padded: Vec<_> = (0..width).map(|index| Some(bound.get(index).copied().unwrap_or(0))).collect();
    let order = parts[..width].cmp(&padded);
    match operator {
        Operator::Equal => order.is_eq(),
        Operator::NotEqual => order.is_ne(),
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Pessimistic => {
            // `~> 1.19` fixes the major, `~> 1.19.2` the minor too: all but the last part named.
            let fixed = bound.len().saturating_sub(1).max(1);
            order.is_ge() && parts[..fixed] == padded[..fixed]
        }
    }
}

impl FromStr for Constraint {
    type Err = NotAConstraint;

    fn from_str(text: &str) -> Result<Self, NotAConstraint> {
        let terms = text.split(',').map(str::trim).map(|term| {
            let bad = || NotAConstraint(term.to_owned());
            let (symbol, operator) =
                OPERATORS.iter().find(|(symbol, _)| term.starts_with(symbol)).ok_or_else(bad)?;
            let bound = term[symbol.len()..].trim().trim_start_matches('v');
            let (release, build) = match bound.split_once("-eksbuild.") {
                Some((release, build)) => (release, Some(number(build).ok_or_else(bad)?)),
                None => (bound, None),
            };
            let mut parts = release.split('.').map(number).collect::<Option<Vec<_>>>().ok_or_else(bad)?;
            let complete = if build.is_some() { parts.len() == 3 } else { parts.len() <= 3 };
            parts.extend(build);
            complete.then_some((*operator, parts)).ok_or_else(bad)
        });
        Ok(Self { terms: terms.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> AddonVersion {
        text.parse().expect("an add-on version")
    }

    #[test]
    fn versions_read_write_and_sort_by_number() {
        let sorted = [
            "v1.4.0-eksbuild.preview",
            "v1.4.0-eksbuild.0",
            "v1.4.0-eksbuild.2",
            "v1.4.0-eksbuild.10",
            "v1.10.0-eksbuild.1",
            "v1.10.20251106123-eksbuild.1",
            "v10.0.0-eksbuild.1",
        ];
        for pair in sorted.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
        for text in sorted {
            assert_eq!(version(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in [
            "1.2.3-eksbuild.1",
            "v1.2-eksbuild.1",
            "v1.2.3",
            "v1.2.3-eksbuild.",
            "v1.2.3-eksbuild.x",
            "v1.2.3.4-eksbuild.1",
            "v+1.2.3-eksbuild.1",
            "v99999999999999999999.0.0-eksbuild.1",
            "",
        ] {
            assert!(text.parse::<AddonVersion>().is_err(), "{text}");
        }
        for text in ["1", "1.", "v1.30", "1.30.2", "1.x"] {
            assert!(text.parse::<KubernetesVersion>().is_err(), "{text}");
        }
        assert!("1.9".parse::<KubernetesVersion>() < "1.30".parse());
    }

    #[test]
    fn constraints_hold_case_by_case() {
        for (constraint, text, expect) in [
            (">= 1.19", "v1.19.0-eksbuild.1", true),
            (">= 1.19", "v1.18.6-eksbuild.1", false),
            (">= 1.19, < 2", "v2.0.0-eksbuild.1", false),
            (">=1.19,<2", "v1.99.9-eksbuild.9", true),
            ("= 1.19.0", "v1.19.0-eksbuild.5", true),
            ("= v1.19.0-eksbuild.1", "v1.19.0-eksbuild.5", false),
            ("!= 1.19.0", "v1.19.0-eksbuild.5", false),
            ("> 1.19.0", "v1.19.0-eksbuild.5", false),
            ("> 1.19.0-eksbuild.4", "v1.19.0-eksbuild.5", true),
            ("<= 1.19", "v1.19.1-eksbuild.1", false),
            ("~> 1.19", "v1.23.0-eksbuild.1", true),
            ("~> 1.19", "v2.0.0-eksbuild.1", false),
            ("~> 1.19.2", "v1.19.9-eksbuild.1", true),
            ("~> 1.19.2", "v1.20.0-eksbuild.1", false),
            ("~> 1.19.2", "v1.19.1-eksbuild.1", false),
            ("~> 1", "v1.2.0-eksbuild.1", true),
            ("~> 1", "v2.2.0-eksbuild.1", false),
        ] {
            let parsed: Constraint = constraint.parse().expect("a constraint");
            assert_eq!(parsed.allows(&version(text)), expect, "{text} {constraint}");
        }
    }

    #[test]
    fn what_is_no_constraint_is_refused() {
        for text in ["1.19", ">= ", ">= 1.x", ">= 1.19,", ">= 1.2.3.4", "~> 1.2-eksbuild.1", "=> 1"] {
            assert!(text.parse::<Constraint>().is_err(), "{text}");
        }
        assert!(Constraint::is_meant_by(" ~> 1.2") && !Constraint::is_meant_by("v1.2.3-eksbuild.1"));
    }
}
