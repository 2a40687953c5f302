//! Findings: what a user should know about an add-on's versions, values and placement.

use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Pods will certainly not run where they must, or EKS will reject the configuration.
    Error,
    /// It may hurt.
    Warning,
}

impl Severity {
    /// The word in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Whether `ignore_findings` can silence a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// It can.
    Allowed,
    /// Without what the finding asks for there is nothing to render.
    Impossible,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $silence:ident;)+) => {
        /// The stable code of a finding. The texts below are those of the documentation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code, in alphabetical order of the variants' declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The code as it stands in results and in `ignore_findings`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// What the finding means, for the documentation.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// Whether it can be ignored.
            #[must_use]
            pub fn silence(self) -> Silence {
                match self { $(Self::$variant => Silence::$silence,)+ }
            }
        }
    };
}

codes! {
    /// A component's nodeSelector or affinity in `configuration_values` excludes every pool.
    AffinityMatchesNoPool = "affinity-matches-no-pool", Allowed;
    /// An affinity or a nodeSelector in `configuration_values` that Kubernetes rejects.
    AffinityInvalid = "affinity-invalid", Allowed;
    /// `configuration_values` does not satisfy the add-on version's JSON Schema; EKS would reject it.
    ConfigurationInvalid = "configuration-invalid", Allowed;
    /// A list or an affinity in `configuration_values` replaces the defaults and loses what they did.
    DefaultsLost = "defaults-lost", Allowed;
    /// The catalog does not know a default of this version, so nothing is claimed about it.
    DefaultsUnknown = "defaults-unknown", Allowed;
    /// A component runs only on nodes with a label that no pool states, so nothing is rendered for it.
    LabelUnstated = "label-unstated", Allowed;
    /// A rendered value and a value of `configuration_values` exclude each other.
    MergeConflict = "merge-conflict", Impossible;
    /// No label tells the pools of `run_on` from the others, so `node_affinity` cannot be rendered.
    NoDistinguishingLabel = "no-distinguishing-label", Impossible;
    /// The version has no setting for what is needed.
    PathUnavailable = "path-unavailable", Allowed;
    /// EKS Pod Identity is used and the agent is not among the add-ons.
    PodIdentityAgentMissing = "pod-identity-agent-missing", Allowed;
    /// EKS Pod Identity needs a newer agent.
    PodIdentityAgentVersion = "pod-identity-agent-version", Allowed;
    /// EKS Pod Identity does not work where the component would run.
    PodIdentityNodes = "pod-identity-nodes", Allowed;
    /// The add-on does not support EKS Pod Identity.
    PodIdentityUnsupported = "pod-identity-unsupported", Allowed;
    /// EKS Pod Identity needs a newer version of the add-on.
    PodIdentityVersion = "pod-identity-version", Allowed;
    /// A toleration or a whole list in `configuration_values` changes nothing.
    Redundant = "redundant", Allowed;
    /// The embedded catalog is of another partition than the region.
    RegionDiffers = "region-differs", Allowed;
    /// `run_on` is not set, the defaults fit no pool, and more than one pool is eligible.
    RunOnAmbiguous = "run-on-ambiguous", Allowed;
    /// A pool of `run_on` can never take the component.
    RunOnIneligible = "run-on-ineligible", Allowed;
    /// `configuration_schema` is not a JSON Schema that compiles.
    SchemaInvalid = "schema-invalid", Allowed;
    /// A text that other readers of YAML or JSON understand otherwise, such as a plain `no`.
    TextAmbiguous = "text-ambiguous", Allowed;
    /// `tolerations` has no effect because the add-on's `tolerateAllTaints` is on.
    TolerationsIgnored = "tolerations-ignored", Allowed;
    /// A toleration in `configuration_values` that Kubernetes rejects or that never matches.
    TolerationInvalid = "toleration-invalid", Allowed;
    /// The add-on is not in the catalog.
    UnknownAddon = "unknown-addon", Impossible;
    /// `components` names something that the version does not have.
    UnknownComponent = "unknown-component", Allowed;
    /// The catalog knows the add-on's versions and schemas, but not (all of) its components.
    Unmodelled = "unmodelled", Allowed;
    /// A component can run on no pool at all.
    Unschedulable = "unschedulable", Allowed;
    /// A component does not tolerate a taint of a pool that it must run on.
    UntoleratedTaint = "untolerated-taint", Allowed;
    /// The version does not support the cluster's Kubernetes version.
    VersionIncompatible = "version-incompatible", Allowed;
    /// The version is newer than the catalog.
    VersionNewer = "version-newer-than-catalog", Allowed;
    /// The version does not exist.
    VersionNotFound = "version-not-found", Impossible;
    /// The version cannot be resolved from what is given.
    VersionUnresolved = "version-unresolved", Impossible;
    /// A Deployment tolerates every taint: its pods are rescheduled onto nodes that are being drained.
    WildcardOnDeployment = "wildcard-on-deployment", Allowed;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One finding. Ordered by add-on, then component and pool, so that lists are stable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which rule.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// The add-on.
    pub addon: String,
    /// The component, if it concerns one.
    pub component: Option<String>,
    /// The pool, if it concerns one.
    pub node_pool: Option<String>,
    /// Where in the add-on's values or arguments, as text.
    pub path: Option<String>,
    /// One line that names add-on and component, so that findings do not collapse.
    pub summary: String,
    /// What was found, what is expected, what to do.
    pub detail: String,
}

impl Finding {
    /// An error about an add-on.
    pub fn error(code: Code, addon: &str, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, addon, summary.into(), detail.into())
    }

    /// A warning about an add-on.
    pub fn warning(code: Code, addon: &str, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, addon, summary.into(), detail.into())
    }

    fn new(code: Code, severity: Severity, addon: &str, summary: String, detail: String) -> Self {
        let addon = addon.to_owned();
        Self { code, severity, addon, component: None, node_pool: None, path: None, summary, detail }
    }

    /// The same finding about a component.
    #[must_use]
    pub fn component(self, component: &str) -> Self {
        Self { component: Some(component.to_owned()), ..self }
    }

    /// The same finding about a pool.
    #[must_use]
    pub fn node_pool(self, pool: &str) -> Self {
        Self { node_pool: Some(pool.to_owned()), ..self }
    }

    /// The same finding with its place in the values.
    #[must_use]
    pub fn path(self, path: impl fmt::Display) -> Self {
        Self { path: Some(path.to_string()), ..self }
    }
}

/// Sorts findings and drops those that say the same twice.
pub fn arrange(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    findings.dedup();
}

type Key<'a> = (&'a str, Severity, Code, &'a Option<String>, &'a Option<String>, &'a Option<String>);

fn key(finding: &Finding) -> (Key<'_>, &str, &str) {
    let Finding { code, severity, addon, component, node_pool, path, summary, detail } = finding;
    ((addon, *severity, *code, component, node_pool, path), summary, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_kebab_case_and_unique() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            let text = code.as_str();
            assert!(text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{text}");
            assert!(seen.insert(text), "{text} twice");
            assert!(code.meaning().ends_with('.'), "{text}");
        }
    }

    #[test]
    fn findings_are_sorted_and_said_once() {
        let make = |addon, pool| Finding::error(Code::UntoleratedTaint, addon, "s", "d").node_pool(pool);
        let mut findings = vec![make("b", "x"), make("a", "y"), make("a", "x"), make("a", "y")];
        arrange(&mut findings);
        let order: Vec<_> = findings.iter().map(|it| (it.addon.as_str(), it.node_pool.as_deref())).collect();
        assert_eq!(order, [("a", Some("x")), ("a", Some("y")), ("b", Some("x"))]);
    }
}
