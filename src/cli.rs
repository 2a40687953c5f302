//! The command line, for people: Terraform itself passes no arguments.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command};
use eksaddon::plugin::{self, Environment};

use crate::report;

/// What a person who starts the binary by hand wants to know.
const PAGE: &str = "\
This is the eksaddon provider, a plugin that Terraform starts by itself.
It decides at plan time where the pods of Amazon EKS add-ons get scheduled, and
renders their configuration_values for your node pools.

To use it, name it in a Terraform configuration and run `terraform init`:

    terraform {
      required_providers {
        eksaddon = {
          source = \"eksaddon/eksaddon\"
        }
      }
    }

To try a binary that you built yourself, no `terraform init` is needed. Put this
into a file, with the directory that holds the binary, and name that file in the
variable TF_CLI_CONFIG_FILE:

    provider_installation {
      dev_overrides {
        \"eksaddon/eksaddon\" = \"/directory/of/the/binary\"
      }
      direct {}
    }

`terraform-provider-eksaddon --help` shows what else the binary can do.
";

/// The arguments. Subcommands for maintainers belong here.
fn command() -> Command {
    Command::new(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .after_help("Without arguments this is a plugin: Terraform starts it and talks to it on a socket.")
        .disable_help_subcommand(true)
        .arg(
            Arg::new("debug")
                .long("debug")
                .action(ArgAction::SetTrue)
                .help("Run until Ctrl-C and print the TF_REATTACH_PROVIDERS that lets Terraform connect"),
        )
}

/// Does what the arguments ask for; the first of them is the name of the program.
pub(crate) fn run(environment: &Environment, arguments: Vec<OsString>) -> ExitCode {
    let matches = match command().try_get_matches_from(arguments.into_iter().map(like_go)) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version go to stdout, mistakes to stderr; a closed one is nobody's loss.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    if matches.get_flag("debug") {
        return report(plugin::serve_for_debugging(environment, crate::provider()));
    }
    let _ = std::io::stderr().write_all(PAGE.as_bytes());
    ExitCode::FAILURE
}

/// Providers written in Go take `-debug`, and so do the habits and tools of their developers.
fn like_go(argument: OsString) -> OsString {
    if argument == "-debug" { "--debug".into() } else { argument }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_well_formed_and_takes_debug_like_go() {
        command().debug_assert();
        let matches = command().try_get_matches_from(["x", "-debug"].map(|it| like_go(it.into())));
        assert!(matches.expect("parses").get_flag("debug"));
    }
}
