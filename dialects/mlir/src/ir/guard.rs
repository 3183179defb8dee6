//! Three rules of MLIR that types can't express, checked on the thread that runs a callback.
//!
//! * A verifier only reads: MLIR verifies isolated operations in parallel.
//! * A pass stays within its operation: MLIR runs the passes of sibling operations in parallel. So
//!   [`Op::parent`](super::Op::parent) of the operation a pass runs on is `None`.
//! * Neither of them loads a dialect, nor parses what may need one, unless the pass runs on the outermost operation.

use std::{cell::Cell, ffi::c_void, ptr};

use crate::ffi::{self, MlirOperation};

thread_local! {
    static READERS: Cell<u32> = const { Cell::new(0) };
    static ROOT: Cell<*mut c_void> = const { Cell::new(ptr::null_mut()) };
}

/// While it lives, IR can't be changed on this thread.
pub(crate) struct Reading(());

impl Reading {
    pub fn start() -> Reading {
        READERS.set(READERS.get() + 1);
        Reading(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READERS.set(READERS.get() - 1);
    }
}

/// # Panics
/// While a [`Reading`] lives.
pub(super) fn assert_may_change() {
    assert!(READERS.get() == 0, "a verifier may not change IR");
}

/// Whether a [`Reading`] lives: then what is printed may not have been verified, and verifying it would not end.
pub(super) fn is_reading() -> bool {
    READERS.get() > 0
}

/// # Panics
/// Where other threads may look up dialects meanwhile.
pub(super) fn assert_may_load() {
    let root = MlirOperation { ptr: ROOT.get() };
    // SAFETY: the operation of the pass that runs on this thread is valid.
    let nested = !root.ptr.is_null() && !unsafe { ffi::mlirOperationGetParentOperation(root) }.ptr.is_null();
    assert!(!nested && !is_reading(), "only a pass on the outermost operation may parse or load a dialect");
}

/// While it lives, `root` has no parent on this thread.
pub(crate) struct Within {
    outer: *mut c_void,
}

impl Within {
    pub fn start(root: MlirOperation) -> Within {
        Within { outer: ROOT.replace(root.ptr) }
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        ROOT.set(self.outer);
    }
}

/// Whether `op` is as far up as this thread may look.
pub(super) fn is_root(op: MlirOperation) -> bool {
    ptr::eq(ROOT.get(), op.ptr)
}
