//! `verify-contracts`: recomputes every decision of a module and compares operation, ledger and registry.
//!
//! The module is not changed. On a module without decisions there is nothing to compare and the pass succeeds; with
//! decisions, of any level, these hold or the pass fails at the operation with the code:
//!
//! * the request, resolved anew against the registry in the module, gives the provider, contract and function that the
//!   operation bears (C001), with the same digest (C005);
//! * every operation under contract has a decision (C004) and an instance no other has (C006);
//! * the ledger's root fits its entries (C013), and its entries are the decisions found: none more (C014), none fewer
//!   (C010);
//! * a kernel's symbol is the one of its decision and shape (C001).
//!
//! Contract effect: preserves. It runs after every pass of a `cke` pipeline; no option turns it off.

use crate::body;
use crate::decisions::{decision, governed_in, request};
use crate::kernel_symbol;
use crate::registry_ir::{self, ModuleRegistry};
use crate::report;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::ledger::Ledger;
use cke_contracts::resolve::{Decision, Mode, Request, Resolver};
use cke_dialects::contract::attributes;
use cke_mlir::ir::{Attr, Op};
use cke_mlir::pass::{PassDef, PassFailure, PassRun, StatisticDef, accept};
use std::collections::BTreeMap;

/// Faults reported at most; an edited definition touches every operation that uses it.
const REPORTED: usize = 8;

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
    let ledger = body::first(module, "contract.ledger");
    let decided = operations.iter().any(|op| op.attr(attributes::RESOLVED).is_some());
    let Some(ledger) = ledger else {
        return if decided { Err(no_ledger(module)) } else { Ok(()) };
    };
    let registry = registry_ir::read(module).map_err(|(op, fault)| report::fault(op, &fault, None, &[]))?;
    let resolver = registry.resolver();
    let mut faults = Faults { registry: &registry, found: 0 };
    let mut decisions: BTreeMap<String, (Op<'p>, String)> = BTreeMap::new();
    for &op in &operations {
        match check(op, &resolver) {
            Err((fault, entries)) => faults.add(op, &fault, &entries),
            Ok((request, decision)) => match decisions.get(&request.instance) {
                Some((first, _)) => faults.twice(op, *first, &request.instance),
                None => drop(decisions.insert(request.instance, (op, decision.digest))),
            },
        }
    }
    // A ledger that disagrees with operations which are already reported says nothing new.
    if faults.found == 0 {
        let found = decisions.iter().map(|(instance, (_, digest))| (instance.as_str(), digest.as_str()));
        if let Err(fault) = read_ledger(ledger).verify(found) {
            faults.add(ledger, &fault, &[]);
        }
    }
    pass.count("verified", operations.len() as u64);
    faults.result(module)
}

/// The request and decision of an operation, if they hold; otherwise the fault and the registry entries it is about.
fn check(op: Op<'_>, resolver: &Resolver<'_>) -> Result<(Request, Decision), (Fault, Vec<String>)> {
    let request = request(op).map_err(|fault| (fault, Vec::new()))?;
    let decision = decision(op).map_err(|fault| (fault, vec![request.contract.clone()]))?;
    let entries = || vec![decision.contract.clone(), decision.provider.clone()];
    resolver.verify(&request, &decision, Mode::Bringup).map_err(|fault| (fault, entries()))?;
    kernel_symbol::check(op, &request, &decision, resolver).map_err(|fault| (fault, entries()))?;
    Ok((request, decision))
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
    let fault = Fault::new(Code::UnrecordedOperation, "the module bears decisions but no ledger");
    report::fault(module, &fault, None, &[])
}

/// Reports faults and counts them.
struct Faults<'r, 'p> {
    registry: &'r ModuleRegistry<'p>,
    found: usize,
}

impl<'p> Faults<'_, 'p> {
    fn add(&mut self, op: Op<'p>, fault: &Fault, entries: &[String]) {
        self.found += 1;
        if self.found <= REPORTED {
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
        if self.found == 0 {
            return Ok(());
        }
        if self.found > REPORTED {
            module.remark(format!("{} more operations have faults", self.found - REPORTED)).emit();
        }
        Err(PassFailure::reported())
    }
}
