# Taints of the node pools in, validated configuration_values out: no AWS account, no credentials.

terraform {
  required_providers {
    eksaddon = {
      source = "eksaddon/eksaddon"
    }
  }
}

data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.33"

  node_pools = {
    # Only Karpenter's controller and the add-ons that Karpenter's nodes need run here.
    karpenter-controller = {
      labels = { "karpenter.sh/controller" = "true" }
      taints = [{ key = "karpenter.sh/controller", value = "true", effect = "NO_SCHEDULE" }]
    }
    # Karpenter makes these nodes, so they do not exist when the add-ons are created.
    gpu = {
      provisioner = "karpenter"
      taints      = ["nvidia.com/gpu:NoSchedule"]
    }
    batch = {
      compute_type = "fargate"
      selectors    = [{ namespace = "batch" }]
    }
  }

  addons = {
    eks-pod-identity-agent = {}
    aws-ebs-csi-driver     = { pod_identity = true }
    vpc-cni = {
      pod_identity         = true
      configuration_values = { env = { ENABLE_PREFIX_DELEGATION = "true" } }
    }
  }
}

output "addons" {
  description = "What aws_eks_addon needs."
  value = {
    for name, addon in data.eksaddon_scheduling.this.rendered :
    name => {
      addon_version        = addon.addon_version
      configuration_values = addon.configuration_values
    }
  }
}

output "reasons" {
  description = "Why each value was added."
  value       = flatten([for addon in data.eksaddon_scheduling.this.rendered : addon.reasons])
}

output "report" {
  description = "Which component runs on which pool."
  value       = data.eksaddon_scheduling.this.report
}
