//! The kernel map: an implementation, the contracts it claims, its ports and how it is called.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contract::Arithmetic;
use super::port::{DimFact, Port};
use super::selection::{Constraint, ProviderSelection};
use super::vocabulary::{
    DType, IsaDispatch, Lifecycle, Phase, ReductionOrderEffect, Schedule, Status, ThreadDispatch, ThreadRuntime,
    WorkPartition,
};

/// A provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The version of this format: 1.
    pub contract_schema_version: u32,
    /// The id.
    pub id: String,
    /// The operation served.
    pub op: String,
    /// The phases served.
    pub phases: Vec<Phase>,
    /// The lifecycle; not the confirmation, which each capability states.
    pub status: Lifecycle,
    /// The version of the operation's ports it implements, such as `rmsnorm.fp32.v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_interface: Option<String>,
    /// Its place among providers of equal meaning; without one it is never ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<ProviderSelection>,
    /// What it demands of the extents of a call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// The types in one line, for a reader; the ports decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quant: Option<Quant>,
    /// The activations read.
    pub inputs: Vec<Port>,
    /// The constants read.
    pub weights: Vec<Port>,
    /// The tensors that live across calls.
    pub states: Vec<Port>,
    /// The activations written.
    pub outputs: Vec<Port>,
    /// Memory used during a call.
    pub scratch: Vec<Port>,
    /// The compile-time facts the function needs (the keys of its shape).
    pub dims: Vec<DimFact>,
    /// The compile-time floats the function needs, taken from the operation's attributes.
    pub params: Vec<Param>,
    /// The contracts claimed.
    pub numerical_capabilities: Vec<Capability>,
    /// What a request may ask for by key and value.
    pub provides: BTreeMap<String, Vec<String>>,
    /// How the function is called.
    pub call_abi: CallAbi,
    /// What is called.
    #[serde(rename = "impl")]
    pub implementation: Implementation,
    /// Remarks for a reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// The types of a provider in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quant {
    /// Of the weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// Of the activation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation: Option<String>,
    /// Of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Of the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache: Option<String>,
}

/// A compile-time float.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// The name of the attribute.
    pub name: String,
    /// Its type.
    pub dtype: DType,
}

/// The claim of one contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capability {
    /// The contract claimed.
    pub contract_id: String,
    /// How far the claim has been confirmed.
    pub status: Status,
    /// The phases the claim holds for.
    pub phases: Vec<Phase>,
    /// The function that fulfils it; the one of `impl`.
    pub function: String,
    /// Whether the claim binds only when the contract is named. Anything else cannot be used in production.
    pub explicit_selector: bool,
    /// How the function runs.
    pub implementation: Execution,
    /// The five values of the contract, repeated.
    pub arithmetic: Arithmetic,
}

/// How a function runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// When code for an instruction set is chosen.
    pub isa_dispatch: IsaDispatch,
    /// How it uses threads.
    pub threading: ProviderThreading,
}

/// How a function uses threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderThreading {
    /// What runs the threads.
    pub runtime: ThreadRuntime,
    /// What the pieces of work may be.
    pub work_partition: Vec<WorkPartition>,
    /// How work reaches threads.
    pub dispatch: Vec<ThreadDispatch>,
    /// When work is assigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Barriers inside the function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barriers: Option<Vec<String>>,
    /// What threads do to the order of a reduction.
    pub reduction_order_effect: ReductionOrderEffect,
}

/// How the function is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallAbi {
    /// The version of the calling convention: 1, an array of 64-bit slots.
    pub version: u32,
    /// The slots, in order.
    pub params: Vec<CallParam>,
}

/// One slot of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallParam {
    /// The name of the slot.
    pub name: String,
    /// Where it comes from: `activation:x`, `weight:w`, `output:y`, `state:k_cache`, `scratch:scores`, `runtime:rows` or
    /// `runtime:position`.
    pub source: String,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Implementation {
    /// The function.
    pub function: String,
    /// The kernel generator that makes it; absent for a function of a linked library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
}

impl Provider {
    /// The capability for a contract, if the provider claims it.
    pub fn capability(&self, contract: &str) -> Option<&Capability> {
        self.numerical_capabilities.iter().find(|c| c.contract_id == contract)
    }

    /// Every port with what it is.
    pub fn ports(&self) -> impl Iterator<Item = (PortKind, &Port)> {
        [
            (PortKind::Input, &self.inputs),
            (PortKind::Weight, &self.weights),
            (PortKind::State, &self.states),
            (PortKind::Output, &self.outputs),
            (PortKind::Scratch, &self.scratch),
        ]
        .into_iter()
        .flat_map(|(kind, ports)| ports.iter().map(move |port| (kind, port)))
    }

    /// The port of that name.
    pub fn port(&self, name: &str) -> Option<(PortKind, &Port)> {
        self.ports().find(|(_, port)| port.name == name)
    }

    /// The definition as JSON, the same whichever way its source was written.
    pub fn definition(&self) -> Value {
        serde_json::to_value(self).expect("a provider holds names, integers and text only")
    }
}

/// What a port is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortKind {
    /// An activation read.
    Input,
    /// A constant read.
    Weight,
    /// A tensor that lives across calls.
    State,
    /// An activation written.
    Output,
    /// Memory used during a call.
    Scratch,
}

impl PortKind {
    /// The namespace by which a call names such a port.
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Input => "activation",
            Self::Weight => "weight",
            Self::State => "state",
            Self::Output => "output",
            Self::Scratch => "scratch",
        }
    }
}
