//! `linear` and `logits`: every output is one reduction over k of a row of x and a row of w.

use super::{Call, Reduction, canonical, computed, part, read_rows, write_rows};
use crate::tensor::Tensor;
use cke_contracts::registry::vocabulary::OutputRows;

/// Outputs computed side by side, each with its own lanes; only speed depends on it.
const SIDE_BY_SIDE: usize = 32;

/// Ports `x`, `w`, `y`; shape `k`, `n`. Whether all rows are computed or the last one says `output_rows`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (_, semantics) = computed(call, &["reduction"])?;
    let reduction = Reduction::new("semantics.reduction", part("reduction", &semantics.reduction)?, &["x", "w"])?;

    let (k, n) = (call.extent_or_zero("k")?, call.extent("n")?);
    let x = call.tensor("x", &[call.rows, k], state)?;
    let w = call.tensor("w", &[n, k], state)?;
    let inputs = match semantics.output_rows {
        OutputRows::All => read_rows(&x, state, call.rows)?,
        OutputRows::Last => vec![x.read(state, &[call.rows - 1])?],
    };
    let y = call.tensor("y", &[inputs.len(), n], state)?;

    let mut outputs = vec![Vec::with_capacity(n); inputs.len()];
    for first in (0..n).step_by(SIDE_BY_SIDE) {
        let columns = SIDE_BY_SIDE.min(n - first);
        let weights = gather(&w, state, first, columns, k)?;
        for (input, output) in inputs.iter().zip(&mut outputs) {
            let sums = reduction.reduce(k, |i| [[input[i]; SIDE_BY_SIDE], weights[i]]);
            output.extend(sums[..columns].iter().copied().map(canonical));
        }
    }
    write_rows(&y, state, &outputs)
}

/// The weights of `columns` outputs from `first` on, as `[k][SIDE_BY_SIDE]`; what lies beyond is +0 and not used.
fn gather(
    w: &Tensor<'_>,
    state: &[u8],
    first: usize,
    columns: usize,
    k: usize,
) -> Result<Vec<[f32; SIDE_BY_SIDE]>, String> {
    let lines = (first..first + columns).map(|n| w.line(&[n])).collect::<Result<Vec<_>, _>>()?;
    let mut weights = vec![[0.0; SIDE_BY_SIDE]; k];
    for (i, weights) in weights.iter_mut().enumerate() {
        for (weight, line) in weights.iter_mut().zip(&lines) {
            *weight = w.get(state, *line, i);
        }
    }
    Ok(weights)
}
