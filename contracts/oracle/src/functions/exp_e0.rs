//! `exp_e0`: e^x for x <= 0, the exponential of attention.
//!
//! Range reduction by ln 2 in two parts, a polynomial of degree 6, one exact scaling.

use super::super::fma::fma;
use super::{LOG2_E, ROUND_TO_INTEGER, scale};

/// Below this, e^x is not a normal f32 and the result is +0: -87.33654.
const LOWEST: f32 = f32::from_bits(0xc2ae_ac4f);
/// -ln 2, the high part with trailing zeros, so that `n * LN2_HIGH` is exact: -0x1.62e4p-1.
pub(super) const MINUS_LN2_HIGH: f32 = f32::from_bits(0xbf31_7200);
/// -ln 2, the rest: -0x1.7f7d1cp-20.
pub(super) const MINUS_LN2_LOW: f32 = f32::from_bits(0xb5bf_be8e);
/// Coefficients of (e^r - 1 - r) / r^2, highest degree first.
const POLYNOMIAL: [f32; 5] = [
    f32::from_bits(0x3ab5_11e7), // 0x1.6a23cep-10
    f32::from_bits(0x3c09_1d10), // 0x1.123a20p-7
    f32::from_bits(0x3d2a_ac79), // 0x1.5558f2p-5
    f32::from_bits(0x3e2a_aa49), // 0x1.555492p-3
    f32::from_bits(0x3eff_fffe), // 0x1.fffffcp-2
];

/// e^x for x <= 0; below -87.33654 (and for -inf) +0; NaN gives NaN.
pub fn exp_e0(x: f32) -> f32 {
    if x < LOWEST {
        return 0.0;
    }
    let z = fma(x, LOG2_E, ROUND_TO_INTEGER);
    let n = z - ROUND_TO_INTEGER;
    let r = fma(n, MINUS_LN2_HIGH, x);
    let r = fma(n, MINUS_LN2_LOW, r);
    let [highest, rest @ ..] = POLYNOMIAL;
    let q = rest.into_iter().fold(highest, |q, coefficient| fma(q, r, coefficient));
    let t = fma(q, r * r, r);
    scale(1.0 + t, n)
}
