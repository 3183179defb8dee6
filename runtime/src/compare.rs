//! Compares single-precision values bit by bit and says how they differ.
//!
//! Equal means equal bits: +0 and -0 differ, and so do two NaNs with different bits, because a contract states all of
//! them. The classes of a difference are there to find its cause, not to forgive it.

use std::fmt;

/// How two values differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Two numbers of different value.
    Value,
    /// +0 and -0.
    ZeroSign,
    /// A NaN and a number.
    NanAgainstNumber,
    /// Two NaNs with different sign, payload or quiet bit.
    NanBits,
}

/// Two values that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where they stand.
    pub index: usize,
    /// Bits of the value that was expected.
    pub expected: u32,
    /// Bits of the value that was found.
    pub found: u32,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// How many pairs were compared.
    pub compared: usize,
    /// The first pair that differs.
    pub first: Option<Difference>,
    /// Pairs of different value.
    pub values: usize,
    /// Pairs of zeros with different sign.
    pub zero_signs: usize,
    /// Pairs of a NaN and a number.
    pub nans_against_numbers: usize,
    /// Pairs of NaNs with different bits.
    pub nan_bits: usize,
    /// The largest distance of two different numbers, in representable numbers (infinity counts as the next number).
    pub max_ulps: u32,
}

impl Difference {
    /// How the two differ.
    pub fn class(&self) -> Class {
        let (expected, found) = (f32::from_bits(self.expected), f32::from_bits(self.found));
        match (expected.is_nan(), found.is_nan()) {
            (true, true) => Class::NanBits,
            (false, false) if expected == found => Class::ZeroSign,
            (false, false) => Class::Value,
            _ => Class::NanAgainstNumber,
        }
    }

    /// How many representable numbers lie between the two, the last included; `None` if one is NaN.
    pub fn ulps(&self) -> Option<u32> {
        matches!(self.class(), Class::Value | Class::ZeroSign).then(|| rank(self.expected).abs_diff(rank(self.found)))
    }
}

/// The place of a number on the line of all numbers; both zeros have place 0.
fn rank(bits: u32) -> i32 {
    let magnitude = (bits & 0x7fff_ffff) as i32;
    if bits >> 31 == 0 { magnitude } else { -magnitude }
}

impl Comparison {
    /// Whether all pairs have equal bits.
    pub fn is_equal(&self) -> bool {
        self.first.is_none()
    }

    /// How many pairs differ.
    pub fn differing(&self) -> usize {
        self.values + self.zero_signs + self.nans_against_numbers + self.nan_bits
    }

    fn note(&mut self, difference: Difference) {
        self.first.get_or_insert(difference);
        self.max_ulps = self.max_ulps.max(difference.ulps().unwrap_or(0));
        match difference.class() {
            Class::Value => self.values += 1,
            Class::ZeroSign => self.zero_signs += 1,
            Class::NanAgainstNumber => self.nans_against_numbers += 1,
            Class::NanBits => self.nan_bits += 1,
        }
    }
}

/// Compares `found` with `expected`, pair by pair.
///
/// # Errors
///
/// They are not equally long; then nothing is compared.
pub fn compare(expected: &[f32], found: &[f32]) -> Result<Comparison, String> {
    if expected.len() != found.len() {
        return Err(format!("{} values were expected, {} found", expected.len(), found.len()));
    }
    let mut comparison = Comparison { compared: expected.len(), ..Comparison::default() };
    for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (expected, found) = (expected.to_bits(), found.to_bits());
        if expected != found {
            comparison.note(Difference { index, expected, found });
        }
    }
    Ok(comparison)
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { index, expected, found } = *self;
        let (expected_value, found_value) = (f32::from_bits(expected), f32::from_bits(found));
        write!(f, "index {index}: expected {expected_value:e} ({expected:#010x}), ")?;
        write!(f, "found {found_value:e} ({found:#010x})")
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = &self.first else { return write!(f, "all {} values have equal bits", self.compared) };
        write!(f, "{} of {} values differ, first at {first}; ", self.differing(), self.compared)?;
        write!(f, "{} in value (at most {} ulp), ", self.values, self.max_ulps)?;
        write!(f, "{} in the sign of zero, {} NaN against number, ", self.zero_signs, self.nans_against_numbers)?;
        write!(f, "{} in the bits of NaN", self.nan_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f32 = f32::from_bits(0x7fc0_0000);

    #[test]
    fn equal_bits_are_equal_whatever_they_are() {
        let values = [0.0, -0.0, 1.5, f32::INFINITY, NAN, f32::from_bits(0xffc0_0001), f32::from_bits(1)];
        let comparison = compare(&values, &values).unwrap();
        assert!(comparison.is_equal());
        assert_eq!((comparison.compared, comparison.differing()), (7, 0));
        assert_eq!(comparison.to_string(), "all 7 values have equal bits");
        assert!(compare(&[], &[]).unwrap().is_equal());
    }

    #[test]
    fn every_class_of_difference_is_seen_alone() {
        let cases = [
            (1.0, f32::from_bits(0x3f80_0001), Class::Value, Some(1)),
            (f32::MAX, f32::INFINITY, Class::Value, Some(1)),
            (f32::from_bits(1), -f32::from_bits(1), Class::Value, Some(2)),
            (f32::NEG_INFINITY, f32::INFINITY, Class::Value, Some(0xff00_0000)),
            (0.0, -0.0, Class::ZeroSign, Some(0)),
            (NAN, 0.0, Class::NanAgainstNumber, None),
            (f32::INFINITY, NAN, Class::NanAgainstNumber, None),
            (NAN, f32::from_bits(0xffc0_0000), Class::NanBits, None),
            (NAN, f32::from_bits(0x7f80_0001), Class::NanBits, None),
        ];
        for (expected, found, class, ulps) in cases {
            let comparison = compare(&[7.0, expected], &[7.0, found]).unwrap();
            let first = comparison.first.unwrap();
            assert!(!comparison.is_equal());
            assert_eq!((first.index, first.class(), first.ulps()), (1, class, ulps));
            assert_eq!((comparison.differing(), comparison.max_ulps), (1, ulps.unwrap_or(0)));
        }
    }

    #[test]
    fn counts_and_the_first_difference_are_reported() {
        let expected = [1.0, 2.0, 0.0, NAN, 5.0, NAN];
        let found = [1.0, 2.5, -0.0, 4.0, 5.0, -NAN];
        assert_eq!(
            compare(&expected, &found).unwrap().to_string(),
            "4 of 6 values differ, first at index 1: expected 2e0 (0x40000000), found 2.5e0 (0x40200000); 1 in value \
             (at most 2097152 ulp), 1 in the sign of zero, 1 NaN against number, 1 in the bits of NaN"
        );
    }

    /// What a comparison must not overlook: values at other places, a missing value, one flipped bit anywhere.
    #[test]
    fn wrong_inputs_are_not_equal() {
        let values: Vec<f32> = (0..100_u16).map(|i| f32::from(i) * 0.25).collect();
        let mut shifted = values.clone();
        shifted.rotate_left(1);
        assert_eq!(compare(&values, &shifted).unwrap().differing(), 100);
        assert_eq!(compare(&values, &values[1..]).unwrap_err(), "100 values were expected, 99 found");
        for bit in 0..32 {
            let mut flipped = values.clone();
            flipped[99] = f32::from_bits(flipped[99].to_bits() ^ (1 << bit));
            let comparison = compare(&values, &flipped).unwrap();
            assert_eq!((comparison.differing(), comparison.first.unwrap().index), (1, 99));
        }
    }
}
