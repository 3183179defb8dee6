//! `rope`: pairs of elements of each head rotated by the angle of the row's position.

use super::{Call, canonical, computed, expect, part, read_rows, write_rows};
use crate::registry::vocabulary::{
    FrequencyCompute, IntermediateCompute, OutputRows, Pairing, RestRule, RotationRule, RowPosition, TableFunction,
};
use crate::registry::{PositionTransform, Rotation};
use crate::semantics::fma::fma;

/// Ports `x`, `table`, `y`; shape `heads`, `head_dim`, `rotary_dim`, `positions`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (contract, semantics) = computed(call, &["rotation"])?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let Rotation {
        pair: RotationRule::RoundedPartnerProductThenFma,
        rest: RestRule::Copied,
        table: TableFunction::RopeTableFp64Series,
        row_position: RowPosition::PositionPlusRow,
    } = *part("rotation", &semantics.rotation)?;
    let transform = contract.position_transform.as_ref().ok_or("the contract has no position_transform")?;

    let (heads, width) = (call.extent("heads")?, call.extent("head_dim")?);
    let (rotary, positions) = (call.extent("rotary_dim")?, call.extent("positions")?);
    if rotary > width || !rotary.is_multiple_of(2) {
        return Err(format!("shape key 'rotary_dim' is {rotary}, expected an even number up to 'head_dim' {width}"));
    }
    let pairs = pairs(transform, width, rotary)?;
    call.end_position("positions", positions)?;
    let row_width = super::kv_append::product(heads, width)?;
    let x = call.tensor("x", &[call.rows, row_width], state)?;
    let table = call.tensor("table", &[positions, rotary / 2, 2], state)?;
    let y = call.tensor("y", &[call.rows, row_width], state)?;

    let mut rows = read_rows(&x, state, call.rows)?;
    for (r, row) in rows.iter_mut().enumerate() {
        for (i, &(first, second)) in pairs.iter().enumerate() {
            let entry = table.line(&[call.position + r, i])?;
            let (c, s) = (table.get(state, entry, 0), table.get(state, entry, 1));
            for head in 0..heads {
                let (i0, i1) = (head * width + first, head * width + second);
                let (x0, x1) = (row[i0], row[i1]);
                row[i0] = canonical(fma(x0, c, -(x1 * s)));
                row[i1] = canonical(fma(x0, s, x1 * c));
            }
        }
    }
    write_rows(&y, state, &rows)
}

/// The two elements of each pair, in the order of the table.
fn pairs(transform: &PositionTransform, width: usize, rotary: usize) -> Result<Vec<(usize, usize)>, String> {
    expect("position_transform.frequency_compute", transform.frequency_compute, FrequencyCompute::Fp64)?;
    expect("position_transform.intermediate_compute", transform.intermediate_compute, IntermediateCompute::Fp32)?;
    for (field, fixed, found) in [
        ("rotary_width_value", transform.rotary_width_value, rotary),
        ("head_width_value", transform.head_width_value, width),
    ] {
        if fixed.is_some_and(|fixed| fixed as usize != found) {
            return Err(format!("position_transform.{field} is {}, the shape has {found}", fixed.unwrap_or_default()));
        }
    }
    let half = rotary / 2;
    match transform.pairing {
        Pairing::PairwiseInterleaved => Ok((0..half).map(|i| (2 * i, 2 * i + 1)).collect()),
        Pairing::SplitHalf => Ok((0..half).map(|i| (i, i + half)).collect()),
        Pairing::MultiSection => Err("position_transform.pairing 'multi_section' is not implemented".to_owned()),
    }
}
