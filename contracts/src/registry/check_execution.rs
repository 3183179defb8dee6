//! Checks of a numerical execution contract: nothing left open, nothing said twice in different ways.

use super::check_reduction::{self, OutputKind, contradiction, incomplete, repeated};
use super::explicit::ExecutionSemantics;
use super::vocabulary::{
    Contraction, MergeOrder, OperatorFamily, OutputStorage, Pairing, PartialAccumulator, ReductionKind, ReductionOrder,
    ReductionUpdate, RoundingMode, SectionInterpretation, SplitStrategy,
};
use super::{Fault, NumericalExecution, PositionTransform};

/// Checks a contract.
pub(super) fn check(contract: &NumericalExecution) -> Result<(), Fault> {
    if let Some(point) = repeated(&contract.rounding.points) {
        return Err(contradiction(format!("rounding.points names {point} twice")));
    }
    let reduction = &contract.reduction;
    if contract.threading.split_strategy == SplitStrategy::SplitK
        && (reduction.partial_accumulator == PartialAccumulator::None || reduction.merge_order == MergeOrder::None)
    {
        return Err(incomplete("a split_k needs reduction.partial_accumulator and reduction.merge_order"));
    }
    if let Some(transform) = &contract.position_transform {
        check_position(transform)?;
    }
    match &contract.semantics {
        Some(semantics) => check_explicit(contract, semantics),
        None => Ok(()),
    }
}

fn check_position(transform: &PositionTransform) -> Result<(), Fault> {
    let axes = transform.axis_order.len();
    if axes != transform.position_rank as usize || axes == 0 {
        let rank = transform.position_rank;
        return Err(contradiction(format!("position_transform: rank {rank} with {axes} axes")));
    }
    let sections = transform.section_interpretation;
    if transform.pairing == Pairing::MultiSection && sections == SectionInterpretation::NotApplicable {
        return Err(incomplete("position_transform: multi_section pairing needs a section interpretation"));
    }
    if let (Some(rotary), Some(head)) = (transform.rotary_width_value, transform.head_width_value)
        && rotary > head
    {
        return Err(contradiction(format!("position_transform: rotary width {rotary} is wider than the head, {head}")));
    }
    if let (Some(dims), Some(rotary)) = (transform.mrope_n_dims_value, transform.rotary_width_value)
        && dims != rotary
    {
        return Err(contradiction(format!("position_transform: {dims} rotated dimensions, rotary width {rotary}")));
    }
    Ok(())
}

fn check_explicit(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    check_reduction::operations(&semantics.operations)?;
    check_parts(contract, semantics)?;
    let kind = match (contract.storage.output, semantics.copy) {
        (OutputStorage::Int32, _) => OutputKind::Integer,
        (_, Some(_)) => OutputKind::Copied,
        (_, None) => OutputKind::Computed,
    };
    check_reduction::special_values(kind, semantics.nan, semantics.zero_sign)?;
    check_reduction::threading(&contract.threading, semantics.thread_pin)?;
    check_rounding(contract, kind)?;
    check_lanes(contract, semantics)?;
    check_contraction(contract, semantics)
}

/// Which parts a family needs; it has those and no others.
fn check_parts(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    let present = [
        ("reduction", semantics.reduction.is_some()),
        ("normalization", semantics.normalization.is_some()),
        ("rotation", semantics.rotation.is_some()),
        ("gate", semantics.gate.is_some()),
        ("elementwise", semantics.elementwise.is_some()),
        ("selection", semantics.selection.is_some()),
        ("copy", semantics.copy.is_some()),
    ];
    let family = contract.operator_family;
    let needed: &[&str] = match family {
        OperatorFamily::Gemm => &["reduction"],
        OperatorFamily::Rmsnorm => &["reduction", "normalization"],
        OperatorFamily::Rope => &["rotation"],
        OperatorFamily::Swiglu => &["gate"],
        OperatorFamily::ResidualAdd => &["elementwise"],
        OperatorFamily::Argmax => &["selection"],
        OperatorFamily::Embedding | OperatorFamily::KvAppend => &["copy"],
        _ => return Err(incomplete(format!("no explicit semantics are defined for operator family {family}"))),
    };
    for (part, is_present) in present {
        match (needed.contains(&part), is_present) {
            (true, false) => return Err(incomplete(format!("operator family {family} needs semantics.{part}"))),
            (false, true) => return Err(contradiction(format!("operator family {family} has no semantics.{part}"))),
            _ => {}
        }
    }
    match (&contract.position_transform, family) {
        (None, OperatorFamily::Rope) => Err(incomplete("operator family rope needs a position_transform")),
        (Some(transform), OperatorFamily::Rope) if transform.pairing == Pairing::MultiSection => {
            Err(contradiction("semantics.rotation is defined for one position axis, not for multi_section"))
        }
        (Some(_), other) if other != OperatorFamily::Rope => {
            Err(contradiction(format!("operator family {other} has no position_transform")))
        }
        _ => Ok(()),
    }
}

fn check_rounding(contract: &NumericalExecution, kind: OutputKind) -> Result<(), Fault> {
    let expected = match kind {
        OutputKind::Computed => RoundingMode::Rne,
        OutputKind::Copied | OutputKind::Integer => RoundingMode::None,
    };
    let found = contract.rounding.mode;
    if found != expected {
        return Err(contradiction(format!("rounding.mode is {found}, the explicit semantics have {expected}")));
    }
    if (expected == RoundingMode::None) != contract.rounding.points.is_empty() {
        return Err(contradiction(format!("rounding.mode {found} with {} points", contract.rounding.points.len())));
    }
    Ok(())
}

/// The words of v8 for a reduction must agree with the lanes.
fn check_lanes(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    let words = &contract.reduction;
    let needs_kind = |kinds: &[ReductionKind]| match kinds.contains(&words.kind) {
        true => Ok(()),
        false => {
            Err(contradiction(format!("reduction.kind is {}, which the explicit semantics do not make", words.kind)))
        }
    };
    let expected = match (&semantics.reduction, &semantics.selection) {
        (None, None) => {
            needs_kind(&[ReductionKind::None])?;
            (&[ReductionOrder::None][..], MergeOrder::None, PartialAccumulator::None)
        }
        (None, Some(_)) => {
            needs_kind(&[ReductionKind::Argmax])?;
            (&[ReductionOrder::AscendingIndex][..], MergeOrder::FirstIndexOnTie, PartialAccumulator::Fp32)
        }
        (Some(lanes), _) => {
            needs_kind(&[ReductionKind::DotProduct, ReductionKind::Sum, ReductionKind::Normalization])?;
            check_reduction::reduction("semantics.reduction", lanes)?;
            match lanes.lanes.count {
                1 => (
                    &[ReductionOrder::AscendingK, ReductionOrder::AscendingIndex, ReductionOrder::LeftToRight][..],
                    MergeOrder::None,
                    PartialAccumulator::None,
                ),
                _ => {
                    (&[ReductionOrder::ContractDefinedLanes][..], MergeOrder::HorizontalTree, PartialAccumulator::Fp32)
                }
            }
        }
    };
    let (orders, merge, partial) = expected;
    if !orders.contains(&words.order) {
        return Err(contradiction(format!(
            "reduction.order is {}, the explicit semantics have {}",
            words.order, orders[0]
        )));
    }
    if words.merge_order != merge {
        let found = words.merge_order;
        return Err(contradiction(format!("reduction.merge_order is {found}, the explicit semantics have {merge}")));
    }
    if words.partial_accumulator != partial {
        let found = words.partial_accumulator;
        let message = format!("reduction.partial_accumulator is {found}, the explicit semantics have {partial}");
        return Err(contradiction(message));
    }
    Ok(())
}

/// `compute.contraction` must say what the updates do.
fn check_contraction(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    let fused = match (&semantics.reduction, &semantics.rotation) {
        (Some(reduction), _) => reduction.update == ReductionUpdate::Fma,
        (None, Some(_)) => true,
        (None, None) => false,
    };
    let expected = if fused { Contraction::Enabled } else { Contraction::Disabled };
    match contract.compute.contraction {
        Some(found) if found == expected => Ok(()),
        Some(found) => {
            Err(contradiction(format!("compute.contraction is {found}, the explicit semantics have {expected}")))
        }
        None => Err(incomplete("explicit semantics need compute.contraction")),
    }
}
