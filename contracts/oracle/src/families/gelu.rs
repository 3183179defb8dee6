//! `gelu`: every element by one of the forms of the Gaussian error linear unit.

use super::{Call, canonical, computed, expect, part, read_rows, write_rows};
use crate::functions::{gelu_erf_fp64, gelu_tanh_e1, gelu_tanh_fp16_table};
use cke_contracts::registry::vocabulary::{GeluRule, OutputRows};

/// Ports `x`, `y`; shape `dim`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (_, semantics) = computed(call, &["gelu"])?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let gelu = match *part("gelu", &semantics.gelu)? {
        GeluRule::TanhSigmoidE1 => gelu_tanh_e1,
        GeluRule::ErfFp64Series => gelu_erf_fp64,
        GeluRule::TanhFp16Table => gelu_tanh_fp16_table,
    };

    let dim = call.extent("dim")?;
    let x = call.tensor("x", &[call.rows, dim], state)?;
    let y = call.tensor("y", &[call.rows, dim], state)?;

    let mut rows = read_rows(&x, state, call.rows)?;
    rows.iter_mut().flatten().for_each(|x| *x = canonical(gelu(*x)));
    write_rows(&y, state, &rows)
}
