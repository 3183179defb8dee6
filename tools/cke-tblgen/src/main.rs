//! `cke-tblgen`: checks a dialect definition and writes what it resolves to or generates.
//!
//! Errors go to standard error as `file:line:col: error: ...`.

#![forbid(unsafe_code)]

use cke_tablegen::{Dialect, Error, Source, generate, to_json};
use clap::{Parser, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Checks a dialect definition and writes what it resolves to or generates.
///
/// Exits with 0 if the definition is sound, with 1 if it has errors, and with 2 if it cannot be read, the output cannot
/// be written or the command line is wrong.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The definition: a .td file.
    file: PathBuf,

    /// What to write.
    #[arg(long, value_enum, default_value_t = Emit::Rust)]
    emit: Emit,

    /// Where to write it; to standard output without this option.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The Rust source of the dialect.
    Rust,
    /// Every resolved record as JSON, as `llvm-tblgen --dump-json` writes it.
    Records,
    /// Nothing: only check the dialect.
    Check,
}

/// Why there is no output.
enum Failure {
    Definition(Vec<Error>),
    Io(PathBuf, std::io::Error),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Definition(errors)) => {
            errors.iter().for_each(|error| eprintln!("{error}"));
            ExitCode::from(1)
        }
        Err(Failure::Io(path, error)) => {
            eprintln!("{}: error: {error}", path.display());
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = &arguments.file;
    let text = std::fs::File::open(file).and_then(std::io::read_to_string);
    text.map_err(|error| Failure::Io(file.clone(), error))?;
    let source = Source::read(file).map_err(|error| Failure::Definition(vec![error]))?;
    let output = match arguments.emit {
        Emit::Records => format!("{:#}\n", to_json(&source.records)),
        Emit::Rust => generate(&dialect(&source)?, file),
        Emit::Check => {
            dialect(&source)?;
            return Ok(());
        }
    };
    write(arguments.output.as_deref(), &output)
}

fn dialect(source: &Source) -> Result<Dialect, Failure> {
    Dialect::read(source).map_err(Failure::Definition)
}

fn write(path: Option<&Path>, output: &str) -> Result<(), Failure> {
    match path {
        Some(path) => std::fs::write(path, output).map_err(|error| Failure::Io(path.to_path_buf(), error)),
        None => std::io::stdout()
            .write_all(output.as_bytes())
            .map_err(|error| Failure::Io(PathBuf::from("standard output"), error)),
    }
}
