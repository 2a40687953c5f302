//! A provider that does nothing, served by the same plugin layer: what `scripts/bench-plan` compares with.
//! The difference between the two is the price of what this project decides; the rest is Terraform's own.

use std::collections::BTreeMap;
use std::process::ExitCode;

use eksaddon::plugin::{self, Environment};
use eksaddon::tf::provider::Work;
use eksaddon::tf::{
    Attribute, Block, ConfigureRequest, DataSource, Diagnostics, Mode, Provider, Reply, Schema, Type, Value,
};

fn main() -> ExitCode {
    match plugin::serve(&Environment::new(std::env::vars_os()), Bare(Nothing)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare-provider: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Bare(Nothing);

impl Provider for Bare {
    fn schema(&self) -> Schema {
        Schema { version: 0, block: Block::default() }
    }

    fn validate_config(&self, _config: &Value) -> Diagnostics {
        Diagnostics::default()
    }

    fn configure(&self, _request: ConfigureRequest) -> Work<'_, Diagnostics> {
        Box::pin(async { Diagnostics::default() })
    }

    fn data_sources(&self) -> Vec<(&'static str, &dyn DataSource)> {
        vec![("bare_nothing", &self.0)]
    }
}

/// A data source with one result, which is always the same.
struct Nothing;

impl DataSource for Nothing {
    fn schema(&self) -> Schema {
        let result = Attribute::new(Type::String, Mode::Computed, "Nothing.");
        let attributes = BTreeMap::from([("result".to_owned(), result)]);
        Schema { version: 0, block: Block { attributes, ..Block::default() } }
    }

    fn validate(&self, _config: &Value) -> Diagnostics {
        Diagnostics::default()
    }

    fn read(&self, _config: Value) -> Work<'_, Reply> {
        let state = Value::mapping([("result", Value::string("nothing"))]);
        Box::pin(async { (Some(state), Diagnostics::default()) })
    }
}
