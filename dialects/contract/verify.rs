//! Applies the typed schema of the registries to the definitions of the dialect.
//!
//! Known gap: rules between definitions (a provider that claims an unknown contract, two contracts of equal meaning)
//! need the whole registry; `resolve-contracts` and `verify-contracts` apply them when they read it.

use super::json::{from_json, to_json};
use cke_contracts::circuit::Circuit;
use cke_contracts::registry::{Contract, ContractFile, ContractKind, Provider};
use cke_contracts::v8;
use cke_mlir::ir::{Attr, Op};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

type Verdict = Result<(), String>;

fn definition(op: Op<'_>) -> Result<Value, String> {
    to_json(op.attr("definition").ok_or("requires attribute 'definition'")?)
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    cke_contracts::json::from_value(value)
        .map_err(|fault| format!("has a definition that breaks its schema: {} [{}]", fault.message, fault.code))
}

/// `contract.execution`
pub fn execution(op: Op<'_>) -> Verdict {
    contract(op, read(&definition(op)?).map(Contract::Execution)?)
}

/// `contract.attention`
pub fn attention(op: Op<'_>) -> Verdict {
    contract(op, read(&definition(op)?).map(Contract::Attention)?)
}

/// `contract.linear`
pub fn linear(op: Op<'_>) -> Verdict {
    contract(op, read(&definition(op)?).map(Contract::Linear)?)
}

/// What a contract leaves unsaid is listed, neither more nor less.
fn contract(op: Op<'_>, contract: Contract) -> Verdict {
    let unsaid = contract.unspecified();
    let expected = (!unsaid.is_empty()).then(|| from_json(op.context(), &json!(unsaid))).flatten();
    let found = op.attr("unspecified");
    if found == expected {
        return Ok(());
    }
    let show = |list: Option<Attr<'_>>| list.map_or_else(|| "no 'unspecified'".to_owned(), |list| list.to_string());
    Err(format!("leaves unsaid {}, found {}", show(expected), show(found)))
}

/// `contract.file`
pub fn file(op: Op<'_>) -> Verdict {
    let mut definition = definition(op)?;
    let fields = definition.as_object_mut().ok_or("requires a dictionary as 'definition'")?;
    if fields.insert("contracts".to_owned(), json!({})).is_some() {
        return Err("holds 'contracts', which are operations of their own".to_owned());
    }
    let file: ContractFile<Value> = read(&definition)?;
    match ContractKind::of_schema(&file.schema) {
        Some(_) => Ok(()),
        None => Err(format!("has schema '{}', which is none of a file of contracts", file.schema)),
    }
}

/// `contract.provider`
pub fn provider(op: Op<'_>) -> Verdict {
    read::<Provider>(&definition(op)?).map(drop)
}

/// `contract.kernel_map`
pub fn kernel_map(op: Op<'_>) -> Verdict {
    let map: v8::KernelMap = read(&definition(op)?)?;
    let symbol = op.symbol_name().unwrap_or_default();
    match map.id == symbol {
        true => Ok(()),
        false => Err(format!("is named '{symbol}', but its definition has the id '{}'", map.id)),
    }
}

/// `contract.circuit`
pub fn circuit(op: Op<'_>) -> Verdict {
    let definition = definition(op)?;
    match definition.get("schema") {
        Some(_) => read::<Circuit>(&definition).map(drop),
        None => read::<v8::Circuit>(&definition).map(drop),
    }
}

/// `contract.manifest`
pub fn manifest(op: Op<'_>) -> Verdict {
    read::<v8::Manifest>(&definition(op)?).map(drop)
}

/// `contract.bindings`
pub fn bindings(op: Op<'_>) -> Verdict {
    read::<v8::Bindings>(&definition(op)?).map(drop)
}
