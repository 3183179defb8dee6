//! The numerical execution contract: storage, arithmetic, rounding, reduction and threading of one operation.
//!
//! Fields outside `semantics` are those of the v8 registry, with its names. `semantics` is ours: it spells out what
//! there is prose. A definition imported from v8 may lack it; a contract a kernel is generated from must have it.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::explicit::ExecutionSemantics;
use super::vocabulary::{
    Accumulator, ComputeInput, ComputeWeight, Contraction, CoordinateCompute, CoordinateTransform, FrequencyCompute,
    InputStorage, IntermediateCompute, Interpolation, MergeOrder, OperatorFamily, OutputStorage, OutputTraversal,
    Pairing, PartialAccumulator, PositionSource, PositionThreading, ReductionKind, ReductionOrder, RoundingMode,
    RoundingPoint, SectionInterpretation, SourceLayout, SpatialEvaluationOrder, SplitStrategy, Status, WeightStorage,
    WorkPartition,
};

/// A numerical execution contract (`cke.numerical_execution_contracts`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumericalExecution {
    /// The family of operations governed.
    pub operator_family: OperatorFamily,
    /// How far the definition has been confirmed.
    pub status: Status,
    /// How operands and results are stored.
    pub storage: Storage,
    /// What types the arithmetic has.
    pub compute: Compute,
    /// How and where values are rounded.
    pub rounding: Rounding,
    /// The reduction, in the words of v8.
    pub reduction: Reduction,
    /// How the work may be cut, and that the cut does not show.
    pub threading: Threading,
    /// The position transform; required, `null` where there is none.
    #[serde(deserialize_with = "nullable")]
    pub position_transform: Option<PositionTransform>,
    /// The spatial transform of operations on grids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spatial_transform: Option<SpatialTransform>,
    /// The explicit semantics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantics: Option<ExecutionSemantics>,
    /// One or two sentences for a reader; no part of the meaning. Only a v8 definition may lack them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// How operands and results are stored at the time of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// The activations read.
    pub input: InputStorage,
    /// The weight, as the provider sees it (after any weight preparation).
    pub weight: WeightStorage,
    /// The result.
    pub output: OutputStorage,
}

/// The types of the arithmetic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compute {
    /// The type of an input in a product.
    pub input: ComputeInput,
    /// The type of a weight in a product.
    pub weight: ComputeWeight,
    /// The type of the accumulator.
    pub accumulator: Accumulator,
    /// Whether a product and the sum it enters are one rounding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contraction: Option<Contraction>,
    /// The order of evaluation as one word of prose; `semantics` says it in fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation_order: Option<String>,
}

/// The rounding of values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rounding {
    /// The rounding mode.
    pub mode: RoundingMode,
    /// Where values are rounded; each point at most once.
    pub points: Vec<RoundingPoint>,
}

/// A reduction in the words of v8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reduction {
    /// What kind of reduction it is.
    pub kind: ReductionKind,
    /// The order in which elements enter.
    pub order: ReductionOrder,
    /// The type of partial results.
    pub partial_accumulator: PartialAccumulator,
    /// How partial results are merged.
    pub merge_order: MergeOrder,
}

/// How work may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Threading {
    /// What the pieces of work are.
    pub work_partition: WorkPartition,
    /// Whether the cut goes through a reduction.
    pub split_strategy: SplitStrategy,
    /// Whether repeating a call gives the same bits.
    pub deterministic: bool,
    /// Whether the bits depend on the number of threads.
    pub thread_count_changes_arithmetic_order: bool,
}

/// A transform by position (rotary embeddings), in the words of v8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionTransform {
    /// Where positions come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position_source: Option<PositionSource>,
    /// Which elements form a pair.
    pub pairing: Pairing,
    /// The name of the width that is rotated.
    pub rotary_width: String,
    /// The name of the width of a head.
    pub head_width: String,
    /// The number of position axes.
    pub position_rank: u32,
    /// The names of the axes, `position_rank` of them.
    pub axis_order: Vec<String>,
    /// What sections mean.
    pub section_interpretation: SectionInterpretation,
    /// The rotated width, where it is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotary_width_value: Option<u32>,
    /// The width of a head, where it is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_width_value: Option<u32>,
    /// The number of multi-section dimensions, where it is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mrope_n_dims_value: Option<u32>,
    /// The type frequencies are computed in.
    pub frequency_compute: FrequencyCompute,
    /// The type of intermediate products.
    pub intermediate_compute: IntermediateCompute,
    /// Names of the values that are rounded.
    pub rounding_points: Vec<String>,
    /// How the transform is cut.
    pub threading: PositionThreading,
}

/// A transform on a grid, in the words of v8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpatialTransform {
    /// How values between grid points are made.
    pub interpolation: Interpolation,
    /// How output coordinates map to input coordinates.
    pub coordinate_transform: CoordinateTransform,
    /// How coordinates are computed.
    pub coordinate_compute: CoordinateCompute,
    /// The order of the source.
    pub source_layout: SourceLayout,
    /// The order of the outputs.
    pub output_traversal: OutputTraversal,
    /// Whether the source is low-pass filtered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub antialias: Option<bool>,
    /// The order of the loops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation_order: Option<SpatialEvaluationOrder>,
    /// Whether products and sums are contracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contraction: Option<Contraction>,
}

/// Reads a field that must be present but may be `null`.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
