//! The explicit semantics of an attention reduction contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LaneReduction;
use crate::registry::execution::Threading;
use crate::registry::vocabulary::{
    AddressStride, ChunkCut, ChunkMerge, EmptyChunk, Exponential, ExponentialArgument, ExtentSource, FixedValue,
    HeadSharing, IsaClass, MaximumRule, NanRule, NanSelection, NormalizationRule, OnlineSumUpdate, OutputRows,
    OutsideRule, QueryExtent, RangeRule, RescaleRule, RoundedTo, RowClass, RowPosition, ScaleApplication, ZeroSign,
};

/// The explicit semantics of an attention reduction contract.
///
/// With the exact maximum, for a row: scores, then the maximum, then exponentials; then for every chunk of the partition
/// the sum of the exponentials (`denominator`) and the weighted sum of values (`value`), merged chunk by chunk; then the
/// division. With the online maximum, a position (or a key tile) at a time: its maximum, the rescaling of both sums, the
/// exponentials, and their sums.
///
/// A composite (`composite`) has the fields of this level that its parts share and none of the arithmetic; every other
/// contract has `score`, `softmax`, `denominator`, `value` and `normalization`.
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
    /// When a call is handed to which part; for `query_tile_threshold`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composite: Option<Composite>,
    /// The distance of the heads of a cache in memory, where the contract fixes it; absent: the layout of the port says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address_stride: Option<AddressStride>,
    /// The score of a position: a reduction over the width of a head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<LaneReduction>,
    /// When the scale is applied to a score.
    pub scale_application: ScaleApplication,
    /// The softmax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub softmax: Option<Softmax>,
    /// The positions beyond the range that sums take in; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<Padding>,
    /// The sum of the exponentials of a chunk or tile; lanes by absolute position, folded after all chunks are merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denominator: Option<LaneReduction>,
    /// How a weight is rounded before it meets values; absent: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_rounding: Option<RoundedTo>,
    /// The weighted sum of the values of a chunk or tile, ascending by position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<LaneReduction>,
    /// How positions are cut into the chunks of the workers; for `kv_chunks_by_workers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<WorkerChunks>,
    /// How the partial results of chunks are merged; absent where there is one range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_merge: Option<ChunkMerge>,
    /// How the weighted sum is divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalization: Option<NormalizationRule>,
    /// How the output is rounded before it is stored; absent: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_rounding: Option<RoundedTo>,
    /// Reductions that differ for a class of instruction sets or calls; the first one that fits counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
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

/// When a composite hands a call to which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Composite {
    /// The rows that are compared with the threshold.
    pub extent: QueryExtent,
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
    /// What an online maximum does to the sums.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub online: Option<Online>,
}

/// What an online maximum does to the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Online {
    /// When they are rescaled.
    pub rescale: RescaleRule,
    /// The exponential of the factor.
    pub exponential: Exponential,
    /// How the sum takes the next weight, or the sum of a tile.
    pub sum_update: OnlineSumUpdate,
}

/// Positions beyond the range that the sums take in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Padding {
    /// The sums run to the next multiple of this.
    pub alignment: u32,
    /// The weight of a padded position.
    pub weight: FixedValue,
    /// Its value, whatever memory holds.
    pub value: FixedValue,
}

/// How positions are cut into the chunks of the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerChunks {
    /// Which extent is cut.
    pub extent: ExtentSource,
    /// How.
    pub cut: ChunkCut,
    /// What a chunk without an allowed position is.
    pub empty: EmptyChunk,
}

/// Reductions of one class of instruction sets or calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The instruction sets; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isa: Option<IsaClass>,
    /// The calls; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowClass>,
    /// The score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<LaneReduction>,
    /// The sum of the exponentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denominator: Option<LaneReduction>,
    /// The weighted sum of values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<LaneReduction>,
}
