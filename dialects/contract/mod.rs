//! The contract dialect, and what every level shares: contract attributes, their JSON form, and the check of a decision.

pub mod attributes;
pub mod decision;
pub mod json;
#[allow(missing_docs)]
pub mod ops {
    //! Generated from `Contract.td`.
    include!(concat!(env!("OUT_DIR"), "/contract.rs"));
}
mod verify;

use cke_mlir::ir::{Block, Op, Region};

/// Checks that the blocks of an operation take no arguments.
pub(crate) fn no_arguments(op: Op<'_>) -> Result<(), String> {
    match op.regions().into_iter().flat_map(Region::blocks).map(Block::arg_count).find(|&count| count > 0) {
        None => Ok(()),
        Some(count) => Err(format!("expected a block without arguments, found {count}")),
    }
}
