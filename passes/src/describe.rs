//! A module of the call level as the plain program that sessions and engines work with.
//!
//! Reads; decides nothing. What it cannot find is an error, never a default.

use crate::body;
use crate::plan_memory::buffer_bytes;
use crate::registry_ir;
use crate::synthesize_kernels::{extents, parameters};
use cke_contracts::layout::Layout;
use cke_contracts::registry::ContractKind;
use cke_dialects::contract::attributes::{instance, leaf, resolved};
use cke_dialects::contract::json::to_json;
use cke_dialects::graph::symbol_type;
use cke_mlir::ir::{Attr, Op};
use cke_runtime::program::{
    Arg, ArgValue, ContractDefinition, Entry, Invoke, Io, Program, Region, StateSlot, Step, WeightSlot,
};
use std::collections::BTreeMap;

/// The program of a module of the call level.
///
/// # Errors
///
/// What is missing or malformed, with the location of the operation.
pub fn describe(module: Op<'_>) -> Result<Program, String> {
    let program = describe_steps(module)?;
    let max_rows = program.max_rows as i64;
    let globals = body::named(module, "lowered.global").into_iter().map(|op| Global::read(op, max_rows));
    let globals: Vec<Global<'_>> = globals.collect::<Result<_, _>>()?;
    let io = |name: &str| {
        let found = globals.iter().find(|global| global.kind == "io" && global.name == name);
        found.ok_or_else(|| format!("{}: the module has no io buffer '{name}'", module.location()))
    };
    let vocab = io("logits")?.dims.last().copied().unwrap_or(0);
    let io = Io { tokens: io("tokens")?.offset, logits: io("logits")?.offset, next_token: io("next_token")?.offset };
    Ok(Program { vocab, io, ..program })
}

/// The program of a module that no session can run, since it does not go from tokens to tokens: what [`describe`] gives,
/// but with no vocabulary and all io offsets zero.
///
/// # Errors
///
/// As for [`describe`].
pub fn describe_steps(module: Op<'_>) -> Result<Program, String> {
    let registry = registry_ir::read(module).map_err(|(op, fault)| format!("{}: {fault}", op.location()))?;
    let plan = only(module, "lowered.plan")?;
    let ledger = only(module, "contract.ledger")?;
    let max_rows = integer(plan, "max_rows")?;
    let globals = body::named(module, "lowered.global").into_iter().map(|op| Global::read(op, max_rows as i64));
    let globals: Vec<Global<'_>> = globals.collect::<Result<_, _>>()?;
    let of_kind = |kind: &'static str| globals.iter().filter(move |global| global.kind == kind);
    let entries = body::named(module, "call.program").into_iter().map(entry);
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    let mut contracts = BTreeMap::new();
    let mut providers = BTreeMap::new();
    for step in entries.iter().flat_map(|entry| &entry.steps) {
        let Step::Invoke(invoke) = step else { continue };
        if let Some(contract) = registry.registry.contracts.get(&invoke.contract) {
            let definition = match contract.kind() {
                ContractKind::Execution => ContractDefinition::Execution(contract.definition()),
                ContractKind::Attention => ContractDefinition::Attention(contract.definition()),
                ContractKind::Linear => ContractDefinition::Linear(contract.definition()),
            };
            contracts.insert(invoke.contract.clone(), definition);
        }
        if let Some(provider) = registry.registry.providers.get(&invoke.provider) {
            providers.insert(invoke.provider.clone(), provider.definition());
        }
    }
    let state_bytes = integer(plan, "bytes")?;
    let arena = globals.iter().map(|global| global.offset + global.bytes).max().unwrap_or(0).next_multiple_of(64);
    Ok(Program {
        state_bytes,
        max_rows,
        capacity: integer(plan, "capacity")?,
        max_threads: integer(plan, "max_threads")?,
        vocab: 0,
        io: Io { tokens: 0, logits: 0, next_token: 0 },
        weights: of_kind("weight").map(Global::weight).collect::<Result<_, _>>()?,
        states: of_kind("state").map(Global::state).collect(),
        arena: Region { offset: arena, bytes: state_bytes.saturating_sub(arena) },
        entries,
        contracts,
        providers,
        ledger_root: text(ledger, "root")?.to_owned(),
    })
}

/// A `lowered.global` with its extents.
struct Global<'a> {
    op: Op<'a>,
    name: &'a str,
    kind: &'a str,
    layout: Layout,
    dims: Vec<u64>,
    offset: u64,
    bytes: u64,
}

impl<'a> Global<'a> {
    fn read(op: Op<'a>, max_rows: i64) -> Result<Self, String> {
        let malformed = || format!("{}: 'lowered.global' op is malformed", op.location());
        let ty = symbol_type(op).ok_or_else(malformed)?;
        let layout = Layout::parse(text(op, "layout")?).map_err(|error| format!("{}: {error}", op.location()))?;
        let shape = ty.shape().ok_or_else(malformed)?;
        let dims = shape.into_iter().map(|extent| u64::try_from(extent.unwrap_or(max_rows)).ok());
        Ok(Global {
            op,
            name: op.symbol_name().ok_or_else(malformed)?,
            kind: text(op, "kind")?,
            layout,
            dims: dims.collect::<Option<_>>().ok_or_else(malformed)?,
            offset: integer(op, "offset")?,
            bytes: buffer_bytes(ty, layout, max_rows).ok_or_else(malformed)?,
        })
    }

    fn weight(&self) -> Result<WeightSlot, String> {
        let origin = self.op.attr("origin").map(to_json).transpose()?;
        let origin = origin.map(serde_json::from_value).transpose();
        Ok(WeightSlot {
            name: self.name.to_owned(),
            storage: text(self.op, "storage")?.to_owned(),
            preparation: text(self.op, "preparation")?.to_owned(),
            dims: self.dims.clone(),
            layout: self.layout.name().to_owned(),
            offset: self.offset,
            bytes: self.bytes,
            origin: origin.map_err(|error| format!("{}: {error}", self.op.location()))?,
        })
    }

    fn state(&self) -> StateSlot {
        StateSlot {
            name: self.name.to_owned(),
            dims: self.dims.clone(),
            layout: self.layout.name().to_owned(),
            offset: self.offset,
            bytes: self.bytes,
        }
    }
}

fn entry(program: Op<'_>) -> Result<Entry, String> {
    let step = |op: Op<'_>| match op.name() {
        "call.barrier" => Ok(Step::Barrier),
        _ => invoke(op).map(|invoke| Step::Invoke(Box::new(invoke))),
    };
    Ok(Entry {
        name: program.symbol_name().unwrap_or_default().to_owned(),
        steps: body::ops(program).into_iter().map(step).collect::<Result<_, _>>()?,
    })
}

fn invoke(op: Op<'_>) -> Result<Invoke, String> {
    let malformed = || format!("{}: '{}' op is not a call of the call level", op.location(), op.name());
    let decision = resolved(op)?.ok_or_else(malformed)?;
    let id = |symbol| leaf(symbol).map(str::to_owned).ok_or_else(malformed);
    let args = op.attr("args").and_then(Attr::as_array).ok_or_else(malformed)?;
    Ok(Invoke {
        instance: instance(op).ok_or_else(malformed)?.to_owned(),
        symbol: id(op.attr("kernel").ok_or_else(malformed)?)?,
        op: text(op, "op")?.to_owned(),
        contract: id(decision.contract)?,
        provider: id(decision.provider)?,
        function: decision.function.to_owned(),
        shape: extents(op),
        params: parameters(op),
        args: args.into_iter().map(argument).collect::<Option<_>>().ok_or_else(malformed)?,
    })
}

fn argument(attribute: Attr<'_>) -> Option<Arg> {
    let (space, name) = attribute.get("source")?.as_str()?.split_once(':')?;
    let unsigned = |name: &str| attribute.get(name).and_then(Attr::as_i64).and_then(|value| u64::try_from(value).ok());
    let (value, layout, bytes) = match (space, name) {
        ("runtime", "rows") => (ArgValue::Rows, "", 0),
        ("runtime", "position") => (ArgValue::Position, "", 0),
        _ => (ArgValue::Offset(unsigned("offset")?), attribute.get("layout")?.as_str()?, unsigned("bytes")?),
    };
    Some(Arg { name: name.to_owned(), value, layout: layout.to_owned(), bytes })
}

fn only<'a>(module: Op<'a>, name: &str) -> Result<Op<'a>, String> {
    match body::named(module, name)[..] {
        [op] => Ok(op),
        _ => Err(format!("{}: expected one {name} in the module", module.location())),
    }
}

fn text<'a>(op: Op<'a>, name: &str) -> Result<&'a str, String> {
    let found = op.attr(name).and_then(Attr::as_str);
    found.ok_or_else(|| format!("{}: '{}' op has no '{name}'", op.location(), op.name()))
}

fn integer(op: Op<'_>, name: &str) -> Result<u64, String> {
    let found = op.attr(name).and_then(Attr::as_i64).and_then(|value| u64::try_from(value).ok());
    found.ok_or_else(|| format!("{}: '{}' op has no '{name}'", op.location(), op.name()))
}
