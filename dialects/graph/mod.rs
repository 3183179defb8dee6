//! The graph dialect: circuits on tensors.

#[allow(missing_docs)]
pub mod ops {
    //! Generated from `Graph.td`.
    include!(concat!(env!("OUT_DIR"), "/graph.rs"));
}
mod verify;

use cke_mlir::def::OpDef;
use cke_mlir::ir::{Attr, Op, Type, Value};

/// What the name of every operation of the dialect begins with.
pub const PREFIX: &str = "graph.";
/// The discardable attribute that names an argument or result of a phase: `tokens`, `position`, `logits`, `next_token`.
pub const IO: &str = "graph.io";
/// The name of the argument that is the position of a call.
pub const POSITION: &str = "position";
/// The discardable attribute of a function that says which phase it is.
pub const PHASE: &str = "graph.phase";

/// The type a weight, state or global declares.
pub fn symbol_type(op: Op<'_>) -> Option<Type<'_>> {
    op.attr("type").and_then(Attr::as_type)
}

/// The extents of a ranked tensor or memref, `None` for a dynamic one.
pub fn dims(ty: Type<'_>) -> Option<Vec<Option<i64>>> {
    ty.shape()
}

/// The operand that stands at port `name`.
pub fn operand<'a>(op: Op<'a>, name: &str) -> Option<Value<'a>> {
    let definition = definition(op)?;
    definition.operands.iter().position(|port| port.name == name).map(|index| op.operand(index))
}

/// The result that stands at port `name`.
pub fn result<'a>(op: Op<'a>, name: &str) -> Option<Value<'a>> {
    let definition = definition(op)?;
    definition.results.iter().position(|port| port.name == name).map(|index| op.result(index))
}

/// Operations under contract have one value at each port, so the index of a port is the index of its value.
fn definition(op: Op<'_>) -> Option<&'static OpDef> {
    ops::DIALECT.ops.iter().find(|definition| definition.name == op.name())
}
