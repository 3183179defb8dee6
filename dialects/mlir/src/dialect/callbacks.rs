//! What the shim calls to verify.

use super::{OpInfo, verify};
use crate::{
    def::DialectDef,
    ffi::{
        MlirAttribute, MlirOperation, MlirStringRef, panic,
        shim::{SymbolTableCollection, User},
        text,
    },
    ir::{Attr, Op, Reading, SymbolTables},
};

/// Runs a verifier and reports its error with `prefix` before it; an empty one was reported before.
fn run(op: Op<'_>, prefix: impl FnOnce() -> String, verify: impl FnOnce() -> Result<(), String>) -> i8 {
    let outcome = panic::catch(|| {
        let _reading = Reading::start();
        verify()
    });
    let error = match outcome {
        Ok(Ok(())) => return 1,
        Ok(Err(text)) if text.is_empty() => return 0,
        Ok(Err(text)) => prefix() + &text,
        Err(message) => format!("internal error: a verifier of '{}' panicked: {message}", op.name()),
    };
    op.error(error).emit();
    0
}

/// As MLIR starts the errors of an operation.
fn of_op(info: &OpInfo) -> String {
    format!("'{}' op ", info.def.name)
}

/// The shim's `CkeOp::verify`: what the table implies, then the operation's own verifier.
pub unsafe extern "C" fn verify(op: MlirOperation, slots: *const MlirAttribute, user: User) -> i8 {
    // SAFETY: the shim gives back the table, and an operation that is valid during the call with its slots.
    let (info, op, slots) = unsafe {
        let info = &*user.cast::<OpInfo>();
        (info, Op::from_raw(op), info.slots(slots))
    };
    run(
        op,
        || of_op(info),
        || {
            verify::derived(info, op, slots)?;
            info.def.verify.map_or(Ok(()), |verify| verify(op))
        },
    )
}

/// The shim's `CkeOp::verifySymbols`.
pub unsafe extern "C" fn verify_symbols(op: MlirOperation, tables: *mut SymbolTableCollection, user: User) -> i8 {
    // SAFETY: the shim gives back the table, and an operation and symbol tables that are valid during the call.
    let (info, op, tables) = unsafe { (&*user.cast::<OpInfo>(), Op::from_raw(op), SymbolTables::from_raw(tables)) };
    run(op, || of_op(info), || info.def.verify_symbols.map_or(Ok(()), |verify| verify(op, &tables)))
}

/// The shim's `CkeDialect::verifyAttribute`.
pub unsafe extern "C" fn verify_attribute(
    op: MlirOperation,
    name: MlirStringRef,
    value: MlirAttribute,
    user: User,
) -> i8 {
    // SAFETY: the shim gives back the table, and an operation, a name and an attribute that are valid during the call.
    let (def, op, name, value) =
        unsafe { (&*user.cast::<DialectDef>(), Op::from_raw(op), text::name(name), Attr::from_raw(value)) };
    run(op, String::new, || def.verify_attr.map_or(Ok(()), |verify| verify(op, name, value)))
}
