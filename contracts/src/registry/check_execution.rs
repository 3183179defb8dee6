//! Checks of a numerical execution contract: nothing left open, nothing said twice in different ways.

use super::check_reduction::{self, OutputKind, contradiction, incomplete, repeated};
use super::explicit::ExecutionSemantics;
use super::vocabulary::{
    ComputeWeight, CopyRule, MergeOrder, OperatorFamily, OutputStorage, PairPosition, Pairing, PartialAccumulator,
    PositionSource, SectionInterpretation, SplitStrategy, WeightStorage,
};
use super::words::Words;
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
        return Err(contradiction(format!(
            "position_transform.position_rank is {rank}, position_transform.axis_order has {axes} axes"
        )));
    }
    if let Some(axis) = repeated(&transform.axis_order) {
        return Err(contradiction(format!("position_transform.axis_order names {axis} twice")));
    }
    let sections = transform.section_interpretation;
    if transform.pairing == Pairing::MultiSection && sections == SectionInterpretation::NotApplicable {
        return Err(incomplete("position_transform: multi_section pairing needs a section interpretation"));
    }
    if transform.pairing != Pairing::MultiSection && sections != SectionInterpretation::NotApplicable {
        let pairing = transform.pairing;
        let message = format!("position_transform.section_interpretation is {sections}: {pairing} has no sections");
        return Err(contradiction(message));
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
    check_family(contract, semantics)?;
    let kind = match (contract.storage.output, semantics.copy) {
        (OutputStorage::Int32, _) => OutputKind::Integer,
        (_, Some(_)) => OutputKind::Copied,
        (_, None) => OutputKind::Computed,
    };
    check_reduction::special_values(kind, semantics.nan, semantics.zero_sign)?;
    check_reduction::threading(&contract.threading, semantics.thread_pin)?;
    if let Some(reduction) = &semantics.reduction {
        check_reduction::reduction("semantics.reduction", reduction)?;
    }
    check_rotation(contract, semantics)?;
    check_words(contract, semantics)
}

/// What the contracts of a family have.
struct Operator {
    /// The operations that may be governed.
    operations: &'static [&'static str],
    /// The parts of the semantics: these and no others.
    parts: &'static [&'static str],
    /// Whether there is a weight.
    weight: bool,
    /// The copy, where it is one.
    copy: Option<CopyRule>,
}

impl Operator {
    fn of(family: OperatorFamily) -> Option<Self> {
        let (operations, parts, weight): (&[&str], &[&str], _) = match family {
            OperatorFamily::Gemm => (&["linear", "logits"], &["reduction"], true),
            OperatorFamily::Rmsnorm => (&["rmsnorm"], &["reduction", "normalization"], true),
            OperatorFamily::Rope => (&["rope"], &["rotation"], true),
            OperatorFamily::Swiglu => (&["swiglu"], &["gate"], false),
            OperatorFamily::Gelu => (&["gelu"], &["gelu"], false),
            OperatorFamily::ResidualAdd => (&["residual_add"], &["elementwise"], false),
            OperatorFamily::Argmax => (&["argmax"], &["selection"], false),
            OperatorFamily::Embedding => (&["embedding"], &["copy"], true),
            OperatorFamily::KvAppend => (&["kv_append"], &["copy"], false),
            _ => return None,
        };
        let copy = match family {
            OperatorFamily::Embedding => Some(CopyRule::TableRowOfToken),
            OperatorFamily::KvAppend => Some(CopyRule::AppendAtPosition),
            _ => None,
        };
        Some(Self { operations, parts, weight, copy })
    }
}

fn check_family(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    let name = contract.operator_family;
    let Some(family) = Operator::of(name) else {
        return Err(incomplete(format!("no explicit semantics are defined for operator_family {name}")));
    };
    for (part, is_present) in semantics.parts() {
        match (family.parts.contains(&part), is_present) {
            (true, false) => return Err(incomplete(format!("operator_family {name} needs semantics.{part}"))),
            (false, true) => return Err(contradiction(format!("operator_family {name} has no semantics.{part}"))),
            _ => {}
        }
    }
    let output = contract.storage.output;
    if (output == OutputStorage::Int32) != (name == OperatorFamily::Argmax) {
        let has = if name == OperatorFamily::Argmax { "an integer" } else { "no integer" };
        return Err(contradiction(format!("storage.output is {output}: operator_family {name} has {has} output")));
    }
    match (&contract.position_transform, name == OperatorFamily::Rope) {
        (None, true) => return Err(incomplete("operator_family rope needs a position_transform")),
        (Some(_), false) => return Err(contradiction(format!("operator_family {name} has no position_transform"))),
        _ => {}
    }
    if let Some(operation) = semantics.operations.iter().find(|operation| !family.operations.contains(&&***operation)) {
        let known = family.operations.join(", ");
        let message = format!("semantics.operations names '{operation}', operator_family {name} has {known}");
        return Err(contradiction(message));
    }
    if semantics.copy != family.copy
        && let Some(copy) = semantics.copy
    {
        return Err(contradiction(format!(
            "semantics.copy is {copy}, which is not what operator_family {name} copies"
        )));
    }
    for (field, found, is_none) in [
        ("storage", contract.storage.weight.as_str(), contract.storage.weight == WeightStorage::None),
        ("compute", contract.compute.weight.as_str(), contract.compute.weight == ComputeWeight::None),
    ] {
        if is_none == family.weight {
            let has = if family.weight { "a" } else { "no" };
            return Err(contradiction(format!("{field}.weight is {found}: operator_family {name} has {has} weight")));
        }
    }
    Ok(())
}

/// Where positions come from, and that sections select axes: they say nothing about how wide the rotation is.
fn check_rotation(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    let (Some(transform), Some(rotation)) = (&contract.position_transform, &semantics.rotation) else {
        return Ok(());
    };
    let (rule, expected) = match rotation.row_position {
        PairPosition::PositionPlusRow => ("position_plus_row", PositionSource::ScalarOffset),
        PairPosition::EntryOfAxisStream => ("entry_of_axis_stream", PositionSource::ExplicitI32AxisStreams),
    };
    if transform.position_source != Some(expected) {
        let found = transform.position_source.map_or("absent", PositionSource::as_str);
        return Err(contradiction(format!(
            "position_transform.position_source is {found}: semantics.rotation.row_position {rule} has {expected}"
        )));
    }
    let sections = match (&rotation.sections, transform.pairing == Pairing::MultiSection) {
        (None, false) => return Ok(()),
        (None, true) => return Err(incomplete("multi_section pairing needs semantics.rotation.sections")),
        (Some(_), false) => {
            let pairing = transform.pairing;
            return Err(contradiction(format!("semantics.rotation.sections are given, {pairing} has none")));
        }
        (Some(sections), true) => sections,
    };
    let (axes, rank) = (sections.len(), transform.position_rank);
    if axes != rank as usize {
        return Err(contradiction(format!("semantics.rotation.sections are of {axes} axes, position_rank is {rank}")));
    }
    let pairs: u64 = sections.iter().map(|section| u64::from(*section)).sum();
    if pairs == 0 {
        return Err(contradiction("semantics.rotation.sections select no pair"));
    }
    match transform.rotary_width_value {
        Some(width) if pairs > u64::from(width / 2) => Err(contradiction(format!(
            "semantics.rotation.sections select axes for {pairs} pairs, the rotary width {width} has {}: their sum is no \
             width",
            width / 2
        ))),
        _ => Ok(()),
    }
}

/// The words of v8 must be those that follow from the explicit semantics.
fn check_words(contract: &NumericalExecution, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    fn agree(field: &str, found: impl ToString, expected: impl ToString) -> Result<(), Fault> {
        let (found, expected) = (found.to_string(), expected.to_string());
        match found == expected {
            true => Ok(()),
            false => Err(contradiction(format!("{field} is {found}, the explicit semantics have {expected}"))),
        }
    }
    fn list(names: &[impl ToString]) -> String {
        format!("[{}]", names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }
    let words = Words::of(contract.operator_family, semantics);
    agree("rounding.mode", contract.rounding.mode, words.rounding.mode)?;
    agree("rounding.points", list(&contract.rounding.points), list(&words.rounding.points))?;
    let (found, expected) = (contract.reduction, words.reduction);
    agree("reduction.kind", found.kind, expected.kind)?;
    agree("reduction.order", found.order, expected.order)?;
    agree("reduction.merge_order", found.merge_order, expected.merge_order)?;
    agree("reduction.partial_accumulator", found.partial_accumulator, expected.partial_accumulator)?;
    let contraction =
        contract.compute.contraction.ok_or_else(|| incomplete("explicit semantics need compute.contraction"))?;
    agree("compute.contraction", contraction, words.contraction)?;
    let Some(order) = &contract.compute.evaluation_order else {
        return Err(incomplete("explicit semantics need compute.evaluation_order"));
    };
    agree("compute.evaluation_order", order, words.evaluation_order)?;
    match &contract.position_transform {
        Some(transform) => {
            let field = "position_transform.rounding_points";
            agree(field, list(&transform.rounding_points), list(&words.position_points))
        }
        None => Ok(()),
    }
}
