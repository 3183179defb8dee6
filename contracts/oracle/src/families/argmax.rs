//! `argmax`: the index of the greatest element of one row.

use super::{Call, check_contraction, expect, fixed, part};
use cke_contracts::registry::Selection;
use cke_contracts::registry::vocabulary::{
    Accumulator, Comparison, ComputeInput, InputStorage, NanRule, NanSelection, OutputRows, OutputStorage, TieRule,
    ZeroSign,
};

/// Ports `x`, `y` (i32); shape `n`. There is one row, whatever `rows` says.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let (contract, semantics) = call.execution(&["selection"])?;
    expect("storage.input", contract.storage.input, InputStorage::Fp32)?;
    expect("compute.input", contract.compute.input, ComputeInput::Fp32)?;
    expect("compute.accumulator", contract.compute.accumulator, Accumulator::Fp32)?;
    expect("storage.output", contract.storage.output, OutputStorage::Int32)?;
    expect("semantics.nan", semantics.nan, NanRule::NotApplicable)?;
    expect("semantics.zero_sign", semantics.zero_sign, ZeroSign::NotApplicable)?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    check_contraction(contract, semantics)?;
    // Strictly greater, so that NaN is passed over and the first of equal elements stays.
    let Selection {
        comparison: Comparison::Greater,
        initial,
        initial_index,
        tie: TieRule::FirstIndex,
        nan: NanSelection::NeverSelected,
    } = *part("selection", &semantics.selection)?;

    let n = call.extent("n")?;
    if n > i32::MAX as usize {
        return Err(format!("shape key 'n' is {n}, which an i32 index cannot reach"));
    }
    let x = call.tensor("x", &[1, n], state)?;
    let y = call.tensor("y", &[1], state)?;

    let (mut best, mut index) = (fixed(initial), initial_index);
    for (i, x) in (0..).zip(x.read(state, &[0])?) {
        if x > best {
            (best, index) = (x, i);
        }
    }
    y.write(state, &[], &[f32::from_bits(index)])
}
