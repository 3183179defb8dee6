//! `lower-to-call`: from buffers to ordered arguments, with a barrier between calls.
//!
//! Before:
//! ```mlir
//! lowered.program @decode phase "decode" {
//!   %w = lowered.get @w : memref<576x576xf32>
//!   lowered.invoke "linear"(%x, %w, %y) sources ["activation:x", "weight:w", "output:y", "runtime:rows"] ...
//! }
//! ```
//! After:
//! ```mlir
//! call.program @decode phase "decode" {
//!   call.invoke @cke_linear_fp32.decode.k576.n576.3fa9c1d2 op "linear" args [
//!     {bytes = 2304 : i64, layout = "row_major", offset = 0 : i64, source = "activation:x"}, ...,
//!     {source = "runtime:rows"}] shape {k = 576 : i64, n = 576 : i64} ...
//! }
//! ```
//!
//! The globals and the plan stay: they say what lies where. Contract effect: binds; adds symbols and offsets.
//! Fails when a buffer has no offset yet (CKE-L005).

use crate::body;
use crate::decisions::{decision, numbers, request};
use crate::kernel_symbol;
use crate::plan_memory::buffer_bytes;
use crate::registry_ir::{self, ModuleRegistry};
use crate::report;
use cke_contracts::layout::Layout;
use cke_contracts::resolve::Resolver;
use cke_dialects::contract::attributes;
use cke_mlir::ir::{Attr, Block, InsertionPoint, Op, Rewriter, Value};
use cke_mlir::pass::{PassDef, PassFailure, PassRun, StatisticDef, accept};

/// The pass.
pub static PASS: PassDef = PassDef {
    argument: "lower-to-call",
    summary: "Turn invocations on buffers into calls with ordered arguments",
    anchor: "builtin.module",
    options: &[],
    statistics: &[
        StatisticDef { name: "calls", help: "Calls written" },
        StatisticDef { name: "barriers", help: "Barriers written" },
    ],
    dependent_dialects: &["call"],
    validate: accept,
    run,
};

fn run<'p>(module: Op<'p>, pass: &PassRun<'p>) -> Result<(), PassFailure> {
    let programs = body::named(module, "lowered.program");
    if programs.is_empty() {
        return Ok(());
    }
    let registry = registry_ir::read(module).map_err(|(op, fault)| report::fault(op, &fault, None, &[]))?;
    let plan = body::first(module, "lowered.plan");
    let max_rows = plan.and_then(|plan| plan.attr("max_rows")).and_then(Attr::as_i64);
    let max_rows = max_rows.ok_or_else(|| module.fail("has programs but no lowered.plan [CKE-L005]"))?;
    let (rewriter, resolver) = (pass.rewriter(), registry.resolver());
    for program in programs {
        let mut builder = rewriter.build("call.program", program.location()).region();
        for name in ["sym_name", "phase"] {
            builder = builder.maybe_attr(name, program.attr(name));
        }
        let lowered = builder.at(InsertionPoint::Before(program));
        let body = rewriter.new_block(lowered.regions()[0], &[]);
        for (index, invoke) in body::named(program, "lowered.invoke").into_iter().enumerate() {
            if index > 0 {
                rewriter.build("call.barrier", invoke.location()).at(InsertionPoint::EndOf(body));
                pass.count("barriers", 1);
            }
            call(invoke, &registry, &resolver, max_rows, body, rewriter)?;
            pass.count("calls", 1);
        }
        rewriter.erase(program);
    }
    Ok(())
}

fn call<'p>(
    invoke: Op<'p>,
    registry: &ModuleRegistry<'p>,
    resolver: &Resolver<'_>,
    max_rows: i64,
    body: Block<'p>,
    rewriter: &Rewriter<'p>,
) -> Result<(), PassFailure> {
    let typed = request(invoke).and_then(|request| Ok((decision(invoke)?, request)));
    let (decision, request) = typed.map_err(|fault| report::fault(invoke, &fault, Some(registry), &[]))?;
    let (shape, params) = (numbers(invoke, "shape"), numbers(invoke, "params"));
    let kernel = kernel_symbol::of(&request, &decision, resolver, &shape, &params);
    let context = rewriter.context();
    let provider = registry.registry.providers.get(&decision.provider);
    let mut buffers = invoke.operands().into_iter();
    let mut args = Vec::new();
    for source in invoke.attr("sources").and_then(Attr::as_array).unwrap_or_default() {
        let (space, name) = source.as_str().and_then(|text| text.split_once(':')).expect("verified");
        let mut entries = vec![("source", source)];
        if space != "runtime" {
            let buffer = buffers.next().expect("verified: a buffer for each source");
            let layout =
                provider.and_then(|provider| provider.port(name)).map_or(Layout::RowMajor, |(_, port)| port.layout);
            let (offset, bytes) = place(invoke, buffer, layout, max_rows)?;
            entries.push(("layout", Attr::string(context, layout.name())));
            entries.push(("offset", offset));
            entries.push(("bytes", Attr::i64(context, bytes)));
        }
        args.push(Attr::dict(context, &entries));
    }
    let mut builder = rewriter
        .build("call.invoke", invoke.location())
        .attr("kernel", Attr::symbol_ref(context, &[&kernel]))
        .attr("args", Attr::array(context, &args));
    for name in ["op", "shape", "params"].into_iter().chain(attributes::ALL) {
        builder = builder.maybe_attr(name, invoke.attr(name));
    }
    builder.at(InsertionPoint::EndOf(body));
    Ok(())
}

/// Offset and extent in bytes of an operand.
fn place<'p>(invoke: Op<'p>, buffer: Value<'p>, layout: Layout, max_rows: i64) -> Result<(Attr<'p>, i64), PassFailure> {
    let unplanned = || invoke.fail("has a buffer without an offset; run plan-memory first [CKE-L005]");
    let definition = buffer.defining_op().ok_or_else(unplanned)?;
    let owner = match definition.attr("global") {
        Some(symbol) => definition.lookup_symbol_ref(symbol).ok_or_else(unplanned)?,
        None => definition,
    };
    let offset = owner.attr("offset").ok_or_else(unplanned)?;
    let bytes = buffer_bytes(buffer.ty(), layout, max_rows).and_then(|bytes| i64::try_from(bytes).ok());
    Ok((offset, bytes.ok_or_else(unplanned)?))
}
