//! Environment, log, serve, exit code: the only file that reads the process's environment.

mod cli;

use std::ffi::OsString;
use std::process::ExitCode;

use eksaddon::catalog::Catalog;
use eksaddon::plugin::{self, Environment, ServeError, handshake, log};
use eksaddon::provider::EksAddonProvider;

fn main() -> ExitCode {
    let environment = Environment::new(std::env::vars_os());
    let arguments: Vec<OsString> = std::env::args_os().collect();
    log::start(log::level(&environment));
    // Terraform passes its cookie and no argument; it should not wait for a parser of arguments.
    if arguments.len() <= 1 && handshake::has_cookie(&environment) {
        return report(plugin::serve(&environment, provider()));
    }
    cli::run(&environment, arguments)
}

fn report(result: Result<(), ServeError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", env!("CARGO_PKG_NAME"));
            ExitCode::FAILURE
        }
    }
}

/// What is served.
fn provider() -> impl eksaddon::tf::Provider {
    EksAddonProvider::new(Catalog::embedded())
}
