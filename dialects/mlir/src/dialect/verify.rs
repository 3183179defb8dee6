//! The verifier which a table implies.
//!
//! In this order, the first error ends it: number of operands, their types; number of results, their types; attributes
//! and their kinds; number of regions; no successors; equal types. MLIR itself checks traits.

use super::{
    Groups, OpInfo,
    constraint::{accepts, describe, describe_kind, is_kind},
    info::Typed,
};
use crate::{
    def::{AttrKind, ValueDef},
    ffi::{self, MlirAttribute, MlirOperation, MlirType, MlirValue},
    ir::{Attr, Op, Type},
};

/// Checks an operation against its table; its slots are its inherent attributes.
pub fn derived(info: &OpInfo, op: Op<'_>, slots: &[MlirAttribute]) -> Result<(), String> {
    let raw = op.raw();
    let operands = info.operand_groups(raw, slots)?;
    check_types(info.def.operands, &operands, "operand", |i| operand(raw, i))?;
    let results = info.result_groups(raw)?;
    check_types(info.def.results, &results, "result", |i| result(raw, i))?;
    check_attributes(info, slots)?;
    check_structure(info, raw)?;
    info.same_types.iter().try_for_each(|set| check_same(info, set, raw, slots, &operands, &results))
}

fn operand(op: MlirOperation, i: usize) -> MlirValue {
    // SAFETY: the operation is valid, and groups cover exactly its operands.
    unsafe { ffi::mlirOperationGetOperand(op, i as isize) }
}

fn result(op: MlirOperation, i: usize) -> MlirValue {
    // SAFETY: the operation is valid, and groups cover exactly its results.
    unsafe { ffi::mlirOperationGetResult(op, i as isize) }
}

fn type_of(value: MlirValue) -> MlirType {
    // SAFETY: the value is valid.
    unsafe { ffi::mlirValueGetType(value) }
}

fn check_types(
    defs: &[ValueDef],
    groups: &Groups,
    what: &str,
    value: impl Fn(usize) -> MlirValue,
) -> Result<(), String> {
    for (group, def) in defs.iter().enumerate() {
        for i in groups.get(group).indices() {
            let ty = type_of(value(i));
            if !accepts(def.constraint, ty) {
                let expected = describe(def.constraint);
                return Err(format!("{what} #{i} ('{}') must be {expected}, but got '{}'", def.name, show(ty)));
            }
        }
    }
    Ok(())
}

fn check_attributes(info: &OpInfo, slots: &[MlirAttribute]) -> Result<(), String> {
    for (def, slot) in info.def.attrs.iter().zip(slots) {
        if slot.ptr.is_null() {
            if !def.optional && def.kind != AttrKind::Unit {
                return Err(format!("requires attribute '{}'", def.name));
            }
        } else if !is_kind(def.kind, *slot) {
            // SAFETY: not null, hence an attribute of the operation.
            let found = unsafe { Attr::from_raw(*slot) };
            return Err(format!("attribute '{}' must be {}, but got {found}", def.name, describe_kind(def.kind)));
        }
    }
    Ok(())
}

fn check_structure(info: &OpInfo, op: MlirOperation) -> Result<(), String> {
    // SAFETY: the operation is valid.
    let (regions, successors) =
        unsafe { (ffi::mlirOperationGetNumRegions(op) as usize, ffi::mlirOperationGetNumSuccessors(op)) };
    let expected = info.def.regions.len();
    if regions != expected {
        let plural = if expected == 1 { "" } else { "s" };
        return Err(format!("expected {expected} region{plural}, but found {regions}"));
    }
    if successors != 0 {
        return Err(format!("expected 0 successors, but found {successors}"));
    }
    Ok(())
}

fn check_same(
    info: &OpInfo,
    set: &[Typed],
    op: MlirOperation,
    slots: &[MlirAttribute],
    operands: &Groups,
    results: &Groups,
) -> Result<(), String> {
    let mut first: Option<MlirType> = None;
    let mut check = |ty: MlirType| match first {
        None => {
            first = Some(ty);
            Ok(())
        }
        Some(first) if std::ptr::eq(first.ptr, ty.ptr) => Ok(()),
        Some(first) => Err(format!(
            "requires the same type for {}, but got '{}' and '{}'",
            names(info, set),
            show(first),
            show(ty)
        )),
    };
    for member in set {
        match *member {
            Typed::Operand(group) => operands.get(group).indices().try_for_each(|i| check(type_of(operand(op, i))))?,
            Typed::Result(group) => results.get(group).indices().try_for_each(|i| check(type_of(result(op, i))))?,
            Typed::Attribute(slot) if slots[slot].ptr.is_null() => {}
            // SAFETY: not null, hence an attribute of the operation.
            Typed::Attribute(slot) => check(unsafe { ffi::mlirAttributeGetType(slots[slot]) })?,
        }
    }
    Ok(())
}

/// `'a', 'b' and 'y'`
fn names(info: &OpInfo, set: &[Typed]) -> String {
    let name = |member: &Typed| match *member {
        Typed::Operand(group) => info.def.operands[group].name,
        Typed::Result(group) => info.def.results[group].name,
        Typed::Attribute(slot) => info.def.attrs[slot].name,
    };
    let quoted: Vec<String> = set.iter().map(|member| format!("'{}'", name(member))).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn show<'a>(ty: MlirType) -> Type<'a> {
    // SAFETY: a type of the operation being verified, shown before the verifier returns.
    unsafe { Type::from_raw(ty) }
}
