//! The schema of `eksaddon_scheduling`: one declaration for the protocol and the documentation.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::config::arguments::{ADDON, Argument, NODE_POOL};
use crate::tf::{Attribute, Mode, Nesting, Type};

fn computed(ty: Type, text: &str) -> Attribute {
    Attribute::new(ty, Mode::Computed, text)
}

fn optional(ty: Type, text: impl Into<String>) -> Attribute {
    Attribute::new(ty, Mode::Optional, text)
}

fn named(attributes: Vec<(&str, Attribute)>) -> BTreeMap<String, Attribute> {
    attributes.into_iter().map(|(name, attribute)| (name.to_owned(), attribute)).collect()
}

/// A Markdown list of the arguments inside a dynamic attribute.
fn listed(intro: &str, arguments: &[Argument]) -> String {
    let mut text = intro.to_owned();
    text.push('\n');
    for argument in arguments.iter().filter(|argument| !argument.is_passed_over()) {
        let Argument { name, ty, default, text: what } = argument;
        let default = if default.is_empty() { String::new() } else { format!(", default `{default}`") };
        let _ = write!(text, "\n- `{name}` ({ty}{default}): {what}");
    }
    let passed: Vec<_> =
        arguments.iter().filter(|it| it.is_passed_over()).map(|it| format!("`{}`", it.name)).collect();
    if !passed.is_empty() {
        let _ = write!(
            text,
            "\n\nAccepted and passed over, so that one map can feed the EKS module too: {}.",
            passed.join(", ")
        );
    }
    text
}

/// What a user gives.
pub(super) fn arguments() -> BTreeMap<String, Attribute> {
    named(vec![
        (
            "kubernetes_version",
            Attribute::new(
                Type::String,
                Mode::OptionalComputed,
                "The cluster's Kubernetes version in quotes, such as `\"1.33\"`. Needed to resolve versions that are \
                 not exact.",
            ),
        ),
        (
            "cluster_name",
            optional(Type::String, "A cluster to read versions, pools and add-ons from. Not supported yet."),
        ),
        (
            "region",
            optional(
                Type::String,
                "Overrides the provider's region. The embedded catalog is of one partition: another gives a finding.",
            ),
        ),
        (
            "taints",
            optional(
                Type::Dynamic,
                "Short for one node pool `default` with these taints. Conflicts with `node_pools`. `[]` is one untainted pool.",
            ),
        ),
        (
            "node_pools",
            optional(
                Type::Dynamic,
                listed(
                    "The node pools by name. Without any, versions and schemas are checked and nothing is said of \
                     placement. Each takes:",
                    &NODE_POOL,
                ),
            ),
        ),
        (
            "addons",
            Attribute::new(
                Type::Dynamic,
                Mode::Required,
                listed("The add-ons by their EKS name, such as `vpc-cni`. Each takes:", &ADDON),
            ),
        ),
        (
            "on_unschedulable",
            optional(
                Type::String,
                "`error` (default) or `warning`: what to do where a component cannot run and a setting could change that.",
            ),
        ),
        (
            "ignore_findings",
            optional(
                Type::set(Type::String),
                "Codes of findings to ignore, such as `wildcard-on-deployment`.",
            ),
        ),
    ])
}

/// What a user gets.
pub(super) fn results() -> BTreeMap<String, Attribute> {
    let list = |attributes, text: &str| Attribute::nested(Nesting::List, attributes, Mode::Computed, text);
    named(vec![
        (
            "rendered",
            Attribute::nested(
                Nesting::Map,
                rendered(),
                Mode::Computed,
                "What to give to `aws_eks_addon`, by add-on.",
            ),
        ),
        (
            "placements",
            list(placement(), "Every component on every pool, ordered by add-on, component and pool."),
        ),
        ("findings", list(finding(), "What you should know, ordered. Errors among them stop the plan.")),
        ("report", computed(Type::String, "The placements as a table for the terminal.")),
        (
            "upgrade_blockers",
            list(upgrade_blocker(), "Add-on versions that the next Kubernetes minor does not support."),
        ),
        (
            "schedulable",
            computed(
                Type::Bool,
                "Whether every component can run where it must. Never null; meant for `check` blocks.",
            ),
        ),
        ("catalog_source", computed(Type::String, "Where versions and schemas come from.")),
        ("catalog_date", computed(Type::String, "The date of the catalog, as `YYYY-MM-DD`.")),
    ])
}

fn rendered() -> BTreeMap<String, Attribute> {
    let text = |text| computed(Type::String, text);
    named(vec![
        ("addon_version", text("The exact version.")),
        (
            "configuration_values",
            text("Canonical JSON; `{}` when the defaults suffice, because that makes EKS reset to them."),
        ),
        (
            "schema_source",
            text("What the values were checked against: `embedded`, `eks-api`, `argument` or `none`."),
        ),
        (
            "resolve_conflicts_on_create",
            text("`OVERWRITE` for what EKS installs by itself in a new cluster, else `NONE`."),
        ),
        (
            "resolve_conflicts_on_update",
            text("`OVERWRITE`: fields changed in the cluster return to what is rendered."),
        ),
        (
            "before_compute",
            computed(
                Type::Bool,
                "Whether nodes do not become ready without it, so that it is created before them.",
            ),
        ),
        ("default_version", text("What EKS installs by default in this Kubernetes version.")),
        ("latest_version", text("The newest version for this Kubernetes version.")),
        ("reasons", computed(Type::list(Type::String), "One line for each value that was added: why.")),
        (
            "service_account",
            text("The service account that needs credentials; only from the EKS API, else null."),
        ),
        (
            "recommended_policies",
            computed(
                Type::list(Type::String),
                "Policies that AWS recommends for it; only from the EKS API, else null.",
            ),
        ),
    ])
}

fn placement() -> BTreeMap<String, Attribute> {
    let text = |text| computed(Type::String, text);
    named(vec![
        ("addon", text("The add-on.")),
        ("component", text("The component.")),
        ("kind", text("`DaemonSet` or `Deployment`.")),
        ("node_pool", text("The pool.")),
        (
            "schedulable",
            computed(
                Type::Bool,
                "Whether it can run there; null where that hangs on a label that the pool does not state.",
            ),
        ),
        ("reason", text("Why, or why not.")),
    ])
}

fn finding() -> BTreeMap<String, Attribute> {
    let text = |text| computed(Type::String, text);
    named(vec![
        ("code", text("The stable code, for `ignore_findings`.")),
        ("severity", text("`error` or `warning`.")),
        ("addon", text("The add-on, or null if it concerns all of them.")),
        ("component", text("The component, or null.")),
        ("node_pool", text("The pool, or null.")),
        ("path", text("Where in the add-on's values or arguments, or null.")),
        ("summary", text("One line.")),
        ("detail", text("What was found, what is expected and what to do.")),
    ])
}

fn upgrade_blocker() -> BTreeMap<String, Attribute> {
    named(vec![
        ("addon", computed(Type::String, "The add-on.")),
        ("addon_version", computed(Type::String, "Its version.")),
        (
            "kubernetes_version",
            computed(Type::String, "The next minor, which that version does not support."),
        ),
    ])
}
