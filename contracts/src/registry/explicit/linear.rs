//! The explicit semantics of a quantized linear contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::execution::Threading;
use crate::registry::vocabulary::{
    CodePacking, CodeRounding, CodeSign, ExtremeRule, FactorRule, FixedValue, InverseRule, LinearLane, NanRule,
    NonfiniteCode, OutputRows, QuantizerRule, ReductionUpdate, ScaleOfCodes, SubScales, ZeroSign,
};

/// The explicit semantics of a quantized linear contract.
///
/// A row of the activation is quantised block by block. For every output and block, the products of codes and integer
/// scales are summed in int32, lane by lane, and every group of the block enters the accumulator `value` once; the
/// products of integer minima and codes enter `minimum` the same way. Then both are folded by their trees, the minimum
/// is subtracted from the value, and the bias is added, one rounding each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearSemantics {
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
    /// Where the parts of a weight block lie.
    pub weight: WeightBlock,
    /// How the activation is quantised.
    pub quantizer: Quantizer,
    /// The accumulator of the products of codes.
    pub value: LinearChain,
    /// The accumulator of the products of minima, where the format has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<LinearChain>,
    /// What other contract the rows beyond whole groups follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_rows: Option<ResidualRows>,
}

/// A block of the weight: where its parts lie, in bytes from its start, and how integers are packed in them.
///
/// A block holds `weight.block_size` elements of each of its rows. Blocks follow each other along k, then along n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightBlock {
    /// The bytes of a block.
    pub bytes: u32,
    /// The rows (outputs) that share a block.
    pub rows: u32,
    /// How many bytes of codes of one row lie side by side before those of the next row; needed where rows share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interleave: Option<u32>,
    /// Where the fp16 scale of the first row lies; those of the others follow.
    pub scale_offset: u32,
    /// The same for the fp16 scale of the minima, where there are minima.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_offset: Option<u32>,
    /// The elements that share an integer scale.
    pub sub_block: u32,
    /// How the integer scales are packed.
    pub sub_scales: SubScales,
    /// Where they lie.
    pub sub_scales_offset: u32,
    /// How the codes are packed.
    pub codes: CodePacking,
    /// Where they lie.
    pub codes_offset: u32,
    /// Where their high bits lie, where these are apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_codes_offset: Option<u32>,
    /// What is subtracted from every code, where it is not zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_point: Option<ZeroPoint>,
}

/// A code that stands for zero. It is applied in int32, to products with the sums of activation codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZeroPoint {
    /// The code.
    pub code: u32,
    /// The correction of element k of a block enters lane `k / width mod count` of the value, whatever lane the
    /// product of its code enters.
    pub width: u32,
}

/// How a block of an activation row is quantised.
///
/// With e the extreme of the block and c its code with its sign, i is made from c and e, element x becomes
/// `min(round(x * i), maximum)`, and the scale d of the block is made from the same. A block without an element
/// other than zero has d = +0 and all codes 0. NaN takes no part in the search for the extreme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quantizer {
    /// The name of the rounding contract; it says what the fields below are.
    pub rule: QuantizerRule,
    /// Which element is the extreme.
    pub extreme: ExtremeRule,
    /// The magnitude of the code of the extreme.
    pub extreme_code: u32,
    /// Its sign.
    pub extreme_sign: CodeSign,
    /// How i is made.
    pub inverse: InverseRule,
    /// How a code is rounded.
    pub rounding: CodeRounding,
    /// The greatest code.
    pub maximum: u32,
    /// How d is made.
    pub scale: ScaleOfCodes,
    /// What a product that is not finite becomes.
    pub nonfinite: NonfiniteCode,
}

/// An fp32 accumulator of integer sums.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearChain {
    /// The elements whose integer products are summed before one update of every lane; groups ascend.
    pub group: u32,
    /// The lanes.
    pub lanes: LinearLanes,
    /// How the two fp32 scales and the integer enter an update.
    pub factor: FactorRule,
    /// How a term enters a lane.
    pub update: ReductionUpdate,
    /// What every lane starts at.
    pub initial: FixedValue,
    /// The strides that fold the lanes of one output, first to last; empty where an output has one lane.
    pub horizontal_tree: Vec<u32>,
}

/// The lanes of an accumulator of integer sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearLanes {
    /// How many there are; part of the contract, not of the instruction set.
    pub count: u32,
    /// What enters a lane.
    pub assignment: LinearLane,
    /// How many neighbouring elements enter the same lane; needed where elements are divided among lanes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
}

/// Rows beyond whole groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResidualRows {
    /// The rows of a group.
    pub group: u32,
    /// The contract the rows after the last whole group follow.
    pub contract: String,
}
