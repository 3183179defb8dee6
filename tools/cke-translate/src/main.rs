//! `cke-translate`: registries, circuits and manifests between their JSON files and the `contract` dialect.
//!
//! Errors go to standard error as `file:line:col: error: ...`; nothing is written then.

#![forbid(unsafe_code)]

mod errors;
mod export;
mod files;
mod import;
mod timing;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Parser};
use errors::Errors;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use timing::Timing;

/// Translates registries of contracts, kernel maps, circuits, manifests and binding tables between JSON and MLIR.
///
/// Exits with 0 if everything was translated and with 1 if anything was not; nothing is written then. Exits with 2 if the
/// command line is wrong.
#[derive(Parser)]
#[command(version, group(ArgGroup::new("direction").required(true)))]
struct Arguments {
    /// Reads JSON files, or every file of folders, and writes one `contract.registry`.
    #[arg(long, num_args = 1.., value_name = "PATH", group = "direction")]
    import_contracts: Vec<PathBuf>,

    /// Reads a module and writes the JSON files of its registry into the folder given by --output.
    #[arg(long, value_name = "FILE", group = "direction", requires = "output")]
    export_contracts: Option<PathBuf>,

    /// Where to write: a file for import (standard output without this option), a folder for export.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// The name of the registry that an import makes.
    #[arg(long, default_value = "native", value_name = "NAME", conflicts_with = "export_contracts",
        value_parser = NonEmptyStringValueParser::new())]
    registry: String,

    /// Exports canonical JSON (RFC 8785) instead of indented JSON.
    #[arg(long, conflicts_with = "import_contracts")]
    canonical: bool,

    /// Prints the time each step took to standard error.
    #[arg(long)]
    timing: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut timing = Timing::start();
    let result = run(&arguments, &mut timing);
    if arguments.timing {
        tell(&timing.to_string());
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            tell(&errors.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments, timing: &mut Timing) -> Result<(), Errors> {
    let output = arguments.output.as_deref();
    match &arguments.export_contracts {
        Some(module) => {
            let texts = export::run(module, arguments.canonical, timing)?;
            files::write_all(output.expect("required by the command line"), &texts, module)?;
        }
        None => {
            let imported = import::run(&arguments.import_contracts, &arguments.registry, timing)?;
            if let Some(output) = output {
                arguments.import_contracts.iter().try_for_each(|read| files::keep(read, output))?;
            }
            files::write(output, &imported.module)?;
            imported.remarks.iter().for_each(|remark| tell(&format!("{remark}\n")));
        }
    }
    timing.step("write");
    Ok(())
}

/// Writes to standard error. Nothing is lost if it is closed: the exit code tells the outcome.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
