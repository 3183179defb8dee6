//! The explicit semantics of a contract: every fact that the oracle and the kernel generator need, as a field.
//!
//! Neither may know a contract by its id or assume a structure: lanes, trees, chunks, starting values and the order of
//! roundings are read from here. All arithmetic is IEEE 754 binary32, round to nearest even, subnormals kept.

use serde::{Deserialize, Serialize};

use super::execution::Threading;
use super::vocabulary::{
    ChunkMerge, Comparison, CopyRule, ElementwiseRule, EpsilonRule, Exponential, ExponentialArgument, FixedValue,
    GateFunction, GateRule, HeadSharing, LaneAssignment, MaximumRule, MeanRule, NanRule, NanSelection,
    NormalizationRule, OutputRows, OutsideRule, RangeRule, ReciprocalRule, ReductionUpdate, RestRule, RotationRule,
    RowPosition, ScaleApplication, ScaleRule, TableFunction, TieRule, ZeroSign,
};

/// The explicit semantics of a numerical execution contract. Which parts must be present follows from the family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionSemantics {
    /// The operations (kernel map `op`) the contract governs.
    pub operations: Vec<String>,
    /// What a NaN in the output looks like.
    pub nan: NanRule,
    /// What the sign of a zero in the output is.
    pub zero_sign: ZeroSign,
    /// Which rows of the output are computed.
    pub output_rows: OutputRows,
    /// The number of threads the bits hold for, where they depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_pin: Option<u32>,
    /// A reduction over the last dimension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<LaneReduction>,
    /// A normalisation that follows the reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalization: Option<Normalization>,
    /// A rotation of pairs; which pairs is said by `position_transform.pairing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// A gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// An elementwise expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elementwise: Option<ElementwiseRule>,
    /// The selection of one element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// A copy of bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyRule>,
}

/// A reduction with a fixed number of lanes.
///
/// Element i enters its lane in ascending order by `update`; then, for every stride s of `horizontal_tree` in order,
/// lane j becomes lane j + lane (j + s) for all j < s. The result is lane 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneReduction {
    /// How a term enters a lane.
    pub update: ReductionUpdate,
    /// The ports the factors of a term come from, in the order of the update.
    pub factors: Vec<String>,
    /// What every lane starts at.
    pub initial: FixedValue,
    /// The result over no elements.
    pub empty: FixedValue,
    /// The lanes.
    pub lanes: Lanes,
    /// The strides that fold the lanes, first to last; empty for one lane.
    pub horizontal_tree: Vec<u32>,
}

/// The lanes of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lanes {
    /// How many there are; part of the contract, not of the instruction set.
    pub count: u32,
    /// Which lane an element enters.
    pub assignment: LaneAssignment,
}

/// What follows the sum of squares of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normalization {
    /// From the sum to the mean.
    pub mean: MeanRule,
    /// Where epsilon enters.
    pub epsilon: EpsilonRule,
    /// From there to the factor.
    pub reciprocal: ReciprocalRule,
    /// How the row is scaled.
    pub scale: ScaleRule,
}

/// The rotation of pairs by a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The arithmetic of a pair.
    pub pair: RotationRule,
    /// What happens to elements beyond the rotated width.
    pub rest: RestRule,
    /// Where the table comes from.
    pub table: TableFunction,
    /// The position of a row.
    pub row_position: RowPosition,
}

/// A gated activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The function of the gate; it gives the denominator.
    pub function: GateFunction,
    /// How the parts are joined.
    pub combination: GateRule,
}

/// The selection of the best element of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// When an element replaces the best one so far.
    pub comparison: Comparison,
    /// The value the search starts with.
    pub initial: FixedValue,
    /// The index the search starts with, and the result when no element is better than `initial`.
    pub initial_index: u32,
    /// Which of equal elements wins.
    pub tie: TieRule,
    /// What NaN does.
    pub nan: NanSelection,
}

/// The explicit semantics of an attention reduction contract.
///
/// For a row: scores, then the maximum, then exponentials; then for every chunk of the partition the sum of the
/// exponentials (`denominator`) and the weighted sum of values (`value`), merged chunk by chunk; then the division.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionSemantics {
    /// The operations (kernel map `op`) the contract governs.
    pub operations: Vec<String>,
    /// What a NaN in the output looks like.
    pub nan: NanRule,
    /// What the sign of a zero in the output is.
    pub zero_sign: ZeroSign,
    /// Which rows of the output are computed.
    pub output_rows: OutputRows,
    /// The number of threads the bits hold for, where they depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_pin: Option<u32>,
    /// How the work may be cut.
    pub threading: Threading,
    /// Which key head a query head reads.
    pub head_sharing: HeadSharing,
    /// Which positions a row attends to.
    pub range: Range,
    /// The score of a position: a reduction over the width of a head.
    pub score: LaneReduction,
    /// When the scale is applied to a score.
    pub scale_application: ScaleApplication,
    /// The softmax.
    pub softmax: Softmax,
    /// The sum of the exponentials of a chunk; lanes by absolute position, folded after all chunks are merged.
    pub denominator: LaneReduction,
    /// The weighted sum of the values of a chunk, ascending by position.
    pub value: LaneReduction,
    /// How the partial results of chunks are merged.
    pub chunk_merge: ChunkMerge,
    /// How the weighted sum is divided.
    pub normalization: NormalizationRule,
    /// The output of a row with no allowed position, or whose sum is zero.
    pub empty_row: FixedValue,
}

/// Which positions a row attends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The rule.
    pub rule: RangeRule,
    /// The position of a row.
    pub row_position: RowPosition,
    /// What happens outside.
    pub outside: OutsideRule,
}

/// The maximum and the exponential of a softmax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Softmax {
    /// Which maximum is subtracted.
    pub maximum: MaximumRule,
    /// What the search for the maximum starts with.
    pub maximum_initial: FixedValue,
    /// What NaN does in the search.
    pub maximum_nan: NanSelection,
    /// What stands for the maximum when the search ends where it started.
    pub maximum_missing: FixedValue,
    /// The argument of the exponential.
    pub argument: ExponentialArgument,
    /// The exponential.
    pub exponential: Exponential,
}
