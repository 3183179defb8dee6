//! `cke evidence`: run what claims rest on, check the records, show them.

mod bench;
mod code;
mod compare;
mod data;
mod html;
mod leaf;
mod levels;
mod model;
mod route;
mod runner;
mod shapes;
mod show;
mod store;
mod tally;
mod tiny;

use crate::cli::{EvidenceCommand, EvidenceShowArguments};
use crate::output::print;
use anyhow::{Context as _, Result, anyhow, bail};
use cke_contracts::circuit::Circuit;
use cke_contracts::evidence::{Evidence, Matrix, Needs};
use cke_contracts::registry::Registry;
use cke_contracts::registry::vocabulary::Status;
use std::path::Path;

/// Runs the sub-command.
pub fn run(command: &EvidenceCommand) -> Result<()> {
    match command {
        EvidenceCommand::Run(arguments) => runner::run(arguments),
        EvidenceCommand::Check(place) => check(&evidence(place.records.as_deref())?),
        EvidenceCommand::Show(arguments) => show(arguments),
    }
}

/// Fails with every validated claim that has no matching record.
fn check(evidence: &Evidence) -> Result<()> {
    let matrix = matrix(evidence)?;
    let complaints = matrix.complaints();
    if complaints.is_empty() {
        let supported = matrix.rows.iter().filter(|row| row.is_supported()).count();
        let validated = matrix.rows.iter().filter(|row| row.status == Status::Validated).count();
        let (all, records) = (matrix.rows.len(), "supported by records");
        return print(&format!("{all} claims, {supported} {records}; {validated} validated, all of them supported\n"));
    }
    bail!("{}", complaints.iter().map(|line| format!("error: {line}")).collect::<Vec<_>>().join("\n"))
}

fn show(arguments: &EvidenceShowArguments) -> Result<()> {
    let evidence = evidence(arguments.place.records.as_deref())?;
    let matrix = matrix(&evidence)?;
    match &arguments.html {
        None => print(&show::table(&matrix)),
        Some(path) => std::fs::write(path, html::page(&matrix, &evidence))
            .with_context(|| format!("error: cannot write '{}'", path.display())),
    }
}

/// The records of a folder, or those built in.
fn evidence(folder: Option<&Path>) -> Result<Evidence> {
    match folder {
        Some(folder) => store::read(folder),
        None => Evidence::native().map_err(|fault| anyhow!("{fault}")),
    }
}

/// Every claim of the project, held against records.
fn matrix(evidence: &Evidence) -> Result<Matrix> {
    let registry = Registry::native().map_err(|fault| anyhow!("{fault}"))?;
    let needs = Needs::native().map_err(|fault| anyhow!("{fault}"))?;
    let circuits: Vec<_> = Circuit::native("llama").into_iter().collect();
    let generator = |file: &_, record: &_| code::of_record(&registry, file, record);
    Ok(Matrix::new(&registry, &circuits, evidence, &needs, &generator))
}
