//! `lower-call-to-llvm`: writes every program as the entry point of an object.
//!
//! Before:
//! ```mlir
//! call.program @decode phase "decode" {
//!   call.invoke @kernel args [{offset = 4096 : i64, source = "activation:x", ...}, {source = "runtime:rows"}] ...
//!   call.barrier
//! }
//! ```
//! After:
//! ```mlir
//! llvm.func @decode(%state: !llvm.ptr, %rows: i64, %position: i64, %thread: i64, %threads: i64, %sync: !llvm.ptr)
//!     attributes {call.phase = "decode"} {
//!   ... the slots of the argument block are stored ...
//!   llvm.call @kernel(%slots, %thread, %threads) {instance = "...", required_contract = {...}, ...}
//!   llvm.call @cke_barrier(%sync)
//!   llvm.return
//! }
//! ```
//!
//! It runs after the upstream conversions have turned the kernels into `llvm.func`. A slot of the argument block is an
//! address, state plus offset, or a run-time extent. Contract effect: preserves; request, decision, shape and
//! parameters stand on the call, so `verify-contracts` still answers for it. Fails when a kernel is not there (CKE-L006).

use crate::body;
use cke_dialects::call;
use cke_dialects::contract::attributes::{self, leaf};
use cke_mlir::ir::{Attr, Op};
use cke_mlir::pass::{PassDef, PassFailure, PassRun, StatisticDef, accept};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The pass.
pub static PASS: PassDef = PassDef {
    argument: "lower-call-to-llvm",
    summary: "Write every program as the entry point of an object",
    anchor: "builtin.module",
    options: &[],
    statistics: &[StatisticDef { name: "entries", help: "Entry points written" }],
    dependent_dialects: &["llvm"],
    validate: accept,
    run,
};

fn run<'p>(module: Op<'p>, pass: &PassRun<'p>) -> Result<(), PassFailure> {
    let programs = body::named(module, "call.program");
    let end = body::block(module).expect("a module has a block");
    let parse = |at: Op<'p>, text: &str| match pass.rewriter().parse_into(end, text) {
        Ok(_) => Ok(()),
        Err(diagnostics) => {
            let first = diagnostics.first().map(ToString::to_string).unwrap_or_default();
            Err(at.fail(format!("internal error: the entry point is not valid: {first}")))
        }
    };
    let kernels: BTreeSet<&str> = body::named(module, "llvm.func").into_iter().filter_map(Op::symbol_name).collect();
    for invoke in programs.iter().flat_map(|program| body::named(*program, "call.invoke")) {
        let kernel = invoke.attr("kernel").and_then(leaf).unwrap_or_default();
        if !kernels.contains(kernel) {
            let message = format!(
                "calls @{kernel}, which is no llvm.func of the module; synthesize-kernels and the conversions come first \
                 [CKE-L006]"
            );
            return Err(invoke.fail(message));
        }
    }
    if let Some(program) = programs.iter().find(|program| program.symbol_name() == Some(call::BARRIER)) {
        return Err(program.fail(format!("has the name of the barrier, @{} [CKE-L004]", call::BARRIER)));
    }
    for (index, program) in programs.into_iter().enumerate() {
        if index == 0 {
            parse(program, &format!("llvm.func @{}(!llvm.ptr)", call::BARRIER))?;
        }
        // The program gives its name to the entry point.
        let text = entry(program);
        pass.rewriter().erase(program);
        parse(program, &text)?;
        pass.count("entries", 1);
    }
    Ok(())
}

/// The text of an entry point.
fn entry(program: Op<'_>) -> String {
    let steps: Vec<Op<'_>> = body::ops(program);
    let slots = steps.iter().map(|step| arguments(*step).len()).max().unwrap_or(0).max(1);
    // Printed as an attribute, so that any character of a name is escaped.
    let symbol = Attr::symbol_ref(program.context(), &[program.symbol_name().unwrap_or_default()]);
    let phase = program.attr("phase").map(|phase| phase.to_string()).unwrap_or_default();
    let mut text = format!(
        "llvm.func {symbol}(%state: !llvm.ptr, %rows: i64, %position: i64, %thread: i64, %threads: i64, \
         %sync: !llvm.ptr) attributes {{{} = {phase}}} {{\n  %size = llvm.mlir.constant({slots} : i64) : i64\n  \
         %slots = llvm.alloca %size x i64 {{alignment = 8 : i64}} : (i64) -> !llvm.ptr\n",
        call::PHASE
    );
    for (index, step) in steps.into_iter().enumerate() {
        if step.name() == "call.barrier" {
            writeln!(text, "  llvm.call @{}(%sync) : (!llvm.ptr) -> ()", call::BARRIER).expect("a string");
        } else {
            invoke(&mut text, index, step);
        }
    }
    text.push_str("  llvm.return\n}\n");
    text
}

fn invoke(text: &mut String, index: usize, step: Op<'_>) {
    for (slot, argument) in arguments(step).into_iter().enumerate() {
        let id = format!("{index}_{slot}");
        let value = match argument.get("offset") {
            Some(offset) => {
                let address = format!(
                    "  %o{id} = llvm.mlir.constant({offset}) : i64\n  \
                     %a{id} = llvm.getelementptr %state[%o{id}] : (!llvm.ptr, i64) -> !llvm.ptr, i8\n"
                );
                text.push_str(&address);
                format!("%a{id} : !llvm.ptr, !llvm.ptr")
            }
            None => {
                let source = argument.get("source").and_then(Attr::as_str).unwrap_or_default();
                format!("%{} : i64, !llvm.ptr", source.trim_start_matches("runtime:"))
            }
        };
        let (value, types) = value.split_once(" : ").expect("written above");
        let store = format!(
            "  %s{id} = llvm.getelementptr %slots[{slot}] : (!llvm.ptr) -> !llvm.ptr, i64\n  \
             llvm.store {value}, %s{id} : {types}\n"
        );
        text.push_str(&store);
    }
    let kernel = step.attr("kernel").map(|symbol| symbol.to_string()).unwrap_or_default();
    let carried = ["op", "shape", "params"].into_iter().chain(attributes::ALL);
    let carried: Vec<_> = carried.filter_map(|name| Some(format!("{name} = {}", step.attr(name)?))).collect();
    let call = format!(
        "  llvm.call {kernel}(%slots, %thread, %threads) {{{}}} : (!llvm.ptr, i64, i64) -> ()\n",
        carried.join(", ")
    );
    text.push_str(&call);
}

fn arguments(step: Op<'_>) -> Vec<Attr<'_>> {
    step.attr("args").and_then(Attr::as_array).unwrap_or_default()
}
