//! The provider in Terraform's terms: its own block and what it offers. Each data source, resource and
//! function is one file with its schema and its behaviour.

mod data_source_scheduling;
mod diagnostics;
mod results;
mod scheduling_schema;
mod schema;

use std::sync::Arc;
use std::thread;

use crate::catalog::Catalog;
use crate::scheduling::Scheduler;
use crate::tf::provider::Work;
use crate::tf::{ConfigureRequest, DataSource, Diagnostic, Diagnostics, Path, Provider, Schema, Value};
use crate::validate::CompiledSchema;

use data_source_scheduling::SchedulingDataSource;

/// The provider `eksaddon`.
pub struct EksAddonProvider {
    scheduling: SchedulingDataSource,
}

impl EksAddonProvider {
    /// A provider that decides by this catalog.
    #[must_use]
    pub fn new(catalog: &'static Catalog) -> Self {
        let scheduler = Arc::new(Scheduler::new(catalog));
        Self { scheduling: SchedulingDataSource::new(scheduler) }
    }
}

impl Provider for EksAddonProvider {
    fn schema(&self) -> Schema {
        schema::provider()
    }

    fn validate_config(&self, config: &Value) -> Diagnostics {
        let Value::String(catalog) = config.get("catalog").undressed() else { return Diagnostics::default() };
        let path = Path::attribute_of_root("catalog");
        match catalog.as_str() {
            "embedded" => Diagnostics::default(),
            "eks-api" => Diagnostics::from(Diagnostic::error(
                path,
                "catalog = \"eks-api\" is not supported yet",
                "This version of the provider knows only the embedded catalog. Leave catalog out.",
            )),
            other => {
                let near = crate::domain::nearest(other, ["embedded", "eks-api"]);
                let near = near.map(|near| format!(" Did you mean {near:?}?")).unwrap_or_default();
                let detail = format!("Found {other:?}, expected \"embedded\" or \"eks-api\".{near}");
                Diagnostics::from(Diagnostic::error(path, "catalog is not a known catalog", detail))
            }
        }
    }

    fn configure(&self, _request: ConfigureRequest) -> Work<'_, Diagnostics> {
        // Terraform configures only what it will ask something of. If there is no thread to be had, the
        // first question takes that much longer.
        drop(thread::Builder::new().name("warm-up".into()).spawn(CompiledSchema::warm_up));
        // The embedded catalog needs nothing of the provider block, so nothing can be wrong with it.
        Box::pin(async { Diagnostics::default() })
    }

    fn data_sources(&self) -> Vec<(&'static str, &dyn DataSource)> {
        vec![("eksaddon_scheduling", &self.scheduling)]
    }
}
