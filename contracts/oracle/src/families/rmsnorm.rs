//! `rmsnorm`: a row divided by the root of its mean square, times gamma.

use super::{Call, Reduction, canonical, computed, expect, part, read_rows, write_rows};
use crate::functions::power_minus_one_half;
use cke_contracts::registry::Normalization;
use cke_contracts::registry::vocabulary::{EpsilonRule, MeanRule, OutputRows, ReciprocalRule, ScaleRule};

/// Ports `x`, `gamma`, `y`; shape `dim`; parameter `eps`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (_, semantics) = computed(call, &["reduction", "normalization"])?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let squares = Reduction::new("semantics.reduction", part("reduction", &semantics.reduction)?, &["x", "x"])?;
    let Normalization { mean, epsilon: EpsilonRule::AddedToMean, reciprocal, scale } =
        *part("normalization", &semantics.normalization)?;
    let root = match reciprocal {
        ReciprocalRule::OneDividedBySquareRoot => |x: f32| 1.0 / x.sqrt(),
        ReciprocalRule::PowerMinusOneHalf => power_minus_one_half,
        ReciprocalRule::Rsqrt14ThenNewton => {
            return Err(format!("semantics.normalization.reciprocal '{reciprocal}' is not implemented"));
        }
    };

    let (dim, eps) = (call.extent("dim")?, call.param("eps")?);
    let x = call.tensor("x", &[call.rows, dim], state)?;
    let gamma = call.tensor("gamma", &[dim], state)?.read(state, &[])?;
    let y = call.tensor("y", &[call.rows, dim], state)?;

    let mut rows = read_rows(&x, state, call.rows)?;
    for row in &mut rows {
        let [sum] = squares.reduce(dim, |i| [[row[i]]; 2]);
        let mean = match mean {
            MeanRule::SumDividedByCount => sum / dim as f32,
            MeanRule::SumTimesReciprocalOfCount => sum * (1.0 / dim as f32),
        };
        let r = root(mean + eps);
        for (x, gamma) in row.iter_mut().zip(&gamma) {
            *x = canonical(match scale {
                ScaleRule::InputTimesReciprocalThenGamma => (*x * r) * gamma,
                ScaleRule::InputTimesScaledGamma => *x * (r * gamma),
            });
        }
    }
    write_rows(&y, state, &rows)
}
