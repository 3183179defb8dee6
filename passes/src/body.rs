//! The operations directly inside of an operation.

use cke_mlir::ir::{Block, Op, Region};

/// The first block of the first region.
pub fn block(op: Op<'_>) -> Option<Block<'_>> {
    op.regions().into_iter().next().and_then(Region::first_block)
}

/// The operations of that block; none if there is no block.
pub fn ops(op: Op<'_>) -> Vec<Op<'_>> {
    block(op).map(Block::ops).unwrap_or_default()
}

/// Those of them with that name.
pub fn named<'a>(op: Op<'a>, name: &str) -> Vec<Op<'a>> {
    ops(op).into_iter().filter(|op| op.name() == name).collect()
}

/// The first of them with that name.
pub fn first<'a>(op: Op<'a>, name: &str) -> Option<Op<'a>> {
    ops(op).into_iter().find(|op| op.name() == name)
}
