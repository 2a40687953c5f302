//! From Terraform's values to a request: every mistake of form, all at once, each with its path.
//!
//! An unknown value is never an error. It is noted, and what depends on it is left out: who needs a
//! whole request asks [`Read::is_whole`] first.

mod addons;
pub mod arguments;
mod decoder;
mod pools;
mod taints;
#[cfg(test)]
pub(crate) mod tests;

use crate::domain::request::OnUnschedulable;
use crate::domain::{Code, KubernetesVersion, Request};
use crate::tf::{Diagnostics, Path, Step, Value};

use decoder::Decoder;

/// What was read of a configuration.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// The request, as far as it is known and right.
    pub request: Request,
    /// What is wrong.
    pub diagnostics: Diagnostics,
    /// Whether something was unknown.
    pub has_unknown: bool,
}

impl Read {
    /// Whether the request is all that the user asked for.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.has_unknown && !self.diagnostics.has_errors()
    }

    /// The request without what is wrong or depends on it: add-ons with mistakes are left out, and where the
    /// pools have mistakes nothing is said of placement. `None` where too little is left to judge.
    #[must_use]
    pub fn sound_part(&self) -> Option<Request> {
        let mut request = self.request.clone();
        for diagnostic in self.diagnostics.iter() {
            match diagnostic.path.0.as_slice() {
                [Step::Attribute(root), Step::Key(name), ..] if root == "addons" => {
                    request.addons.remove(name);
                }
                [Step::Attribute(root), ..] if root == "node_pools" || root == "taints" => {
                    request.pools = None
                }
                _ => return None,
            }
        }
        (!self.has_unknown).then_some(request)
    }
}

/// Reads the arguments of `eksaddon_scheduling`.
#[must_use]
pub fn read_scheduling(config: &Value) -> Read {
    let mut decoder = Decoder::default();
    let root = |name: &str| Path::attribute_of_root(name);
    let mut request = Request {
        kubernetes_version: kubernetes_version(&mut decoder, config.get("kubernetes_version")),
        region: decoder.text(config.get("region"), &root("region")),
        on_unschedulable: on_unschedulable(
            &mut decoder,
            config.get("on_unschedulable"),
            &root("on_unschedulable"),
        )
        .unwrap_or_default(),
        ignore_findings: ignore_findings(
            &mut decoder,
            config.get("ignore_findings"),
            &root("ignore_findings"),
        ),
        ..Request::default()
    };
    if decoder.text(config.get("cluster_name"), &root("cluster_name")).is_some() {
        decoder.error(
            &root("cluster_name"),
            "cluster_name is not supported yet",
            "This version of the provider does not read clusters from the EKS API. Leave cluster_name out, and \
             state kubernetes_version and node_pools.",
        );
    }
    let pools = pools::read(&mut decoder, config);
    let addons = config.get("addons");
    let names = pools.names();
    request.addons = addons::read(&mut decoder, addons, &root("addons"), &names);
    request.pools = pools.into_known();
    Read { request, has_unknown: decoder.has_unknown, diagnostics: decoder.diagnostics }
}

fn kubernetes_version(decoder: &mut Decoder, value: &Value) -> Option<KubernetesVersion> {
    let path = Path::attribute_of_root("kubernetes_version");
    let text = decoder.text(value, &path)?;
    let version = text.parse().ok();
    if version.is_none() {
        let detail = format!("Found {text:?}, expected a minor version in quotes, such as \"1.33\".");
        decoder.error(&path, "kubernetes_version is not a minor version of Kubernetes", &detail);
    }
    version
}

fn on_unschedulable(decoder: &mut Decoder, value: &Value, path: &Path) -> Option<OnUnschedulable> {
    let names = [("error", OnUnschedulable::Error), ("warning", OnUnschedulable::Warning)];
    decoder.one_of(value, path, &names)
}

fn ignore_findings(decoder: &mut Decoder, value: &Value, path: &Path) -> std::collections::BTreeSet<Code> {
    let texts = decoder.texts(value, path);
    let mut codes = std::collections::BTreeSet::new();
    for text in texts {
        match Code::ALL.iter().find(|code| code.as_str() == text) {
            Some(code) if code.silence() == crate::domain::finding::Silence::Impossible => {
                let detail = format!(
                    "Without what {text:?} asks for there is nothing to render, so it cannot be ignored. Mend what \
                     it says, or leave the add-on out."
                );
                decoder.error(path, &format!("{path}: {text:?} cannot be ignored"), &detail);
            }
            Some(code) => {
                codes.insert(*code);
            }
            None => decoder.not_one_of(path, &text, Code::ALL.iter().map(|code| code.as_str())),
        }
    }
    codes
}
