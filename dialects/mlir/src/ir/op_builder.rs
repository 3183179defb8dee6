//! Building an operation.

use super::{Attr, InsertionPoint, Location, Op, Type, Value, attr, guard};
use crate::ffi::{self, text};

/// An operation being described; [`at`](Self::at) makes it.
#[derive(Debug)]
#[must_use = "an operation is made by `at`"]
pub struct OpBuilder<'a> {
    name: String,
    location: Location<'a>,
    operands: Vec<Value<'a>>,
    results: Vec<Type<'a>>,
    attrs: Vec<(String, Attr<'a>)>,
    regions: usize,
}

impl<'a> OpBuilder<'a> {
    pub(super) fn new(name: &str, location: Location<'a>) -> OpBuilder<'a> {
        let (operands, results, attrs) = Default::default();
        OpBuilder { name: name.to_owned(), location, operands, results, attrs, regions: 0 }
    }

    /// Adds an operand.
    pub fn operand(mut self, value: Value<'a>) -> OpBuilder<'a> {
        self.operands.push(value);
        self
    }

    /// Adds operands.
    pub fn operands(mut self, values: impl IntoIterator<Item = Value<'a>>) -> OpBuilder<'a> {
        self.operands.extend(values);
        self
    }

    /// Adds a result.
    pub fn result(mut self, ty: Type<'a>) -> OpBuilder<'a> {
        self.results.push(ty);
        self
    }

    /// Adds results.
    pub fn results(mut self, types: impl IntoIterator<Item = Type<'a>>) -> OpBuilder<'a> {
        self.results.extend(types);
        self
    }

    /// Adds an attribute, inherent or discardable.
    pub fn attr(mut self, name: &str, value: Attr<'a>) -> OpBuilder<'a> {
        self.attrs.push((name.to_owned(), value));
        self
    }

    /// Adds an attribute if there is one.
    pub fn maybe_attr(self, name: &str, value: Option<Attr<'a>>) -> OpBuilder<'a> {
        match value {
            Some(value) => self.attr(name, value),
            None => self,
        }
    }

    /// Adds a region without blocks.
    pub fn region(mut self) -> OpBuilder<'a> {
        self.regions += 1;
        self
    }

    /// Makes the operation.
    ///
    /// Its dialect must be loaded: parsing loads what it meets, a pass gets its dependent dialects loaded, and
    /// [`ContextRef::load_dialect`](super::ContextRef::load_dialect) loads by name.
    ///
    /// # Panics
    /// If no loaded dialect has the operation and unregistered ones aren't allowed, if an attribute, a type or the
    /// location belongs to another context or an operand to other IR, or if an attribute is given twice.
    pub fn at(self, point: InsertionPoint<'a>) -> Op<'a> {
        guard::assert_may_change();
        let place = point.op().expect("an insertion point is inside of an operation");
        let context = place.context();
        // SAFETY: the context is valid.
        let lenient = unsafe { ffi::mlirContextGetAllowUnregisteredDialects(context.raw()) };
        let name = &self.name;
        assert!(lenient || context.knows_op(name), "no loaded dialect has the operation '{name}'");
        assert!(self.location.context() == context, "location {} belongs to another context", self.location);
        let operands: Vec<_> = self.operands.iter().map(|value| value.raw()).collect();
        assert!(
            self.operands.iter().all(|value| place.shares_ir(*value)),
            "an operand of '{name}' belongs to other IR"
        );
        let results: Vec<_> = self.results.iter().map(|ty| ty.in_context(context).raw()).collect();
        for (i, (key, _)) in self.attrs.iter().enumerate() {
            assert!(
                self.attrs[..i].iter().all(|(other, _)| other != key),
                "attribute '{key}' of '{name}' is given twice"
            );
        }
        let attrs: Vec<_> = self.attrs.iter().map(|(key, value)| attr::named(key, value.in_context(context))).collect();
        // SAFETY: everything is of one context; the arrays have the lengths given and outlive the call, which takes the
        // regions. The operation is valid from here on, and owned by the block it is inserted into.
        unsafe {
            let regions: Vec<_> = (0..self.regions).map(|_| ffi::mlirRegionCreate()).collect();
            let mut state = ffi::mlirOperationStateGet(text::as_ref(name), self.location.raw());
            ffi::mlirOperationStateAddOperands(&mut state, operands.len() as isize, operands.as_ptr());
            ffi::mlirOperationStateAddResults(&mut state, results.len() as isize, results.as_ptr());
            ffi::mlirOperationStateAddAttributes(&mut state, attrs.len() as isize, attrs.as_ptr());
            ffi::mlirOperationStateAddOwnedRegions(&mut state, regions.len() as isize, regions.as_ptr());
            let op = Op::from_raw(ffi::mlirOperationCreate(&mut state));
            point.insert(op);
            op
        }
    }
}
