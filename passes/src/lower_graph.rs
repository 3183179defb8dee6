//! `lower-graph`: from tensors to buffers of one state block.
//!
//! Before:
//! ```mlir
//! graph.weight @w storage "q4_1" : tensor<576x576xf32>
//! func.func @decode(%tokens: tensor<1xi32> {graph.io = "tokens"}, %position: index) -> (...)
//!     attributes {graph.phase = "decode"} {
//!   %y = graph.linear %x, @w instance "..." requires {...} resolved {...} : (tensor<1x576xf32>) -> tensor<1x576xf32>
//!   return ...
//! }
//! ```
//! After:
//! ```mlir
//! lowered.plan @plan max_rows 64 capacity 2048 max_threads 64
//! lowered.global @tokens kind "io" layout "row_major" : memref<?xi32>
//! lowered.global @w kind "weight" layout "panels_n32" storage "q4_1" preparation "..." : memref<576x576xf32>
//! lowered.program @decode phase "decode" {
//!   %w = lowered.get @w : memref<576x576xf32>
//!   %y = lowered.buffer "decode/..." : memref<1x576xf32>
//!   lowered.invoke "linear"(%x, %w, %y) sources ["activation:x", "weight:w", "output:y", "runtime:rows"]
//!       shape {k = 576 : i64, n = 576 : i64} instance "..." requires {...} resolved {...} : ...
//! }
//! ```
//!
//! Everything about an operation's ports comes from the kernel map of the provider that was decided; there is no table
//! of operations here. Contract effect: preserves; instance, request, decision and execution are copied. Fails when an
//! operation has no decision, when a weight is needed in two layouts, or when a fact the provider needs is not there.

mod globals;
mod program;

use crate::body;
use crate::decisions::governed_in;
use crate::registry_ir;
use crate::report;
use cke_dialects::graph;
use cke_mlir::ir::{Attr, InsertionPoint, Op};
use cke_mlir::pass::{OptionDef, OptionKind, PassDef, PassFailure, PassRun, StatisticDef};
use globals::Globals;

/// The pass.
pub static PASS: PassDef = PassDef {
    argument: "lower-graph",
    summary: "Lower resolved graph functions to programs on buffers",
    anchor: "builtin.module",
    options: &[
        OptionDef { name: "max-rows", kind: OptionKind::Int, default: "64", help: "Rows that one prefill call takes" },
        OptionDef { name: "max-threads", kind: OptionKind::Int, default: "64", help: "Threads that scratch is for" },
    ],
    statistics: &[StatisticDef { name: "invocations", help: "Operations lowered" }],
    dependent_dialects: &["lowered"],
    validate: |options| {
        for name in ["max-rows", "max-threads"] {
            if !(1..=65536).contains(&options.int(name)) {
                return Err(format!("'{name}' must be 1 to 65536, found {}", options.int(name)));
            }
        }
        Ok(())
    },
    run,
};

fn run<'p>(module: Op<'p>, pass: &PassRun<'p>) -> Result<(), PassFailure> {
    let functions: Vec<Op<'p>> = body::ops(module).into_iter().filter(|op| op.attr(graph::PHASE).is_some()).collect();
    if functions.is_empty() {
        return Ok(());
    }
    let registry = registry_ir::read(module).map_err(|(op, fault)| report::fault(op, &fault, None, &[]))?;
    let rewriter = pass.rewriter();
    let mut globals = Globals::new(module, &functions)?;
    let limits = program::Limits { max_threads: pass.int("max-threads") };
    let mut programs = Vec::new();
    for &function in &functions {
        programs.push(program::lower(function, &registry, &mut globals, &limits, rewriter)?);
    }
    let capacity = common_capacity(module, &programs)?;
    let context = rewriter.context();
    rewriter
        .build("lowered.plan", module.location())
        .attr("sym_name", Attr::string(context, "plan"))
        .attr("max_rows", Attr::i64(context, pass.int("max-rows")))
        .attr("capacity", Attr::i64(context, capacity))
        .attr("max_threads", Attr::i64(context, limits.max_threads))
        .at(InsertionPoint::Before(programs[0].op));
    globals.write(rewriter, programs[0].op);
    pass.count("invocations", functions.iter().map(|function| governed_in(*function).len() as u64).sum());
    for function in functions {
        rewriter.erase(function);
    }
    for op in body::ops(module).into_iter().filter(|op| ["graph.weight", "graph.state"].contains(&op.name())) {
        rewriter.erase(op);
    }
    Ok(())
}

/// The capacity on which all caches agree; a module without caches has one position.
fn common_capacity(module: Op<'_>, programs: &[program::Lowered<'_>]) -> Result<i64, PassFailure> {
    let mut capacities = programs.iter().flat_map(|program| program.capacities.iter().copied());
    let first = capacities.next().unwrap_or(1);
    match capacities.find(|&capacity| capacity != first) {
        None => Ok(first),
        Some(other) => Err(module.fail(format!("caches have capacities {first} and {other}, expected one [CKE-L003]"))),
    }
}
