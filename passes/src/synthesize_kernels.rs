//! `synthesize-kernels`: makes the function of every kernel that is called, once for each symbol.
//!
//! Before:
//! ```mlir
//! call.program @decode phase "decode" { call.invoke @cke_linear_fp32.decode.k576.n576.3fa9c1d2 ... }
//! ```
//! After:
//! ```mlir
//! func.func @cke_linear_fp32.decode.k576.n576.3fa9c1d2(%args: !llvm.ptr, %thread: i64, %threads: i64) { ... }
//! call.program @decode phase "decode" { call.invoke @cke_linear_fp32.decode.k576.n576.3fa9c1d2 ... }
//! ```
//!
//! A kernel is a function of (contract, phase, shape, parameters, instruction set); the generators read nothing else.
//! Contract effect: preserves. Fails when a generator refuses (CKE-L006).

use crate::body;
use crate::decisions::{decision, kind, numbers, request};
use crate::registry_ir::{self, ModuleRegistry};
use crate::report;
use cke_dialects::contract::attributes::leaf;
use cke_mlir::ir::{Attr, Op};
use cke_mlir::pass::{OptionDef, OptionKind, PassDef, PassFailure, PassRun, StatisticDef};
use cke_target_llvm::isa::Isa;
use cke_target_llvm::kernels::{KernelRequest, Phase, synthesize};
use std::collections::BTreeMap;

/// The pass.
pub static PASS: PassDef = PassDef {
    argument: "synthesize-kernels",
    summary: "Make the function of every kernel that is called",
    anchor: "builtin.module",
    options: &[OptionDef {
        name: "isa",
        kind: OptionKind::Str,
        default: "native",
        help: "Instruction set to tile for",
    }],
    statistics: &[StatisticDef { name: "kernels", help: "Functions made" }],
    dependent_dialects: &["func", "llvm", "arith", "math", "scf", "vector"],
    validate: |options| Isa::parse(options.str("isa")).map(drop),
    run,
};

fn run<'p>(module: Op<'p>, pass: &PassRun<'p>) -> Result<(), PassFailure> {
    let programs = body::named(module, "call.program");
    if programs.is_empty() {
        return Ok(());
    }
    let registry = registry_ir::read(module).map_err(|(op, fault)| report::fault(op, &fault, None, &[]))?;
    let isa = Isa::parse(pass.str("isa")).map_err(|text| module.fail(format!("{text} [CKE-L006]")))?;
    let mut kernels: BTreeMap<&str, Op<'p>> = BTreeMap::new();
    for invoke in programs.iter().flat_map(|program| body::named(*program, "call.invoke")) {
        let symbol = invoke.attr("kernel").and_then(leaf).unwrap_or_default();
        kernels.entry(symbol).or_insert(invoke);
    }
    let end = body::block(module).expect("a module has a block");
    for (symbol, invoke) in kernels {
        let text = text(symbol, invoke, &registry, &isa)?;
        if let Err(diagnostics) = pass.rewriter().parse_into(end, &text) {
            let first = diagnostics.first().map(ToString::to_string).unwrap_or_default();
            return Err(invoke.fail(format!("internal error: kernel '{symbol}' is not valid: {first}")));
        }
        pass.count("kernels", 1);
    }
    Ok(())
}

fn text<'p>(symbol: &str, invoke: Op<'p>, registry: &ModuleRegistry<'p>, isa: &Isa) -> Result<String, PassFailure> {
    let typed = request(invoke).and_then(|request| Ok((decision(invoke)?, request)));
    let (decision, request) = typed.map_err(|fault| report::fault(invoke, &fault, Some(registry), &[]))?;
    let refused = |text: String| invoke.fail(format!("has no kernel: {text} [CKE-L006]"));
    let contract = registry.registry.contracts.get(&decision.contract);
    let kernel = KernelRequest {
        symbol,
        function: &decision.function,
        op: kind(invoke),
        phase: Phase::parse(&request.phase.to_string()).map_err(refused)?,
        shape: extents(invoke),
        params: parameters(invoke),
        contract: contract.ok_or_else(|| refused(format!("contract '{}' is not defined", decision.contract)))?,
        isa,
    };
    synthesize(&kernel).map_err(refused)
}

/// The extents under `shape`.
pub fn extents(op: Op<'_>) -> BTreeMap<String, i64> {
    let entries = op.attr("shape").and_then(Attr::as_dict).unwrap_or_default();
    entries.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.as_i64()?))).collect()
}

/// The numbers under `params`.
pub fn parameters(op: Op<'_>) -> BTreeMap<String, f64> {
    let values = numbers(op, "params");
    let entries = values.as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect()
}
