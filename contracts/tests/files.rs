//! Registry files: every fault names file, line, column and path.

use cke_contracts::fault::Code;
use cke_contracts::registry::Registry;

const EXECUTION: &str = include_str!("../data/contracts/numerical_execution.json");
const ATTENTION: &str = include_str!("../data/contracts/attention_reductions.json");
const LINEAR: &str = include_str!("../data/kernel_maps/cke_linear_fp32.json");

fn contracts_fault(text: &str) -> (Code, String) {
    let fault = Registry::from_files(&[("c.json", text)], &[]).unwrap_err();
    (fault.code, format!("{}: {}", fault.location.expect("a file has a place"), fault.message))
}

fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "'{from}' is in the file");
    text.replacen(from, to, 1)
}

#[test]
fn native_files_load_one_by_one() {
    let registry = Registry::from_files(&[("c.json", EXECUTION)], &[("p.json", LINEAR)]).unwrap();
    assert_eq!((registry.contracts.len(), registry.providers.len()), (10, 1));
}

#[test]
fn envelopes_are_checked() {
    let unsupported = |from: &str, to: &str, message: &str| {
        let (code, found) = contracts_fault(&edited(EXECUTION, from, to));
        assert_eq!((code, found.as_str()), (Code::UnsupportedVersion, message));
    };
    unsupported(
        "cke.numerical_execution_contracts",
        "cke.other",
        "c.json:2:3: schema must be one of 'cke.attention_reduction_contracts', 'cke.numerical_execution_contracts', \
         'cke.quantized_linear_contracts', found 'cke.other'",
    );
    unsupported("\"schema_version\": 1", "\"schema_version\": 2", "c.json:3:3: schema_version must be 1, found 2");
    unsupported(
        "\"engine_contract_version\": \"1\"",
        "\"engine_contract_version\": \"7\"",
        "c.json:4:3: engine_contract_version must be 1 or 8, found 7",
    );
    let empty = r#"{"schema": "cke.attention_reduction_contracts", "schema_version": 1, "engine_contract_version": "1",
                    "contracts": {}}"#;
    let (code, found) = contracts_fault(empty);
    assert_eq!((code, found.as_str()), (Code::Schema, "c.json:2:21: contracts: at least one contract is needed"));
    assert_eq!(contracts_fault("[]").0, Code::UnsupportedVersion);
    assert_eq!(contracts_fault("{").0, Code::BadJson);
}

#[test]
fn a_schema_fault_names_path_and_place() {
    let (code, found) = contracts_fault(&edited(ATTENTION, "\"chunk_extent\": 1024", "\"chunk_extant\": 1024"));
    assert_eq!(code, Code::Schema);
    assert!(found.starts_with("c.json:16:"), "{found}");
    assert!(found.contains("contracts.fp32_exact_max_kv_chunks_1024.partition.chunk_extant: unknown field"), "{found}");
}

#[test]
fn a_duplicate_key_is_refused_where_it_stands() {
    let text = edited(ATTENTION, "\"status\": \"validated\",", "\"status\": \"validated\",\n\"status\": \"observed\",");
    let (code, found) = contracts_fault(&text);
    assert_eq!((code, found.as_str()), (Code::DuplicateKey, "c.json:8:1: key 'status' is given twice in one object"));
}

#[test]
fn a_check_names_the_place_of_the_definition() {
    let (code, found) = contracts_fault(&edited(ATTENTION, "\"chunk_extent\": 1024", "\"chunk_extent\": 0"));
    assert_eq!(code, Code::ContradictoryContract);
    assert_eq!(found, "c.json:6:5: contract 'fp32_exact_max_kv_chunks_1024': partition.chunk_extent is 0");
}

#[test]
fn duplicates_across_files_name_both_places() {
    let fault = Registry::from_files(&[("a.json", ATTENTION), ("b.json", ATTENTION)], &[]).unwrap_err();
    assert_eq!(fault.code, Code::DuplicateId);
    assert_eq!(
        fault.to_string(),
        "b.json:6:5: error: contract 'fp32_exact_max_kv_chunks_1024' is defined twice [CKE-C023]\n  \
         note: also defined at a.json:6:5\n  \
         help: repair the circuit, the contract registry or the kernel map; nothing else may change a decision"
    );
}

#[test]
fn kernel_maps_are_located_too() {
    let text = edited(LINEAR, "\"version\": 1", "\"version\": 3");
    let fault = Registry::from_files(&[("c.json", EXECUTION)], &[("p.json", &text)]).unwrap_err();
    assert_eq!(fault.code, Code::BadCallAbi);
    assert_eq!(fault.location.unwrap().to_string(), "p.json:3:3");
}
