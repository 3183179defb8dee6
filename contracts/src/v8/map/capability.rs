//! Claims of attention and execution contracts.

use std::collections::BTreeMap;

use super::implementation::Threading;
use crate::registry::Arithmetic;
use crate::registry::vocabulary::{IsaDispatch, Phase, Status};
use crate::v8::record::record;
use crate::v8::words::{AttentionSchedule, PrefillBatching, TensorLayout, TensorType};

record! {
    /// What an attention request may ask for.
    Provides {
        optional {
            /// Phases.
            #[serde(rename = "execution.phase")]
            phase: Vec<Phase>,
            /// How the rows of a prefill may be batched.
            #[serde(rename = "execution.prefill_batching")]
            prefill_batching: Vec<PrefillBatching>,
            /// The orders in which scores are gone through.
            #[serde(rename = "execution.attention_schedule")]
            attention_schedule: Vec<AttentionSchedule>,
            /// The types of queries.
            #[serde(rename = "tensor.q.dtype")]
            q_dtype: Vec<TensorType>,
            /// The types of keys and values.
            #[serde(rename = "tensor.kv.dtype")]
            kv_dtype: Vec<TensorType>,
            /// The orders of heads and tokens.
            #[serde(rename = "tensor.layout")]
            layout: Vec<TensorLayout>,
            /// The attention contracts.
            #[serde(rename = "numerics.attention_reduction")]
            attention_reduction: Vec<String>,
        }
    }
}

record! {
    /// The claim of an attention contract.
    SupportedReduction {
        required {
            /// How far the claim has been confirmed.
            status: Status,
            /// The function that fulfils it.
            function: String,
            /// Whether the claim binds only when the contract is named.
            explicit_selector: bool,
        }
        optional {
            /// The constant by which the function is told the contract.
            selector: String,
            /// For a reader.
            notes: String,
        }
    }
}

record! {
    /// The claim of an execution contract.
    NumericalCapability {
        required {
            /// The contract.
            contract_id: String,
            /// How far the claim has been confirmed.
            status: Status,
            /// The phases it holds for.
            phases: Vec<Phase>,
            /// The function that fulfils it.
            function: String,
            /// Whether the claim binds only when the contract is named: it must.
            explicit_selector: bool,
            /// How the function runs.
            implementation: CapabilityExecution,
            /// The five values of the contract, repeated.
            arithmetic: Arithmetic,
        }
    }
}

record! {
    /// How the function of a claim runs.
    CapabilityExecution {
        required {
            /// When code for an instruction set is chosen.
            isa_dispatch: IsaDispatch,
            /// How it uses threads.
            threading: Threading,
        }
    }
}

impl Provides {
    /// The values by key, as a request names them.
    pub(in crate::v8) fn by_key(&self) -> BTreeMap<String, Vec<String>> {
        fn texts<T: ToString>(values: Option<&Vec<T>>) -> Option<Vec<String>> {
            values.map(|values| values.iter().map(T::to_string).collect())
        }
        let keys = [
            ("execution.phase", texts(self.phase.as_ref())),
            ("execution.prefill_batching", texts(self.prefill_batching.as_ref())),
            ("execution.attention_schedule", texts(self.attention_schedule.as_ref())),
            ("tensor.q.dtype", texts(self.q_dtype.as_ref())),
            ("tensor.kv.dtype", texts(self.kv_dtype.as_ref())),
            ("tensor.layout", texts(self.layout.as_ref())),
            ("numerics.attention_reduction", texts(self.attention_reduction.as_ref())),
        ];
        keys.into_iter().filter_map(|(key, values)| Some((key.to_owned(), values?))).collect()
    }
}
