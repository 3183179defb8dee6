//! The forms of GELU, each a fixed sequence of operations.

use half::f16;

use super::super::fma::fma;
use super::super::rope_table::exp;
use super::sigmoid_denominator_e1;

/// 2 sqrt(2 / pi) * 0.044715 and 2 sqrt(2 / pi) in f32: 0x1.2444a2p-4 and 0x1.988454p0.
const TANH_F32: [f32; 2] = [f32::from_bits(0x3d92_2251), f32::from_bits(0x3fcc_422a)];
/// 2 sqrt(2 / pi) in f64: 0x1.9884533d43651p0.
const TWO_SQRT_TWO_OVER_PI: f64 = f64::from_bits(0x3ff9_8845_33d4_3651);
/// The coefficient of the cube in the tanh form.
const CUBE: f64 = 0.044715;
/// sqrt(1/2) in f64: 0x1.6a09e667f3bcdp-1.
const SQRT_HALF: f64 = f64::from_bits(0x3fe6_a09e_667f_3bcd);
/// 2 / sqrt(pi) in f64: 0x1.20dd750429b6dp0.
const TWO_OVER_SQRT_PI: f64 = f64::from_bits(0x3ff2_0dd7_5042_9b6d);
/// From here on erf is 1 in f64.
const ERF_IS_ONE: f64 = 6.0;
/// Terms of the series of erf: more than enough below [`ERF_IS_ONE`].
const ERF_TERMS: u32 = 200;
/// Outside of -10..10 the table is not asked.
const TABLE_END: f32 = 10.0;

/// `tanh_sigmoid_e1`: tanh by way of the logistic function, one division.
pub fn gelu_tanh_e1(x: f32) -> f32 {
    let [cube, line] = TANH_F32;
    x / sigmoid_denominator_e1(x * fma(x * x, cube, line))
}

/// `erf_fp64_series`: in f64 throughout, rounded once.
pub fn gelu_erf_fp64(x: f32) -> f32 {
    let x = f64::from(x);
    ((0.5 * x) * (1.0 + erf(x * SQRT_HALF))) as f32
}

/// `tanh_fp16_table`: the entry of the table for x rounded to fp16.
pub fn gelu_tanh_fp16_table(x: f32) -> f32 {
    if x <= -TABLE_END {
        return 0.0;
    }
    if x >= TABLE_END {
        return x;
    }
    let x = f64::from(f16::from_f32(x).to_f32());
    // tanh u = 1 - 2 / (e^2u + 1), so that x (1 + tanh u) / 2 = x / (1 + e^-2u); the exponent is kept at or below 0.
    let twice = x * (1.0 + CUBE * x * x) * TWO_SQRT_TWO_OVER_PI;
    let e = exp(-twice.abs());
    let share = if twice < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
    f16::from_f32((x * share) as f32).to_f32()
}

/// erf x = 2 / sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (1 * 3 * ... * (2n+1)): all terms have one sign.
fn erf(x: f64) -> f64 {
    if x.abs() >= ERF_IS_ONE {
        return 1.0_f64.copysign(x);
    }
    let square = x * x;
    let series = (1..ERF_TERMS).rev().fold(1.0, |s, n| 1.0 + s * (2.0 * square) / f64::from(2 * n + 1));
    TWO_OVER_SQRT_PI * exp(-square) * x * series
}
