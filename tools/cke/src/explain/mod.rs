//! `cke explain`: the page of a fault code, or why an operation of a module is computed the way it is.

mod code;
mod operation;

use crate::cli::ExplainArguments;
use anyhow::{Result, bail};

/// Runs the sub-command.
pub fn run(arguments: &ExplainArguments) -> Result<()> {
    match (&arguments.subject, &arguments.file) {
        (None, None) => code::list(),
        (Some(code), None) => code::page(code),
        (Some(operation), Some(file)) => operation::explain_in(operation, file),
        (None, Some(_)) => bail!("error: --in needs the name of an operation"),
    }
}
