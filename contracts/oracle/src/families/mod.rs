//! One file a family of operations: what its contracts say, computed.
//!
//! A family reads the fields of the contract, then all operands, then writes the result. Names of things in a
//! vocabulary with a single name are taken apart by patterns that stop compiling when a second name is added.

mod argmax;
mod attention;
mod embedding;
mod gelu;
mod kv_append;
mod linear;
pub(super) mod quantized_linear;
mod residual_add;
mod rmsnorm;
mod rope;
mod swiglu;

use super::Call;
use super::call::expect;
use super::nan::canonical;
use super::reduction::{Reduction, fixed};
use super::tensor::Tensor;
use cke_contracts::registry::vocabulary::{
    Accumulator, ComputeInput, ComputeWeight, Contraction, InputStorage, NanRule, OutputRows, OutputStorage,
    RoundingMode, WeightStorage, ZeroSign,
};
use cke_contracts::registry::{ExecutionSemantics, NumericalExecution};

/// Executes a call of one family.
type Family = fn(&Call<'_>, &mut [u8]) -> Result<(), String>;

/// The family that executes the operation `op`.
pub(super) fn of(op: &str) -> Option<Family> {
    Some(match op {
        "argmax" => argmax::execute,
        "attention" => attention::execute,
        "embedding" => embedding::execute,
        "gelu" => gelu::execute,
        "kv_append" => kv_append::execute,
        "linear" | "logits" => linear::execute,
        "residual_add" => residual_add::execute,
        "rmsnorm" => rmsnorm::execute,
        "rope" => rope::execute,
        "swiglu" => swiglu::execute,
        _ => return None,
    })
}

/// The semantics of an operation that computes in f32 throughout and stores canonical NaNs.
fn computed<'a>(call: &Call<'a>, parts: &[&str]) -> Result<(&'a NumericalExecution, &'a ExecutionSemantics), String> {
    let (contract, semantics) = call.execution(parts)?;
    expect("storage.input", contract.storage.input, InputStorage::Fp32)?;
    if contract.storage.weight != WeightStorage::None {
        expect("storage.weight", contract.storage.weight, WeightStorage::Fp32)?;
    }
    expect("storage.output", contract.storage.output, OutputStorage::Fp32)?;
    expect("compute.input", contract.compute.input, ComputeInput::Fp32)?;
    if contract.compute.weight != ComputeWeight::None {
        expect("compute.weight", contract.compute.weight, ComputeWeight::Fp32)?;
    }
    expect("compute.accumulator", contract.compute.accumulator, Accumulator::Fp32)?;
    expect("rounding.mode", contract.rounding.mode, RoundingMode::Rne)?;
    expect("semantics.nan", semantics.nan, NanRule::Canonical7fc00000)?;
    expect("semantics.zero_sign", semantics.zero_sign, ZeroSign::Ieee)?;
    check_contraction(contract, semantics)?;
    Ok((contract, semantics))
}

/// The semantics of an operation that copies f32 values bit by bit.
fn copied<'a>(call: &Call<'a>, input: (InputStorage, ComputeInput)) -> Result<&'a ExecutionSemantics, String> {
    let (contract, semantics) = call.execution(&["copy"])?;
    expect("storage.input", contract.storage.input, input.0)?;
    expect("compute.input", contract.compute.input, input.1)?;
    if contract.compute.weight != ComputeWeight::None {
        expect("compute.weight", contract.compute.weight, ComputeWeight::Fp32)?;
    }
    expect("compute.accumulator", contract.compute.accumulator, Accumulator::Fp32)?;
    check_contraction(contract, semantics)?;
    if contract.storage.weight != WeightStorage::None {
        expect("storage.weight", contract.storage.weight, WeightStorage::Fp32)?;
    }
    expect("storage.output", contract.storage.output, OutputStorage::Fp32)?;
    expect("semantics.nan", semantics.nan, NanRule::Preserved)?;
    expect("semantics.zero_sign", semantics.zero_sign, ZeroSign::Preserved)?;
    expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    Ok(semantics)
}

/// `compute.contraction` says in one word what the parts say; they may not disagree.
fn check_contraction(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), String> {
    let implemented = if semantics.fuses() { Contraction::Enabled } else { Contraction::Disabled };
    match contract.compute.contraction {
        None => Ok(()),
        Some(found) => expect("compute.contraction", found, implemented),
    }
}

/// A part that [`Call::execution`] found present.
fn part<'a, T>(name: &str, part: &'a Option<T>) -> Result<&'a T, String> {
    part.as_ref().ok_or_else(|| format!("semantics has no '{name}'"))
}

/// Writes the rows of a tensor of rank 2.
fn write_rows(tensor: &Tensor<'_>, state: &mut [u8], rows: &[Vec<f32>]) -> Result<(), String> {
    rows.iter().enumerate().try_for_each(|(row, values)| tensor.write(state, &[row], values))
}

/// The rows of a tensor of rank 2.
fn read_rows(tensor: &Tensor<'_>, state: &[u8], rows: usize) -> Result<Vec<Vec<f32>>, String> {
    (0..rows).map(|row| tensor.read(state, &[row])).collect()
}
