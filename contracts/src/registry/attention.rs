//! The attention reduction contract: how scores, the softmax and the sum over values are computed and cut.
//!
//! Fields outside `semantics` are those of the v8 registry, with its names. `semantics` is ours.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::explicit::AttentionSemantics;
use super::vocabulary::{
    CacheCompute, ChunkCount, ExtentSource, PartialMerge, PartialStorage, PartitionKind, QueryCompute, ScoreType,
    SoftmaxSumUpdate, Status, ValueAccumulator, WorkerPartition,
};

/// An attention reduction contract (`cke.attention_reduction_contracts`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttentionReduction {
    /// How far the definition has been confirmed.
    pub status: Status,
    /// The type of a query in the score.
    pub q_compute: QueryCompute,
    /// The type of a key in the score.
    pub k_compute: CacheCompute,
    /// The accumulator of the score.
    pub score_accumulator: ScoreType,
    /// The type of the maximum and of the sum.
    pub softmax_statistics: ScoreType,
    /// The type of a value in the weighted sum.
    pub value_compute: CacheCompute,
    /// The accumulator of the weighted sum.
    pub value_accumulator: ValueAccumulator,
    /// How partial results are stored.
    pub partial_storage: PartialStorage,
    /// How partial results are merged.
    pub partial_merge: PartialMerge,
    /// How the key positions of a row are cut.
    pub partition: Partition,
    /// The explicit semantics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantics: Option<AttentionSemantics>,
    /// One or two sentences for a reader; no part of the meaning. Only a v8 definition may lack them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The test that confirmed the definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
}

/// How the key positions of a row are cut. Which fields must be present follows from `kind`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// The kind of cut.
    pub kind: PartitionKind,
    /// The extent, in rows, from which on the second alternative applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Which extent is compared with the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent_source: Option<ExtentSource>,
    /// What the extent is rounded up to before it is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent_alignment: Option<u32>,
    /// The number of chunks below the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below_threshold_chunks: Option<u32>,
    /// The number of chunks at or above the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_or_above_threshold_chunks: Option<ChunkCount>,
    /// Query rows of a tile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_tile_size: Option<u32>,
    /// Key positions of a tile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_tile_size: Option<u32>,
    /// How the sum is updated from tile to tile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub softmax_sum_update: Option<SoftmaxSumUpdate>,
    /// Which rows a worker takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_partition: Option<WorkerPartition>,
    /// The id of the contract below the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below_threshold: Option<String>,
    /// The id of the contract at or above the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_or_above_threshold: Option<String>,
    /// Positions of a chunk (ours; for `absolute_position_chunks`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_extent: Option<u32>,
}

/// The test that confirmed a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// The test, by path or name.
    pub test: String,
    /// What it covers.
    pub cases: Vec<String>,
    /// What it was compared with.
    pub reference: String,
}
