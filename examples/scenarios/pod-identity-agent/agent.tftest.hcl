run "v1_0_0_needs_a_list" {
  command = plan

  assert {
    condition = jsondecode(output.configuration_values) == {
      tolerations = [
        { key = "dedicated", operator = "Equal", value = "gpu", effect = "NoSchedule" },
        { key = "node.kubernetes.io/not-ready", operator = "Exists", effect = "NoSchedule" },
      ]
    }
    error_message = "Nodes are not ready without the agent, so its list must hold not-ready too."
  }
}

run "v1_2_0_needs_nothing" {
  command = plan

  variables {
    agent_version = "v1.2.0-eksbuild.1"
  }

  assert {
    condition     = output.configuration_values == "{}" && length(output.reasons) == 0
    error_message = "From v1.2.0-eksbuild.1 on the default tolerates everything."
  }
}
