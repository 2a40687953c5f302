//! The data source `eksaddon_scheduling`.

use std::sync::Arc;

use crate::config;
use crate::domain::Severity;
use crate::scheduling::Scheduler;
use crate::tf::provider::Work;
use crate::tf::{Block, DataSource, Diagnostics, Reply, Schema, Value};

use super::{diagnostics, results, scheduling_schema};

/// Decides add-ons from a wholly known configuration.
pub(super) struct SchedulingDataSource {
    scheduler: Arc<Scheduler>,
}

impl SchedulingDataSource {
    pub(super) fn new(scheduler: Arc<Scheduler>) -> Self {
        Self { scheduler }
    }

    fn decide(&self, config: Value) -> Reply {
        let read = config::read_scheduling(&config);
        if !read.is_whole() {
            return (None, read.diagnostics);
        }
        let outcome = self.scheduler.decide(&read.request);
        let diagnostics = diagnostics::of(&outcome.findings);
        if diagnostics.has_errors() {
            return (None, diagnostics);
        }
        // What was configured is echoed as it is (rule H2); results stand beside it.
        let Value::Mapping(mut state) = config else { return (None, diagnostics) };
        for (name, value) in results::of(&read.request, &outcome, self.scheduler.catalog().source()) {
            let configured = state.get(&name).is_some_and(|value| !value.is_null());
            if !configured {
                state.insert(name, value);
            }
        }
        (Some(Value::Mapping(state)), diagnostics)
    }
}

impl DataSource for SchedulingDataSource {
    fn schema(&self) -> Schema {
        let mut attributes = scheduling_schema::arguments();
        attributes.extend(scheduling_schema::results());
        let description = "Decides versions and `configuration_values` of EKS add-ons for tainted node pools, and says \
                           where every component runs. One unknown argument defers the whole data source to apply: \
                           use it where all inputs are known.";
        Schema {
            version: 0,
            block: Block { description: description.into(), attributes, ..Block::default() },
        }
    }

    /// Only mistakes of form: what the catalog says of versions and placement would stop `terraform
    /// destroy` too, and Terraform validates twice in every plan. But where form stops the plan anyway,
    /// the other errors of what could be read are told with it, so that they need no second run.
    fn validate(&self, config: &Value) -> Diagnostics {
        let mut read = config::read_scheduling(config);
        if read.diagnostics.has_errors()
            && let Some(sound) = read.sound_part()
        {
            let outcome = self.scheduler.decide(&sound);
            let errors = outcome.findings.into_iter().filter(|it| it.severity == Severity::Error);
            read.diagnostics.extend(diagnostics::of(&errors.collect::<Vec<_>>()));
        }
        read.diagnostics
    }

    fn read(&self, config: Value) -> Work<'_, Reply> {
        Box::pin(async move { self.decide(config) })
    }
}
