//! Giving dialects to MLIR: by their tables, or upstream ones by name.

mod callbacks;
mod constraint;
mod groups;
mod handles;
mod info;
mod verify;

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

pub(crate) use groups::{Groups, MAX_GROUPS, Range};
pub(crate) use info::{OpInfo, Typed, typed};

use crate::{
    assembly,
    def::DialectDef,
    ffi::{
        MlirDialectRegistry,
        shim::{self, CkeDialect, CkeOp, DialectInfo},
        text,
    },
};

/// A dialect that was given to MLIR; both live as long as the process.
struct Known {
    def: &'static DialectDef,
    info: *const DialectInfo,
}

// SAFETY: the shim's object is never changed after it was made.
unsafe impl Send for Known {}

static KNOWN: Mutex<BTreeMap<&str, Known>> = Mutex::new(BTreeMap::new());

/// Adds a dialect to a registry.
///
/// # Panics
/// If the table contradicts itself, or if another dialect has the name.
pub fn register(registry: MlirDialectRegistry, def: &'static DialectDef) {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.entry(def.name).or_insert_with(|| Known { def, info: create(def) });
    assert!(std::ptr::eq(known.def, def), "two dialects are named '{}'", def.name);
    // SAFETY: the registry is valid, the dialect lives as long as the process.
    unsafe { shim::ckeRegisterDialect(registry, known.info) }
}

/// Whether a pass can depend on a dialect of this name.
pub fn is_known(name: &str) -> bool {
    handles::upstream(name).is_some() || KNOWN.lock().unwrap_or_else(PoisonError::into_inner).contains_key(name)
}

/// Adds a dialect that is known by name.
pub fn insert(registry: MlirDialectRegistry, name: &str) {
    if let Some(known) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
        // SAFETY: the registry is valid, the dialect lives as long as the process.
        unsafe { shim::ckeRegisterDialect(registry, known.info) }
    } else if let Some(handle) = handles::upstream(name) {
        // SAFETY: the registry is valid, handles are constants.
        unsafe { crate::ffi::mlirDialectHandleInsertDialect(handle, registry) }
    }
}

/// The shim's dialect for a table.
fn create(def: &'static DialectDef) -> *const DialectInfo {
    let ops: &'static [CkeOp] = def.ops.iter().map(|op| table(def.name, op)).collect::<Vec<_>>().leak();
    let dialect = Box::leak(Box::new(CkeDialect {
        name: text::as_ref(def.name),
        op_count: ops.len() as isize,
        ops: ops.as_ptr(),
        user: std::ptr::from_ref(def).cast(),
        verify_attribute: def.verify_attr.map(|_| callbacks::verify_attribute as _),
    }));
    // SAFETY: the table and all it points to live as long as the process.
    unsafe { shim::ckeCreateDialect(dialect) }
}

/// The shim's table for an operation.
fn table(dialect: &str, def: &'static crate::def::OpDef) -> CkeOp {
    let in_dialect = def.name.strip_prefix(dialect).is_some_and(|rest| rest.starts_with('.'));
    assert!(in_dialect, "'{}' is not in the dialect '{dialect}'", def.name);
    let info: &'static OpInfo =
        Box::leak(Box::new(OpInfo::new(def).unwrap_or_else(|error| panic!("table of '{}': {error}", def.name))));
    let effects = def.effects.iter().map(|effect| *effect as u32).collect::<Vec<_>>().leak();
    let attributes = info.slot_names().map(text::as_ref).collect::<Vec<_>>().leak();
    CkeOp {
        name: text::as_ref(def.name),
        traits: def.traits.bits(),
        effect_count: effects.len() as isize,
        effects: effects.as_ptr(),
        attribute_count: attributes.len() as isize,
        attributes: attributes.as_ptr(),
        has_unprinted_attributes: info.format.as_ref().is_some_and(|format| format.leaves_attributes).into(),
        user: std::ptr::from_ref(info).cast(),
        verify: callbacks::verify,
        verify_symbols: def.verify_symbols.map(|_| callbacks::verify_symbols as _),
        parse: info.format.as_ref().map(|_| assembly::parse as _),
        print: assembly::print,
    }
}
