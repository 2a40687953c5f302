# The Pod Identity Agent on tainted nodes: v1.0.0 tolerates nothing, v1.2.0 and later tolerate everything.

terraform {
  required_providers {
    eksaddon = {
      source = "eksaddon/eksaddon"
    }
  }
}

variable "agent_version" {
  description = "Version of the agent."
  type        = string
  default     = "v1.0.0-eksbuild.1"
}

data "eksaddon_scheduling" "this" {
  kubernetes_version = "1.29"
  taints             = ["dedicated=gpu:NoSchedule"]

  addons = {
    eks-pod-identity-agent = { addon_version = var.agent_version }
  }
}

output "configuration_values" {
  value = data.eksaddon_scheduling.this.rendered["eks-pod-identity-agent"].configuration_values
}

output "reasons" {
  value = data.eksaddon_scheduling.this.rendered["eks-pod-identity-agent"].reasons
}
