//! From the LLVM dialect to LLVM IR.

use std::ffi::c_void;

use crate::{ffi, ir::Op};

/// Translates a module of the LLVM dialect to an LLVM module: an `LLVMModuleRef` for an `LLVMContextRef`, which are what
/// the LLVM bindings are made of. The caller owns the module. `None` if the translation failed; why was reported in the
/// context of `op`.
///
/// # Safety
/// `llvm_context` must be a valid `LLVMContextRef` and outlive the module.
pub unsafe fn translate_module_to_llvm_ir(op: Op<'_>, llvm_context: *mut c_void) -> Option<*mut c_void> {
    // SAFETY: the operation is valid; the caller answers for the context, which is a pointer to the same opaque struct.
    let module = unsafe { ffi::mlirTranslateModuleToLLVMIR(op.raw(), llvm_context.cast()) };
    (!module.is_null()).then(|| module.cast())
}
