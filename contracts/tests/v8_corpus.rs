//! The real v8 contract registries fit the types of this crate, field for field. They are read where they lie, from
//! `$CKE_CORPUS` or `../shared/corpus`, and the test says so when it skips.

use std::path::PathBuf;

use cke_contracts::registry::{ContractKind, Registry};
use serde_json::{Value, json};

fn corpus(file: &str) -> Option<Value> {
    let fallback = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let path = std::env::var_os("CKE_CORPUS").map_or_else(fallback, PathBuf::from).join("cke-v8/contracts").join(file);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).expect("the corpus is JSON")),
        Err(_) => {
            eprintln!("skipped: no corpus file {}", path.display());
            None
        }
    }
}

fn contracts(file: &Value, kind: ContractKind) -> Vec<(String, ContractKind, Value)> {
    let entry = |(id, definition): (&String, &Value)| {
        let mut definition = definition.clone();
        if definition.get("description").is_none() {
            definition["description"] = json!("The corpus drops descriptions.");
        }
        (id.clone(), kind, definition)
    };
    file["contracts"].as_object().expect("a registry").iter().map(entry).collect()
}

#[test]
fn attention_reductions_are_read() {
    let Some(file) = corpus("attention_reductions.json") else { return };
    let registry = Registry::from_values(contracts(&file, ContractKind::Attention), []).unwrap();
    assert_eq!(registry.contracts.len(), 9);
    for (id, contract) in &registry.contracts {
        assert_eq!(contract.definition(), file["contracts"][id], "nothing is lost of {id}");
    }
    // The two differ in their descriptions only: what distinguishes them is no field.
    assert_eq!(registry.equal_contracts(), [("f16_online_single_range", "f16_online_single_range_noscale")]);
}

#[test]
fn numerical_executions_are_read() {
    let Some(file) = corpus("numerical_execution.nodesc.json") else { return };
    let registry = Registry::from_values(contracts(&file, ContractKind::Execution), []).unwrap();
    assert_eq!(registry.contracts.len(), 118);
    for (id, contract) in &registry.contracts {
        let mut definition = contract.definition();
        definition.as_object_mut().unwrap().remove("description");
        assert_eq!(definition, file["contracts"][id], "nothing is lost of {id}");
    }
    assert!(registry.contracts.values().all(|contract| contract.operations().is_none()));
}
