//! Registry files: an envelope of contracts of one kind, or one kernel map.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Contract, Entry, Provider};
use crate::fault::{Code, Fault};
use crate::json::Document;

/// The version of the file formats.
pub const SCHEMA_VERSION: u32 = 1;
/// The version of the contracts' meaning.
pub const ENGINE_CONTRACT_VERSION: &str = "1";

const EXECUTION_SCHEMA: &str = "cke.numerical_execution_contracts";
const ATTENTION_SCHEMA: &str = "cke.attention_reduction_contracts";

/// The envelope of a file of contracts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<T> {
    #[serde(rename = "schema")]
    _schema: String,
    schema_version: u32,
    engine_contract_version: String,
    contracts: BTreeMap<String, T>,
}

/// The contracts of a file.
pub(super) fn contracts(name: &str, text: &str) -> Result<Vec<Entry<Contract>>, Fault> {
    let document = Document::parse(name, text)?;
    match document.value().get("schema").and_then(Value::as_str) {
        Some(EXECUTION_SCHEMA) => entries(&document, Contract::Execution),
        Some(ATTENTION_SCHEMA) => entries(&document, Contract::Attention),
        found => {
            let found = found.map_or("none".to_owned(), |schema| format!("'{schema}'"));
            let message = format!("schema must be '{EXECUTION_SCHEMA}' or '{ATTENTION_SCHEMA}', found {found}");
            Err(Fault::new(Code::UnsupportedVersion, message).at(document.location(&["schema"])))
        }
    }
}

fn entries<T: for<'de> Deserialize<'de>>(
    document: &Document,
    kind: fn(T) -> Contract,
) -> Result<Vec<Entry<Contract>>, Fault> {
    let envelope: Envelope<T> = document.decode()?;
    let version = |field: &str, expected: &str, found: &str| {
        let message = format!("{field} must be {expected}, found {found}");
        Fault::new(Code::UnsupportedVersion, message).at(document.location(&[field]))
    };
    if envelope.schema_version != SCHEMA_VERSION {
        let (expected, found) = (SCHEMA_VERSION.to_string(), envelope.schema_version.to_string());
        return Err(version("schema_version", &expected, &found));
    }
    if envelope.engine_contract_version != ENGINE_CONTRACT_VERSION {
        return Err(version("engine_contract_version", ENGINE_CONTRACT_VERSION, &envelope.engine_contract_version));
    }
    if envelope.contracts.is_empty() {
        let fault = Fault::new(Code::Schema, "contracts: at least one contract is needed");
        return Err(fault.at(document.location(&["contracts"])));
    }
    let entry = |(id, definition): (String, T)| {
        let location = Some(document.location(&["contracts", &id]));
        Entry { id, definition: kind(definition), location }
    };
    Ok(envelope.contracts.into_iter().map(entry).collect())
}

/// The provider of a kernel map.
pub(super) fn provider(name: &str, text: &str) -> Result<Entry<Provider>, Fault> {
    let document = Document::parse(name, text)?;
    let provider: Provider = document.decode()?;
    Ok(Entry { id: provider.id.clone(), location: Some(document.location(&["id"])), definition: provider })
}
