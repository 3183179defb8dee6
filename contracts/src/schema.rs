//! The JSON Schema (draft 2020-12) of every file format, made from the types that read the files.
//!
//! A schema describes form: fields, types, words. What fields mean together is checked when a registry or a circuit is
//! made. The schemas lie under `contracts/schemas/`; `make docs` writes them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::circuit::{Circuit, SCHEMA as CIRCUIT_SCHEMA, SCHEMA_VERSION as CIRCUIT_VERSION};
use crate::evidence::EvidenceFile;
use crate::registry::{
    AttentionReduction, ContractFile, ContractKind, ENGINE_CONTRACT_VERSION, NumericalExecution, Provider,
    QuantizedLinear, SCHEMA_VERSION, V8_CONTRACT_VERSION,
};
use crate::v8;

/// A schema and the name of its file, without folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Such as `circuit.schema.json`.
    pub file: &'static str,
    /// The schema.
    pub schema: Schema,
}

impl Published {
    /// The text of the file.
    pub fn text(&self) -> String {
        format!("{:#}\n", self.schema.as_value())
    }
}

/// Every schema, by name of file.
pub fn published() -> Vec<Published> {
    vec![
        contracts::<AttentionReduction>("attention_reductions.schema.json", ContractKind::Attention),
        circuit(),
        Published { file: "evidence.schema.json", schema: of::<EvidenceFile>() },
        Published { file: "kernel_map.schema.json", schema: of::<Provider>() },
        contracts::<NumericalExecution>("numerical_execution.schema.json", ContractKind::Execution),
        contracts::<QuantizedLinear>("quantized_linear.schema.json", ContractKind::Linear),
        Published { file: "v8_bindings.schema.json", schema: of::<v8::Bindings>() },
        Published { file: "v8_circuit.schema.json", schema: of::<v8::Circuit>() },
        Published { file: "v8_kernel_map.schema.json", schema: of::<v8::KernelMap>() },
        Published { file: "v8_manifest.schema.json", schema: of::<v8::Manifest>() },
    ]
}

/// The schema of a type as it is written: what is always written is required.
fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

fn circuit() -> Published {
    let mut schema = of::<Circuit>();
    fix(&mut schema, "schema", json!(CIRCUIT_SCHEMA));
    fix(&mut schema, "schema_version", json!(CIRCUIT_VERSION));
    Published { file: "circuit.schema.json", schema }
}

/// Files of contracts of one kind, of both generations: what one must state the other cannot.
fn contracts<T: JsonSchema>(file: &'static str, kind: ContractKind) -> Published {
    let mut schema = of::<ContractFile<T>>();
    fix(&mut schema, "schema", json!(kind.schema()));
    fix(&mut schema, "schema_version", json!(SCHEMA_VERSION));
    let versions = json!({ "type": "string", "enum": [ENGINE_CONTRACT_VERSION, V8_CONTRACT_VERSION] });
    properties(&mut schema)["engine_contract_version"] = versions;
    properties(&mut schema)["contracts"]["minProperties"] = json!(1);
    let is_v8 = json!({ "properties": { "engine_contract_version": { "const": V8_CONTRACT_VERSION } } });
    let list_is = |present: bool| match present {
        true => json!({ "required": ["required_semantic_fields"] }),
        false => json!({ "properties": { "required_semantic_fields": false } }),
    };
    let all = |contract: Value, list: bool| {
        let contracts = json!({ "properties": { "contracts": { "additionalProperties": contract } } });
        json!({ "allOf": [contracts, list_is(list)] })
    };
    schema.insert("if".to_owned(), is_v8);
    let has_list = kind == ContractKind::Attention;
    schema.insert("then".to_owned(), all(json!({ "properties": { "semantics": false } }), has_list));
    schema.insert("else".to_owned(), all(json!({ "required": ["semantics", "description"] }), false));
    Published { file, schema }
}

/// Gives a field the only value it may have.
fn fix(schema: &mut Schema, field: &str, value: Value) {
    properties(schema)[field]["const"] = value;
}

fn properties(schema: &mut Schema) -> &mut Value {
    schema.get_mut("properties").expect("a file is an object")
}
