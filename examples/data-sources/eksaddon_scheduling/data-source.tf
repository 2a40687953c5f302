data "eksaddon_scheduling" "example" {
  kubernetes_version = "1.33"

  node_pools = {
    system = {
      labels = { role = "system" }
      taints = ["CriticalAddonsOnly=true:NoSchedule"]
    }
    gpu = {
      provisioner = "karpenter"
      taints      = [{ key = "nvidia.com/gpu", effect = "NO_SCHEDULE" }]
    }
  }

  addons = {
    aws-ebs-csi-driver     = { run_on = ["system"], node_affinity = "preferred" }
    eks-pod-identity-agent = {}
    vpc-cni                = { addon_version = ">= 1.19" }
  }
}

# Fails the run with a message instead of waiting 20 minutes for DEGRADED.
check "addons_can_run" {
  assert {
    condition     = data.eksaddon_scheduling.example.schedulable
    error_message = data.eksaddon_scheduling.example.report
  }
}
