//! `exp2_e2`: 2^y for y <= 0, and the polynomial it shares with `sigmoid_e1`.

use super::super::fma::fma;
use super::{ROUND_TO_INTEGER, scale};

/// Below this the result is not a normal f32 and becomes +0.
const LOWEST: f32 = -126.0;
/// Coefficients of f^6 .. f^1 in 2^f, highest degree first; the constant term is 1.
const POLYNOMIAL: [f32; 6] = [
    f32::from_bits(0x3920_fdd0), // 0x1.41fba0p-13
    f32::from_bits(0x3aaf_9f40), // 0x1.5f3e80p-10
    f32::from_bits(0x3c1d_96a7), // 0x1.3b2d4ep-7
    f32::from_bits(0x3d63_5774), // 0x1.c6aee8p-5
    f32::from_bits(0x3e75_fdee), // 0x1.ebfbdcp-3
    f32::from_bits(0x3f31_7218), // 0x1.62e430p-1
];

/// 2^y for y <= 0; below -126 +0; NaN gives NaN.
pub fn exp2_e2(y: f32) -> f32 {
    if y < LOWEST {
        return 0.0;
    }
    let n = (y + ROUND_TO_INTEGER) - ROUND_TO_INTEGER;
    scale(polynomial(y - n), n)
}

/// 2^f for |f| <= 1/2, by Horner's rule with fma.
pub(super) fn polynomial(f: f32) -> f32 {
    let [highest, rest @ ..] = POLYNOMIAL;
    let q = rest.into_iter().fold(highest, |q, coefficient| fma(q, f, coefficient));
    fma(q, f, 1.0)
}
