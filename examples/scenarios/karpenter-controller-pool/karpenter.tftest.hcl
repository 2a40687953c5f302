run "the_controller_gets_the_toleration_beside_its_defaults" {
  command = plan

  assert {
    condition = jsondecode(output.configuration_values).controller.tolerations == [
      { key = "CriticalAddonsOnly", operator = "Exists" },
      { operator = "Exists", effect = "NoExecute", tolerationSeconds = 300 },
      { key = "karpenter.sh/controller", operator = "Equal", value = "true", effect = "NoSchedule" },
    ]
    error_message = "A list replaces the defaults, so they must be written out beside the toleration."
  }

  assert {
    condition     = keys(jsondecode(output.configuration_values)) == ["controller"]
    error_message = "node tolerates everything through tolerateAllTaints and is left alone."
  }

  assert {
    condition = alltrue([
      for placement in data.eksaddon_scheduling.this.placements :
      placement.schedulable if placement.node_pool == "karpenter-controller" && placement.component != "node-windows"
    ])
    error_message = "Controller and node run on the pool."
  }
}
