//! One add-on and the facts of its versions.

use std::collections::BTreeMap;

use super::surface::Surface;
use crate::domain::{AddonVersion, KubernetesVersion};

/// An add-on of the catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct Addon {
    /// Its name in EKS.
    pub name: String,
    /// What it is for: `networking`, `storage`, `security`, `observability`.
    pub addon_type: String,
    /// Who publishes it.
    pub publisher: String,
    /// Who owns it: `aws` or `community`.
    pub owner: String,
    /// The namespace of its pods, which selectors of Fargate profiles go by.
    pub namespace: String,
    /// Its versions in the order of AWS: newest first.
    pub versions: Vec<VersionFacts>,
    /// What its configuration accepts, by version.
    pub surface: Surface,
}

/// What EKS says of one version of an add-on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionFacts {
    /// The version.
    pub version: AddonVersion,
    /// The Kubernetes versions it runs on, ascending. Not always without gaps.
    pub kubernetes: Vec<KubernetesVersion>,
    /// The Kubernetes versions that it is the default for, ascending.
    pub default_for: Vec<KubernetesVersion>,
    /// `amd64`, `arm64`; sorted.
    pub architectures: Vec<String>,
    /// `ec2`, `fargate`, `hybrid`, `auto`, `local-cluster`; sorted. Not where its pods are placed:
    /// affinity and tolerations decide that.
    pub compute_types: Vec<String>,
    /// The platform versions of EKS that it is restricted to (`eks.9+`); empty is any.
    pub platform_versions: BTreeMap<KubernetesVersion, Vec<String>>,
    /// Whether it cannot be installed without configuration values.
    pub requires_configuration: bool,
    /// Whether it needs a role in IAM.
    pub requires_iam_permissions: bool,
}

impl Addon {
    /// The facts of a version, if it is listed.
    #[must_use]
    pub fn version(&self, version: &AddonVersion) -> Option<&VersionFacts> {
        self.versions.iter().find(|facts| facts.version == *version)
    }

    /// The newest version listed.
    #[must_use]
    pub fn newest(&self) -> Option<&VersionFacts> {
        self.versions.iter().max_by_key(|facts| facts.version)
    }

    /// The oldest version listed.
    #[must_use]
    pub fn oldest(&self) -> Option<&VersionFacts> {
        self.versions.iter().min_by_key(|facts| facts.version)
    }

    /// The version that EKS installs on this Kubernetes version when none is named. Often not the latest.
    #[must_use]
    pub fn default_for(&self, kubernetes: KubernetesVersion) -> Option<&VersionFacts> {
        self.versions.iter().find(|facts| facts.default_for.contains(&kubernetes))
    }

    /// The latest version for this Kubernetes version: the first that AWS lists, which is also what
    /// `most_recent` of Terraform's AWS provider takes.
    #[must_use]
    pub fn latest_for(&self, kubernetes: KubernetesVersion) -> Option<&VersionFacts> {
        self.versions.iter().find(|facts| facts.kubernetes.contains(&kubernetes))
    }
}
