//! `exp_d1`: e^x for x <= 0, a series in fp64 rounded once to fp32.
//!
//! The series errs by far less than half a unit of fp32, so this is e^x correctly rounded but for the rarest ties: what a
//! careful libm gives.

use super::super::rope_table::exp;

/// Below this, e^x rounds to +0 in fp32.
const LOWEST: f32 = -104.0;

/// e^x for x <= 0, subnormal results included; below -104 (and for -inf) +0; NaN gives NaN.
pub fn exp_d1(x: f32) -> f32 {
    if x < LOWEST { 0.0 } else { exp(f64::from(x)) as f32 }
}
