//! Checks of a quantized linear contract: the fields of v8, then what the explicit semantics add.

use std::collections::BTreeMap;

use super::check_linear_explicit;
use super::check_reduction::{contradiction, incomplete};
use super::vocabulary::{ParallelOrderEffect, ParallelReductionKind};
use super::{Contract, Fault, LinearDot, ParallelReduction, QuantizedLinear};

/// The most lanes of an accumulator.
const MOST_LANES: u32 = 64;

/// Checks a contract; `contracts` are all of the registry, since a composite names others.
pub(super) fn check(id: &str, contract: &QuantizedLinear, contracts: &BTreeMap<String, Contract>) -> Result<(), Fault> {
    let sizes = [("weight", contract.weight.block_size), ("activation", contract.activation.block_size)];
    if let Some((field, _)) = sizes.iter().find(|(_, size)| *size == 0) {
        return Err(contradiction(format!("{field}.block_size is 0")));
    }
    let texts = [
        ("weight.layout", &contract.weight.layout),
        ("activation.layout", &contract.activation.layout),
        ("activation.quantization", &contract.activation.quantization),
        ("dot.block_scale_application", &contract.dot.block_scale_application),
    ];
    if let Some((field, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
        return Err(incomplete(format!("{field} is empty")));
    }
    check_lanes(&contract.dot)?;
    check_parallel(&contract.parallel_reduction)?;
    match &contract.semantics {
        Some(semantics) => check_linear_explicit::check(id, contract, semantics, contracts),
        None => Ok(()),
    }
}

fn check_lanes(dot: &LinearDot) -> Result<(), Fault> {
    let lanes = [
        ("fp32_accumulator_lanes", dot.fp32_accumulator_lanes),
        ("minimum_accumulator_lanes", dot.minimum_accumulator_lanes),
    ];
    for (field, count) in lanes {
        if let Some(count) = count.filter(|count| !(1..=MOST_LANES).contains(count)) {
            return Err(contradiction(format!("dot.{field} is {count}, not between 1 and {MOST_LANES}")));
        }
    }
    match (dot.fp32_accumulator_lanes, dot.minimum_accumulator_lanes) {
        (None, Some(_)) => Err(incomplete("dot.minimum_accumulator_lanes needs dot.fp32_accumulator_lanes")),
        (Some(value), Some(minimum)) if minimum > value => Err(contradiction(format!(
            "dot.minimum_accumulator_lanes is {minimum}, more than the {value} of dot.fp32_accumulator_lanes"
        ))),
        _ => Ok(()),
    }
}

fn check_parallel(parallel: &ParallelReduction) -> Result<(), Fault> {
    let ParallelReduction { kind, reduction_order_effect: effect, partial_accumulator, merge_order } = parallel;
    let merged = [
        ("partial_accumulator", partial_accumulator.is_some()),
        ("merge_order", merge_order.as_ref().is_some_and(|order| !order.trim().is_empty())),
    ];
    match kind {
        ParallelReductionKind::IndependentOutputs => {
            if *effect != ParallelOrderEffect::None {
                return Err(contradiction(format!(
                    "parallel_reduction.reduction_order_effect is {effect}: {kind} have none"
                )));
            }
            match merged.iter().find(|(_, present)| *present) {
                None => Ok(()),
                Some((field, _)) => Err(contradiction(format!("parallel_reduction.kind {kind} has no {field}"))),
            }
        }
        ParallelReductionKind::SplitK => match merged.iter().find(|(_, present)| !*present) {
            None => Ok(()),
            Some((field, _)) => Err(incomplete(format!("parallel_reduction.kind {kind} needs {field}"))),
        },
    }
}
