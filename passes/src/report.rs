//! Faults as diagnostics: at the operation they are about, with the fault's details and the registry's entries as notes.

use crate::registry_ir::ModuleRegistry;
use cke_contracts::fault::{Fault, HELP};
use cke_mlir::ir::Op;
use cke_mlir::pass::PassFailure;

/// Reports a fault at an operation. `entries` are ids of the registry at which a note is placed.
pub fn fault(op: Op<'_>, fault: &Fault, registry: Option<&ModuleRegistry<'_>>, entries: &[&str]) -> PassFailure {
    let mut diagnostic = op.error(format!("{} [{}]", fault.message, fault.code));
    for detail in fault.details() {
        diagnostic = diagnostic.note(op.location(), detail);
    }
    for id in entries {
        if let Some(entry) = registry.and_then(|registry| registry.entries.get(*id)) {
            diagnostic = diagnostic.note(entry.location(), format!("the registry's entry for '{id}'"));
        }
    }
    diagnostic.note(op.location(), HELP).fail()
}

/// Faults reported at most: one definition may concern every operation of a model.
pub const MOST: usize = 8;

/// Fails if there were faults, and says how many more than those reported.
pub fn rest(module: Op<'_>, found: usize) -> Result<(), PassFailure> {
    if found == 0 {
        return Ok(());
    }
    if found > MOST {
        module.remark(format!("{} more operations have faults", found - MOST)).emit();
    }
    Err(PassFailure::reported())
}
