//! Order in HCL means nothing: the same facts in another order give the same bytes.

use crate::cli::Workspace;
use crate::harness::{Test, test};

/// The same configuration in two orders. `true` is a plain text in one and quoted in the other.
const FIRST: &str = r#"
data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.33"
  node_pools = {
    a = { labels = { x = "1", role = "a" }, architectures = ["amd64", "arm64"], taints = ["one=1:NoSchedule", "two:NO_EXECUTE", { key = "three", effect = "PREFER_NO_SCHEDULE" }] }
    b = { labels = { x = "1", role = "b" }, taints = { p = { key = "four", value = "4", effect = "NoSchedule" }, q = { key = "five", value = null, effect = "NO_SCHEDULE" } } }
    c = { compute_type = "fargate", selectors = [{ namespace = "one" }, { namespace = "two", labels = { k = "v", l = "w" } }] }
    d = { provisioner = "karpenter", startup_taints = ["s:NoSchedule", "t:NoSchedule"] }
  }
  addons = {
    aws-ebs-csi-driver = {
      run_on               = ["a", "b"]
      node_affinity        = "required"
      tolerate             = ["six=6:NoExecute", "seven:NoSchedule"]
      components           = { controller = { tolerate = ["eight:NoSchedule"] }, node = { toleration_policy = "pools" } }
      configuration_values = { controller = { replicaCount = 2, podLabels = { a = "1", b = "2" } }, defaultStorageClass = { enabled = true } }
    }
    eks-pod-identity-agent = { addon_version = "v1.0.0-eksbuild.1", ignore_findings = ["version-incompatible", "untolerated-taint"] }
    vpc-cni                = { pod_identity = true, configuration_values = "{\"env\":{\"WARM_IP_TARGET\":\"2\",\"ENABLE_PREFIX_DELEGATION\":\"true\"},\"tolerations\":[{\"operator\":\"Exists\"}]}" }
  }
  on_unschedulable = "warning"
  ignore_findings  = ["pod-identity-agent-version", "wildcard-on-deployment"]
}
"#;

const SECOND: &str = r#"
data "eksaddon_scheduling" "this" {
  ignore_findings  = ["wildcard-on-deployment", "pod-identity-agent-version"]
  on_unschedulable = "warning"
  addons = {
    vpc-cni                = { configuration_values = "tolerations: [{operator: Exists}]\nenv:\n  ENABLE_PREFIX_DELEGATION: \"true\"\n  WARM_IP_TARGET: '2'\n", pod_identity = true }
    eks-pod-identity-agent = { ignore_findings = ["untolerated-taint", "version-incompatible"], addon_version = "v1.0.0-eksbuild.1" }
    aws-ebs-csi-driver = {
      configuration_values = { defaultStorageClass = { enabled = true }, controller = { podLabels = { b = "2", a = "1" }, replicaCount = 2 } }
      components           = { node = { toleration_policy = "pools" }, controller = { tolerate = ["eight:NO_SCHEDULE"] } }
      tolerate             = toset(["seven:NoSchedule", "six=6:NoExecute", "seven:NoSchedule"])
      node_affinity        = "required"
      run_on               = toset(["b", "a"])
    }
  }
  node_pools = {
    d = { startup_taints = ["t:NoSchedule", "s:NoSchedule"], provisioner = "karpenter" }
    c = { selectors = [{ labels = { l = "w", k = "v" }, namespace = "two" }, { namespace = "one" }], compute_type = "fargate" }
    b = { taints = [{ effect = "NO_SCHEDULE", key = "five" }, { effect = "NO_SCHEDULE", value = "4", key = "four" }], labels = { role = "b", x = 1 } }
    a = { taints = toset([{ effect = "PreferNoSchedule", key = "three", value = "" }, { key = "two", value = "", effect = "NoExecute" }, { key = "one", value = "1", effect = "NoSchedule" }]), architectures = ["arm64", "amd64"], labels = { role = "a", x = "1" } }
  }
  kubernetes_version = 1.33
}
"#;

/// All results; the arguments, which stand beside them, are echoed as they were written.
const RESULTS: &str = r#"
output "results" {
  value = { for name, value in data.eksaddon_scheduling.this : name => value if !contains(["addons", "node_pools"], name) }
}
"#;

pub(crate) fn tests() -> Vec<Test> {
    vec![test("stability::order_changes_no_byte", || {
        let workspace = Workspace::of(&format!("{FIRST}{RESULTS}"));
        workspace.must(&["apply", "-auto-approve", "-no-color"]);
        let first = workspace.must(&["output", "-json"]);
        for member in ["placements", "findings", "configuration_values", "reasons"] {
            assert!(first.contains(member), "{first}");
        }
        workspace.write("main.tf", &format!("{SECOND}{RESULTS}"));
        workspace.must_have_nothing_to_do();
        workspace.must(&["apply", "-auto-approve", "-no-color"]);
        let second = workspace.must(&["output", "-json"]);
        assert!(first == second, "first:\n{first}\nsecond:\n{second}");
    })]
}
