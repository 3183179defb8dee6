//! The elementary functions of the contracts: fixed sequences of f32 operations, never the host's libm.
//!
//! Each file is one function with its name in the contracts. Every step is one IEEE operation rounded
//! to nearest even (or one [`fma`](super::fma::fma)); constants are written as exact bit patterns.

mod exp2_e2;
mod exp_d1;
mod exp_e0;
mod exp_v1;
mod gelu;
mod power;
mod sigmoid_e1;

pub use exp_d1::exp_d1;
pub use exp_e0::exp_e0;
pub use exp_v1::exp_v1;
pub use exp2_e2::exp2_e2;
pub use gelu::{gelu_erf_fp64, gelu_tanh_e1, gelu_tanh_fp16_table};
pub use power::power_minus_one_half;
pub use sigmoid_e1::sigmoid_denominator_e1;

/// Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, ties to even, for |x| < 2^22.
const ROUND_TO_INTEGER: f32 = f32::from_bits(0x4b40_0000);

/// log2(e) rounded to f32: 0x1.715476p0.
const LOG2_E: f32 = f32::from_bits(0x3fb8_aa3b);

/// `p * 2^n` for an integral `n`; exact whenever the result is a normal number.
///
/// An `n` outside -126..=127 cannot come from an argument inside a function's domain; it saturates to
/// +0 or to infinity, so that every argument has a defined result.
#[inline(always)]
fn scale(p: f32, n: f32) -> f32 {
    let exponent = n as i32; // saturating; NaN gives 0, and then `p` is NaN already
    let power = match exponent {
        -126..=127 => f32::from_bits(((exponent + 127) as u32) << 23),
        128.. => f32::INFINITY,
        _ => 0.0,
    };
    p * power
}
