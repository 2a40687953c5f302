//! From what a user says of a version to one version, by the facts of the catalog.

#[cfg(test)]
mod tests;

use crate::catalog::{Addon, VersionFacts};
use crate::domain::request::VersionRequest;
use crate::domain::{AddonVersion, Code, Finding, KubernetesVersion, nearest};

/// The version that was decided on, and those it was chosen among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The version to install.
    pub version: AddonVersion,
    /// The version whose schema and components hold: the newest known for one that is newer.
    pub known_version: AddonVersion,
}

/// What is known about the cluster's Kubernetes version.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    /// The version, if the user states it.
    pub version: Option<KubernetesVersion>,
    /// Every version that the catalog knows, in order.
    pub known: &'a [KubernetesVersion],
}

/// What EKS would install by default in this cluster.
#[must_use]
pub fn default_version(addon: &Addon, cluster: Cluster<'_>) -> Option<AddonVersion> {
    let minor = cluster.version?;
    addon.default_for(minor).or_else(|| addon.latest_for(minor)).map(|facts| facts.version)
}

/// The newest version for this cluster: the first that the EKS API lists.
#[must_use]
pub fn latest_version(addon: &Addon, cluster: Cluster<'_>) -> Option<AddonVersion> {
    addon.latest_for(cluster.version?).map(|facts| facts.version)
}

fn supporting(addon: &Addon, minor: KubernetesVersion) -> impl Iterator<Item = &VersionFacts> {
    addon.versions.iter().filter(move |facts| facts.kubernetes.contains(&minor))
}

/// Decides the version.
///
/// An exact version need not be one that the cluster supports or the catalog knows to be rendered:
/// then findings say so beside the result.
pub fn resolve(
    addon: &Addon,
    request: &VersionRequest,
    cluster: Cluster<'_>,
) -> (Option<Resolved>, Vec<Finding>) {
    if let VersionRequest::Exact(version) = request {
        return exact(addon, *version, cluster);
    }
    if cluster.version.is_some_and(|minor| !cluster.known.contains(&minor)) {
        // That is one mistake of the request, not one of every add-on: see `unknown_minor`.
        return (None, Vec::new());
    }
    let choice = minor_of(addon, request, cluster).and_then(|minor| match request {
        VersionRequest::Default => default_version(addon, cluster).ok_or_else(|| unsupported(addon, minor)),
        VersionRequest::Latest => latest_version(addon, cluster).ok_or_else(|| unsupported(addon, minor)),
        VersionRequest::Constrained(constraint, text) => {
            let mut allowed = supporting(addon, minor).filter(|facts| constraint.allows(&facts.version));
            let newest = allowed.next().map(|facts| facts.version);
            let default = default_version(addon, cluster).filter(|version| constraint.allows(version));
            default.or(newest).ok_or_else(|| unsatisfied(addon, minor, text))
        }
        VersionRequest::Exact(_) => unreachable!("decided above"),
    });
    match choice {
        Ok(version) => (Some(Resolved { version, known_version: version }), Vec::new()),
        Err(finding) => (None, vec![*finding]),
    }
}

/// The cluster's minor, which everything but an exact version needs.
fn minor_of(
    addon: &Addon,
    request: &VersionRequest,
    cluster: Cluster<'_>,
) -> Result<KubernetesVersion, Box<Finding>> {
    let name = &addon.name;
    let asked = match request {
        VersionRequest::Default => "\"default\"".to_owned(),
        VersionRequest::Latest => "\"latest\"".to_owned(),
        VersionRequest::Constrained(_, text) => format!("{text:?}"),
        VersionRequest::Exact(version) => version.to_string(),
    };
    let summary = format!("{name}: the version cannot be resolved");
    let Some(minor) = cluster.version else {
        let detail = format!(
            "addons[{name:?}].addon_version is {asked}, which depends on the cluster. Set kubernetes_version, \
             or give an exact version{}.",
            addon.newest().map(|facts| format!(" such as \"{}\"", facts.version)).unwrap_or_default()
        );
        return Err(Box::new(Finding::error(Code::VersionUnresolved, name, summary, detail)));
    };
    Ok(minor)
}

/// What a request is told whose Kubernetes version the catalog does not know, unless all its add-on
/// versions are exact.
#[must_use]
pub fn unknown_minor(cluster: Cluster<'_>) -> Option<Finding> {
    let minor = cluster.version.filter(|minor| !cluster.known.contains(minor))?;
    let (first, last) = (cluster.known.first()?, cluster.known.last()?);
    let detail = format!(
        "kubernetes_version: found {:?}; the catalog knows Kubernetes {first} to {last}.{} For a version that the catalog does not know, \
         give every add-on an exact addon_version.",
        minor.to_string(),
        unquoted(minor, cluster.known),
    );
    let summary = format!("the catalog does not know Kubernetes {minor}");
    Some(Finding::error(Code::VersionUnresolved, "", summary, detail).path("kubernetes_version"))
}

/// `1.30` without quotes is the number 1.3.
fn unquoted(minor: KubernetesVersion, known: &[KubernetesVersion]) -> String {
    let meant = known.iter().find(|known| minor.minor < 10 && known.minor == minor.minor * 10);
    meant.map(|meant| format!(" Did you mean \"{meant}\"? It must be in quotes.")).unwrap_or_default()
}

fn exact(addon: &Addon, version: AddonVersion, cluster: Cluster<'_>) -> (Option<Resolved>, Vec<Finding>) {
    let name = &addon.name;
    let Some(facts) = addon.version(&version) else {
        let newest = addon.newest().map(|facts| facts.version).filter(|newest| *newest < version);
        let Some(newest) = newest else { return (None, vec![not_found(addon, version, cluster)]) };
        let detail = format!(
            "The newest version of {name} in the catalog is {newest}. {version} is accepted and its values are \
             checked against the schema of {newest}, which may differ."
        );
        let summary = format!("{name}: {version} is newer than the catalog");
        let finding = Finding::warning(Code::VersionNewer, name, summary, detail);
        return (Some(Resolved { version, known_version: newest }), vec![finding]);
    };
    let resolved = Resolved { version, known_version: version };
    let incompatible =
        cluster.version.filter(|minor| cluster.known.contains(minor) && !facts.kubernetes.contains(minor));
    let finding = incompatible.map(|minor| {
        let supported = listed(facts.kubernetes.iter());
        let instead = match nearest_supporting(addon, version, minor) {
            Some(instead) => format!("The nearest version that supports it is {instead}."),
            None => format!("No version of {name} in the catalog supports it."),
        };
        let detail =
            format!("{version} supports Kubernetes {supported}; the cluster runs {minor}. {instead}");
        let summary = format!("{name}: {version} does not support Kubernetes {minor}");
        Finding::error(Code::VersionIncompatible, name, summary, detail).path("addon_version")
    });
    (Some(resolved), finding.into_iter().collect())
}

/// The smallest supporting version that is not older, else the newest older one.
fn nearest_supporting(
    addon: &Addon,
    version: AddonVersion,
    minor: KubernetesVersion,
) -> Option<AddonVersion> {
    let all = || supporting(addon, minor).map(|facts| facts.version);
    all().filter(|it| *it >= version).min().or_else(|| all().max())
}

fn not_found(addon: &Addon, version: AddonVersion, cluster: Cluster<'_>) -> Finding {
    let name = &addon.name;
    let versions: Vec<_> = addon.versions.iter().map(|facts| facts.version.to_string()).collect();
    let same_release = |it: &&VersionFacts| {
        let it = it.version;
        (it.major, it.minor, it.patch) == (version.major, version.minor, version.patch)
    };
    let text = version.to_string();
    let near = addon.versions.iter().find(same_release).map(|facts| facts.version.to_string());
    let near = near.or_else(|| nearest(&text, versions.iter().map(String::as_str)).map(str::to_owned));
    let near = near.map(|near| format!(" The nearest is {near:?}.")).unwrap_or_default();
    let default = default_version(addon, cluster);
    let default = default.map(|it| format!(" EKS's default for the cluster is {it}.")).unwrap_or_default();
    let ends = addon.oldest().zip(addon.newest());
    let range =
        ends.map(|(first, last)| format!(" from {} to {}", first.version, last.version)).unwrap_or_default();
    let detail = format!(
        "The catalog lists {} versions of {name}{range}, and {version} is not among them.{near}{default}",
        addon.versions.len(),
    );
    let summary = format!("{name}: {version} does not exist");
    Finding::error(Code::VersionNotFound, name, summary, detail).path("addon_version")
}

fn unsupported(addon: &Addon, minor: KubernetesVersion) -> Box<Finding> {
    let name = &addon.name;
    let all = addon.versions.iter().flat_map(|facts| &facts.kubernetes);
    let all: std::collections::BTreeSet<_> = all.collect();
    let detail = format!(
        "The catalog lists versions of {name} for Kubernetes {}. Leave the add-on out, or give an exact version.",
        listed(all.into_iter())
    );
    let summary = format!("{name}: no version supports Kubernetes {minor}");
    Box::new(Finding::error(Code::VersionUnresolved, name, summary, detail))
}

fn unsatisfied(addon: &Addon, minor: KubernetesVersion, constraint: &str) -> Box<Finding> {
    let name = &addon.name;
    let mut versions: Vec<_> = supporting(addon, minor).map(|facts| facts.version).collect();
    versions.sort_unstable();
    let detail = match (versions.first(), versions.last()) {
        (Some(first), Some(last)) => format!(
            "For Kubernetes {minor} the catalog lists {} versions from {first} to {last}; none satisfies \
             {constraint:?}.",
            versions.len()
        ),
        _ => format!("The catalog lists no version for Kubernetes {minor}."),
    };
    let summary = format!("{name}: no version satisfies {constraint:?}");
    Box::new(Finding::error(Code::VersionUnresolved, name, summary, detail).path("addon_version"))
}

/// The version that an update from `from` towards `to` can take in one step, where EKS lets an add-on climb
/// only one minor at a time, up or down (terraform-aws-eks #2749): the newest of the next minor that the
/// cluster supports, or `to` if it is near enough or there is nothing in between.
#[must_use]
pub fn one_minor_step(
    addon: &Addon,
    from: AddonVersion,
    to: AddonVersion,
    cluster: Cluster<'_>,
) -> AddonVersion {
    if from.major != to.major || from.minor.abs_diff(to.minor) <= 1 {
        return to;
    }
    let next = if to > from { from.minor + 1 } else { from.minor - 1 };
    let supported =
        |facts: &&VersionFacts| cluster.version.is_none_or(|minor| facts.kubernetes.contains(&minor));
    let of_next = |facts: &&VersionFacts| (facts.version.major, facts.version.minor) == (from.major, next);
    let step = addon.versions.iter().filter(supported).filter(of_next).map(|facts| facts.version).max();
    step.unwrap_or(to)
}

/// `1.29, 1.30 and 1.31`.
fn listed<'a>(versions: impl Iterator<Item = &'a KubernetesVersion>) -> String {
    let texts: Vec<_> = versions.map(ToString::to_string).collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "none".into(),
    }
}
