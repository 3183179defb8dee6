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

/// The range of each group of a table.
pub(crate) type Groups = [Range; MAX_GROUPS];

/// Divides `total` values among groups of which at most one is not [`Cardinality::One`]. An error says what is expected.
pub(crate) fn divide(defs: &[ValueDef], total: usize, what: &str) -> Result<Groups, String> {
    let mut groups = Groups::default();
    let ones = defs.iter().filter(|def| def.cardinality == Cardinality::One).count();
    let most = match defs.iter().find(|def| def.cardinality != Cardinality::One) {
        None => Some(ones),
        Some(def) if def.cardinality == Cardinality::Optional => Some(ones + 1),
        Some(_) => None,
    };
    if total < ones || most.is_some_and(|most| total > most) {
        let expected = match most {
            Some(most) if most == ones => format!("{ones}"),
            Some(most) => format!("{ones} or {most}"),
            None => format!("{ones} or more"),
        };
        let plural = if most == Some(1) && ones == 1 { "" } else { "s" };
        return Err(format!("expected {expected} {what}{plural}, but found {total}"));
    }
    let mut first = 0;
    for (def, group) in defs.iter().zip(&mut groups) {
        let count = if def.cardinality == Cardinality::One { 1 } else { (total - ones) as u32 };
        *group = Range { first, count };
        first += count;
    }
    Ok(groups)
}

/// Divides `total` operands as the property `operandSegmentSizes` says.
pub(crate) fn divide_by_sizes(defs: &[ValueDef], total: usize, sizes: MlirAttribute) -> Result<Groups, String> {
    // SAFETY: the attribute is null or valid, and its class is checked before.
    let well_formed = !sizes.ptr.is_null()
        && unsafe {
            ffi::mlirAttributeIsADenseI32Array(sizes) && ffi::mlirDenseArrayGetNumElements(sizes) == defs.len() as isize
        };
    if !well_formed {
        return Err(format!("requires attribute 'operandSegmentSizes' to be an array of {} i32", defs.len()));
    }
    let mut groups = Groups::default();
    let mut first: u64 = 0;
    for (i, (def, group)) in defs.iter().zip(&mut groups).enumerate() {
        // SAFETY: an array of i32, asked for below its length.
        let size = unsafe { ffi::mlirDenseI32ArrayGetElement(sizes, i as isize) };
        let fits = match def.cardinality {
            Cardinality::One => size == 1,
            Cardinality::Optional => size == 0 || size == 1,
            Cardinality::Variadic => size >= 0,
        };
        if !fits {
            let expected = match def.cardinality {
                Cardinality::One => "one operand",
                Cardinality::Optional => "at most one operand",
                Cardinality::Variadic => "a number of operands",
            };
            return Err(format!("expected {expected} for '{}', but 'operandSegmentSizes' says {size}", def.name));
        }
        *group = Range { first: first as u32, count: size as u32 };
        first += u64::from(group.count);
    }
    if first != total as u64 {
        return Err(format!("'operandSegmentSizes' counts {first} operands, but there are {total}"));
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::def::TypeConstraint;

    const fn value(name: &'static str, cardinality: Cardinality) -> ValueDef {
        ValueDef { name, cardinality, constraint: TypeConstraint::Any }
    }

    fn ranges(groups: Groups, n: usize) -> Vec<(u32, u32)> {
        groups[..n].iter().map(|range| (range.first, range.count)).collect()
    }

    #[test]
    fn the_variable_group_takes_what_is_left() {
        let defs = [value("a", Cardinality::One), value("b", Cardinality::Variadic), value("c", Cardinality::One)];
        assert_eq!(ranges(divide(&defs, 2, "operand").unwrap(), 3), [(0, 1), (1, 0), (1, 1)]);
        assert_eq!(ranges(divide(&defs, 4, "operand").unwrap(), 3), [(0, 1), (1, 2), (3, 1)]);
        assert_eq!(divide(&defs, 1, "operand").unwrap_err(), "expected 2 or more operands, but found 1");
    }

    #[test]
    fn counts_that_do_not_fit_are_errors() {
        let one = [value("a", Cardinality::One)];
        assert_eq!(divide(&one, 2, "result").unwrap_err(), "expected 1 result, but found 2");
        assert_eq!(divide(&[], 1, "operand").unwrap_err(), "expected 0 operands, but found 1");
        let optional = [value("a", Cardinality::One), value("b", Cardinality::Optional)];
        assert_eq!(divide(&optional, 3, "operand").unwrap_err(), "expected 1 or 2 operands, but found 3");
    }
}
