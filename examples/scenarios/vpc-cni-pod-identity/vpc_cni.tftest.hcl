run "the_minimum_pair_needs_nothing" {
  command = plan

  assert {
    condition     = alltrue([for values in output.rendered : values == "{}"])
    error_message = "Both tolerate everything by default."
  }
}

# An older version of either stops the plan, which a test run cannot expect of a provider; with the finding
# ignored the plan goes on, and there is no other difference.
run "an_older_agent_is_what_the_finding_is_about" {
  command = plan

  variables {
    agent_version = "v1.0.0-eksbuild.1"
    ignored       = ["pod-identity-agent-version"]
  }

  assert {
    condition     = length(regexall("not-ready", output.rendered["eks-pod-identity-agent"])) == 1
    error_message = "The older agent needs a list, with not-ready in it."
  }
}

run "an_older_cni_is_what_the_finding_is_about" {
  command = plan

  variables {
    cni_version = "v1.15.4-eksbuild.1"
    ignored     = ["pod-identity-version"]
  }

  assert {
    condition     = output.rendered["vpc-cni"] == "{}"
    error_message = "The older CNI schedules alike; it lacks the credentials."
  }
}
