//! A table with its names resolved to numbers, once, when its dialect is registered.

use super::groups::{Groups, Layout, MAX_GROUPS};
use crate::{
    assembly::Format,
    def::{Cardinality, OpDef, Traits},
    ffi::{self, MlirAttribute, MlirOperation, shim::MAX_SLOTS},
};

/// What the format and the verifier of an operation work from.
#[derive(Debug)]
pub(crate) struct OpInfo {
    pub def: &'static OpDef,
    /// The sets of [`OpDef::same_types`].
    pub same_types: Vec<Vec<Typed>>,
    pub format: Option<Format>,
    operands: Layout,
    results: Layout,
}

/// Something that has types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A group of operands.
    Operand(usize),
    /// A group of results.
    Result(usize),
    /// An attribute, by the type of its value.
    Attribute(usize),
}

impl OpInfo {
    /// Resolves a table; what is wrong with it otherwise.
    pub fn new(def: &'static OpDef) -> Result<OpInfo, String> {
        check(def)?;
        let same_types = def
            .same_types
            .iter()
            .map(|set| set.iter().map(|name| typed(def, name)).collect())
            .collect::<Result<Vec<Vec<Typed>>, String>>()?;
        let format = def.format.map(|elements| Format::new(def, &same_types, elements)).transpose()?;
        let (operands, results) = (Layout::new(def.operands), Layout::new(def.results));
        Ok(OpInfo { def, same_types, format, operands, results })
    }

    /// The names of the slots: the attributes, then the segment sizes if there are any.
    pub fn slot_names(&self) -> impl Iterator<Item = &'static str> {
        let sizes = self.def.sized_operands.then_some("operandSegmentSizes");
        self.def.attrs.iter().map(|attr| attr.name).chain(sizes)
    }

    /// The slot of `operandSegmentSizes`.
    pub fn sizes_slot(&self) -> Option<usize> {
        self.def.sized_operands.then_some(self.def.attrs.len())
    }

    /// The operands of each group. An error says what is expected.
    pub fn operand_groups(&self, op: MlirOperation, slots: &[MlirAttribute]) -> Result<Groups, String> {
        // SAFETY: the operation is valid.
        let total = unsafe { ffi::mlirOperationGetNumOperands(op) as usize };
        match self.sizes_slot() {
            Some(slot) => Groups::sized(self.def.operands, total, slots[slot]),
            None => self.operands.divide(total, "operand"),
        }
    }

    /// The results of each group. An error says what is expected.
    pub fn result_groups(&self, op: MlirOperation) -> Result<Groups, String> {
        // SAFETY: the operation is valid.
        let total = unsafe { ffi::mlirOperationGetNumResults(op) as usize };
        self.results.divide(total, "result")
    }

    /// The slots the shim points to.
    ///
    /// # Safety
    /// `slots` must point to as many as the operation has, or to anything if it has none, during `'a`.
    pub unsafe fn slots<'a>(&self, slots: *const MlirAttribute) -> &'a [MlirAttribute] {
        let count = self.def.attrs.len() + usize::from(self.def.sized_operands);
        if count == 0 {
            return &[];
        }
        // SAFETY: the caller's.
        unsafe { std::slice::from_raw_parts(slots, count) }
    }
}

/// The number of the group or attribute of this name.
pub(crate) fn typed(def: &OpDef, name: &str) -> Result<Typed, String> {
    let operand = def.operands.iter().position(|operand| operand.name == name).map(Typed::Operand);
    let result = || def.results.iter().position(|result| result.name == name).map(Typed::Result);
    let attribute = || def.attrs.iter().position(|attr| attr.name == name).map(Typed::Attribute);
    operand
        .or_else(result)
        .or_else(attribute)
        .ok_or_else(|| format!("no operand, result or attribute is named '{name}'"))
}

/// What the rest relies on.
fn check(def: &OpDef) -> Result<(), String> {
    let variable =
        |defs: &[crate::def::ValueDef]| defs.iter().filter(|def| def.cardinality != Cardinality::One).count();
    if def.operands.len() > MAX_GROUPS || def.results.len() > MAX_GROUPS {
        return Err(format!("more than {MAX_GROUPS} groups of operands or results"));
    }
    if def.attrs.len() + usize::from(def.sized_operands) > MAX_SLOTS {
        return Err(format!("more than {MAX_SLOTS} attributes"));
    }
    if !def.sized_operands && variable(def.operands) > 1 {
        return Err("several groups of operands vary in number, but the operands are not sized".into());
    }
    if variable(def.results) > 1 {
        return Err("several groups of results vary in number".into());
    }
    if def.traits.contains(Traits::PURE) && !def.effects.is_empty() {
        return Err("a pure operation has effects".into());
    }
    if def.traits.contains(Traits::SYMBOL) && !def.attrs.iter().any(|attr| attr.name == "sym_name") {
        return Err("a symbol has no attribute 'sym_name'".into());
    }
    Ok(())
}
