//! `residual_add`: one addition an element.

use super::{Call, canonical, computed, expect, part, read_rows, write_rows};
use cke_contracts::registry::vocabulary::{ElementwiseRule, OutputRows};

/// Ports `a`, `b`, `y`; shape `dim`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (_, semantics) = computed(call, &["elementwise"])?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let ElementwiseRule::APlusB = *part("elementwise", &semantics.elementwise)?;

    let dim = call.extent("dim")?;
    let a = call.tensor("a", &[call.rows, dim], state)?;
    let b = call.tensor("b", &[call.rows, dim], state)?;
    let y = call.tensor("y", &[call.rows, dim], state)?;

    let mut rows = read_rows(&a, state, call.rows)?;
    for (row, b) in rows.iter_mut().zip(read_rows(&b, state, call.rows)?) {
        for (a, b) in row.iter_mut().zip(b) {
            *a = canonical(*a + b);
        }
    }
    write_rows(&y, state, &rows)
}
