//! Why an operation of a module is computed the way it is.

use crate::load::{context, read_module};
use crate::output::print;
use anyhow::{Result, anyhow};
use cke_contracts::evidence::{Evidence, Record};
use cke_contracts::fault::Fault;
use cke_contracts::resolve::{Candidate, Decision, Request};
use cke_passes::explain::{Explanation, explain};
use std::path::Path;

/// Prints what is known of every operation of the file that bears the name.
pub fn explain_in(name: &str, file: &Path) -> Result<()> {
    let context = context();
    let module = read_module(&context, file)?;
    let found = explain(module.op(), name).map_err(|fault| anyhow!("{}: {fault}", file.display()))?;
    let evidence = Evidence::native().map_err(|fault| anyhow!("{fault}"))?;
    let texts: Vec<_> = found.iter().map(|explanation| lines(explanation, &evidence).join("\n") + "\n").collect();
    print(&texts.join("\n"))
}

fn lines(explanation: &Explanation, evidence: &Evidence) -> Vec<String> {
    let request = &explanation.request;
    let mut lines = vec![format!("{}  {} at {}", request.instance, explanation.name, explanation.location)];
    lines.extend(of_request(request));
    match (&explanation.decision, &explanation.resolution) {
        (Some(decision), _) => lines.extend(of_decision("decided", decision)),
        (None, Ok(decision)) => lines.extend(of_decision("not resolved yet; it would be", decision)),
        (None, Err(fault)) => {
            lines.push(format!("  not resolved, and it cannot be: {} [{}]", fault.message, fault.code));
        }
    }
    if let Some((contract, provider)) = &explanation.digests {
        lines.push(format!("    contract definition  {contract}"));
        lines.push(format!("    provider definition  {provider}"));
    }
    match &explanation.check {
        Some(Ok(())) => lines.push("    checked: request and definitions are those it was decided from".to_owned()),
        Some(Err(fault)) => lines.extend(of_broken(fault)),
        None => {}
    }
    lines.extend(of_candidates(request, &explanation.candidates));
    lines.extend(of_evidence(explanation, evidence));
    match explanation.blockers.as_slice() {
        [] => lines.push("  nothing blocks production".to_owned()),
        blockers => {
            lines.push("  production is blocked".to_owned());
            lines.extend(blockers.iter().map(|blocker| format!("    {blocker}")));
        }
    }
    lines
}

fn of_request(request: &Request) -> Vec<String> {
    let mut lines = vec![
        format!("  requires contract '{}' for '{}'", request.contract, request.operation),
        format!("    operation {}, phase {}, {}", request.op, request.phase, request.validation),
    ];
    lines.extend(request.requires.iter().map(|(key, value)| format!("    {key} = {value}")));
    lines.extend(request.storage.iter().map(|(port, storage)| format!("    weight '{port}' is stored as {storage}")));
    lines.extend(request.shape.iter().map(|(dim, extent)| format!("    {dim} = {extent}")));
    lines
}

fn of_decision(what: &str, decision: &Decision) -> [String; 2] {
    [
        format!("  {what}: provider '{}', function '{}'", decision.provider, decision.function),
        format!("    decision             {}", decision.digest),
    ]
}

fn of_broken(fault: &Fault) -> Vec<String> {
    let mut lines = vec![format!("    BROKEN: {} [{}]", fault.message, fault.code)];
    lines.extend(fault.details().iter().map(|line| format!("      {line}")));
    lines
}

fn of_candidates(request: &Request, candidates: &[Candidate]) -> Vec<String> {
    let (elsewhere, here): (Vec<_>, Vec<_>) = candidates.iter().partition(|c| c.serves_other_operation());
    let mut lines = vec![format!("  providers of '{}'", request.op)];
    if here.is_empty() {
        lines.push("    none".to_owned());
    }
    lines.extend(here.iter().map(|candidate| format!("    {candidate}")));
    lines.push(format!("  {} providers serve other operations", elsewhere.len()));
    lines
}

/// The records of runs of the decided provider for the contract, and whether they are about these definitions.
fn of_evidence(explanation: &Explanation, evidence: &Evidence) -> Vec<String> {
    let bound = explanation.decision.as_ref().or(explanation.resolution.as_ref().ok());
    let (Some(bound), Some(digests)) = (bound, &explanation.evidence_digests) else { return Vec::new() };
    let files = evidence.files().filter(|file| file.provider == bound.provider);
    let records = files.flat_map(|file| file.records.iter().map(|record| (file.isa.as_str(), record)));
    let lines: Vec<_> = records
        .filter(|(_, record)| record.contract == bound.contract)
        .map(|(isa, record)| of_record(isa, record, digests))
        .collect();
    match lines.is_empty() {
        true => vec!["  no evidence".to_owned()],
        false => ["  evidence".to_owned()].into_iter().chain(lines).collect(),
    }
}

fn of_record(isa: &str, record: &Record, (contract, provider): &(String, String)) -> String {
    let about = match record.digests.contract == *contract && record.digests.provider == *provider {
        true => "",
        false => ", of another definition",
    };
    let Record { level, shape_class, cases, comparisons, mismatches, .. } = record;
    format!("    {level} {shape_class} {isa}: {cases} cases, {comparisons} values, {mismatches} differ{about}")
}
