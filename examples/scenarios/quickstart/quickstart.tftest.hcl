run "renders_only_what_the_defaults_lack" {
  command = plan

  assert {
    condition     = output.addons["eks-pod-identity-agent"].configuration_values == "{}"
    error_message = "The agent tolerates everything by default, so nothing may be rendered."
  }

  assert {
    condition = jsondecode(output.addons["aws-ebs-csi-driver"].configuration_values) == {
      controller = {
        tolerations = [
          { key = "CriticalAddonsOnly", operator = "Exists" },
          { operator = "Exists", effect = "NoExecute", tolerationSeconds = 300 },
          { key = "karpenter.sh/controller", operator = "Equal", value = "true", effect = "NoSchedule" },
        ]
      }
    }
    error_message = "The EBS controller must tolerate the only pool it can run on, beside its defaults."
  }

  assert {
    condition     = output.addons["vpc-cni"].configuration_values == "{\"env\":{\"ENABLE_PREFIX_DELEGATION\":\"true\"}}"
    error_message = "Values of one's own must come through as canonical JSON."
  }

  assert {
    condition     = data.eksaddon_scheduling.this.schedulable && length(data.eksaddon_scheduling.this.findings) == 0
    error_message = "Every component can run where it must."
  }
}
