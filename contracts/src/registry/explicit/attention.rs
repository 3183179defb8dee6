//! The explicit semantics of an attention reduction contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LaneReduction;
use crate::registry::execution::Threading;
use crate::registry::vocabulary::{
    ChunkMerge, Exponential, ExponentialArgument, FixedValue, HeadSharing, MaximumRule, NanRule, NanSelection,
    NormalizationRule, OutputRows, OutsideRule, RangeRule, RowPosition, ScaleApplication, ZeroSign,
};

/// The explicit semantics of an attention reduction contract.
///
/// For a row: scores, then the maximum, then exponentials; then for every chunk of the partition the sum of the
/// exponentials (`denominator`) and the weighted sum of values (`value`), merged chunk by chunk; then the division.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
