//! Values: results of operations and arguments of blocks.

use super::{Block, Op, Type, handle::handle};
use crate::ffi;

handle! {
    /// A value.
    Value(MlirValue)
}

/// What it is: the operation that defines it and which result, or which argument of a block.
impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.defining_op() {
            Some(op) => write!(f, "result #{} of {op}", self.number()),
            None => write!(f, "argument #{} : {}", self.number(), self.ty()),
        }
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl<'a> Value<'a> {
    /// The type.
    pub fn ty(self) -> Type<'a> {
        // SAFETY: the value is valid during 'a, and its type longer.
        unsafe { Type::from_raw(ffi::mlirValueGetType(self.raw())) }
    }

    /// Whether it is an argument of a block.
    pub fn is_block_arg(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { ffi::mlirValueIsABlockArgument(self.raw()) }
    }

    /// The operation it is a result of.
    pub fn defining_op(self) -> Option<Op<'a>> {
        // SAFETY: the class is checked before; the owner lives as long as its result.
        unsafe { ffi::mlirValueIsAOpResult(self.raw()).then(|| Op::from_raw(ffi::mlirOpResultGetOwner(self.raw()))) }
    }

    /// The block it is an argument of.
    pub fn owner_block(self) -> Option<Block<'a>> {
        // SAFETY: the class is checked before; the owner lives as long as its argument.
        unsafe { self.is_block_arg().then(|| Block::from_raw(ffi::mlirBlockArgumentGetOwner(self.raw()))) }
    }

    /// Its number among the results or arguments of its owner.
    pub fn number(self) -> usize {
        // SAFETY: each accessor is called on a value of its class.
        unsafe {
            if self.is_block_arg() {
                ffi::mlirBlockArgumentGetArgNumber(self.raw()) as usize
            } else {
                ffi::mlirOpResultGetResultNumber(self.raw()) as usize
            }
        }
    }

    /// The operations that use it, each with the number of the operand, latest use first.
    pub fn uses(self) -> Vec<(Op<'a>, usize)> {
        let mut uses = Vec::new();
        // SAFETY: the list is walked until its end; users live in the same IR as the value.
        unsafe {
            let mut operand = ffi::mlirValueGetFirstUse(self.raw());
            while !ffi::mlirOpOperandIsNull(operand) {
                let number = ffi::mlirOpOperandGetOperandNumber(operand) as usize;
                uses.push((Op::from_raw(ffi::mlirOpOperandGetOwner(operand)), number));
                operand = ffi::mlirOpOperandGetNextUse(operand);
            }
        }
        uses
    }

    /// Whether nothing uses it.
    pub fn is_unused(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { ffi::mlirOpOperandIsNull(ffi::mlirValueGetFirstUse(self.raw())) }
    }

    /// The operation it belongs to: the one that defines it, or the one around its block. `None` in a block of no operation.
    pub(super) fn owner(self) -> Option<Op<'a>> {
        self.defining_op().or_else(|| self.owner_block().and_then(Block::parent))
    }
}
