//! `resolve-contracts`: binds every operation to exactly one provider and records the decisions.
//!
//! Before:
//! ```mlir
//! contract.registry @native { ... }
//! func.func @decode(...) {
//!   %y = graph.residual_add %a, %b instance "decode/blk.0/attn_residual"
//!       requires {contract = @native::@residual_add_fp32, operation = "decoder.attn_residual", phase = "decode"} : ...
//! }
//! ```
//! After:
//! ```mlir
//! contract.registry @native { ... }
//! contract.ledger @ledger root "sha256:..." entries {"decode/blk.0/attn_residual" = "sha256:..."}
//! func.func @decode(...) {
//!   %y = graph.residual_add %a, %b instance "decode/blk.0/attn_residual" requires {...}
//!       resolved {contract = @native::@residual_add_fp32, digest = "sha256:...", function = "cke_residual_add_fp32",
//!                 provider = @native::@cke_residual_add_fp32} executes {isa_dispatch = "compile_time", ...} : ...
//! }
//! ```
//!
//! Contract effect: resolves. The only pass that writes a decision. It reads requests and the registry and changes
//! neither. Fails with the resolver's codes at the operation, every candidate as a note; runs once on a module.

use crate::body;
use crate::decisions::{check_registry, governed_in, request};
use crate::effective;
use crate::registry_ir::{self, ModuleRegistry};
use crate::report;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::ledger::Ledger;
use cke_contracts::resolve::{Decision, Mode};
use cke_dialects::contract::attributes;
use cke_dialects::contract::json::from_json;
use cke_mlir::ir::{Attr, InsertionPoint, Op, Rewriter};
use cke_mlir::pass::{OptionDef, OptionKind, PassDef, PassFailure, PassRun, StatisticDef};

/// The pass.
pub static PASS: PassDef = PassDef {
    argument: "resolve-contracts",
    summary: "Bind every operation to exactly one provider, or fail",
    anchor: "builtin.module",
    options: &[OptionDef {
        name: "mode",
        kind: OptionKind::Str,
        default: "bringup",
        help: "bringup accepts what is not validated yet, production refuses it",
    }],
    statistics: &[StatisticDef { name: "resolved", help: "Operations bound to a provider" }],
    dependent_dialects: &["contract"],
    validate: |options| match Mode::parse(options.str("mode")) {
        Some(_) => Ok(()),
        None => Err(format!("unknown mode '{}', expected bringup or production", options.str("mode"))),
    },
    run,
};

fn run<'p>(module: Op<'p>, pass: &PassRun<'p>) -> Result<(), PassFailure> {
    let mode = Mode::parse(pass.str("mode")).expect("validated with the options");
    let registry = registry_ir::read(module).map_err(|(op, fault)| report::fault(op, &fault, None, &[]))?;
    let operations = governed_in(module);
    refuse_second_run(module, &operations)?;

    let resolver = registry.resolver();
    let mut refused = 0;
    let mut decisions = Vec::with_capacity(operations.len());
    for &op in &operations {
        let found = request(op).and_then(|request| {
            check_registry(op, registry.name)?;
            Ok((resolver.resolve(&request, mode)?, request))
        });
        match found {
            Ok((decision, request)) => decisions.push((op, request, decision)),
            Err(fault) => {
                refused += 1;
                if refused <= report::MOST {
                    report::fault(op, &fault, Some(&registry), &[]);
                }
            }
        }
    }
    report::rest(module, refused)?;
    let entries = decisions.iter().map(|(_, request, decision)| (request.instance.clone(), decision.digest.clone()));
    let ledger = Ledger::new(entries).map_err(|fault| report::fault(module, &fault, None, &[]))?;
    for (op, _, decision) in &decisions {
        write_decision(*op, decision, &registry, pass.rewriter());
    }
    write_ledger(module, &ledger, pass.rewriter());
    pass.count("resolved", decisions.len() as u64);
    Ok(())
}

fn refuse_second_run<'p>(module: Op<'p>, operations: &[Op<'p>]) -> Result<(), PassFailure> {
    let decided = |op: &Op<'p>| op.attr(attributes::RESOLVED).is_some();
    let ledger = body::first(module, "contract.ledger");
    match operations.iter().copied().find(decided).or(ledger) {
        None => Ok(()),
        Some(op) => {
            let fault = Fault::new(Code::ResolvedTwice, "the module bears decisions already");
            Err(report::fault(op, &fault, None, &[]))
        }
    }
}

fn write_decision<'p>(op: Op<'p>, decision: &Decision, registry: &ModuleRegistry<'p>, rewriter: &Rewriter<'p>) {
    let context = rewriter.context();
    let symbol = |id: &str| Attr::symbol_ref(context, &[registry.name, id]);
    let resolved = attributes::resolution(
        context,
        symbol(&decision.contract),
        symbol(&decision.provider),
        &decision.function,
        &decision.digest,
    );
    op.set_attr(attributes::RESOLVED, resolved);
    let execution = registry.registry.execution(&decision.contract, &decision.provider);
    if let Some(execution) = execution {
        let execution = from_json(context, &execution).expect("names, lists and numbers");
        op.set_attr(attributes::EXECUTION, execution);
    }
    if let Some(regions) = effective::value(&registry.registry, &decision.contract) {
        op.set_attr(attributes::EFFECTIVE, from_json(context, &regions).expect("names and small integers"));
    }
}

fn write_ledger<'p>(module: Op<'p>, ledger: &Ledger, rewriter: &Rewriter<'p>) {
    let context = rewriter.context();
    let digests: Vec<_> = ledger.entries.iter().map(|(name, d)| (name.as_str(), Attr::string(context, d))).collect();
    let registry = body::first(module, "contract.registry").expect("was read before");
    rewriter
        .build("contract.ledger", module.location())
        .attr("sym_name", Attr::string(context, "ledger"))
        .attr("root", Attr::string(context, &ledger.root))
        .attr("entries", Attr::dict(context, &digests))
        .at(InsertionPoint::After(registry));
}
