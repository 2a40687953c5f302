run "the_minimum_pair_needs_nothing" {
  command = plan

  assert {
    condition     = alltrue([for values in output.rendered : values == "{}"])
    error_message = "Both tolerate everything by default."
  }
}

run "an_older_cni_is_refused" {
  command = plan

  variables {
    cni_version = "v1.15.4-eksbuild.1"
  }

  expect_failures = [data.eksaddon_scheduling.this]
}

run "an_older_agent_is_refused" {
  command = plan

  variables {
    agent_version = "v1.0.0-eksbuild.1"
  }

  expect_failures = [data.eksaddon_scheduling.this]
}
