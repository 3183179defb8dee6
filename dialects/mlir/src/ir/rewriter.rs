//! Changing IR.

use std::{cell::RefCell, marker::PhantomData};

use super::{
    Block, ContextRef, Diagnostic, Location, Op, OpBuilder, Region, Type, Value, diagnostic, guard,
    module::check_nesting,
};
use crate::ffi::{self, MlirOperation, shim, text};

/// Where an operation goes.
#[derive(Debug, Clone, Copy)]
pub enum InsertionPoint<'a> {
    /// After all operations of a block.
    EndOf(Block<'a>),
    /// Before all operations of a block.
    StartOf(Block<'a>),
    /// Before an operation.
    Before(Op<'a>),
    /// After an operation.
    After(Op<'a>),
}

impl<'a> InsertionPoint<'a> {
    fn block(self) -> Option<Block<'a>> {
        match self {
            InsertionPoint::EndOf(block) | InsertionPoint::StartOf(block) => Some(block),
            InsertionPoint::Before(op) | InsertionPoint::After(op) => op.block(),
        }
    }

    /// The operation around the place.
    pub(super) fn op(self) -> Option<Op<'a>> {
        self.block()?.parent()
    }

    /// Puts an operation that is in no block there.
    pub(super) fn insert(self, op: Op<'_>) {
        let block = self.block().expect("the place is in a block");
        // SAFETY: the block is valid and takes the operation; the references are in it, or null for "at the start".
        unsafe {
            match self {
                InsertionPoint::EndOf(_) => ffi::mlirBlockAppendOwnedOperation(block.raw(), op.raw()),
                InsertionPoint::StartOf(_) => ffi::mlirBlockInsertOwnedOperation(block.raw(), 0, op.raw()),
                InsertionPoint::Before(next) => {
                    ffi::mlirBlockInsertOwnedOperationBefore(block.raw(), next.raw(), op.raw());
                }
                InsertionPoint::After(previous) => {
                    ffi::mlirBlockInsertOwnedOperationAfter(block.raw(), previous.raw(), op.raw());
                }
            }
        }
    }
}

/// Changes the IR under one operation. Every [`Module::edit`](super::Module::edit) and every pass run has one.
#[derive(Debug)]
pub struct Rewriter<'a> {
    root: MlirOperation,
    /// Operations that were erased: unlinked, using nothing, destroyed at the end.
    erased: RefCell<Vec<MlirOperation>>,
    scope: PhantomData<&'a ()>,
}

impl<'a> Rewriter<'a> {
    /// # Safety
    /// `root` must be valid during `'a`, and no handle to what is in it may outlive the rewriter.
    pub(crate) unsafe fn new(root: MlirOperation) -> Rewriter<'a> {
        Rewriter { root, erased: RefCell::default(), scope: PhantomData }
    }

    /// The context.
    pub fn context(&self) -> ContextRef<'a> {
        // SAFETY: the root is valid during 'a, and its context longer.
        unsafe { Op::<'a>::from_raw(self.root) }.context()
    }

    /// Starts the description of an operation.
    pub fn build(&self, name: &str, location: Location<'a>) -> OpBuilder<'a> {
        OpBuilder::new(name, location)
    }

    /// Adds a block at the end of a region.
    pub fn new_block(&self, region: Region<'a>, args: &[Type<'a>]) -> Block<'a> {
        guard::assert_may_change();
        let context = self.context();
        let types: Vec<_> = args.iter().map(|ty| ty.in_context(context).raw()).collect();
        let places = vec![Location::unknown(context).raw(); args.len()];
        // SAFETY: types and locations are of the context and as many as said; the region takes the block.
        unsafe {
            let block = ffi::mlirBlockCreate(types.len() as isize, types.as_ptr(), places.as_ptr());
            ffi::mlirRegionAppendOwnedBlock(region.raw(), block);
            Block::from_raw(block)
        }
    }

    /// Makes all that use `old` use `new`.
    ///
    /// # Panics
    /// If they are not of the same IR.
    pub fn replace_all_uses(&self, old: Value<'a>, new: Value<'a>) {
        guard::assert_may_change();
        let owner = old.owner().expect("the value belongs to an operation");
        assert!(owner.shares_ir(new), "a value is replaced by one of other IR");
        // SAFETY: both values are of the same IR.
        unsafe { ffi::mlirValueReplaceAllUsesOfWith(old.raw(), new.raw()) }
    }

    /// Moves an operation before another one.
    ///
    /// # Panics
    /// If the other one is in no block, within the operation itself, or of other IR.
    pub fn move_before(&self, op: Op<'a>, next: Op<'a>) {
        guard::assert_may_change();
        assert!(next.block().is_some() && op.block().is_some(), "only operations in blocks are moved");
        assert!(op.root() == next.root(), "'{}' is moved to other IR", op.name());
        let within = std::iter::successors(Some(next), |outer| outer.parent()).any(|outer| outer == op);
        if op != next {
            assert!(!within, "'{}' is moved into itself", op.name());
            assert_stays_or_no_branch(op, InsertionPoint::Before(next));
            // SAFETY: both are in blocks of the same IR, and the move makes no cycle.
            unsafe { ffi::mlirOperationMoveBefore(op.raw(), next.raw()) }
        }
    }

    /// A copy of an operation with all within it.
    ///
    /// # Panics
    /// If the place is in other IR.
    pub fn clone_op(&self, op: Op<'a>, at: InsertionPoint<'a>) -> Op<'a> {
        guard::assert_may_change();
        let place = at.op().expect("an insertion point is inside of an operation");
        assert!(place.root() == op.root(), "'{}' is copied to other IR", op.name());
        assert_stays_or_no_branch(op, at);
        // SAFETY: the operation is valid; the copy uses values of the same IR and is owned by the block it goes to.
        let copy = unsafe { Op::from_raw(ffi::mlirOperationClone(op.raw())) };
        at.insert(copy);
        copy
    }

    /// Parses operations and adds them to the end of a block, before its terminator if it has one. They are not verified.
    ///
    /// # Panics
    /// In a pass on a nested operation.
    pub fn parse_into(&self, block: Block<'a>, source: &str) -> Result<Vec<Op<'a>>, Vec<Diagnostic>> {
        guard::assert_may_change();
        guard::assert_may_load();
        let file = "<inline>";
        check_nesting(source.as_bytes(), file).map_err(|error| vec![error])?;
        let source = text::Terminated::new(source.as_bytes());
        let context = self.context().raw();
        // SAFETY: the context is valid; the source is only read and followed by a NUL. The temporary block is destroyed
        // with what is in it, and what is taken out of it goes to `block`.
        unsafe {
            let parsed = ffi::mlirBlockCreate(0, std::ptr::null(), std::ptr::null());
            let (succeeded, diagnostics) = diagnostic::collect(context, || {
                shim::ckeParseIntoBlock(parsed, context, source.as_ref(), text::as_ref(file)) != 0
            });
            let ops = if succeeded { Block::<'a>::from_raw(parsed).ops() } else { Vec::new() };
            let point = block.terminator().map_or(InsertionPoint::EndOf(block), InsertionPoint::Before);
            for op in &ops {
                ffi::mlirOperationRemoveFromParent(op.raw());
                point.insert(*op);
            }
            ffi::mlirBlockDestroy(parsed);
            if succeeded { Ok(ops) } else { Err(diagnostics) }
        }
    }

    /// Erases an operation with all within it: at once it is in no block and uses nothing, and when the scope ends it is
    /// destroyed. Its results must be unused by then; until then handles to it stay valid.
    ///
    /// # Panics
    /// If it is the operation which the pass runs on or the module, or if it is in other IR.
    pub fn erase(&self, op: Op<'a>) {
        guard::assert_may_change();
        assert!(!std::ptr::eq(op.raw().ptr, self.root.ptr), "the outermost operation is not erased");
        let mut erased = self.erased.borrow_mut();
        let top = op.root().raw().ptr;
        let ours = std::ptr::eq(top, self.root.ptr) || erased.iter().any(|other| std::ptr::eq(other.ptr, top));
        assert!(ours, "'{}' belongs to other IR", op.name());
        if op.block().is_none() {
            return; // erased before
        }
        // SAFETY: the operation is in a block, from which this takes it; `finish` destroys it.
        unsafe {
            shim::ckeDropOperands(op.raw());
            ffi::mlirOperationRemoveFromParent(op.raw());
        }
        erased.push(op.raw());
    }

    /// Destroys what was erased. An error if any of it is still used.
    pub(crate) fn finish(self) -> Result<(), String> {
        self.destroy_erased()
    }

    fn destroy_erased(&self) -> Result<(), String> {
        let erased = std::mem::take(&mut *self.erased.borrow_mut());
        let mut result = Ok(());
        for op in &erased {
            // SAFETY: valid until destroyed below. Afterwards only what stays uses anything of it.
            unsafe { shim::ckeDropOperands(*op) }
        }
        for op in &erased {
            // SAFETY: valid until destroyed below; the handle ends with this statement.
            unsafe { Op::from_raw(*op) }.walk_pre(|op| {
                let blocks = op.regions().into_iter().flat_map(Region::blocks);
                for value in op.results().into_iter().chain(blocks.flat_map(Block::args)) {
                    if let Some((user, _)) = value.uses().first() {
                        result = Err(format!("'{}' was erased but '{}' still uses it", op.name(), user.name()));
                        use_placeholder(value, *user);
                    }
                }
            });
        }
        for op in &erased {
            // SAFETY: in no block, used by nothing, and no handle is left: the scope has ended.
            unsafe { ffi::mlirOperationDestroy(*op) }
        }
        result
    }
}

impl Drop for Rewriter<'_> {
    fn drop(&mut self) {
        // Only something if the scope ended by a panic, which says more than an error here would.
        let _ = self.destroy_erased();
    }
}

/// Makes the users of a value that is about to go use a fresh one, so that the IR, though wrong, stays safe to touch.
fn use_placeholder(value: Value<'_>, user: Op<'_>) {
    // SAFETY: the operation is made like any other, with one result; the block of a user takes it.
    unsafe {
        let types = [value.ty().raw()];
        let name = text::as_ref("builtin.unrealized_conversion_cast");
        let mut state = ffi::mlirOperationStateGet(name, user.location().raw());
        ffi::mlirOperationStateAddResults(&mut state, 1, types.as_ptr());
        let placeholder = ffi::mlirOperationCreate(&mut state);
        ffi::mlirBlockInsertOwnedOperation(ffi::mlirOperationGetBlock(user.raw()), 0, placeholder);
        ffi::mlirValueReplaceAllUsesOfWith(value.raw(), ffi::mlirOperationGetResult(placeholder, 0));
    }
}

/// A branch goes to blocks of its own region.
fn assert_stays_or_no_branch(op: Op<'_>, at: InsertionPoint<'_>) {
    // SAFETY: the operation is valid.
    let branches = unsafe { ffi::mlirOperationGetNumSuccessors(op.raw()) > 0 };
    let region = |block: Option<Block<'_>>| block.and_then(Block::region).map(|region| region.raw().ptr);
    assert!(!branches || region(op.block()) == region(at.block()), "'{}' branches within another region", op.name());
}
