//! A contract of either kind, and what the rest of the crate asks of one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attention::AttentionReduction;
use super::execution::NumericalExecution;
use super::vocabulary::{MergeOrder, PartialAccumulator, PartialMerge, PartialStorage, SplitStrategy, Status};

/// The kind of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContractKind {
    /// A numerical execution contract.
    Execution,
    /// An attention reduction contract.
    Attention,
}

/// A contract.
#[derive(Clone, Debug, PartialEq)]
pub enum Contract {
    /// A numerical execution contract.
    Execution(NumericalExecution),
    /// An attention reduction contract.
    Attention(AttentionReduction),
}

/// The five values by which a capability repeats the arithmetic of its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl Contract {
    /// The kind of the contract.
    pub fn kind(&self) -> ContractKind {
        match self {
            Self::Execution(_) => ContractKind::Execution,
            Self::Attention(_) => ContractKind::Attention,
        }
    }

    /// How far the definition has been confirmed.
    pub fn status(&self) -> Status {
        match self {
            Self::Execution(contract) => contract.status,
            Self::Attention(contract) => contract.status,
        }
    }

    /// The text for a reader.
    pub fn description(&self) -> &str {
        match self {
            Self::Execution(contract) => &contract.description,
            Self::Attention(contract) => &contract.description,
        }
    }

    /// The operations governed, where the contract has explicit semantics.
    pub fn operations(&self) -> Option<&[String]> {
        match self {
            Self::Execution(contract) => contract.semantics.as_ref().map(|s| s.operations.as_slice()),
            Self::Attention(contract) => contract.semantics.as_ref().map(|s| s.operations.as_slice()),
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
        };
        Some(Arithmetic {
            partial_accumulator,
            merge_order,
            deterministic: threading.deterministic,
            thread_count_changes_arithmetic_order: threading.thread_count_changes_arithmetic_order,
            split_strategy: threading.split_strategy,
        })
    }

    /// The definition as JSON, the same whichever way its source was written.
    pub fn definition(&self) -> Value {
        match self {
            Self::Execution(contract) => serde_json::to_value(contract),
            Self::Attention(contract) => serde_json::to_value(contract),
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
