//! What the generators take from a contract, and the refusal of everything they do not implement.
//!
//! A generator never assumes a structure: the number of lanes, the tree, the chunks and the way a term enters an
//! accumulator come from the contract's fields. A field whose value no generator emits code for is an error which names
//! the field and the value.

use super::text::{Text, Value};
use cke_contracts::registry::vocabulary::{
    Accumulator, CacheCompute, ChunkMerge, Comparison, ComputeInput, ComputeWeight, Contraction, CopyRule,
    ElementwiseRule, EpsilonRule, Exponential, ExponentialArgument, FixedValue, GateFunction, GateRule, HeadSharing,
    InputStorage, LaneAssignment, MaximumRule, MeanRule, NanRule, NanSelection, NormalizationRule, OutputStorage,
    OutsideRule, PairPosition, PartialMerge, PartialStorage, PartitionKind, QueryCompute, RangeRule, ReciprocalRule,
    ReductionUpdate, RestRule, RotationRule, RoundingMode, RowPosition, ScaleApplication, ScaleRule, ScoreType,
    TieRule, ValueAccumulator, WeightStorage, ZeroSign,
};
use cke_contracts::registry::{
    AttentionReduction, Contract, ExecutionSemantics, LaneReduction, NumericalExecution, Threading,
};
use std::fmt::Display;

pub use cke_contracts::registry::vocabulary::{OutputRows, Pairing};

/// How a product enters an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// One rounding.
    Fma,
    /// The product is rounded, then the sum.
    MultiplyThenAdd,
}

impl Update {
    /// `a * b + sum`, rounded as the contract says.
    pub fn emit(self, t: &mut Text, a: Value, b: Value, sum: Value) -> Value {
        match self {
            Self::Fma => t.fma(a, b, sum),
            Self::MultiplyThenAdd => {
                let product = t.mulf(a, b);
                t.addf(sum, product)
            }
        }
    }
}

/// The sum of squares of a normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NormRules {
    /// How many lanes there are: a power of two.
    pub lanes: u32,
    /// How a square enters its lane.
    pub update: Update,
}

/// The reductions of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionRules {
    /// How a term enters a score.
    pub score: Update,
    /// How a term enters a weighted sum of values.
    pub value: Update,
    /// Positions of a chunk.
    pub chunk: i64,
}

/// Lanes of the attention denominator: the positions of one block of the key cache.
const DENOMINATOR_LANES: u32 = 16;
/// More lanes than this would not stay in the registers of any instruction set.
const MOST_LANES: u32 = 128;

/// `linear` (all rows) and `logits` (the last row): one ascending chain an output.
pub fn linear(contract: &Contract, op: &str, rows: OutputRows) -> Result<Update, String> {
    let (_, semantics) = computed(contract, op, &["reduction"])?;
    only("semantics.output_rows", semantics.output_rows, rows)?;
    chain("semantics.reduction", part("semantics.reduction", semantics.reduction.as_ref())?, ["x", "w"])
}

/// `rmsnorm`.
pub fn rmsnorm(contract: &Contract) -> Result<NormRules, String> {
    let (_, semantics) = computed(contract, "rmsnorm", &["reduction", "normalization"])?;
    only("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let reduction = part("semantics.reduction", semantics.reduction.as_ref())?;
    let lanes = lanes("semantics.reduction", reduction)?;
    let update = product("semantics.reduction", reduction, ["x", "x"])?;
    let normalization = part("semantics.normalization", semantics.normalization.as_ref())?;
    only("semantics.normalization.mean", normalization.mean, MeanRule::SumDividedByCount)?;
    only("semantics.normalization.epsilon", normalization.epsilon, EpsilonRule::AddedToMean)?;
    let reciprocal = ReciprocalRule::OneDividedBySquareRoot;
    only("semantics.normalization.reciprocal", normalization.reciprocal, reciprocal)?;
    let scale = ScaleRule::InputTimesReciprocalThenGamma;
    only("semantics.normalization.scale", normalization.scale, scale)?;
    Ok(NormRules { lanes, update })
}

/// `rope` with the pairing of the function.
pub fn rope(contract: &Contract, pairing: Pairing) -> Result<(), String> {
    let (execution, semantics) = computed(contract, "rope", &["rotation"])?;
    only("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let transform = part("position_transform", execution.position_transform.as_ref())?;
    only("position_transform.pairing", transform.pairing, pairing)?;
    let rotation = part("semantics.rotation", semantics.rotation.as_ref())?;
    only("semantics.rotation.pair", rotation.pair, RotationRule::RoundedPartnerProductThenFma)?;
    only("semantics.rotation.rest", rotation.rest, RestRule::Copied)?;
    only("semantics.rotation.row_position", rotation.row_position, PairPosition::PositionPlusRow)?;
    only("semantics.rotation.sections", rotation.sections.as_ref().map_or("absent", |_| "given"), "absent")
}

/// `swiglu`.
pub fn swiglu(contract: &Contract) -> Result<(), String> {
    let (_, semantics) = computed(contract, "swiglu", &["gate"])?;
    only("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let gate = part("semantics.gate", semantics.gate.as_ref())?;
    only("semantics.gate.function", gate.function, GateFunction::SigmoidE1)?;
    let combination = GateRule::GateDividedByDenominatorThenTimesUp;
    only("semantics.gate.combination", gate.combination, combination)
}

/// `residual_add`.
pub fn residual_add(contract: &Contract) -> Result<(), String> {
    let (_, semantics) = computed(contract, "residual_add", &["elementwise"])?;
    only("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    let rule = *part("semantics.elementwise", semantics.elementwise.as_ref())?;
    only("semantics.elementwise", rule, ElementwiseRule::APlusB)
}

/// `embedding`.
pub fn embedding(contract: &Contract) -> Result<(), String> {
    copy(contract, "embedding", CopyRule::TableRowOfToken)
}

/// `kv_append`.
pub fn kv_append(contract: &Contract) -> Result<(), String> {
    copy(contract, "kv_append", CopyRule::AppendAtPosition)
}

fn copy(contract: &Contract, op: &str, rule: CopyRule) -> Result<(), String> {
    let (_, semantics) = execution(contract, op, &["copy"])?;
    only("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    only("semantics.nan", semantics.nan, NanRule::Preserved)?;
    only("semantics.zero_sign", semantics.zero_sign, ZeroSign::Preserved)?;
    only("semantics.copy", *part("semantics.copy", semantics.copy.as_ref())?, rule)
}

/// `argmax`. The output is an index, so the rules for NaN and zeros in outputs have nothing to say.
pub fn argmax(contract: &Contract) -> Result<(), String> {
    let (_, semantics) = execution(contract, "argmax", &["selection"])?;
    let selection = part("semantics.selection", semantics.selection.as_ref())?;
    only("semantics.selection.comparison", selection.comparison, Comparison::Greater)?;
    only("semantics.selection.initial", selection.initial, FixedValue::NegativeInfinity)?;
    only("semantics.selection.initial_index", selection.initial_index, 0)?;
    only("semantics.selection.tie", selection.tie, TieRule::FirstIndex)?;
    only("semantics.selection.nan", selection.nan, NanSelection::NeverSelected)
}

/// `attention`.
pub fn attention(contract: &Contract) -> Result<AttentionRules, String> {
    let Contract::Attention(contract) = contract else {
        return Err("'attention' needs an attention reduction contract".to_owned());
    };
    let semantics = part("semantics", contract.semantics.as_ref())?;
    governs(&semantics.operations, "attention")?;
    only("semantics.nan", semantics.nan, NanRule::Canonical7fc00000)?;
    only("semantics.zero_sign", semantics.zero_sign, ZeroSign::Ieee)?;
    only("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
    independent_of_threads(semantics.threading, semantics.thread_pin)?;
    computes_in_f32(contract)?;
    only("semantics.head_sharing", semantics.head_sharing, HeadSharing::ContiguousGroups)?;
    only("semantics.range.rule", semantics.range.rule, RangeRule::Causal)?;
    only("semantics.range.row_position", semantics.range.row_position, RowPosition::PositionPlusRow)?;
    only("semantics.range.outside", semantics.range.outside, OutsideRule::Skipped)?;
    let scale = ScaleApplication::OneMultiplyAfterDot;
    only("semantics.scale_application", semantics.scale_application, scale)?;
    for (field, present) in [
        ("composite", semantics.composite.is_some()),
        ("address_stride", semantics.address_stride.is_some()),
        ("padding", semantics.padding.is_some()),
        ("weight_rounding", semantics.weight_rounding.is_some()),
        ("chunks", semantics.chunks.is_some()),
        ("output_rounding", semantics.output_rounding.is_some()),
        ("variants", !semantics.variants.is_empty()),
    ] {
        only(&format!("semantics.{field}"), if present { "given" } else { "absent" }, "absent")?;
    }
    let softmax = part("semantics.softmax", semantics.softmax.as_ref())?;
    only("semantics.softmax.maximum", softmax.maximum, MaximumRule::Exact)?;
    only("semantics.softmax.maximum_initial", softmax.maximum_initial, FixedValue::NegativeInfinity)?;
    only("semantics.softmax.maximum_nan", softmax.maximum_nan, NanSelection::NeverSelected)?;
    only("semantics.softmax.maximum_missing", softmax.maximum_missing, FixedValue::PositiveZero)?;
    only("semantics.softmax.argument", softmax.argument, ExponentialArgument::ScoreMinusMaximum)?;
    only("semantics.softmax.exponential", softmax.exponential, Exponential::ExpE0)?;
    let merge = *part("semantics.chunk_merge", semantics.chunk_merge.as_ref())?;
    only("semantics.chunk_merge", merge, ChunkMerge::AscendingFromPositiveZero)?;
    let normalization = *part("semantics.normalization", semantics.normalization.as_ref())?;
    only("semantics.normalization", normalization, NormalizationRule::ReciprocalThenMultiply)?;
    only("semantics.empty_row", semantics.empty_row, FixedValue::PositiveZero)?;
    let denominator = part("semantics.denominator", semantics.denominator.as_ref())?;
    only("semantics.denominator.update", denominator.update, ReductionUpdate::Add)?;
    factors("semantics.denominator", denominator, &["p"])?;
    only("semantics.denominator.lanes.count", lanes("semantics.denominator", denominator)?, DENOMINATOR_LANES)?;
    Ok(AttentionRules {
        score: chain("semantics.score", part("semantics.score", semantics.score.as_ref())?, ["q", "k"])?,
        value: chain("semantics.value", part("semantics.value", semantics.value.as_ref())?, ["p", "v"])?,
        chunk: chunk(contract)?,
    })
}

/// The chunk length; a chunk must be whole blocks of the key cache.
fn chunk(contract: &AttentionReduction) -> Result<i64, String> {
    let kind = contract.partition.kind;
    only("partition.kind", kind, PartitionKind::AbsolutePositionChunks)?;
    let extent = *part("partition.chunk_extent", contract.partition.chunk_extent.as_ref())?;
    if extent == 0 || !extent.is_multiple_of(DENOMINATOR_LANES) {
        return Err(format!(
            "the contract's field 'partition.chunk_extent' is {extent}, but only multiples of {DENOMINATOR_LANES} are \
             implemented"
        ));
    }
    Ok(i64::from(extent))
}

type Execution<'a> = (&'a NumericalExecution, &'a ExecutionSemantics);

/// The semantics of an execution contract which governs `op`, does not depend on the number of threads and has exactly
/// these parts.
fn execution<'a>(contract: &'a Contract, op: &str, parts: &[&str]) -> Result<Execution<'a>, String> {
    let Contract::Execution(execution) = contract else {
        return Err(format!("'{op}' needs a numerical execution contract"));
    };
    let semantics = part("semantics", execution.semantics.as_ref())?;
    governs(&semantics.operations, op)?;
    independent_of_threads(execution.threading, semantics.thread_pin)?;
    for (name, present) in semantics.parts() {
        match (parts.contains(&name), present) {
            (true, false) => return Err(lack(&format!("semantics.{name}"))),
            (false, true) => return Err(format!("the contract's field 'semantics.{name}' has no place in '{op}'")),
            (true, true) | (false, false) => {}
        }
    }
    Ok((execution, semantics))
}

/// As [`execution`], for operations that compute in f32 and store canonical NaNs.
fn computed<'a>(contract: &'a Contract, op: &str, parts: &[&str]) -> Result<Execution<'a>, String> {
    let (execution, semantics) = execution(contract, op, parts)?;
    only("rounding.mode", execution.rounding.mode, RoundingMode::Rne)?;
    only("compute.accumulator", execution.compute.accumulator, Accumulator::Fp32)?;
    only("compute.input", execution.compute.input, ComputeInput::Fp32)?;
    if execution.compute.weight != ComputeWeight::None {
        only("compute.weight", execution.compute.weight, ComputeWeight::Fp32)?;
    }
    only("storage.input", execution.storage.input, InputStorage::Fp32)?;
    if execution.storage.weight != WeightStorage::None {
        only("storage.weight", execution.storage.weight, WeightStorage::Fp32)?;
    }
    only("storage.output", execution.storage.output, OutputStorage::Fp32)?;
    // One word for what the parts say; it may not say something else.
    let contraction = if semantics.fuses() { Contraction::Enabled } else { Contraction::Disabled };
    only("compute.contraction", execution.compute.contraction.unwrap_or(contraction), contraction)?;
    only("semantics.nan", semantics.nan, NanRule::Canonical7fc00000)?;
    only("semantics.zero_sign", semantics.zero_sign, ZeroSign::Ieee)?;
    Ok((execution, semantics))
}

/// A reduction with one lane: a chain.
fn chain(field: &str, reduction: &LaneReduction, of: [&str; 2]) -> Result<Update, String> {
    only(&format!("{field}.lanes.count"), lanes(field, reduction)?, 1)?;
    product(field, reduction, of)
}

/// The update of a reduction over products of two factors.
fn product(field: &str, reduction: &LaneReduction, of: [&str; 2]) -> Result<Update, String> {
    factors(field, reduction, &of)?;
    match reduction.update {
        ReductionUpdate::Fma => Ok(Update::Fma),
        ReductionUpdate::MultiplyThenAdd => Ok(Update::MultiplyThenAdd),
        update @ ReductionUpdate::Add => Err(refusal(&format!("{field}.update"), update, "fma or multiply_then_add")),
    }
}

fn factors(field: &str, reduction: &LaneReduction, of: &[&str]) -> Result<(), String> {
    only(&format!("{field}.factors"), reduction.factors.join(", "), of.join(", "))
}

/// The number of lanes of a reduction from +0 whose tree halves them down to one.
fn lanes(field: &str, reduction: &LaneReduction) -> Result<u32, String> {
    only(&format!("{field}.initial"), reduction.initial, FixedValue::PositiveZero)?;
    only(&format!("{field}.empty"), reduction.empty, FixedValue::PositiveZero)?;
    only(&format!("{field}.lanes.assignment"), reduction.lanes.assignment, LaneAssignment::IndexModLanes)?;
    for (part, present) in [("tail", reduction.tail.is_some()), ("group_sum", reduction.group_sum.is_some())] {
        only(&format!("{field}.{part}"), if present { "given" } else { "absent" }, "absent")?;
    }
    let count = reduction.lanes.count;
    if !count.is_power_of_two() || count > MOST_LANES {
        let implemented = format!("a power of two up to {MOST_LANES}");
        return Err(refusal(&format!("{field}.lanes.count"), count, implemented));
    }
    let halving: Vec<u32> =
        std::iter::successors(Some(count / 2), |stride| Some(stride / 2)).take_while(|&stride| stride > 0).collect();
    if reduction.horizontal_tree == halving {
        Ok(count)
    } else {
        let found = format!("{:?}", reduction.horizontal_tree);
        Err(refusal(&format!("{field}.horizontal_tree"), found, format!("{halving:?}")))
    }
}

fn governs(operations: &[String], op: &str) -> Result<(), String> {
    if operations.iter().any(|operation| operation == op) {
        Ok(())
    } else {
        Err(format!("the contract governs {}, not '{op}'", operations.join(", ")))
    }
}

fn independent_of_threads(threading: Threading, pin: Option<u32>) -> Result<(), String> {
    let changes = threading.thread_count_changes_arithmetic_order;
    only("threading.thread_count_changes_arithmetic_order", changes, false)?;
    only("threading.deterministic", threading.deterministic, true)?;
    pin.map_or(Ok(()), |threads| Err(refusal("semantics.thread_pin", threads, "no pin")))
}

/// The types of an attention contract: f32 throughout, partial results of chunks included.
fn computes_in_f32(contract: &AttentionReduction) -> Result<(), String> {
    only("q_compute", contract.q_compute, QueryCompute::Fp32)?;
    only("k_compute", contract.k_compute, CacheCompute::Fp32)?;
    only("score_accumulator", contract.score_accumulator, ScoreType::Fp32)?;
    only("softmax_statistics", contract.softmax_statistics, ScoreType::Fp32)?;
    only("value_compute", contract.value_compute, CacheCompute::Fp32)?;
    only("value_accumulator", contract.value_accumulator, ValueAccumulator::Fp32)?;
    only("partial_storage", contract.partial_storage, PartialStorage::Fp32)?;
    only("partial_merge", contract.partial_merge, PartialMerge::Fp32ChunkOrder)
}

fn part<'a, T>(field: &str, value: Option<&'a T>) -> Result<&'a T, String> {
    value.ok_or_else(|| lack(field))
}

fn lack(field: &str) -> String {
    format!("the contract lacks the field '{field}', which a kernel is generated from")
}

fn only<T: PartialEq + Display>(field: &str, found: T, implemented: T) -> Result<(), String> {
    if found == implemented { Ok(()) } else { Err(refusal(field, found, implemented)) }
}

fn refusal(field: &str, found: impl Display, implemented: impl Display) -> String {
    format!("the contract's field '{field}' is {found}, but only {implemented} is implemented")
}
