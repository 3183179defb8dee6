//! Which operands and results belong to which group.

use crate::{
    def::{Cardinality, ValueDef},
    ffi::{self, MlirAttribute},
};

/// How many groups of operands, and of results, an operation may have.
pub(crate) const MAX_GROUPS: usize = 16;

/// Consecutive operands, results or types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub first: u32,
    pub count: u32,
}

impl Range {
    /// What is in it.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// The groups of a table of which at most one is not [`Cardinality::One`].
#[derive(Debug)]
pub(crate) struct Layout {
    /// How many groups have exactly one value.
    ones: u32,
    /// The other group, and whether it may have more than one.
    variable: Option<(u32, bool)>,
}

impl Layout {
    pub fn new(defs: &[ValueDef]) -> Layout {
        let variable = defs.iter().position(|def| def.cardinality != Cardinality::One);
        Layout {
            ones: defs.iter().filter(|def| def.cardinality == Cardinality::One).count() as u32,
            variable: variable.map(|i| (i as u32, defs[i].cardinality == Cardinality::Variadic)),
        }
    }

    /// Divides `total` values. An error says what is expected.
    pub fn divide(&self, total: usize, what: &str) -> Result<Groups, String> {
        let rest = (total as u32).checked_sub(self.ones);
        match (rest, self.variable) {
            (Some(0), None) => Ok(Groups::OneOrRest { variable: u32::MAX, rest: 0 }),
            (Some(rest @ 0..=1), Some((variable, _))) | (Some(rest), Some((variable, true))) => {
                Ok(Groups::OneOrRest { variable, rest })
            }
            _ => Err(self.mismatch(total, what)),
        }
    }

    #[cold]
    fn mismatch(&self, total: usize, what: &str) -> String {
        let ones = self.ones;
        let plural = if ones == 1 && self.variable.is_none() { "" } else { "s" };
        match self.variable {
            None => format!("expected {ones} {what}{plural}, but found {total}"),
            Some((_, false)) => format!("expected {ones} or {} {what}s, but found {total}", ones + 1),
            Some((_, true)) => format!("expected {ones} or more {what}s, but found {total}"),
        }
    }
}

/// The groups of the operands or results of one operation.
#[derive(Debug)]
pub(crate) enum Groups {
    /// Each has one value, but the one that takes the rest.
    OneOrRest { variable: u32, rest: u32 },
    /// Each has its own number.
    Sized(Box<[Range]>),
}

impl Groups {
    /// The values of a group.
    pub fn get(&self, group: usize) -> Range {
        match self {
            Groups::OneOrRest { variable, rest } => match (group as u32).cmp(variable) {
                std::cmp::Ordering::Less => Range { first: group as u32, count: 1 },
                std::cmp::Ordering::Equal => Range { first: group as u32, count: *rest },
                std::cmp::Ordering::Greater => Range { first: group as u32 - 1 + rest, count: 1 },
            },
            Groups::Sized(ranges) => ranges[group],
        }
    }

    /// Divides `total` operands as the property `operandSegmentSizes` says. An error says what is expected.
    pub fn sized(defs: &[ValueDef], total: usize, sizes: MlirAttribute) -> Result<Groups, String> {
        // SAFETY: the attribute is null or valid, and its class is checked before.
        let well_formed = !sizes.ptr.is_null()
            && unsafe {
                ffi::mlirAttributeIsADenseI32Array(sizes)
                    && ffi::mlirDenseArrayGetNumElements(sizes) == defs.len() as isize
            };
        if !well_formed {
            return Err(format!("requires attribute 'operandSegmentSizes' to be an array of {} i32", defs.len()));
        }
        let mut first: u64 = 0;
        let mut ranges = Vec::with_capacity(defs.len());
        for (i, def) in defs.iter().enumerate() {
            // SAFETY: an array of i32, asked for below its length.
            let size = unsafe { ffi::mlirDenseI32ArrayGetElement(sizes, i as isize) };
            let (fits, expected) = match def.cardinality {
                Cardinality::One => (size == 1, "one operand"),
                Cardinality::Optional => (size == 0 || size == 1, "at most one operand"),
                Cardinality::Variadic => (size >= 0, "a number of operands"),
            };
            if !fits {
                return Err(format!("expected {expected} for '{}', but 'operandSegmentSizes' says {size}", def.name));
            }
            ranges.push(Range { first: first as u32, count: size as u32 });
            first += size as u64;
        }
        if first != total as u64 {
            return Err(format!("'operandSegmentSizes' counts {first} operands, but there are {total}"));
        }
        Ok(Groups::Sized(ranges.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::def::TypeConstraint;

    const fn value(name: &'static str, cardinality: Cardinality) -> ValueDef {
        ValueDef { name, cardinality, constraint: TypeConstraint::Any }
    }

    fn ranges(defs: &[ValueDef], total: usize) -> Vec<(u32, u32)> {
        let groups = Layout::new(defs).divide(total, "operand").unwrap();
        (0..defs.len()).map(|i| groups.get(i)).map(|range| (range.first, range.count)).collect()
    }

    #[test]
    fn the_variable_group_takes_what_is_left() {
        let defs = [value("a", Cardinality::One), value("b", Cardinality::Variadic), value("c", Cardinality::One)];
        assert_eq!(ranges(&defs, 2), [(0, 1), (1, 0), (1, 1)]);
        assert_eq!(ranges(&defs, 4), [(0, 1), (1, 2), (3, 1)]);
        assert_eq!(ranges(&defs[..1], 1), [(0, 1)]);
        let optional = [value("a", Cardinality::Optional), value("b", Cardinality::One)];
        assert_eq!(ranges(&optional, 1), [(0, 0), (0, 1)]);
        assert_eq!(ranges(&optional, 2), [(0, 1), (1, 1)]);
    }

    #[test]
    fn counts_that_do_not_fit_are_errors() {
        let error = |defs: &[ValueDef], total| Layout::new(defs).divide(total, "operand").unwrap_err();
        let [one, optional, variadic] =
            [Cardinality::One, Cardinality::Optional, Cardinality::Variadic].map(|cardinality| value("a", cardinality));
        assert_eq!(error(&[], 1), "expected 0 operands, but found 1");
        let defs = [one, optional];
        assert_eq!(error(&defs[..1], 2), "expected 1 operand, but found 2");
        assert_eq!(error(&defs, 3), "expected 1 or 2 operands, but found 3");
        let [one, _] = defs;
        assert_eq!(error(&[one, variadic], 0), "expected 1 or more operands, but found 0");
    }
}
