//! Operations.

use super::{Attr, Block, ContextRef, DiagnosticBuilder, Location, Region, Severity, Value, guard, handle::handle};
use crate::{
    ffi::{self, shim, text},
    pass::PassFailure,
};

handle! {
    /// An operation.
    Op(MlirOperation)
}

/// As MLIR prints it; within a verifier in the generic form, since the custom one is for what has been verified.
impl std::fmt::Display for Op<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: the operation is valid; the flags live during the print; the callback and `out` too.
        f.write_str(&text::printed(|callback, out| unsafe {
            let flags = ffi::mlirOpPrintingFlagsCreate();
            if guard::is_reading() {
                ffi::mlirOpPrintingFlagsPrintGenericOpForm(flags);
                ffi::mlirOpPrintingFlagsAssumeVerified(flags);
            }
            ffi::mlirOperationPrintWithFlags(self.raw(), flags, callback, out);
            ffi::mlirOpPrintingFlagsDestroy(flags);
        }))
    }
}

impl std::fmt::Debug for Op<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// What it is and where.
impl<'a> Op<'a> {
    /// The whole name: `graph.linear`.
    pub fn name(self) -> &'a str {
        // SAFETY: the operation is valid; names live in the context, longer than 'a.
        unsafe { text::name(ffi::mlirIdentifierStr(ffi::mlirOperationGetName(self.raw()))) }
    }

    /// The namespace: `graph`.
    pub fn dialect(self) -> &'a str {
        self.name().split_once('.').map_or("", |(dialect, _)| dialect)
    }

    /// Whether its dialect knows it.
    pub fn is_registered(self) -> bool {
        self.context().knows_op(self.name())
    }

    /// The location.
    pub fn location(self) -> Location<'a> {
        // SAFETY: the operation is valid; locations live in the context.
        unsafe { Location::from_raw(ffi::mlirOperationGetLocation(self.raw())) }
    }

    /// The context.
    pub fn context(self) -> ContextRef<'a> {
        // SAFETY: the operation is valid during 'a, and its context longer.
        unsafe { ContextRef::from_raw(ffi::mlirOperationGetContext(self.raw())) }
    }

    /// The operation around it. `None` at the top, and for the operation a pass runs on: a pass stays within it.
    pub fn parent(self) -> Option<Op<'a>> {
        if guard::is_root(self.raw()) {
            return None;
        }
        // SAFETY: null or the operation that holds this one.
        unsafe { Op::from_nullable(ffi::mlirOperationGetParentOperation(self.raw())) }
    }

    /// The block it is in; `None` as in [`Op::parent`].
    pub fn block(self) -> Option<Block<'a>> {
        if guard::is_root(self.raw()) {
            return None;
        }
        // SAFETY: null or the block that holds the operation.
        unsafe { Block::from_nullable(ffi::mlirOperationGetBlock(self.raw())) }
    }

    /// The next operation of the block.
    pub fn next(self) -> Option<Op<'a>> {
        self.block()?;
        // SAFETY: the operation is in a block; null or another one of it.
        unsafe { Op::from_nullable(ffi::mlirOperationGetNextInBlock(self.raw())) }
    }

    /// The previous operation of the block.
    pub fn prev(self) -> Option<Op<'a>> {
        self.block()?;
        // SAFETY: as in `next`.
        unsafe { Op::from_nullable(shim::ckeGetPrevious(self.raw())) }
    }

    /// The outermost operation around it, itself if there is none.
    pub(super) fn root(self) -> Op<'a> {
        std::iter::successors(Some(self), |op| op.parent()).last().expect("there is at least this operation")
    }
}

/// What it consists of.
impl<'a> Op<'a> {
    /// An attribute, inherent or discardable.
    pub fn attr(self, name: &str) -> Option<Attr<'a>> {
        // SAFETY: the operation is valid; null or an attribute, which lives in the context.
        unsafe { Attr::from_nullable(ffi::mlirOperationGetAttributeByName(self.raw(), text::as_ref(name))) }
    }

    /// All attributes, inherent and discardable, sorted by name.
    pub fn attrs(self) -> Vec<(&'a str, Attr<'a>)> {
        // SAFETY: the operation is valid; a dictionary, which lives in the context.
        let dictionary = unsafe { Attr::from_raw(shim::ckeGetAttributes(self.raw())) };
        dictionary.as_dict().expect("the attributes of an operation are a dictionary")
    }

    /// Sets an attribute; as an inherent one if the operation has one of this name.
    ///
    /// # Panics
    /// If the attribute belongs to another context.
    pub fn set_attr(self, name: &str, value: Attr<'_>) {
        guard::assert_may_change();
        let value = value.in_context(self.context()).raw();
        // SAFETY: operation and attribute are of the same context.
        unsafe { ffi::mlirOperationSetAttributeByName(self.raw(), text::as_ref(name), value) }
    }

    /// Removes an attribute; false if there was none.
    pub fn remove_attr(self, name: &str) -> bool {
        guard::assert_may_change();
        // SAFETY: the operation is valid.
        unsafe { ffi::mlirOperationRemoveAttributeByName(self.raw(), text::as_ref(name)) }
    }

    /// How many operands.
    pub fn operand_count(self) -> usize {
        // SAFETY: the operation is valid.
        unsafe { ffi::mlirOperationGetNumOperands(self.raw()) as usize }
    }

    /// The operands.
    pub fn operands(self) -> Vec<Value<'a>> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }

    /// An operand.
    ///
    /// # Panics
    /// If there are not so many; an erased operation has none.
    pub fn operand(self, i: usize) -> Value<'a> {
        assert!(i < self.operand_count(), "operand #{i} of '{}' with {}", self.name(), self.operand_count());
        // SAFETY: below the number; operands are in the same IR.
        unsafe { Value::from_raw(ffi::mlirOperationGetOperand(self.raw(), i as isize)) }
    }

    /// Replaces an operand.
    ///
    /// # Panics
    /// If there are not so many, or if the value is not of the same IR.
    pub fn set_operand(self, i: usize, value: Value<'_>) {
        guard::assert_may_change();
        assert!(i < self.operand_count(), "operand #{i} of '{}' with {}", self.name(), self.operand_count());
        assert!(self.shares_ir(value), "operand #{i} of '{}' belongs to other IR", self.name());
        // SAFETY: below the number; operation and value are in the same IR.
        unsafe { ffi::mlirOperationSetOperand(self.raw(), i as isize, value.raw()) }
    }

    /// How many results.
    pub fn result_count(self) -> usize {
        // SAFETY: the operation is valid.
        unsafe { ffi::mlirOperationGetNumResults(self.raw()) as usize }
    }

    /// The results.
    pub fn results(self) -> Vec<Value<'a>> {
        (0..self.result_count()).map(|i| self.result(i)).collect()
    }

    /// A result.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn result(self, i: usize) -> Value<'a> {
        assert!(i < self.result_count(), "result #{i} of '{}' with {}", self.name(), self.result_count());
        // SAFETY: below the number; results live as long as their operation.
        unsafe { Value::from_raw(ffi::mlirOperationGetResult(self.raw(), i as isize)) }
    }

    /// The regions.
    pub fn regions(self) -> Vec<Region<'a>> {
        // SAFETY: regions are asked for below their number and live as long as their operation.
        unsafe {
            (0..ffi::mlirOperationGetNumRegions(self.raw()))
                .map(|i| Region::from_raw(ffi::mlirOperationGetRegion(self.raw(), i)))
                .collect()
        }
    }

    /// Whether a value is of the same IR, under the same outermost operation.
    pub(super) fn shares_ir(self, value: Value<'_>) -> bool {
        value.owner().is_some_and(|owner| owner.root() == self.root())
    }
}

/// Symbols.
impl<'a> Op<'a> {
    /// Its name as a symbol.
    pub fn symbol_name(self) -> Option<&'a str> {
        self.attr("sym_name")?.as_str()
    }

    /// The symbol of this name in the nearest symbol table, which may be the operation itself.
    pub fn lookup_symbol(self, name: &str) -> Option<Op<'a>> {
        self.symbol_table()?.symbol_in(name)
    }

    /// The symbol a reference names, looked up from the nearest symbol table inwards.
    pub fn lookup_symbol_ref(self, reference: Attr<'_>) -> Option<Op<'a>> {
        let path = reference.as_symbol()?;
        let (root, nested) = path.split_first()?;
        nested.iter().try_fold(self.lookup_symbol(root)?, |table, name| {
            table.is_symbol_table().then(|| table.symbol_in(name)).flatten()
        })
    }

    fn symbol_table(self) -> Option<Op<'a>> {
        std::iter::successors(Some(self), |op| op.parent()).find(|op| op.is_symbol_table())
    }

    fn is_symbol_table(self) -> bool {
        // SAFETY: the operation is valid.
        unsafe { shim::ckeIsSymbolTable(self.raw()) != 0 }
    }

    fn symbol_in(self, name: &str) -> Option<Op<'a>> {
        // SAFETY: this is a symbol table; null or an operation in it.
        unsafe { Op::from_nullable(shim::ckeLookupSymbolIn(self.raw(), text::as_ref(name))) }
    }
}

/// Reporting at its location.
impl<'a> Op<'a> {
    /// An error, to be emitted.
    pub fn error(self, message: impl Into<String>) -> DiagnosticBuilder<'a> {
        DiagnosticBuilder::new(Severity::Error, self.location(), message.into())
    }

    /// A warning, to be emitted.
    pub fn warning(self, message: impl Into<String>) -> DiagnosticBuilder<'a> {
        DiagnosticBuilder::new(Severity::Warning, self.location(), message.into())
    }

    /// A remark, to be emitted.
    pub fn remark(self, message: impl Into<String>) -> DiagnosticBuilder<'a> {
        DiagnosticBuilder::new(Severity::Remark, self.location(), message.into())
    }

    /// Reports an error; the result of a pass that failed.
    pub fn fail(self, message: impl Into<String>) -> PassFailure {
        self.error(message).fail()
    }
}
