# The EBS CSI driver beside a pool that is reserved for Karpenter's controller: the driver's controller finds no
# other node, so it needs the toleration; its node DaemonSet tolerates everything as it is.

terraform {
  required_providers {
    eksaddon = {
      source = "eksaddon/eksaddon"
    }
  }
}

locals {
  node_pools = {
    karpenter-controller = {
      taints = { karpenter = { key = "karpenter.sh/controller", value = "true", effect = "NO_SCHEDULE" } }
    }
    default = {
      provisioner = "karpenter"
    }
  }
}

data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.33"
  node_pools         = local.node_pools

  addons = {
    aws-ebs-csi-driver = { run_on = ["karpenter-controller"] }
  }
}

output "configuration_values" {
  value = data.eksaddon_scheduling.this.rendered["aws-ebs-csi-driver"].configuration_values
}

output "report" {
  value = data.eksaddon_scheduling.this.report
}
