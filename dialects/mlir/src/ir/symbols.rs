//! Symbol lookup while symbols are verified.

use std::marker::PhantomData;

use super::{Attr, Op};
use crate::ffi::{
    self,
    shim::{self, SymbolTableCollection},
};

/// The symbol tables a verifier may look into; each is indexed once.
#[derive(Debug)]
pub struct SymbolTables<'a> {
    raw: *mut SymbolTableCollection,
    scope: PhantomData<&'a ()>,
}

impl<'a> SymbolTables<'a> {
    /// # Safety
    /// `raw` must be valid during `'a`.
    pub(crate) unsafe fn from_raw(raw: *mut SymbolTableCollection) -> SymbolTables<'a> {
        SymbolTables { raw, scope: PhantomData }
    }

    /// The operation a symbol reference names, seen from `from`. `None` also if it is no symbol reference.
    pub fn lookup(&self, from: Op<'a>, symbol: Attr<'a>) -> Option<Op<'a>> {
        // SAFETY: the collection is valid, the class is checked before; null or an operation of the same IR.
        unsafe {
            ffi::mlirAttributeIsASymbolRef(symbol.raw())
                .then(|| Op::from_nullable(shim::ckeLookupSymbol(self.raw, from.raw(), symbol.raw())))
                .flatten()
        }
    }

    /// As [`lookup`](Self::lookup), by the name of a symbol in the nearest table.
    pub fn lookup_name(&self, from: Op<'a>, name: &str) -> Option<Op<'a>> {
        self.lookup(from, Attr::symbol_ref(from.context(), &[name]))
    }
}
