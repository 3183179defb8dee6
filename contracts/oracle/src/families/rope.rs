//! `rope`: pairs of elements of each head rotated by the angle of a position.

use super::{Call, canonical, computed, expect, part, read_rows, write_rows};
use crate::fma::{fma, sum_of_products};
use cke_contracts::registry::vocabulary::{
    FrequencyCompute, IntermediateCompute, OutputRows, PairPosition, Pairing, PositionSource, RestRule, RotationRule,
    SectionInterpretation, TableFunction,
};
use cke_contracts::registry::{PositionTransform, Rotation};

/// Ports `x`, `table`, `y`, and `axis_positions` (i32) where positions are streams; shape `positions` and the names of
/// the widths, as a rule `heads`, `head_dim`, `rotary_dim`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (contract, semantics) = computed(call, &["rotation"])?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let rotation = part("rotation", &semantics.rotation)?;
    let Rotation { pair, rest: RestRule::Copied, table: TableFunction::RopeTableFp64Series, .. } = rotation;
    let transform = contract.position_transform.as_ref().ok_or("the contract has no position_transform")?;

    let heads = call.extent("heads")?;
    let width = named_width(call, "head_width", &transform.head_width)?;
    let rotary = named_width(call, "rotary_width", &transform.rotary_width)?;
    let table_positions = call.extent("positions")?;
    if rotary > width || !rotary.is_multiple_of(2) {
        let name = &transform.rotary_width;
        return Err(format!("shape key '{name}' is {rotary}, expected an even number up to 'head_dim' {width}"));
    }
    let pairs = pairs(transform, width, rotary)?;
    let axes = axes(transform, rotation, rotary / 2)?;
    let row_width = super::kv_append::product(heads, width)?;
    let x = call.tensor("x", &[call.rows, row_width], state)?;
    let table = call.tensor("table", &[table_positions, rotary / 2, 2], state)?;
    let y = call.tensor("y", &[call.rows, row_width], state)?;
    let positions = positions(call, transform, rotation, table_positions, state)?;

    let mut rows = read_rows(&x, state, call.rows)?;
    for (r, row) in rows.iter_mut().enumerate() {
        for (i, &(first, second)) in pairs.iter().enumerate() {
            let entry = table.line(&[positions[axes[i]][r], i])?;
            let (c, s) = (table.get(state, entry, 0), table.get(state, entry, 1));
            for head in 0..heads {
                let (i0, i1) = (head * width + first, head * width + second);
                let rotated = rotate(*pair, [row[i0], row[i1]], c, s);
                [row[i0], row[i1]] = rotated.map(canonical);
            }
        }
    }
    write_rows(&y, state, &rows)
}

/// A pair rotated by the angle whose cosine and sine are given.
fn rotate(rule: RotationRule, [x0, x1]: [f32; 2], c: f32, s: f32) -> [f32; 2] {
    match rule {
        RotationRule::RoundedPartnerProductThenFma => [fma(x0, c, -(x1 * s)), fma(x0, s, x1 * c)],
        RotationRule::RoundedOwnProductThenFma => [fma(-x1, s, x0 * c), fma(x1, c, x0 * s)],
        RotationRule::SeparateProducts => [(x0 * c) - (x1 * s), (x0 * s) + (x1 * c)],
        RotationRule::RoundedOnce => [sum_of_products(x0, c, -x1, s), sum_of_products(x0, s, x1, c)],
    }
}

/// The extent of the shape key a width is named after.
fn named_width(call: &Call<'_>, field: &str, name: &str) -> Result<usize, String> {
    match call.shape.contains_key(name) {
        true => call.extent(name),
        false => Err(format!("the shape has no '{name}', the name in position_transform.{field}")),
    }
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
    Ok(match transform.pairing {
        Pairing::PairwiseInterleaved => (0..half).map(|i| (2 * i, 2 * i + 1)).collect(),
        Pairing::SplitHalf | Pairing::MultiSection => (0..half).map(|i| (i, i + half)).collect(),
    })
}

/// The axis of each pair. Sections select axes; how many pairs there are is the width's affair.
fn axes(transform: &PositionTransform, rotation: &Rotation, pairs: usize) -> Result<Vec<usize>, String> {
    let sections: Vec<usize> = match (&rotation.sections, transform.pairing) {
        (None, Pairing::SplitHalf | Pairing::PairwiseInterleaved) => return Ok(vec![0; pairs]),
        (Some(sections), Pairing::MultiSection) => sections.iter().map(|section| *section as usize).collect(),
        (found, pairing) => {
            let found = if found.is_some() { "given" } else { "absent" };
            return Err(format!("semantics.rotation.sections are {found} with position_transform.pairing '{pairing}'"));
        }
    };
    let sum: usize = sections.iter().sum();
    if sections.len() != transform.axis_order.len() || !(1..=pairs).contains(&sum) {
        return Err(format!(
            "semantics.rotation.sections count {sum} pairs on {} axes, expected 1..={pairs} on {}",
            sections.len(),
            transform.axis_order.len()
        ));
    }
    let contiguous = |sector: usize| {
        let ends = sections.iter().scan(0, |end, section| {
            *end += section;
            Some(*end)
        });
        ends.take_while(|end| *end <= sector).count()
    };
    // Time, height and width in turn, each while its section lasts; what is left belongs to the last axis.
    let interleaved = |sector: usize| {
        let axis = sector % 3;
        if sector < 3 * sections[axis] { axis } else { 3 }
    };
    match transform.section_interpretation {
        SectionInterpretation::AxisSelection => Ok((0..pairs).map(|i| contiguous(i % sum)).collect()),
        SectionInterpretation::InterleavedAxisSelection if sections.len() == 4 => {
            Ok((0..pairs).map(|i| interleaved(i % sum)).collect())
        }
        other => {
            let axes = sections.len();
            Err(format!("position_transform.section_interpretation '{other}' on {axes} axes is not implemented"))
        }
    }
}

/// The positions of all rows, axis by axis, each inside the table.
fn positions(
    call: &Call<'_>,
    transform: &PositionTransform,
    rotation: &Rotation,
    table_positions: usize,
    state: &[u8],
) -> Result<Vec<Vec<usize>>, String> {
    let rank = transform.axis_order.len();
    match (rotation.row_position, transform.position_source) {
        (PairPosition::PositionPlusRow, Some(PositionSource::ScalarOffset)) => {
            call.end_position("positions", table_positions)?;
            Ok(vec![(call.position..call.position + call.rows).collect(); rank.max(1)])
        }
        (PairPosition::EntryOfAxisStream, Some(PositionSource::ExplicitI32AxisStreams)) => {
            let streams = call.tensor("axis_positions", &[rank, call.rows], state)?;
            let position = |axis: usize, row: usize| {
                let found = streams.bits(state, streams.line(&[axis])?, row).cast_signed();
                usize::try_from(found).ok().filter(|position| *position < table_positions).ok_or_else(|| {
                    format!("axis {axis} of row {row} is at {found}, expected 0 to below {table_positions}")
                })
            };
            (0..rank).map(|axis| (0..call.rows).map(|row| position(axis, row)).collect()).collect()
        }
        (rule, source) => {
            let source = source.map_or("absent", PositionSource::as_str);
            Err(format!("position_transform.position_source is {source} with semantics.rotation.row_position '{rule}'"))
        }
    }
}
