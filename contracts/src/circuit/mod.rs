//! Circuits: a model family as data. What a generic importer needs to build the graph of a model is here, so that it
//! knows nothing of any family: configuration, tensors, states, tables, dataflow, and the contract of every operation.
//!
//! A circuit cannot branch on a model's name and cannot name a provider.

mod check;
mod config;
mod native;
mod requirement;
mod vocabulary;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use config::{Config, Extent, Facts};
pub use requirement::{PhaseRequirement, Requirement, Selector};
pub use vocabulary::{AttributeType, ConfigType, Fact, ValueType};

use crate::fault::{Code, Fault};
use crate::json::Document;
use crate::registry::vocabulary::{Phase, TableFunction};

/// The name of the file format.
pub const SCHEMA: &str = "cke.circuit";
/// Its version.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// A model family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circuit {
    /// `cke.circuit`.
    pub schema: String,
    /// The version of the format: 1.
    pub schema_version: u32,
    /// The name.
    pub name: String,
    /// One or two sentences for a reader.
    pub description: String,
    /// The architectures described, by their exact name in the model file, with the configuration each fixes.
    pub architectures: BTreeMap<String, BTreeMap<String, Fact>>,
    /// The configuration: where each value comes from.
    pub config: BTreeMap<String, ConfigEntry>,
    /// What must hold between configuration values.
    pub checks: Vec<Check>,
    /// Metadata that would make the model compute something else.
    pub refusals: Vec<Refusal>,
    /// Tensors of the model file.
    pub tensors: BTreeMap<String, Tensor>,
    /// Constants no file holds.
    pub tables: BTreeMap<String, Table>,
    /// Tensors that live across calls.
    pub states: BTreeMap<String, State>,
    /// The phases a program is made for.
    pub phases: Vec<Phase>,
    /// The arguments of a phase, in order.
    pub inputs: Vec<Value>,
    /// The operations before the layers.
    pub header: Vec<Op>,
    /// The layers.
    pub body: Body,
    /// The operations after the layers.
    pub footer: Vec<Op>,
    /// The values a phase returns, in order.
    pub results: Vec<String>,
    /// By operation: the alternatives among which the configuration selects exactly one.
    pub required_contracts: BTreeMap<String, Vec<Requirement>>,
}

/// Where a configuration value comes from. The first source that has it counts: `option`, `key`, `tensor`, the
/// architecture, `default`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigEntry {
    /// Its type. Integers are at least 1.
    #[serde(rename = "type")]
    pub kind: ConfigType,
    /// An option of the importer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// A metadata key of the model file; `{arch}` stands for the architecture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A dimension of a tensor of the model file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor: Option<TensorDimension>,
    /// An [expression](crate::expression) over other values; for text, the text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// For text: the values allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// A dimension of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TensorDimension {
    /// The key of the tensor in the circuit.
    pub name: String,
    /// The index in its logical shape, slowest dimension first.
    pub dimension: usize,
}

/// An integer expression that must have an exact value, and be equal to another if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The expression.
    pub expression: String,
    /// What it must be equal to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// What it means if it does not hold.
    pub reason: String,
}

/// A metadata key that may only be absent or have one of a few values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The key; `{arch}` stands for the architecture.
    pub key: String,
    /// The values that change nothing.
    pub allowed: Vec<Fact>,
    /// What another value would mean.
    pub reason: String,
}

/// A tensor of the model file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tensor {
    /// Its name there; `{layer}` stands for the layer.
    pub name: String,
    /// Its logical shape, slowest dimension first: integer expressions.
    pub shape: Vec<String>,
    /// The tensor that takes its place where the file lacks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// A constant made by a table function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its symbol.
    pub name: String,
    /// Its logical shape: integer expressions.
    pub shape: Vec<String>,
    /// The function that makes it.
    pub function: TableFunction,
    /// The parameters of the function.
    pub params: BTreeMap<String, Attribute>,
}

/// A tensor that lives across calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Its symbol; `{layer}` stands for the layer.
    pub name: String,
    /// The type of its elements.
    pub dtype: ValueType,
    /// Its logical shape: integer expressions.
    pub shape: Vec<String>,
}

/// A value of the dataflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// Its name; defined once.
    pub name: String,
    /// The type of its elements.
    pub dtype: ValueType,
    /// Its shape: `rows` or integer expressions; empty for a scalar.
    pub shape: Vec<String>,
}

/// A compile-time attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: AttributeType,
    /// An expression over the configuration; for text, the name of a configuration value.
    pub value: String,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Op {
    /// Its id in its section; part of the instance name.
    pub id: String,
    /// What it computes: `op` of kernel maps, the operation of that name in the graph dialect.
    pub op: String,
    /// Its role, a key of `required_contracts`.
    pub operation: String,
    /// By port: the value read.
    pub inputs: BTreeMap<String, String>,
    /// By port: the tensor or table read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, String>,
    /// By port: the state read or written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<String, String>,
    /// By port: the value defined.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, Value>,
    /// Its compile-time attributes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Attribute>,
}

/// The layers: operations repeated, with values carried from one layer to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// How often: an integer expression.
    pub repeat: String,
    /// What instance names of a layer begin with, after the phase; `{layer}` stands for the layer.
    pub prefix: String,
    /// The values carried.
    pub carried: Vec<Carried>,
    /// The operations of a layer.
    pub ops: Vec<Op>,
}

/// A value carried through the layers. After them it has its last value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// Its name inside the layers and after them.
    pub name: String,
    /// The value of the header it starts with.
    pub initial: String,
    /// The value of a layer it has in the next one.
    pub next: String,
}

impl Circuit {
    /// The circuit of this project for an architecture, named as in the model file.
    pub fn native(architecture: &str) -> Option<Self> {
        native::circuits().into_iter().find(|circuit| circuit.architectures.contains_key(architecture))
    }

    /// Reads and checks a circuit; `name` stands for the file in errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(name, text)?;
        let circuit: Self = document.decode()?;
        let version = |field, message| Fault::new(Code::UnsupportedVersion, message).at(document.location(&[field]));
        if circuit.schema != SCHEMA {
            return Err(version("schema", format!("schema must be '{SCHEMA}', found '{}'", circuit.schema)));
        }
        if circuit.schema_version != SCHEMA_VERSION {
            let found = circuit.schema_version;
            return Err(version("schema_version", format!("schema_version must be {SCHEMA_VERSION}, found {found}")));
        }
        check::check(&circuit).map_err(|fault| fault.at(document.location(&[])))?;
        Ok(circuit)
    }

    /// The instance name of an operation: phase, layer prefix if it is in the body, id.
    pub fn instance(&self, phase: Phase, layer: Option<usize>, op: &Op) -> String {
        match layer {
            Some(layer) => format!("{phase}/{}/{}", of_layer(&self.body.prefix, layer), op.id),
            None => format!("{phase}/{}", op.id),
        }
    }
}

/// A name with the layer filled in.
pub fn of_layer(template: &str, layer: usize) -> String {
    template.replace("{layer}", &layer.to_string())
}
