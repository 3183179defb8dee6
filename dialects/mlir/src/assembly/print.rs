//! The printer of all formats.

use super::{
    format::{Anchor, Format, Step, Values},
    literal::Spacing,
};
use crate::{
    def::AttrKind,
    dialect::{Groups, OpInfo, Range},
    ffi::{
        self, MlirAttribute, MlirOperation, panic,
        shim::{self, AssemblyPrinter, User},
        text,
    },
};

/// The shim's `CkeOp::print`.
pub(crate) unsafe extern "C" fn print(
    raw: *mut AssemblyPrinter,
    op: MlirOperation,
    slots: *const MlirAttribute,
    user: User,
) {
    // SAFETY: the shim gives back the table, and the slots of the operation.
    let (info, slots) = unsafe {
        let info = &*user.cast::<OpInfo>();
        (info, info.slots(slots))
    };
    let printed = panic::catch(|| {
        // An operation may be printed without having been verified; then it may have groups as no format expects.
        match (&info.format, info.operand_groups(op, slots), info.result_groups(op)) {
            (Some(format), Ok(operands), Ok(results)) => {
                Printer { raw, op, slots, info, format, operands, results, spacing: Spacing::START }
                    .steps(&format.steps);
                true
            }
            _ => false,
        }
    });
    if printed != Ok(true) {
        // SAFETY: printer and operation are valid during the call.
        unsafe { shim::ckePrintGeneric(raw, op) }
    }
}

/// One operation being printed.
struct Printer<'p> {
    raw: *mut AssemblyPrinter,
    op: MlirOperation,
    slots: &'p [MlirAttribute],
    info: &'p OpInfo,
    format: &'p Format,
    operands: Groups,
    results: Groups,
    spacing: Spacing,
}

/// All functions of the shim are called with a printer and an operation that are valid during the call of [`print`].
impl Printer<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        let (raw, op) = (self.raw, self.op);
        // SAFETY: printer and operation are valid; groups cover the operands and results, regions are checked.
        unsafe {
            match step {
                Step::Literal(literal) => {
                    let space = self.spacing.before_literal(literal);
                    shim::ckePrintText(raw, text::as_ref(if space { literal.spaced } else { literal.text }));
                }
                Step::Operands(group) => self.print_operands(self.operands.get(*group)),
                Step::AllOperands => self.print_operands(self.all_operands()),
                Step::Attribute(slot) => self.attribute(*slot),
                Step::Region(region) => {
                    if *region < ffi::mlirOperationGetNumRegions(op) as usize {
                        let space = self.space();
                        shim::ckePrintRegion(raw, space, ffi::mlirOperationGetRegion(op, *region as isize));
                    }
                }
                Step::AttrDict { keyword } => {
                    let printed = &self.format.printed;
                    shim::ckePrintAttrDict(raw, op, (*keyword).into(), printed.len() as isize, printed.as_ptr());
                    self.spacing.after_other();
                }
                Step::Types(values) => {
                    let space = self.space();
                    let (is_operands, range) = self.range(*values);
                    let print = if is_operands { shim::ckePrintOperandTypes } else { shim::ckePrintResultTypes };
                    print(raw, space, op, range.first as isize, range.count as isize);
                }
                Step::FunctionalType(ins, outs) => {
                    let space = self.space();
                    let ((_, ins), (_, outs)) = (self.range(*ins), self.range(*outs));
                    let [a, b, c, d] = [ins.first, ins.count, outs.first, outs.count].map(|n| n as isize);
                    shim::ckePrintFunctionalType(raw, space, op, a, b, c, d);
                }
                Step::Optional(optional) => {
                    let present = self.is_present(optional.anchor);
                    self.steps(if present { &optional.then } else { &optional.otherwise });
                }
            }
        }
    }

    /// ODS prints the space even if there is no operand.
    fn print_operands(&mut self, range: Range) {
        let space = self.space();
        // SAFETY: printer and operation are valid; the range is of its operands.
        unsafe { shim::ckePrintOperands(self.raw, space, self.op, range.first as isize, range.count as isize) }
    }

    fn attribute(&mut self, slot: usize) {
        let value = self.slots[slot];
        if value.ptr.is_null() {
            return; // only without having been verified
        }
        let space = self.space();
        // SAFETY: printer and attribute are valid; a symbol's name is a string.
        unsafe {
            match self.info.def.attrs[slot].kind {
                AttrKind::SymbolName if ffi::mlirAttributeIsAString(value) => {
                    shim::ckePrintSymbolName(self.raw, space, value)
                }
                AttrKind::Str | AttrKind::I64 | AttrKind::F32 | AttrKind::F64 | AttrKind::Bool | AttrKind::Type => {
                    shim::ckePrintAttribute(self.raw, space, value, 0);
                }
                _ => shim::ckePrintAttribute(self.raw, space, value, 1),
            }
        }
    }

    fn is_present(&self, anchor: Anchor) -> bool {
        match anchor {
            Anchor::Operands(group) => self.operands.get(group).count > 0,
            Anchor::AllOperands => self.all_operands().count > 0,
            Anchor::Results(group) => self.results.get(group).count > 0,
            Anchor::Attribute(slot) => !self.slots[slot].ptr.is_null(),
            // SAFETY: the operation is valid, and regions are asked for below their number.
            Anchor::Region(region) => unsafe {
                region < ffi::mlirOperationGetNumRegions(self.op) as usize
                    && !ffi::mlirRegionGetFirstBlock(ffi::mlirOperationGetRegion(self.op, region as isize))
                        .ptr
                        .is_null()
            },
        }
    }

    /// Whether these are operands, and which.
    fn range(&self, values: Values) -> (bool, Range) {
        match values {
            Values::Operands(group) => (true, self.operands.get(group)),
            Values::AllOperands => (true, self.all_operands()),
            Values::Results(group) => (false, self.results.get(group)),
            Values::AllResults => (false, self.all_results()),
        }
    }

    fn all_results(&self) -> Range {
        // SAFETY: the operation is valid.
        Range { first: 0, count: unsafe { ffi::mlirOperationGetNumResults(self.op) } as u32 }
    }

    fn all_operands(&self) -> Range {
        // SAFETY: the operation is valid.
        Range { first: 0, count: unsafe { ffi::mlirOperationGetNumOperands(self.op) } as u32 }
    }

    fn space(&mut self) -> i8 {
        self.spacing.before_other().into()
    }
}
