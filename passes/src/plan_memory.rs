//! `plan-memory`: gives every buffer its offset in the state block.
//!
//! Before:
//! ```mlir
//! lowered.plan @plan max_rows 64 capacity 2048 max_threads 64
//! lowered.global @w kind "weight" layout "panels_n32" ... : memref<576x576xf32>
//! lowered.program @decode phase "decode" {
//!   %y = lowered.buffer "decode/..." : memref<1x576xf32>
//! ```
//! After:
//! ```mlir
//! lowered.plan @plan max_rows 64 capacity 2048 max_threads 64 bytes 1331200
//! lowered.global @w kind "weight" layout "panels_n32" ... at 0 : memref<576x576xf32>
//! lowered.program @decode phase "decode" {
//!   %y = lowered.buffer "decode/..." at 1327104 : memref<1x576xf32>
//! ```
//!
//! Globals lie one after the other, first weights, then states, then io. Behind them is one arena which all programs share, since
//! no two run at once. In it, buffers share bytes only when no step uses both, or when an output takes the place of an
//! input in place: the provider declares the alias, the sizes are equal and this is the input's last use.
//!
//! Contract effect: binds; adds offsets and nothing else. Fails when an extent exceeds 63 bits (CKE-L003).

use crate::arena::{self, Lifetime};
use crate::body;
use crate::registry_ir;
use crate::report;
use cke_contracts::layout::Layout;
use cke_contracts::registry::Registry;
use cke_dialects::contract::attributes;
use cke_dialects::graph::symbol_type;
use cke_mlir::ir::{Attr, Op, Type, Value};
use cke_mlir::pass::{PassDef, PassFailure, PassRun, StatisticDef, accept};

/// The pass.
pub static PASS: PassDef = PassDef {
    argument: "plan-memory",
    summary: "Give every buffer its offset in the state block",
    anchor: "builtin.module",
    options: &[],
    statistics: &[
        StatisticDef { name: "state-bytes", help: "Extent of the state block" },
        StatisticDef { name: "arena-bytes", help: "Extent of the arena that programs share" },
        StatisticDef { name: "in-place", help: "Outputs that take the place of an input" },
    ],
    dependent_dialects: &["lowered"],
    validate: accept,
    run,
};

/// Bytes of an element: every buffer holds f32 or i32.
const ELEMENT: u64 = 4;

fn run<'p>(module: Op<'p>, pass: &PassRun<'p>) -> Result<(), PassFailure> {
    let Some(plan) = body::first(module, "lowered.plan") else { return Ok(()) };
    let registry = registry_ir::read(module).map_err(|(op, fault)| report::fault(op, &fault, None, &[]))?;
    let max_rows = plan.attr("max_rows").and_then(Attr::as_i64).expect("verified");
    let too_large = |op: Op<'p>| op.fail("takes more bytes than an address can reach [CKE-L003]");

    let globals = body::named(module, "lowered.global");
    let mut end = 0_u64;
    for kind in ["weight", "state", "io"] {
        for global in globals.iter().copied().filter(|op| op.attr("kind").and_then(Attr::as_str) == Some(kind)) {
            let layout = global.attr("layout").and_then(Attr::as_str).and_then(|name| Layout::parse(name).ok());
            let bytes = buffer_bytes(symbol_type(global).expect("verified"), layout.expect("verified"), max_rows);
            set_offset(global, end)?;
            end = bytes.and_then(|b| end.checked_add(arena::align(b)?)).ok_or_else(|| too_large(global))?;
        }
    }
    let start = end;
    for program in body::named(module, "lowered.program") {
        let buffers = Buffers::of(program, &registry.registry, max_rows).ok_or_else(|| too_large(program))?;
        pass.count("in-place", buffers.shared as u64);
        let placed = arena::place(&buffers.lifetimes).ok_or_else(|| too_large(program))?;
        if let Some((one, other)) = arena::conflict(&buffers.lifetimes, &placed) {
            return Err(program.fail(format!("internal error: planned buffers {one} and {other} overlap")));
        }
        for (op, slot) in &buffers.slots {
            set_offset(*op, start.checked_add(placed.offsets[*slot]).ok_or_else(|| too_large(*op))?)?;
        }
        end = end.max(start.checked_add(placed.bytes).ok_or_else(|| too_large(program))?);
    }
    let bytes = i64::try_from(end).map_err(|_| too_large(plan))?;
    plan.set_attr("bytes", Attr::i64(pass.rewriter().context(), bytes));
    pass.count("state-bytes", end);
    pass.count("arena-bytes", end - start);
    Ok(())
}

fn set_offset(op: Op<'_>, offset: u64) -> Result<(), PassFailure> {
    let signed = i64::try_from(offset).map_err(|_| op.fail("lies beyond 2^63 [CKE-L003]"))?;
    op.set_attr("offset", Attr::i64(op.context(), signed));
    Ok(())
}

/// Bytes of a buffer, its dynamic dimension taken as `max_rows`.
pub fn buffer_bytes(ty: Type<'_>, layout: Layout, max_rows: i64) -> Option<u64> {
    let extents = ty.shape()?.into_iter().map(|extent| usize::try_from(extent.unwrap_or(max_rows)).ok());
    let elements = layout.elements(&extents.collect::<Option<Vec<_>>>()?).ok()?;
    u64::try_from(elements).ok()?.checked_mul(ELEMENT)
}

/// The buffers of a program, those that share a place in place joined to one slot.
struct Buffers<'p> {
    slots: Vec<(Op<'p>, usize)>,
    lifetimes: Vec<Lifetime>,
    shared: usize,
}

impl<'p> Buffers<'p> {
    fn of(program: Op<'p>, registry: &Registry, max_rows: i64) -> Option<Self> {
        let mut buffers = Buffers { slots: Vec::new(), lifetimes: Vec::new(), shared: 0 };
        let invocations = body::named(program, "lowered.invoke");
        for (step, invoke) in invocations.iter().enumerate() {
            for operand in invoke.operands() {
                buffers.touch(operand, step, max_rows)?;
            }
        }
        // Only now are last uses known.
        for (step, invoke) in invocations.iter().enumerate() {
            buffers.share_in_place(*invoke, step, registry);
        }
        Some(buffers)
    }

    fn slot(&self, value: Value<'p>) -> Option<usize> {
        let op = value.defining_op()?;
        self.slots.iter().find(|(known, _)| *known == op).map(|(_, slot)| *slot)
    }

    fn touch(&mut self, value: Value<'p>, step: usize, max_rows: i64) -> Option<()> {
        let Some(op) = value.defining_op().filter(|op| op.name() == "lowered.buffer") else { return Some(()) };
        match self.slot(value) {
            Some(slot) => self.lifetimes[slot].last = step,
            None => {
                let bytes = buffer_bytes(value.ty(), Layout::RowMajor, max_rows)?;
                self.slots.push((op, self.lifetimes.len()));
                self.lifetimes.push(Lifetime { bytes, first: step, last: step });
            }
        }
        Some(())
    }

    /// Joins an output that begins at this step with the input it may take the place of, if that input ends here.
    fn share_in_place(&mut self, invoke: Op<'p>, step: usize, registry: &Registry) {
        for (output, input) in declared_aliases(invoke, registry) {
            let (Some(output_slot), Some(input_slot)) = (self.slot(output), self.slot(input)) else { continue };
            let (written, read) = (self.lifetimes[output_slot], self.lifetimes[input_slot]);
            let distinct = output_slot != input_slot && output.ty() == input.ty() && written.bytes == read.bytes;
            // The output is new at this step, and nothing after it uses what the input's place holds.
            if distinct && written.first == step && read.last == step {
                self.lifetimes[input_slot].last = written.last;
                self.lifetimes[output_slot] = Lifetime { bytes: 0, first: step, last: step };
                let op = output.defining_op().expect("a slot is a buffer");
                let entry = self.slots.iter_mut().find(|(known, _)| *known == op).expect("was found before");
                entry.1 = input_slot;
                self.shared += 1;
            }
        }
    }
}

/// Pairs (output, input) of an invocation's buffers that the decided provider lets share memory.
fn declared_aliases<'p>(invoke: Op<'p>, registry: &Registry) -> Vec<(Value<'p>, Value<'p>)> {
    let decided = attributes::resolved(invoke).ok().flatten();
    let provider = decided.and_then(|d| attributes::leaf(d.provider)).and_then(|id| registry.providers.get(id));
    let Some(provider) = provider else { return Vec::new() };
    let ports: Vec<&str> = invoke
        .attr("sources")
        .and_then(Attr::as_array)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|source| source.as_str()?.split_once(':').filter(|(space, _)| *space != "runtime"))
        .map(|(_, name)| name)
        .collect();
    let buffer = |name: &str| ports.iter().position(|port| *port == name).map(|index| invoke.operand(index));
    let aliases = provider.outputs.iter().filter_map(|port| Some((port.name.as_str(), port.alias_of.as_deref()?)));
    aliases.filter_map(|(output, input)| Some((buffer(output)?, buffer(input)?))).collect()
}
