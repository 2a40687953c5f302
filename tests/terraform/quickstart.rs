//! What the first command of README shows.

use crate::cli::{Workspace, package};
use crate::harness::{Test, test};

/// Lines without their indentation, in this order; others may stand between them. Versions are the
/// catalog's business and not among them.
const LINES: &str = r#"
Changes to Outputs:
+ addons  = {
+ aws-ebs-csi-driver     = {
+ configuration_values = jsonencode(
+ controller = {
+ tolerations = [
+ key      = "CriticalAddonsOnly"
+ effect            = "NoExecute"
+ tolerationSeconds = 300
+ effect   = "NoSchedule"
+ key      = "karpenter.sh/controller"
+ operator = "Equal"
+ value    = "true"
+ eks-pod-identity-agent = {
+ configuration_values = jsonencode({})
+ vpc-cni                = {
+ env = {
+ ENABLE_PREFIX_DELEGATION = "true"
+ reasons = [
+ report  = <<-EOT
deploy/controller          - [1]  no [2]  yes
ds/node                    - [3]  yes     yes
ds/node-windows            - [3]  - [4]   - [4]
ds/eks-pod-identity-agent  - [3]  yes     yes
ds/aws-node                - [3]  yes     yes
[1] no selector of the Fargate profile matches the namespace "kube-system"
[2] does not tolerate nvidia.com/gpu:NoSchedule
[3] Fargate runs no DaemonSets
[4] requires nodeSelector kubernetes.io/os=windows
"#;

pub(crate) fn tests() -> Vec<Test> {
    vec![test("quickstart::shows_what_matters", || {
        let workspace = Workspace::copy_of(&package().join("examples/scenarios/quickstart"));
        let plan = workspace.must(&["plan", "-no-color"]);
        let mut lines = plan.lines().map(str::trim);
        for expected in LINES.trim().lines() {
            assert!(lines.any(|line| line == expected), "no line {expected:?} in its place in:\n{plan}");
        }
        assert!(!plan.contains("Warning: aws") && !plan.contains("Finding:"), "{plan}");
    })]
}
