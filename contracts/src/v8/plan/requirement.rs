//! Requirements of either kind as one.

use std::collections::BTreeMap;

use super::facts::Facts;
use crate::registry::vocabulary::{Phase, Status, TensorStorage};
use crate::resolve::Request;
use crate::v8::circuit::{AttentionRequires, Checkpoint, Circuit, Selector};

/// What an operation requires.
pub(super) struct Requirement<'c> {
    /// The operation, by the name of the requirement.
    pub operation: String,
    /// The operation of kernel maps.
    pub op: String,
    /// The operations of the circuit it governs.
    pub template_ops: Vec<&'c str>,
    /// What each phase demands.
    pub phases: BTreeMap<Phase, Demand>,
    /// The value a test looks at.
    pub checkpoint: Option<&'c Checkpoint>,
    selector: Option<&'c Selector>,
    operation_interface: Option<String>,
}

/// What a phase demands.
pub(super) struct Demand {
    contract: String,
    requires: BTreeMap<String, String>,
    validation: Status,
}

/// The requirements of a circuit, by operation.
pub(super) fn all(circuit: &Circuit) -> Vec<Requirement<'_>> {
    let attention = circuit.required_contracts.iter().flatten().map(|(operation, requirement)| Requirement {
        operation: operation.clone(),
        op: requirement.op.to_string(),
        template_ops: requirement.template_ops.iter().map(|op| op.as_str()).collect(),
        phases: requirement
            .phases
            .iter()
            .map(|(phase, demand)| {
                let contract = demand.requires.attention_reduction.clone();
                (*phase, Demand { contract, requires: by_key(&demand.requires), validation: demand.validation })
            })
            .collect(),
        checkpoint: requirement.checkpoint.as_ref(),
        selector: requirement.selector.as_ref(),
        operation_interface: None,
    });
    let execution = circuit.required_numerical_contracts.iter().flatten().map(|(operation, requirement)| Requirement {
        operation: operation.clone(),
        op: requirement.op.clone(),
        template_ops: requirement.template_ops.iter().map(String::as_str).collect(),
        phases: requirement
            .phases
            .iter()
            .map(|(phase, demand)| {
                let contract = demand.contract_id.clone();
                (*phase, Demand { contract, requires: BTreeMap::new(), validation: demand.validation })
            })
            .collect(),
        checkpoint: requirement.checkpoint.as_ref(),
        selector: requirement.selector.as_ref(),
        operation_interface: requirement.operation_interface.clone(),
    });
    attention.chain(execution).collect()
}

fn by_key(requires: &AttentionRequires) -> BTreeMap<String, String> {
    let values = [
        ("execution.phase", Some(requires.phase.as_str())),
        ("execution.prefill_batching", requires.prefill_batching.map(|value| value.as_str())),
        ("execution.attention_schedule", requires.attention_schedule.map(|value| value.as_str())),
        ("tensor.q.dtype", Some(requires.q_dtype.as_str())),
        ("tensor.kv.dtype", Some(requires.kv_dtype.as_str())),
        ("tensor.layout", Some(requires.layout.as_str())),
        ("numerics.attention_reduction", Some(requires.attention_reduction.as_str())),
    ];
    values.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned()))).collect()
}

impl Requirement<'_> {
    /// Whether it is active for a layer.
    pub fn applies(&self, facts: &Facts, layer: Option<u32>) -> bool {
        self.selector.is_none_or(|selector| selector.matches(facts, layer))
    }

    /// Whether it can be active in some layers only.
    pub fn depends_on_layer(&self) -> bool {
        self.selector.is_some_and(Selector::depends_on_layer)
    }

    /// The request in a phase; `suffix` makes its instance unique.
    pub fn request(&self, phase: Phase, suffix: &str, storage: BTreeMap<String, TensorStorage>) -> Option<Request> {
        let demand = self.phases.get(&phase)?;
        Some(Request {
            instance: format!("{phase}/{}{suffix}", self.operation),
            op: self.op.clone(),
            operation: self.operation.clone(),
            phase,
            contract: demand.contract.clone(),
            requires: demand.requires.clone(),
            validation: demand.validation,
            storage,
            operation_interface: self.operation_interface.clone(),
            shape: BTreeMap::new(),
        })
    }
}
