//! The texts that are compiled in. A test compares this table with the directory.

/// `catalog/SOURCE`.
pub(super) const SOURCE: &str = include_str!("../../catalog/SOURCE");

macro_rules! texts {
    ($($name:literal,)*) => {
        /// Names of all add-ons, and the texts of their versions and schemas, sorted by name.
        pub(super) const ADDONS: [(&str, &str); 19] =
            [$(($name, include_str!(concat!("../../catalog/snapshot/", $name, ".txt"))),)*];

        /// Names of all add-ons, and the texts that describe their components, sorted by name.
        pub(super) const COMPONENTS: [(&str, &str); 19] =
            [$(($name, include_str!(concat!("../../catalog/components/", $name, ".yaml"))),)*];
    };
}

texts![
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
