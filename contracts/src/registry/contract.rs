//! A contract of any kind, and what the rest of the crate asks of one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attention::AttentionReduction;
use super::execution::NumericalExecution;
use super::linear::QuantizedLinear;
use super::vocabulary::{
    MergeOrder, ParallelReductionKind, PartialAccumulator, PartialMerge, PartialStorage, SplitStrategy, Status,
};

/// The kind of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContractKind {
    /// A numerical execution contract.
    Execution,
    /// An attention reduction contract.
    Attention,
    /// A quantized linear contract.
    Linear,
}

/// A contract.
#[derive(Clone, Debug, PartialEq)]
pub enum Contract {
    /// A numerical execution contract.
    Execution(NumericalExecution),
    /// An attention reduction contract.
    Attention(AttentionReduction),
    /// A quantized linear contract.
    Linear(QuantizedLinear),
}

/// What a v8 execution contract does not say.
const UNSAID_EXECUTION: &[&str] =
    &["address_stride", "empty", "horizontal_tree", "lanes", "nan", "operations", "output_rows", "zero_sign"];
/// The same, where the bits depend on the number of threads.
const UNSAID_PINNED_EXECUTION: &[&str] = &[
    "address_stride",
    "empty",
    "horizontal_tree",
    "lanes",
    "nan",
    "operations",
    "output_rows",
    "thread_pin",
    "zero_sign",
];
/// What a v8 attention contract does not say.
const UNSAID_ATTENTION: &[&str] = &[
    "address_stride",
    "empty_row",
    "extent_padding",
    "horizontal_tree",
    "lanes",
    "nan",
    "operations",
    "output_rows",
    "range",
    "scale",
    "threading",
    "zero_sign",
];
/// What a v8 quantized linear contract does not say.
const UNSAID_LINEAR: &[&str] = &[
    "block_grouping",
    "horizontal_tree",
    "nan",
    "operations",
    "output_rows",
    "quantization_rule",
    "residual_rows",
    "update",
    "zero_sign",
];

/// The five values by which a capability repeats the arithmetic of its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arithmetic {
    /// The type of partial results.
    pub partial_accumulator: PartialAccumulator,
    /// How partial results are merged.
    pub merge_order: MergeOrder,
    /// Whether repeating a call gives the same bits.
    pub deterministic: bool,
    /// Whether the bits depend on the number of threads.
    pub thread_count_changes_arithmetic_order: bool,
    /// Whether the cut of the work goes through a reduction.
    pub split_strategy: SplitStrategy,
}

impl Arithmetic {
    /// The values by field.
    pub(crate) fn values(&self) -> [(&'static str, String); 5] {
        [
            ("partial_accumulator", self.partial_accumulator.to_string()),
            ("merge_order", self.merge_order.to_string()),
            ("deterministic", self.deterministic.to_string()),
            ("thread_count_changes_arithmetic_order", self.thread_count_changes_arithmetic_order.to_string()),
            ("split_strategy", self.split_strategy.to_string()),
        ]
    }
}

impl Contract {
    /// The kind of the contract.
    pub fn kind(&self) -> ContractKind {
        match self {
            Self::Execution(_) => ContractKind::Execution,
            Self::Attention(_) => ContractKind::Attention,
            Self::Linear(_) => ContractKind::Linear,
        }
    }

    /// How far the definition has been confirmed.
    pub fn status(&self) -> Status {
        match self {
            Self::Execution(contract) => contract.status,
            Self::Attention(contract) => contract.status,
            Self::Linear(contract) => contract.status,
        }
    }

    /// The text for a reader.
    pub fn description(&self) -> &str {
        match self {
            Self::Execution(contract) => &contract.description,
            Self::Attention(contract) => &contract.description,
            Self::Linear(contract) => &contract.description,
        }
    }

    /// The operations governed, where the contract has explicit semantics.
    pub fn operations(&self) -> Option<&[String]> {
        match self {
            Self::Execution(contract) => contract.semantics.as_ref().map(|s| s.operations.as_slice()),
            Self::Attention(contract) => contract.semantics.as_ref().map(|s| s.operations.as_slice()),
            Self::Linear(contract) => contract.semantics.as_ref().map(|s| s.operations.as_slice()),
        }
    }

    /// The five values a capability must repeat; `None` for an attention contract that does not state its threading or
    /// has no single arithmetic.
    pub fn arithmetic(&self) -> Option<Arithmetic> {
        let (partial_accumulator, merge_order, threading) = match self {
            Self::Execution(c) => (c.reduction.partial_accumulator, c.reduction.merge_order, c.threading),
            Self::Attention(c) => {
                let partial = match c.partial_storage {
                    PartialStorage::None => PartialAccumulator::None,
                    PartialStorage::Fp32 => PartialAccumulator::Fp32,
                    PartialStorage::Fp16 => PartialAccumulator::Fp16,
                    PartialStorage::Bf16 => PartialAccumulator::Bf16,
                    PartialStorage::ShapeDependentNoneOrFp32 => return None,
                };
                let merge = match c.partial_merge {
                    PartialMerge::None => MergeOrder::None,
                    PartialMerge::Fp32ChunkOrder | PartialMerge::Fp16ChunkOrder | PartialMerge::Bf16ChunkOrder => {
                        MergeOrder::AscendingChunk
                    }
                    PartialMerge::ShapeDependentSingleRangeOrFp32ChunkOrder => return None,
                };
                (partial, merge, c.semantics.as_ref()?.threading)
            }
            Self::Linear(c) => return independent_outputs(c.parallel_reduction.kind),
        };
        Some(Arithmetic {
            partial_accumulator,
            merge_order,
            deterministic: threading.deterministic,
            thread_count_changes_arithmetic_order: threading.thread_count_changes_arithmetic_order,
            split_strategy: threading.split_strategy,
        })
    }

    /// The fields of the explicit semantics that the definition leaves open; empty for one that has them.
    pub fn unspecified(&self) -> &'static [&'static str] {
        match self {
            _ if self.operations().is_some() => &[],
            Self::Execution(contract) if contract.threading.thread_count_changes_arithmetic_order => {
                UNSAID_PINNED_EXECUTION
            }
            Self::Execution(_) => UNSAID_EXECUTION,
            Self::Attention(_) => UNSAID_ATTENTION,
            Self::Linear(_) => UNSAID_LINEAR,
        }
    }

    /// The contracts a composite is made of, with the field that names each.
    pub fn parts(&self) -> Vec<(&'static str, &str)> {
        let partition = match self {
            Self::Attention(contract) => &contract.partition,
            Self::Linear(contract) => {
                let residual = contract.semantics.as_ref().and_then(|semantics| semantics.residual_rows.as_ref());
                return residual
                    .map(|rows| ("semantics.residual_rows.contract", &*rows.contract))
                    .into_iter()
                    .collect();
            }
            Self::Execution(_) => return Vec::new(),
        };
        [
            ("partition.below_threshold", partition.below_threshold.as_deref()),
            ("partition.at_or_above_threshold", partition.at_or_above_threshold.as_deref()),
        ]
        .into_iter()
        .filter_map(|(field, part)| Some((field, part?)))
        .collect()
    }

    /// The definition as JSON, the same whichever way its source was written.
    pub fn definition(&self) -> Value {
        match self {
            Self::Execution(contract) => serde_json::to_value(contract),
            Self::Attention(contract) => serde_json::to_value(contract),
            Self::Linear(contract) => serde_json::to_value(contract),
        }
        .expect("a contract holds names, integers and text only")
    }

    /// The definition without what is no part of the meaning: confirmation and prose.
    pub fn meaning(&self) -> Value {
        let mut definition = self.definition();
        let fields = definition.as_object_mut().expect("a contract is an object");
        for field in ["status", "description", "validation"] {
            fields.remove(field);
        }
        definition
    }
}

/// The five values of a product whose outputs are cut among threads; `None` where the sums themselves are.
fn independent_outputs(kind: ParallelReductionKind) -> Option<Arithmetic> {
    match kind {
        ParallelReductionKind::SplitK => None,
        ParallelReductionKind::IndependentOutputs => Some(Arithmetic {
            partial_accumulator: PartialAccumulator::None,
            merge_order: MergeOrder::None,
            deterministic: true,
            thread_count_changes_arithmetic_order: false,
            split_strategy: SplitStrategy::IndependentOutputs,
        }),
    }
}
