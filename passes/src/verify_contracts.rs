//! `verify-contracts`: recomputes every decision of a module and compares operation, ledger and registry.
//!
//! The module is not changed. On a circuit without decisions there is nothing to compare and the pass succeeds; with
//! decisions, of any level, these hold or the pass fails at the operation with the code:
//!
//! * the request, resolved anew against the registry in the module, gives the provider, contract and function that the
//!   operation bears (C001), with the same digest (C005), it executes as the provider's kernel map says (C005), and the
//!   contracts in effect are those of the decided one (C005);
//! * every operation under contract has a decision (C004) and an instance no other has (C006);
//! * the ledger's root fits its entries (C013), and its entries are the decisions found: none more (C014), none fewer
//!   (C010);
//! * a kernel's symbol is the one of its decision and shape, and what was copied from the kernel map agrees with it
//!   (C001).
//!
//! Contract effect: preserves. It runs after every pass of a `cke` pipeline; no option turns it off.

use crate::abi;
use crate::body;
use crate::decisions::{check_registry, decision, governed_in, request};
use crate::effective;
use crate::kernel_symbol;
use crate::registry_ir::{self, ModuleRegistry};
use crate::report;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::ledger::Ledger;
use cke_contracts::resolve::{Decision, Mode, Request, Resolver};
use cke_dialects::contract::attributes;
use cke_dialects::contract::json::to_json;
use cke_dialects::graph;
use cke_mlir::ir::{Attr, Op};
use cke_mlir::pass::{PassDef, PassFailure, PassRun, StatisticDef, accept};
use serde_json::Value;
use std::collections::BTreeMap;

/// The pass.
pub static PASS: PassDef = PassDef {
    argument: "verify-contracts",
    summary: "Recompute every decision and compare operation, ledger and registry",
    anchor: "builtin.module",
    options: &[],
    statistics: &[StatisticDef { name: "verified", help: "Decisions recomputed" }],
    dependent_dialects: &[],
    validate: accept,
    run,
};

fn run<'p>(module: Op<'p>, pass: &PassRun<'p>) -> Result<(), PassFailure> {
    let operations = governed_in(module);
    let ledger = match body::named(module, "contract.ledger")[..] {
        [ledger] => ledger,
        [] if operations.iter().any(|op| past_resolution(*op)) => return Err(no_ledger(module)),
        [] => return Ok(()),
        [_, second, ..] => return Err(second_ledger(second)),
    };
    let registry = registry_ir::read(module).map_err(|(op, fault)| report::fault(op, &fault, None, &[]))?;
    let resolver = registry.resolver();
    let mut faults = Faults { registry: &registry, found: 0 };
    let mut decisions: BTreeMap<String, (Op<'p>, String)> = BTreeMap::new();
    for &op in &operations {
        match check(op, &registry, &resolver) {
            Err(fault) => faults.add(op, &fault, &entries(op)),
            Ok((request, decision)) => match decisions.get(&request.instance) {
                Some((first, _)) => faults.twice(op, *first, &request.instance),
                None => drop(decisions.insert(request.instance, (op, decision.digest))),
            },
        }
    }
    // A ledger that disagrees with operations which are already reported says nothing new.
    if faults.found == 0 {
        let recorded = read_ledger(ledger);
        let found = decisions.iter().map(|(instance, (_, digest))| (instance.as_str(), digest.as_str()));
        if let Err(fault) = recorded.verify(found) {
            let added = decisions.iter().find(|(instance, _)| !recorded.entries.contains_key(*instance));
            let at = added.filter(|_| fault.code == Code::UnrecordedOperation).map_or(ledger, |(_, (op, _))| *op);
            faults.add(at, &fault, &[]);
        }
    }
    pass.count("verified", operations.len() as u64);
    faults.result(module)
}

/// The request and decision of an operation, if they hold.
fn check(op: Op<'_>, registry: &ModuleRegistry<'_>, resolver: &Resolver<'_>) -> Result<(Request, Decision), Fault> {
    let request = request(op)?;
    check_registry(op, registry.name)?;
    let decision = decision(op)?;
    resolver.verify(&request, &decision, Mode::Bringup)?;
    kernel_symbol::check(op, &request, &decision, resolver)?;
    // A map of the v8 generation has no code here: nothing below the graph level can be bound to it.
    if let Some(provider) = resolver.registry().providers.get(&decision.provider) {
        abi::check(op, &request, provider)?;
    }
    check_execution(op, &request, &decision, registry)?;
    check_effective(op, &request, &decision, registry)?;
    Ok((request, decision))
}

/// The ids of the registry's entries that a fault of an operation is about.
fn entries(op: Op<'_>) -> Vec<String> {
    match (decision(op), request(op)) {
        (Ok(decision), _) => vec![decision.contract, decision.provider],
        (Err(_), Ok(request)) => vec![request.contract],
        _ => Vec::new(),
    }
}

/// What an operation says of its execution is a copy of the kernel map.
fn check_execution(
    op: Op<'_>,
    request: &Request,
    decision: &Decision,
    registry: &ModuleRegistry<'_>,
) -> Result<(), Fault> {
    let expected = registry.registry.execution(&decision.contract, &decision.provider);
    let message = format!("'{}': it executes otherwise than provider '{}'", request.instance, decision.provider);
    check_copy(op, attributes::EXECUTION, expected, message)
}

/// The contracts in effect follow from the decided one.
fn check_effective(
    op: Op<'_>,
    request: &Request,
    decision: &Decision,
    registry: &ModuleRegistry<'_>,
) -> Result<(), Fault> {
    let expected = effective::value(&registry.registry, &decision.contract);
    let message = format!("'{}': other contracts are in effect than '{}' has", request.instance, decision.contract);
    check_copy(op, attributes::EFFECTIVE, expected, message)
}

/// Compares an attribute with what it was derived from.
fn check_copy(op: Op<'_>, name: &str, expected: Option<Value>, message: String) -> Result<(), Fault> {
    let found = op.attr(name).map(|attribute| to_json(attribute).unwrap_or_else(Value::String));
    if found == expected {
        return Ok(());
    }
    let show = |value: Option<Value>| value.map_or_else(|| "nothing".to_owned(), |value| value.to_string());
    let fault = Fault::new(Code::DefinitionEdited, message);
    Err(fault.note(format!("the operation has {}", show(found))).note(format!("the registry says {}", show(expected))))
}

/// Whether an operation bears a decision or is of a level that no module reaches without one.
fn past_resolution(op: Op<'_>) -> bool {
    op.attr(attributes::RESOLVED).is_some() || !op.name().starts_with(graph::PREFIX)
}

fn read_ledger(op: Op<'_>) -> Ledger {
    let text = |attribute: Attr<'_>| attribute.as_str().unwrap_or_default().to_owned();
    let entries = op.attr("entries").and_then(Attr::as_dict).unwrap_or_default();
    Ledger {
        root: op.attr("root").map(text).unwrap_or_default(),
        entries: entries.into_iter().map(|(instance, digest)| (instance.to_owned(), text(digest))).collect(),
    }
}

fn no_ledger(module: Op<'_>) -> PassFailure {
    let fault = Fault::new(Code::UnrecordedOperation, "the module is past resolution but has no ledger");
    report::fault(module, &fault, None, &[])
}

fn second_ledger(ledger: Op<'_>) -> PassFailure {
    let fault = Fault::new(Code::DuplicateId, "the module has a second contract.ledger");
    report::fault(ledger, &fault, None, &[])
}

/// Reports faults and counts them.
struct Faults<'r, 'p> {
    registry: &'r ModuleRegistry<'p>,
    found: usize,
}

impl<'p> Faults<'_, 'p> {
    fn add(&mut self, op: Op<'p>, fault: &Fault, entries: &[String]) {
        self.found += 1;
        if self.found <= report::MOST {
            let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
            report::fault(op, fault, Some(self.registry), &entries);
        }
    }

    fn twice(&mut self, op: Op<'p>, first: Op<'p>, instance: &str) {
        self.found += 1;
        let message = format!("instance '{instance}' appears twice [{}]", Code::DuplicateInstance);
        op.error(message).note(first.location(), "first here").emit();
    }

    fn result(&self, module: Op<'p>) -> Result<(), PassFailure> {
        report::rest(module, self.found)
    }
}
