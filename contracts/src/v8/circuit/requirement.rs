//! What contracts operations require, and when.

use std::collections::BTreeMap;

use crate::circuit::Fact;
use crate::registry::vocabulary::{Phase, Status};
use crate::v8::record::record;
use crate::v8::words::{
    AttentionOp, AttentionSchedule, AttentionTemplateOp, PrefillBatching, TensorLayout, TensorType,
};

record! {
    /// The attention contract an operation requires.
    AttentionRequirement {
        required {
            /// The operation of kernel maps.
            op: AttentionOp,
            /// The operations of the circuit.
            template_ops: Vec<AttentionTemplateOp>,
            /// What each phase requires.
            phases: BTreeMap<Phase, AttentionPhase>,
        }
        optional {
            /// When it applies; always without one.
            selector: Selector,
            /// The value a test looks at.
            checkpoint: Checkpoint,
        }
    }
}

record! {
    /// What attention requires in a phase.
    AttentionPhase {
        required {
            /// The demands, by key of a map's `provides`.
            requires: AttentionRequires,
            /// How far the choice has been confirmed.
            validation: Status,
            /// What confirmed it.
            evidence: String,
        }
    }
}

record! {
    /// The demands of attention.
    AttentionRequires {
        required {
            /// The phase, once more.
            #[serde(rename = "execution.phase")]
            phase: Phase,
            /// The type of queries.
            #[serde(rename = "tensor.q.dtype")]
            q_dtype: TensorType,
            /// The type of keys and values.
            #[serde(rename = "tensor.kv.dtype")]
            kv_dtype: TensorType,
            /// The order of heads and tokens.
            #[serde(rename = "tensor.layout")]
            layout: TensorLayout,
            /// The contract.
            #[serde(rename = "numerics.attention_reduction")]
            attention_reduction: String,
        }
        optional {
            /// How the rows of a prefill are batched.
            #[serde(rename = "execution.prefill_batching")]
            prefill_batching: PrefillBatching,
            /// The order in which scores are gone through.
            #[serde(rename = "execution.attention_schedule")]
            attention_schedule: AttentionSchedule,
        }
    }
}

record! {
    /// The execution contract an operation requires.
    ExecutionRequirement {
        required {
            /// The operation of kernel maps.
            op: String,
            /// The operations of the circuit.
            template_ops: Vec<String>,
            /// What each phase requires.
            phases: BTreeMap<Phase, ExecutionPhase>,
        }
        optional {
            /// The version of the operation's ports.
            operation_interface: String,
            /// When it applies; always without one.
            selector: Selector,
            /// The value a test looks at.
            checkpoint: Checkpoint,
        }
    }
}

record! {
    /// What an operation requires in a phase.
    ExecutionPhase {
        required {
            /// The contract.
            contract_id: String,
            /// How far the choice has been confirmed.
            validation: Status,
            /// What confirmed it.
            evidence: String,
        }
    }
}

record! {
    /// A condition on facts; every part must hold. A key is a path of names joined by dots, in which `{layer}` stands
    /// for the layer of the operation.
    Selector {
        optional {
            /// Facts that are there and have the value.
            config_equals: BTreeMap<String, Fact>,
            /// Facts that are not there or have another value.
            config_not_equals: BTreeMap<String, Fact>,
        }
    }
}

record! {
    /// A value a test looks at.
    Checkpoint {
        required {
            /// Its name; `{layer}` stands for the layer.
            id: String,
            /// The operation that makes it.
            producer: String,
            /// The order of its elements.
            logical_layout: String,
            /// Its axes, by name.
            axis_names: Vec<String>,
        }
    }
}
