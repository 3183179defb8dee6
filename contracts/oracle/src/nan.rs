//! The NaN a computed result is stored as.
//!
//! Sign and payload of an invalid operation differ between instruction sets, so a contract names the
//! bits. Copies (embedding rows, cache appends, unrotated elements) keep whatever bits they find.

/// The bits of the canonical NaN.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;

/// `x`, or the canonical NaN when `x` is any NaN.
#[inline(always)]
pub fn canonical(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(CANONICAL_NAN) } else { x }
}
