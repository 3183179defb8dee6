//! The real v8 contract registries fit the types of this crate, field for field. They are read where they lie, from
//! `$CKE_CORPUS` or `../shared/corpus`, and the test says so when it skips.

use std::path::PathBuf;

use cke_contracts::registry::{ContractKind, Registry};
use serde_json::Value;

fn corpus(file: &str) -> Option<(Value, Registry)> {
    let fallback = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let path = std::env::var_os("CKE_CORPUS").map_or_else(fallback, PathBuf::from).join("cke-v8/contracts").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no corpus file {}", path.display());
        return None;
    };
    let registry = Registry::from_files(&[(file, &text)], &[]).unwrap();
    Some((serde_json::from_str(&text).expect("the corpus is JSON"), registry))
}

/// Nothing is lost or added, and what the file leaves unsaid is known.
fn read_whole(file: &str, kind: ContractKind, count: usize) -> Option<Registry> {
    let (file, registry) = corpus(file)?;
    assert_eq!(registry.contracts.len(), count);
    for (id, contract) in &registry.contracts {
        assert_eq!(contract.kind(), kind);
        assert_eq!(contract.definition(), file["contracts"][id], "{id}");
        assert!(contract.unspecified().contains(&"nan"), "{id}");
    }
    Some(registry)
}

#[test]
fn attention_reductions_are_read() {
    let Some(registry) = read_whole("attention_reductions.json", ContractKind::Attention, 9) else { return };
    // The two differ in their descriptions only: what distinguishes them is no field.
    assert_eq!(registry.equal_contracts(), [("f16_online_single_range", "f16_online_single_range_noscale")]);
}

#[test]
fn quantized_linears_are_read() {
    let Some(registry) = read_whole("quantized_linear.json", ContractKind::Linear, 4) else { return };
    assert_eq!(registry.equal_contracts(), []);
}

#[test]
fn numerical_executions_are_read() {
    let Some(registry) = read_whole("numerical_execution.nodesc.json", ContractKind::Execution, 118) else { return };
    let needs_pin: Vec<_> =
        registry.contracts.iter().filter(|(_, c)| c.unspecified().contains(&"thread_pin")).map(|(id, _)| id).collect();
    assert_eq!(
        needs_pin,
        [
            "bf16_weight_bf16_input_pytorch_onednn_3_12_brgemm_bf16_output",
            "bf16_weight_bf16_input_pytorch_onednn_brgemm_bf16_output",
            "patch_projection_bf16_pytorch_onednn_conv3d_storage",
        ]
    );
}

/// Our statements of the nine attention contracts have every field of v8 as it is, and say the rest.
#[test]
fn our_attention_contracts_repeat_the_corpus() {
    let Some((file, registry)) = corpus("attention_reductions.json") else { return };
    let native = Registry::native().unwrap();
    for id in registry.contracts.keys() {
        let ours = native.contracts[id].meaning();
        let mut theirs = file["contracts"][id].clone();
        let fields = theirs.as_object_mut().unwrap();
        ["status", "description", "validation"].iter().for_each(|prose| drop(fields.remove(*prose)));
        fields.insert("semantics".to_owned(), ours["semantics"].clone());
        assert_eq!(ours, theirs, "{id}");
        assert!(native.contracts[id].unspecified().is_empty(), "{id}");
    }
}
