# A VPC CNI that takes its credentials from EKS Pod Identity: nodes wait for the CNI, and the CNI waits for the
# agent. vpc-cni v1.15.5 and the agent v1.2.0 are the first that can.

terraform {
  required_providers {
    eksaddon = {
      source = "eksaddon/eksaddon"
    }
  }
}

variable "cni_version" {
  description = "Version of the VPC CNI."
  type        = string
  default     = "v1.15.5-eksbuild.1"
}

variable "agent_version" {
  description = "Version of the Pod Identity Agent."
  type        = string
  default     = "v1.2.0-eksbuild.1"
}

variable "ignored" {
  description = "Findings to ignore."
  type        = set(string)
  default     = []
}

data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.28"
  taints             = ["CriticalAddonsOnly=true:NO_SCHEDULE"]
  ignore_findings    = var.ignored

  addons = {
    eks-pod-identity-agent = { addon_version = var.agent_version }
    vpc-cni                = { addon_version = var.cni_version, pod_identity = true }
  }
}

output "rendered" {
  value = {
    for name, addon in data.eksaddon_scheduling.this.rendered : name => addon.configuration_values
  }
}
