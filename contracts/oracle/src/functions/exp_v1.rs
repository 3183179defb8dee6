//! `exp_v1`: e^x as vector units of 16 lanes evaluate it: a polynomial of degree five, then one scaling.

use super::super::fma::fma;
use super::exp_e0::{MINUS_LN2_HIGH, MINUS_LN2_LOW};
use super::{LOG2_E, ROUND_TO_INTEGER};

/// Beyond this power of two the result is +0 or infinity whatever the polynomial gives.
const MOST_POWER: f32 = 192.0;
/// Coefficients of e^b by the power of b.
const C1: f32 = f32::from_bits(0x3f7f_fff6); // 0x1.ffffecp-1
const C2: f32 = f32::from_bits(0x3eff_fedb); // 0x1.fffdb6p-2
const C3: f32 = f32::from_bits(0x3e2a_af33); // 0x1.555e66p-3
const C4: f32 = f32::from_bits(0x3d2b_9f17); // 0x1.573e2ep-5
const C5: f32 = f32::from_bits(0x3c07_2010); // 0x1.0e4020p-7

/// e^x; the scaling rounds once, so subnormal results are right; NaN gives NaN.
pub fn exp_v1(x: f32) -> f32 {
    let n = fma(x, LOG2_E, ROUND_TO_INTEGER) - ROUND_TO_INTEGER;
    if n.abs() > MOST_POWER {
        return if n < 0.0 { 0.0 } else { f32::INFINITY };
    }
    let b = fma(n, MINUS_LN2_LOW, fma(n, MINUS_LN2_HIGH, x));
    let u = b * b;
    let high = fma(fma(C5, b, C4), u, fma(C3, b, C2));
    let polynomial = fma(high, u, fma(C1, b, 1.0));
    let power = f64::from_bits(((i64::from(n as i32) + 1023) as u64) << 52);
    (f64::from(polynomial) * power) as f32
}
