//! The quantized linear contract: weight and activation formats, the dot product of blocks, the output.
//!
//! Fields outside `semantics` are those of the v8 registry, with its names. `semantics` is ours.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::explicit::LinearSemantics;
use super::vocabulary::{
    BiasRule, BlockOrder, HorizontalReduction, IntegerAccumulator, LinearActivationFormat, LinearFloat,
    LinearWeightFormat, ParallelOrderEffect, ParallelReductionKind, Status,
};

/// A quantized linear contract (`cke.quantized_linear_contracts`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuantizedLinear {
    /// How far the definition has been confirmed.
    pub status: Status,
    /// The weight.
    pub weight: LinearWeight,
    /// The activation and how it is quantised.
    pub activation: LinearActivation,
    /// The dot product.
    pub dot: LinearDot,
    /// From accumulators to the stored result.
    pub output: LinearOutput,
    /// What threads do to the sums.
    pub parallel_reduction: ParallelReduction,
    /// The explicit semantics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantics: Option<LinearSemantics>,
    /// One or two sentences for a reader; no part of the meaning. Only a v8 definition may lack them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// The weight of a quantized linear contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearWeight {
    /// Its format.
    pub format: LinearWeightFormat,
    /// Elements of a block.
    pub block_size: u32,
    /// The order of the bytes, such as `ggml_q4_k`.
    pub layout: String,
}

/// The activation of a quantized linear contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearActivation {
    /// Its format in the dot product.
    pub format: LinearActivationFormat,
    /// Elements of a block.
    pub block_size: u32,
    /// The order of the bytes.
    pub layout: String,
    /// The quantiser, by the name of its rounding contract.
    pub quantization: String,
}

/// The dot product of a quantized linear contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearDot {
    /// The type of the sums inside a block.
    pub integer_accumulator: IntegerAccumulator,
    /// When the scales of a block are applied, as one word of prose; `semantics` says it in fields.
    pub block_scale_application: String,
    /// The order of the blocks.
    pub block_order: BlockOrder,
    /// The lanes of the fp32 accumulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp32_accumulator_lanes: Option<u32>,
    /// The lanes of the accumulator of minima.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_accumulator_lanes: Option<u32>,
}

/// The output of a quantized linear contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearOutput {
    /// The type of the accumulator.
    pub accumulator: LinearFloat,
    /// How its lanes become one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizontal_reduction: Option<HorizontalReduction>,
    /// When a bias is added.
    pub bias: BiasRule,
    /// The type stored.
    pub storage: LinearFloat,
}

/// What threads do to the sums of a quantized linear contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParallelReduction {
    /// How threads share the product.
    pub kind: ParallelReductionKind,
    /// What that does to the order of the sums.
    pub reduction_order_effect: ParallelOrderEffect,
    /// The type of partial sums; needed where k is split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_accumulator: Option<LinearFloat>,
    /// The order in which partial sums are merged; needed where k is split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_order: Option<String>,
}
