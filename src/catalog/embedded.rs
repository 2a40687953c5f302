//! The texts that are compiled in. A test compares this table with the directory.

/// `catalog/SOURCE`.
pub(super) const SOURCE: &str = include_str!("../../catalog/SOURCE");

macro_rules! texts {
    ($directory:literal, $ending:literal: $($name:literal,)*) => {
        [$(($name, include_str!(concat!("../../catalog/", $directory, "/", $name, $ending))),)*]
    };
}

/// Names and texts, sorted by name.
pub(super) const ADDONS: [(&str, &str); 19] = texts!["snapshot", ".txt":
    "adot",
    "amazon-cloudwatch-observability",
    "aws-ebs-csi-driver",
    "aws-efs-csi-driver",
    "aws-fsx-csi-driver",
    "aws-guardduty-agent",
    "aws-mountpoint-s3-csi-driver",
    "aws-secrets-store-csi-driver-provider",
    "cert-manager",
    "coredns",
    "eks-node-monitoring-agent",
    "eks-pod-identity-agent",
    "external-dns",
    "kube-proxy",
    "kube-state-metrics",
    "metrics-server",
    "prometheus-node-exporter",
    "snapshot-controller",
    "vpc-cni",
];

/// Names and texts of the add-ons whose components are described, sorted by name.
pub(super) const COMPONENTS: [(&str, &str); 3] = texts!["components", ".yaml":
    "aws-ebs-csi-driver",
    "eks-pod-identity-agent",
    "vpc-cni",
];
