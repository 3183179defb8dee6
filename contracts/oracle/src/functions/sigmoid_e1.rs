//! `sigmoid_e1`: the denominator 1 + e^-x of the logistic function.

use super::super::fma::fma;
use super::exp2_e2::polynomial;
use super::{LOG2_E, ROUND_TO_INTEGER, scale};

/// |x| is clamped to this: e^-87 cannot change the sum, e^87 is still a normal number.
const CLAMP: f32 = 87.0;

/// 1 + e^-x, so that sigmoid(x) = 1 / result and silu(x) = x / result. NaN gives NaN.
pub fn sigmoid_denominator_e1(x: f32) -> f32 {
    // Two selects, not `clamp`: both comparisons are false for NaN, which passes through.
    let t = if x < -CLAMP { -CLAMP } else { x };
    let t = if t > CLAMP { CLAMP } else { t };
    let n = fma(t, -LOG2_E, ROUND_TO_INTEGER) - ROUND_TO_INTEGER;
    let f = fma(t, -LOG2_E, -n);
    1.0 + scale(polynomial(f), n)
}
