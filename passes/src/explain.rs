//! Why an operation is computed the way it is: its request, its decision, and what spoke against everything else.
//!
//! Reads a module of any level and changes nothing. The registry of the module is the only source: the answer is about
//! this program, not about whatever the tool happens to ship.

use crate::decisions::{decision, governed_in, request};
use crate::registry_ir::{self, ModuleRegistry};
use cke_contracts::evidence::{contract_digest, provider_digest};
use cke_contracts::fault::{Code, Fault};
use cke_contracts::resolve::{Candidate, Decision, Mode, Request, Resolver};
use cke_dialects::contract::attributes;
use cke_mlir::ir::Op;

/// What is known of one operation.
#[derive(Debug)]
pub struct Explanation {
    /// Where the operation stands.
    pub location: String,
    /// Its name in the dialect, such as `graph.linear`.
    pub name: String,
    /// What it asks for.
    pub request: Request,
    /// What was decided; `None` before resolution.
    pub decision: Option<Decision>,
    /// What resolution gives now, or how it fails, in bring-up.
    pub resolution: Result<Decision, Fault>,
    /// Whether the decision still is the one resolution gives; `None` before resolution.
    pub check: Option<Result<(), Fault>>,
    /// What production would refuse, if it would.
    pub blockers: Vec<String>,
    /// Every provider of the registry with the reasons against it.
    pub candidates: Vec<Candidate>,
    /// The digests of the definitions of contract and provider, of the decision or else of the resolution.
    pub digests: Option<(String, String)>,
    /// The digests by which records of runs know the same two definitions.
    pub evidence_digests: Option<(String, String)>,
}

/// Explains every operation that `wanted` names: by instance (`decode/blk.0/attn_q`), by the end of an instance
/// (`attn_q`), or by its operation in the circuit (`decoder.attn_q`).
///
/// # Errors
///
/// Those of reading the registry and of a malformed request; `MalformedRequest` when nothing bears the name, with the
/// names there are as notes.
pub fn explain(module: Op<'_>, wanted: &str) -> Result<Vec<Explanation>, Fault> {
    let registry = registry_ir::read(module).map_err(|(_, fault)| fault)?;
    let resolver = registry.resolver();
    let operations = governed_in(module);
    let exact: Vec<_> = operations.iter().copied().filter(|op| attributes::instance(*op) == Some(wanted)).collect();
    let named =
        if exact.is_empty() { operations.iter().copied().filter(|op| bears(*op, wanted)).collect() } else { exact };
    if named.is_empty() {
        let message = format!("no operation under contract is named '{wanted}'");
        let names = operations.iter().filter_map(|op| attributes::instance(*op)).map(str::to_owned);
        return Err(Fault { notes: names.collect(), ..Fault::new(Code::MalformedRequest, message) });
    }
    named.into_iter().map(|op| of_operation(op, &registry, &resolver)).collect()
}

/// Whether an operation bears a name that is not its whole instance.
fn bears(op: Op<'_>, wanted: &str) -> bool {
    let ends = attributes::instance(op)
        .is_some_and(|instance| instance.strip_suffix(wanted).is_some_and(|before| before.ends_with('/')));
    ends || attributes::required(op).is_ok_and(|required| required.is_some_and(|found| found.operation == wanted))
}

fn of_operation(op: Op<'_>, registry: &ModuleRegistry<'_>, resolver: &Resolver<'_>) -> Result<Explanation, Fault> {
    crate::decisions::check_registry(op, registry.name)?;
    let request = request(op)?;
    let decision = op.attr(attributes::RESOLVED).map(|_| decision(op)).transpose()?;
    let resolution = resolver.resolve(&request, Mode::Bringup);
    let blockers = match resolver.resolve(&request, Mode::Production) {
        Err(fault) if fault.code == Code::NotValidated => fault.notes,
        _ => Vec::new(),
    };
    let bound = decision.as_ref().or(resolution.as_ref().ok());
    let digests = bound.and_then(|bound| resolver.digests(&bound.contract, &bound.provider));
    let evidence_digests = bound.and_then(|bound| {
        let contract = contract_digest(&registry.registry, &bound.contract)?;
        Some((contract, provider_digest(&registry.registry, &bound.provider)?))
    });
    Ok(Explanation {
        location: op.location().to_string(),
        name: op.name().to_owned(),
        check: decision.as_ref().map(|decision| resolver.verify(&request, decision, Mode::Bringup)),
        candidates: resolver.candidates(&request),
        evidence_digests,
        digests: digests.map(|(contract, provider)| (contract.to_owned(), provider.to_owned())),
        request,
        decision,
        resolution,
        blockers,
    })
}
