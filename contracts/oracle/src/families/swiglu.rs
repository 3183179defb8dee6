//! `swiglu`: silu of the gate, times up.

use super::{Call, canonical, computed, expect, part, read_rows, write_rows};
use crate::functions::sigmoid_denominator_e1;
use cke_contracts::registry::Gate;
use cke_contracts::registry::vocabulary::{GateFunction, GateRule, OutputRows};

/// Ports `gate`, `up`, `y`; shape `dim`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (_, semantics) = computed(call, &["gate"])?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let Gate { function: GateFunction::SigmoidE1, combination } = *part("gate", &semantics.gate)?;

    let dim = call.extent("dim")?;
    let gate = call.tensor("gate", &[call.rows, dim], state)?;
    let up = call.tensor("up", &[call.rows, dim], state)?;
    let y = call.tensor("y", &[call.rows, dim], state)?;

    let mut rows = read_rows(&gate, state, call.rows)?;
    for (row, up) in rows.iter_mut().zip(read_rows(&up, state, call.rows)?) {
        for (gate, up) in row.iter_mut().zip(up) {
            let denominator = sigmoid_denominator_e1(*gate);
            *gate = canonical(match combination {
                GateRule::GateDividedByDenominatorThenTimesUp => (*gate / denominator) * up,
                GateRule::GateTimesReciprocalThenTimesUp => (*gate * (1.0 / denominator)) * up,
                GateRule::GateTimesUpThenDividedByDenominator => (*gate * up) / denominator,
            });
        }
    }
    write_rows(&y, state, &rows)
}
