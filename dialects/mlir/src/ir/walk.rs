//! Walking over what an operation contains.

use std::ffi::c_void;

use super::Op;
use crate::ffi::{self, MlirOperation, MlirWalkOrder, MlirWalkResult};

impl<'a> Op<'a> {
    /// Visits the operation and all within it, outer ones first.
    ///
    /// What is visited is settled before: operations made meanwhile are not visited, erased ones are.
    pub fn walk_pre(self, visit: impl FnMut(Op<'a>)) {
        self.snapshot(ffi::MlirWalkOrder_MlirWalkPreOrder).into_iter().for_each(visit);
    }

    /// As [`walk_pre`](Self::walk_pre), inner ones first.
    pub fn walk_post(self, visit: impl FnMut(Op<'a>)) {
        self.snapshot(ffi::MlirWalkOrder_MlirWalkPostOrder).into_iter().for_each(visit);
    }

    /// The operations of this name, itself included, outer ones first.
    pub fn collect(self, name: &str) -> Vec<Op<'a>> {
        let mut found = self.snapshot(ffi::MlirWalkOrder_MlirWalkPreOrder);
        found.retain(|op| op.name() == name);
        found
    }

    fn snapshot(self, order: MlirWalkOrder) -> Vec<Op<'a>> {
        unsafe extern "C" fn push(op: MlirOperation, out: *mut c_void) -> MlirWalkResult {
            // SAFETY: `out` is the vector below, which nothing else touches during the walk; operations live during 'a.
            unsafe { (*out.cast::<Vec<Op<'_>>>()).push(Op::from_raw(op)) }
            ffi::MlirWalkResult_MlirWalkResultAdvance
        }
        let mut out: Vec<Op<'a>> = Vec::new();
        // SAFETY: the operation is valid; the callback changes nothing.
        unsafe { ffi::mlirOperationWalk(self.raw(), Some(push), (&raw mut out).cast(), order) }
        out
    }
}
