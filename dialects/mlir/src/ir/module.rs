//! Modules: parsing, printing, verifying, and the scope in which they are changed.

use super::{Context, ContextRef, Diagnostic, Location, MAX_NESTING, Op, Rewriter, too_deep};
use crate::ffi::{self, MlirModule, MlirOperation, shim, text};

/// A `builtin.module` with all it contains. It keeps its context alive.
#[derive(Debug)]
pub struct Module {
    raw: MlirModule,
    context: Context,
}

/// How a module is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrintFlags {
    /// In the generic form, which needs no dialect to be read.
    pub generic: bool,
    /// With locations.
    pub debug_info: bool,
}

impl Module {
    /// Parses and verifies text or bytecode. Without a module around it, the text gets one.
    ///
    /// `file` is the name in locations. What is reported on success, such as warnings, is dropped.
    pub fn parse(context: &Context, source: impl AsRef<[u8]>, file: &str) -> Result<Module, Vec<Diagnostic>> {
        let source = source.as_ref();
        check_nesting(source, file).map_err(|error| vec![error])?;
        let source = text::Terminated::new(source);
        let (raw, diagnostics) = context.with_diagnostics(|| {
            // SAFETY: the context is valid; the source is only read and followed by a NUL.
            unsafe { shim::ckeParseModule(context.raw(), source.as_ref(), text::as_ref(file)) }
        });
        if raw.ptr.is_null() {
            return Err(diagnostics);
        }
        Ok(Module { raw, context: context.clone() })
    }

    /// An empty module, nowhere.
    pub fn new(context: &Context) -> Module {
        // SAFETY: the context is valid; the module is destroyed by `drop`.
        let raw = unsafe { ffi::mlirModuleCreateEmpty(Location::unknown(context).raw()) };
        Module { raw, context: context.clone() }
    }

    /// A copy.
    pub fn clone_module(&self) -> Module {
        // SAFETY: the copy of a module's operation is one; `drop` destroys it.
        let raw = unsafe { ffi::mlirModuleFromOperation(ffi::mlirOperationClone(self.raw_op())) };
        Module { raw, context: self.context.clone() }
    }

    /// The operation.
    pub fn op(&self) -> Op<'_> {
        // SAFETY: the module is not destroyed, nor anything in it, while it is borrowed.
        unsafe { Op::from_raw(self.raw_op()) }
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Runs `f`, which may change the module. What it erases is destroyed when it returns.
    ///
    /// # Panics
    /// If something that was erased is still used at the end.
    pub fn edit<R>(&mut self, f: impl for<'e> FnOnce(Op<'e>, &Rewriter<'e>) -> R) -> R {
        // SAFETY: the module is borrowed exclusively, so that nothing else holds handles to it; `f` can't keep any,
        // since it must take every lifetime.
        let (op, rewriter) = unsafe { (Op::from_raw(self.raw_op()), Rewriter::new(self.raw_op())) };
        let result = f(op, &rewriter);
        if let Err(error) = rewriter.finish() {
            panic!("{error}");
        }
        result
    }

    /// The text.
    pub fn print(&self, flags: PrintFlags) -> String {
        // SAFETY: the flags live during the print and are destroyed after it; the module is valid.
        unsafe {
            let raw = ffi::mlirOpPrintingFlagsCreate();
            if flags.generic {
                ffi::mlirOpPrintingFlagsPrintGenericOpForm(raw);
            }
            if flags.debug_info {
                ffi::mlirOpPrintingFlagsEnableDebugInfo(raw, true, false);
            }
            let text = text::printed(|callback, out| {
                ffi::mlirOperationPrintWithFlags(self.raw_op(), raw, callback, out);
            });
            ffi::mlirOpPrintingFlagsDestroy(raw);
            text
        }
    }

    /// The bytecode.
    pub fn bytecode(&self) -> Vec<u8> {
        // SAFETY: the module is valid, callback and `out` during the call.
        text::written(|callback, out| unsafe { ffi::mlirOperationWriteBytecode(self.raw_op(), callback, out) })
    }

    /// Verifies everything.
    pub fn verify(&self) -> Result<(), Vec<Diagnostic>> {
        // SAFETY: the module is valid.
        let (valid, diagnostics) = self.context.with_diagnostics(|| unsafe { ffi::mlirOperationVerify(self.raw_op()) });
        if valid { Ok(()) } else { Err(diagnostics) }
    }

    pub(crate) fn raw_op(&self) -> MlirOperation {
        // SAFETY: the module is valid.
        unsafe { ffi::mlirModuleGetOperation(self.raw) }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the module owns its operation, and no handle outlives the module.
        unsafe { ffi::mlirModuleDestroy(self.raw) }
    }
}

impl std::fmt::Display for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.op(), f)
    }
}

impl<'a> From<&'a Module> for ContextRef<'a> {
    fn from(module: &'a Module) -> ContextRef<'a> {
        module.context.handle()
    }
}

/// Refuses a text that would exhaust the stack.
pub(super) fn check_nesting(source: &[u8], file: &str) -> Result<(), Diagnostic> {
    let Some(offset) = too_deep(source) else { return Ok(()) };
    let before = &source[..offset];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = offset - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) + 1;
    let message = format!("nesting is deeper than {MAX_NESTING} levels");
    Err(Diagnostic::error(format!("{file}:{line}:{column}"), message))
}
