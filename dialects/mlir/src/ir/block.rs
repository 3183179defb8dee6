//! Blocks and regions.

use super::{Op, Value, handle::handle};
use crate::ffi;

handle! {
    /// A list of operations with arguments.
    Block(MlirBlock)
}

handle! {
    /// A list of blocks in an operation.
    Region(MlirRegion)
}

impl<'a> Block<'a> {
    /// The operations in order.
    pub fn ops(self) -> Vec<Op<'a>> {
        std::iter::successors(self.first(), |op| op.next()).collect()
    }

    /// The first operation.
    pub fn first(self) -> Option<Op<'a>> {
        // SAFETY: the block is valid; null or an operation that lives as long.
        unsafe { Op::from_nullable(ffi::mlirBlockGetFirstOperation(self.raw())) }
    }

    /// The last operation, if it is a terminator.
    pub fn terminator(self) -> Option<Op<'a>> {
        // SAFETY: as in `first`.
        unsafe { Op::from_nullable(ffi::mlirBlockGetTerminator(self.raw())) }
    }

    /// The arguments.
    pub fn args(self) -> Vec<Value<'a>> {
        (0..self.arg_count()).map(|i| self.arg(i)).collect()
    }

    /// How many arguments.
    pub fn arg_count(self) -> usize {
        // SAFETY: the block is valid.
        unsafe { ffi::mlirBlockGetNumArguments(self.raw()) as usize }
    }

    /// An argument.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn arg(self, i: usize) -> Value<'a> {
        assert!(i < self.arg_count(), "argument #{i} of a block with {}", self.arg_count());
        // SAFETY: below the number, and arguments live as long as the block.
        unsafe { Value::from_raw(ffi::mlirBlockGetArgument(self.raw(), i as isize)) }
    }

    /// The next block of the region.
    pub fn next(self) -> Option<Block<'a>> {
        // SAFETY: null or a block of the same region.
        unsafe { Block::from_nullable(ffi::mlirBlockGetNextInRegion(self.raw())) }
    }

    /// The region.
    pub fn region(self) -> Option<Region<'a>> {
        // SAFETY: null or the region that holds the block.
        unsafe { Region::from_nullable(ffi::mlirBlockGetParentRegion(self.raw())) }
    }

    /// The operation around it.
    pub fn parent(self) -> Option<Op<'a>> {
        // SAFETY: null or the operation that holds the block.
        unsafe { Op::from_nullable(ffi::mlirBlockGetParentOperation(self.raw())) }
    }
}

impl<'a> Region<'a> {
    /// The blocks in order.
    pub fn blocks(self) -> Vec<Block<'a>> {
        std::iter::successors(self.first_block(), |block| block.next()).collect()
    }

    /// The first block.
    pub fn first_block(self) -> Option<Block<'a>> {
        // SAFETY: null or a block that lives as long as the region.
        unsafe { Block::from_nullable(ffi::mlirRegionGetFirstBlock(self.raw())) }
    }

    /// Whether it has no block.
    pub fn is_empty(self) -> bool {
        self.first_block().is_none()
    }
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ops()).finish()
    }
}

impl std::fmt::Debug for Region<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.blocks()).finish()
    }
}
