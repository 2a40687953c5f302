//! catalog-refresh: a maintainer's command that writes `catalog/` from recorded answers of the EKS API.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use eksaddon::catalog::{Source, refresh};

fn command() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help).required(true)
    };
    let path = |name, value, help| text(name, value, help).value_parser(value_parser!(PathBuf));
    Command::new("catalog-refresh")
        .about("Writes the embedded catalog from recorded answers of the EKS API")
        .arg(path("versions", "FILE", "Versions of all add-ons (DescribeAddonVersions), as JSON"))
        .arg(path("surface", "FILE", "Shapes of all schemas (DescribeAddonConfiguration), as JSON"))
        .arg(text("date", "YYYY-MM-DD", "The day of the snapshot"))
        .arg(text("source", "TEXT", "Whose facts they are, and who recorded them"))
        .arg(text("region", "REGION", "The region that was asked"))
        .arg(path("out", "DIRECTORY", "The directory to write to"))
}

fn main() -> ExitCode {
    match run(&command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("catalog-refresh: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let text = |name| arguments.get_one::<String>(name).cloned().unwrap_or_default();
    let path = |name| arguments.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let read = |name| {
        let path = path(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let (name, date, region) = (text("source"), text("date"), text("region"));
    let source = Source { name, date, region, kubernetes: Vec::new() };
    let files = refresh::files(&read("versions")?, &read("surface")?, &source)?;
    let out = path("out");
    fs::create_dir_all(out.join("snapshot"))?;
    for (path, text) in &files {
        fs::write(out.join(path), text)?;
    }
    name_leftovers(&out, &files)
}

/// Names the texts of add-ons that the inputs no longer have. Deleting is left to the maintainer: an
/// add-on that vanishes is more often a gap in the inputs.
fn name_leftovers(out: &Path, files: &[refresh::File]) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(out.join("snapshot"))? {
        let path = entry?.path();
        if !files.iter().any(|(written, _)| out.join(written) == path) {
            eprintln!("catalog-refresh: {} was not written: the inputs lack this add-on", path.display());
        }
    }
    Ok(())
}
