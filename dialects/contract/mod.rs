//! The contract dialect, and what every level shares: contract attributes, their JSON form, and the check of a decision.

pub mod attributes;
pub mod decision;
pub mod entry;
pub mod json;
#[allow(missing_docs)]
pub mod ops {
    //! Generated from `Contract.td`.
    include!(concat!(env!("OUT_DIR"), "/contract.rs"));
}
mod verify;

use cke_mlir::ir::{Block, Op, Region};

/// Checks that the blocks of a program take no arguments and hold only the operations it is made of.
pub(crate) fn holds_only(op: Op<'_>, names: &[&str]) -> Result<(), String> {
    let inside = op.regions().into_iter().flat_map(Region::blocks).flat_map(Block::ops);
    if let Some(other) = inside.into_iter().find(|inner| !names.contains(&inner.name())) {
        return Err(format!("holds a '{}', expected only {}", other.name(), names.join(", ")));
    }
    match op.regions().into_iter().flat_map(Region::blocks).map(Block::arg_count).find(|&count| count > 0) {
        None => Ok(()),
        Some(count) => Err(format!("expected a block without arguments, found {count}")),
    }
}
