//! The context: owner of everything that is made unique, such as types and attributes.

use std::{marker::PhantomData, rc::Rc};

use super::{Diagnostic, Registry, diagnostic, guard};
use crate::ffi::{
    MlirContext, mlirContextCreateWithRegistry, mlirContextDestroy, mlirContextEnableMultithreading,
    mlirContextGetOrLoadDialect, mlirContextIsRegisteredOperation, mlirContextSetAllowUnregisteredDialects,
    mlirRegisterAllLLVMTranslations, shim, text,
};

/// A context. A clone is another handle to the same one; a [`Module`](super::Module) keeps its context alive.
#[derive(Debug, Clone)]
pub struct Context(Rc<Owned>);

#[derive(Debug)]
struct Owned(MlirContext);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the last owner; handles borrow from an owner, so none is left.
        unsafe { mlirContextDestroy(self.0) }
    }
}

impl Context {
    /// A context that may load the dialects of `registry`. It runs on one thread and rejects unregistered dialects.
    pub fn new(registry: &Registry) -> Context {
        // SAFETY: the registry is valid; the context copies it and is destroyed by `Owned`.
        unsafe {
            let raw = mlirContextCreateWithRegistry(registry.raw(), false);
            mlirRegisterAllLLVMTranslations(raw);
            Context(Rc::new(Owned(raw)))
        }
    }

    /// Whether operations of dialects that aren't registered are accepted.
    pub fn allow_unregistered(&self, allow: bool) -> &Context {
        // SAFETY: the context is valid.
        unsafe { mlirContextSetAllowUnregisteredDialects(self.raw(), allow) }
        self
    }

    /// Whether verifiers and passes of isolated operations may run in parallel.
    pub fn multithreading(&self, enable: bool) -> &Context {
        // SAFETY: the context is valid, and nothing runs in it: runs block, and a context doesn't leave its thread.
        unsafe { mlirContextEnableMultithreading(self.raw(), enable) }
        self
    }

    /// A handle.
    pub fn handle(&self) -> ContextRef<'_> {
        ContextRef { raw: self.raw(), scope: PhantomData }
    }

    /// Runs `f` and returns what was reported meanwhile by this thread instead of printing it.
    pub fn with_diagnostics<R>(&self, f: impl FnOnce() -> R) -> (R, Vec<Diagnostic>) {
        diagnostic::collect(self.raw(), f)
    }

    pub(crate) fn raw(&self) -> MlirContext {
        self.0.0
    }
}

/// A handle to a context, from which types, attributes and locations are made.
#[derive(Debug, Clone, Copy)]
pub struct ContextRef<'a> {
    raw: MlirContext,
    scope: PhantomData<&'a ()>,
}

impl<'a> ContextRef<'a> {
    /// # Safety
    /// `raw` must be valid during `'a`.
    pub(crate) unsafe fn from_raw(raw: MlirContext) -> ContextRef<'a> {
        ContextRef { raw, scope: PhantomData }
    }

    /// Loads a dialect so that its operations and types can be made; false if it isn't registered. Parsing loads what it
    /// meets, and a pass gets its dependent dialects loaded; this is for building in [`Module::edit`](super::Module::edit).
    ///
    /// # Panics
    /// In a verifier or a pass on a nested operation, if the dialect isn't loaded.
    pub fn load_dialect(self, name: &str) -> bool {
        // SAFETY: the context is valid; the name is only read.
        if unsafe { shim::ckeIsLoaded(self.raw, text::as_ref(name)) } != 0 {
            return true;
        }
        guard::assert_may_load();
        // SAFETY: the context is valid; the name is only read.
        !unsafe { mlirContextGetOrLoadDialect(self.raw, text::as_ref(name)) }.ptr.is_null()
    }

    /// Whether an operation of this name exists in a dialect that is loaded.
    pub fn knows_op(self, name: &str) -> bool {
        // SAFETY: the context is valid; the name is only read.
        unsafe { mlirContextIsRegisteredOperation(self.raw, text::as_ref(name)) }
    }

    pub(crate) fn raw(self) -> MlirContext {
        self.raw
    }
}

impl<'a> From<&'a Context> for ContextRef<'a> {
    fn from(context: &'a Context) -> ContextRef<'a> {
        context.handle()
    }
}

impl PartialEq for ContextRef<'_> {
    fn eq(&self, other: &ContextRef<'_>) -> bool {
        std::ptr::eq(self.raw.ptr, other.raw.ptr)
    }
}
