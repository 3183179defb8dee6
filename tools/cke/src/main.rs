//! `cke`: run a model, compile a module, explain a code. One file a sub-command.

mod cli;
mod compile;
mod evidence;
mod explain;
mod load;
mod output;
mod progress;
mod resolve;
mod run;

use clap::Parser;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match cli::Cli::parse().command {
        cli::Command::Run(arguments) => run::run(&arguments),
        cli::Command::Compile(arguments) => compile::run(&arguments),
        cli::Command::Resolve(arguments) => resolve::run(&arguments),
        cli::Command::Explain(arguments) => explain::run(&arguments),
        cli::Command::Evidence(arguments) => evidence::run(&arguments.command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Diagnostics of the compiler begin with their own location; everything else is about the invocation. The
            // exit code tells the same to whoever has closed the stream.
            let _ = writeln!(std::io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}
