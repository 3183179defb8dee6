//! Registry files: an envelope of contracts of one kind, or one kernel map.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AttentionReduction, Contract, ContractKind, Entry, NumericalExecution, Provider, QuantizedLinear};
use crate::fault::{Code, Fault};
use crate::json::Document;

/// The version of the file formats.
pub const SCHEMA_VERSION: u32 = 1;
/// What `engine_contract_version` says of files of this project, whose contracts have explicit semantics.
pub const ENGINE_CONTRACT_VERSION: &str = "1";
/// What it says of files of the v8 generation, whose contracts leave the explicit semantics unsaid.
pub const V8_CONTRACT_VERSION: &str = "8";

/// The fields every v8 attention contract has, in the order its files list them.
const ATTENTION_FIELDS: [&str; 9] = [
    "q_compute",
    "k_compute",
    "score_accumulator",
    "softmax_statistics",
    "value_compute",
    "value_accumulator",
    "partial_storage",
    "partial_merge",
    "partition",
];

/// A file of contracts of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContractFile<T> {
    /// A remark of whoever made the file.
    #[serde(rename = "_note", default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The kind of the contracts.
    pub schema: String,
    /// The version of the format: 1.
    pub schema_version: u32,
    /// "1" for files of this project, "8" for files of the v8 generation.
    pub engine_contract_version: String,
    /// A list that v8 files of attention contracts carry; always the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_semantic_fields: Option<Vec<String>>,
    /// The contracts by id.
    pub contracts: BTreeMap<String, T>,
}

impl ContractKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Attention, Self::Execution, Self::Linear];

    /// What `schema` says of a file of such contracts.
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Execution => "cke.numerical_execution_contracts",
            Self::Attention => "cke.attention_reduction_contracts",
            Self::Linear => "cke.quantized_linear_contracts",
        }
    }

    /// The kind of the contracts of a file, by what its `schema` says.
    pub fn of_schema(schema: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.schema() == schema)
    }
}

/// The contracts of a file.
pub(super) fn contracts(name: &str, text: &str) -> Result<Vec<Entry<Contract>>, Fault> {
    let document = Document::parse(name, text)?;
    let schema = document.value().get("schema").and_then(Value::as_str);
    match schema.and_then(ContractKind::of_schema) {
        Some(ContractKind::Execution) => entries::<NumericalExecution>(&document, Contract::Execution),
        Some(ContractKind::Attention) => entries::<AttentionReduction>(&document, Contract::Attention),
        Some(ContractKind::Linear) => entries::<QuantizedLinear>(&document, Contract::Linear),
        None => {
            let found = schema.map_or("none".to_owned(), |schema| format!("'{schema}'"));
            let schemas = ContractKind::ALL.map(ContractKind::schema).join("', '");
            let message = format!("schema must be one of '{schemas}', found {found}");
            Err(Fault::new(Code::UnsupportedVersion, message).at(document.location(&["schema"])))
        }
    }
}

fn entries<T: for<'de> Deserialize<'de>>(
    document: &Document,
    kind: fn(T) -> Contract,
) -> Result<Vec<Entry<Contract>>, Fault> {
    let file: ContractFile<T> = document.decode()?;
    let version = |field: &str, expected: &str, found: &str| {
        let message = format!("{field} must be {expected}, found {found}");
        Fault::new(Code::UnsupportedVersion, message).at(document.location(&[field]))
    };
    if file.schema_version != SCHEMA_VERSION {
        let (expected, found) = (SCHEMA_VERSION.to_string(), file.schema_version.to_string());
        return Err(version("schema_version", &expected, &found));
    }
    let is_v8 = match file.engine_contract_version.as_str() {
        ENGINE_CONTRACT_VERSION => false,
        V8_CONTRACT_VERSION => true,
        found => {
            let expected = format!("{ENGINE_CONTRACT_VERSION} or {V8_CONTRACT_VERSION}");
            return Err(version("engine_contract_version", &expected, found));
        }
    };
    let has_list = is_v8 && file.schema == ContractKind::Attention.schema();
    check_field_list(has_list, file.required_semantic_fields.as_deref())
        .map_err(|fault| fault.at(document.location(&["required_semantic_fields"])))?;
    if file.contracts.is_empty() {
        let fault = Fault::new(Code::Schema, "contracts: at least one contract is needed");
        return Err(fault.at(document.location(&["contracts"])));
    }
    let mut places = document.locations(&["contracts"]);
    let entry = |(id, definition): (String, T)| {
        let place = places.remove(&id).expect("every contract stands in the text");
        let definition = kind(definition);
        check_generation(&id, &definition, is_v8).map_err(|fault| fault.at(place.clone()))?;
        Ok(Entry { id, definition, location: Some(place) })
    };
    file.contracts.into_iter().map(entry).collect()
}

/// Files of this project state the semantics, those of v8 cannot.
fn check_generation(id: &str, contract: &Contract, is_v8: bool) -> Result<(), Fault> {
    match (is_v8, contract.operations().is_some()) {
        (false, false) => {
            Err(Fault::new(Code::IncompleteContract, format!("contract '{id}': field 'semantics' is missing")))
        }
        (true, true) => {
            let message = format!(
                "contract '{id}': field 'semantics' is unknown in files of engine_contract_version {V8_CONTRACT_VERSION}"
            );
            Err(Fault::new(Code::Schema, message))
        }
        _ => Ok(()),
    }
}

/// The list that v8 files of attention contracts carry, and no others.
fn check_field_list(has_list: bool, fields: Option<&[String]>) -> Result<(), Fault> {
    let fault = |message: &str| Err(Fault::new(Code::Schema, format!("required_semantic_fields: {message}")));
    match (has_list, fields) {
        (true, Some(fields)) if fields == ATTENTION_FIELDS => Ok(()),
        (true, Some(_)) => fault("the list is not the one of the v8 schema"),
        (true, None) => fault("the list is missing"),
        (false, Some(_)) => fault("only v8 files of attention contracts have the list"),
        (false, None) => Ok(()),
    }
}

/// The provider of a kernel map.
pub(super) fn provider(name: &str, text: &str) -> Result<Entry<Provider>, Fault> {
    let document = Document::parse(name, text)?;
    let provider: Provider = document.decode()?;
    Ok(Entry { id: provider.id.clone(), location: Some(document.location(&["id"])), definition: provider })
}
