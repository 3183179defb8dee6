//! Checks of a quantized linear contract.

use super::check_reduction::{contradiction, incomplete};
use super::vocabulary::{ParallelOrderEffect, ParallelReductionKind};
use super::{Fault, ParallelReduction, QuantizedLinear};

/// The most lanes of an accumulator.
const MOST_LANES: u32 = 64;

/// Checks a contract.
pub(super) fn check(contract: &QuantizedLinear) -> Result<(), Fault> {
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
    let lanes = [
        ("fp32_accumulator_lanes", contract.dot.fp32_accumulator_lanes),
        ("minimum_accumulator_lanes", contract.dot.minimum_accumulator_lanes),
    ];
    for (field, count) in lanes {
        if let Some(count) = count.filter(|count| !(1..=MOST_LANES).contains(count)) {
            return Err(contradiction(format!("dot.{field} is {count}, not between 1 and {MOST_LANES}")));
        }
    }
    check_parallel(&contract.parallel_reduction)
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
