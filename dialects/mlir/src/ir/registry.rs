//! The dialects a context may load.

use crate::{
    def::DialectDef,
    dialect,
    ffi::{MlirDialectRegistry, mlirDialectRegistryCreate, mlirDialectRegistryDestroy, mlirRegisterAllDialects},
};

/// The dialects a [`Context`](super::Context) may load: those of MLIR and those which were registered.
#[derive(Debug)]
pub struct Registry {
    raw: MlirDialectRegistry,
}

impl Registry {
    /// All dialects of MLIR.
    pub fn upstream() -> Registry {
        // SAFETY: creates a registry, which `drop` destroys, and fills it.
        unsafe {
            let raw = mlirDialectRegistryCreate();
            mlirRegisterAllDialects(raw);
            Registry { raw }
        }
    }

    /// Adds a dialect described by tables.
    ///
    /// # Panics
    /// If the table contradicts itself, for instance if a format names an operand that doesn't exist.
    pub fn register(&mut self, def: &'static DialectDef) -> &mut Registry {
        dialect::register(self.raw, def);
        self
    }

    pub(crate) fn raw(&self) -> MlirDialectRegistry {
        self.raw
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // SAFETY: created in `upstream`; contexts keep their own copy.
        unsafe { mlirDialectRegistryDestroy(self.raw) }
    }
}
