//! What kernel maps of the v8 generation say they are and fulfil, with every rule broken once.

mod v8_support;

use cke_contracts::fault::Code;
use cke_contracts::v8::{Bindings, KernelMap};
use serde_json::json;
use v8_support::faults::{case, check, gone};
use v8_support::maps::{attention, edited, execution, linear};

#[test]
fn identities_are_whole() {
    check(
        &execution(),
        vec![
            case([("/id", gone())], Code::IncompleteIdentity, "id: expected a name", "{"),
            case([("/op", json!(" "))], Code::IncompleteIdentity, "op: expected a name", "\"op\""),
            case([("/impl/function", gone())], Code::IncompleteIdentity, "impl.function: expected", "\"impl\""),
            case([("/colour", json!("red"))], Code::Schema, "unknown field `colour`", "\"colour\""),
            case([("/notes", json!(7))], Code::Schema, "notes: invalid type", "\"notes\""),
            case(
                [("/contract_schema_version", json!(2))],
                Code::UnsupportedVersion,
                "must be 1, found 2",
                "\"contract_",
            ),
        ],
    );
}

#[test]
fn claims_of_execution_contracts_agree_with_them() {
    let claim = "/numerical_capabilities/0";
    let at = |field: &str| -> &'static str { Box::leak(format!("{claim}{field}").into_boxed_str()) };
    check(
        &execution(),
        vec![
            case([(at("/contract_id"), json!("FP16"))], Code::AmbiguousId, "'FP16' is ambiguous", "\"contract_id\""),
            case(
                [(at("/contract_id"), json!("strict"))],
                Code::AmbiguousId,
                "'strict' is ambiguous",
                "\"contract_id\"",
            ),
            case(
                [(at("/contract_id"), json!("norm_of_nobody"))],
                Code::ProviderUnknownContract,
                "contract 'norm_of_nobody' is not defined",
                "\"contract_id\"",
            ),
            case(
                [(at("/contract_id"), json!("rows_in_chunks_fp32"))],
                Code::ProviderUnknownContract,
                "'rows_in_chunks_fp32' is no execution contract",
                "{",
            ),
            case(
                [(at("/function"), json!("other"))],
                Code::FunctionDisagreement,
                "function 'other' is not 'norm_rows' of impl",
                "\"function\"",
            ),
            case(
                [(at("/explicit_selector"), json!(false))],
                Code::BadCapability,
                "explicit_selector must be true",
                "{",
            ),
            case([(at("/phases"), json!([]))], Code::BadCapability, "it holds for no phase", "{"),
            case([(at("/phases"), json!(["training"]))], Code::BadCapability, "phase training is none of", "{"),
            case(
                [(at("/arithmetic/merge_order"), json!("ascending_chunk"))],
                Code::ArithmeticDisagreement,
                "merge_order is ascending_chunk, the contract has none",
                "\"arithmetic\"",
            ),
            case(
                [(at("/implementation/threading/work_partition"), json!(["serial"]))],
                Code::ThreadingDisagreement,
                "does not have the contract's independent_rows",
                "\"threading\"",
            ),
            case(
                [(at("/implementation/threading/reduction_order_effect"), json!("contract_defined"))],
                Code::ThreadingDisagreement,
                "reduction_order_effect is contract_defined, the contract has none",
                "\"threading\"",
            ),
            case(
                [(at("/implementation/threading/runtime"), json!("ck_threadpool"))],
                Code::NoThreadedEntry,
                "no dispatch hands work to threads",
                "\"threading\"",
            ),
        ],
    );
}

#[test]
fn claims_of_attention_contracts_agree_with_them() {
    check(
        &attention(),
        vec![
            case(
                [("/supported_reductions/rows_in_chunks_fp32/function", json!("other"))],
                Code::FunctionDisagreement,
                "function 'other' is not 'attend' of impl",
                "\"function\"",
            ),
            case(
                [("/provides/numerics.attention_reduction", json!(["rows_whole_fp32"]))],
                Code::BadProvides,
                "provides does not advertise it",
                "\"rows_in_chunks_fp32\"",
            ),
            case(
                [("/provides/numerics.attention_reduction", json!(["rows_in_chunks_fp32", "rows_whole_fp32"]))],
                Code::BadProvides,
                "advertises 'rows_whole_fp32', which is no supported reduction",
                "\"numerics.attention_reduction\"",
            ),
            case(
                [("/provides/tensor.layout", json!([]))],
                Code::BadProvides,
                "expected at least one",
                "\"tensor.layout\"",
            ),
            case(
                [("/provides/tensor.layout", json!("head_major"))],
                Code::Schema,
                "provides.tensor.layout",
                "\"tensor.layout\"",
            ),
            case([("/provides/tensor.colour", json!(["red"]))], Code::Schema, "unknown field", "\"tensor.colour\""),
            case(
                [("/provides/execution.phase", json!(["prefill"]))],
                Code::BadProvides,
                "mode decode is not",
                "\"execution.phase\"",
            ),
            case(
                [("/implementation/threading/work_partition", json!(["independent_heads"]))],
                Code::ThreadingDisagreement,
                "does not have the contract's kv_chunks_by_workers",
                "\"threading\"",
            ),
            case(
                [("/implementation/threading/reduction_order_effect", json!("none"))],
                Code::ThreadingDisagreement,
                "the contract cuts the reduction",
                "\"threading\"",
            ),
            case(
                [("/implementation/threading/reduction_order_effect", json!("implementation_defined"))],
                Code::ThreadingDisagreement,
                "the contract fixes the order",
                "\"threading\"",
            ),
            case([("/implementation", gone())], Code::BadCapability, "a claim says how its function runs", "{"),
            case([("/call_abi", gone())], Code::BadCallAbi, "says how it is called", "{"),
        ],
    );
    let whole = json!({"rows_whole_fp32": attention()["supported_reductions"]["rows_in_chunks_fp32"]});
    check(
        &attention(),
        vec![case(
            [("/supported_reductions", whole), ("/provides/numerics.attention_reduction", json!(["rows_whole_fp32"]))],
            Code::ThreadingDisagreement,
            "has kv_chunks_by_workers, which the contract does not allow",
            "\"threading\"",
        )],
    );
}

#[test]
fn claims_of_linear_contracts_agree_with_them() {
    check(
        &linear(),
        vec![
            case(
                [("/reference/function", json!("product_fast"))],
                Code::UnprovenOracle,
                "'product_fast' is no scalar oracle: its name does not end in '_ref'",
                "\"function\"",
            ),
            case(
                [("/reference/kind", json!("llama_repacked_graph_oracle"))],
                Code::UnprovenOracle,
                "no comparison with llama's graph is validated",
                "\"validation\"",
            ),
            case(
                [
                    ("/reference/kind", json!("llama_repacked_graph_oracle")),
                    ("/reference/validation/external_oracles/0/backend", json!("llama.cpp graph")),
                    ("/production/reference_comparison/requirement", json!("contract_tolerance")),
                ],
                Code::UnprovenOracle,
                "the provider is not compared bit for bit",
                "\"reference_comparison\"",
            ),
            case(
                [("/production/reference_comparison/absolute_tolerance", json!(1e-3))],
                Code::UnprovenOracle,
                "bit_exact allows no tolerance",
                "\"reference_comparison\"",
            ),
            case(
                [("/production/function", json!("other"))],
                Code::FunctionDisagreement,
                "function 'other'",
                "\"function\"",
            ),
            case(
                [("/production/threaded_function", gone())],
                Code::NoThreadedEntry,
                "threaded_function is not there",
                "\"production\"",
            ),
            case(
                [("/production", gone())],
                Code::BadCapability,
                "expected reference and production",
                "\"numerical_contract\"",
            ),
            case([("/numerical_contract", gone())], Code::BadCapability, "belong to a numerical_contract", "{"),
            case(
                [("/implementation/threading/reduction_order_effect", json!("contract_defined"))],
                Code::ThreadingDisagreement,
                "the contract has none",
                "\"threading\"",
            ),
            case(
                [("/implementation/weight_storage", gone())],
                Code::StorageDisagreement,
                "expected weight_storage and activation_storage",
                "\"implementation\"",
            ),
            case(
                [("/implementation/weight_storage/format", json!("q6_k"))],
                Code::StorageDisagreement,
                "q6_k, the contract has q4_k",
                "\"format\"",
            ),
            case(
                [("/implementation/activation_storage/block_elements", json!(32))],
                Code::StorageDisagreement,
                "32, the contract has 256",
                "\"block_elements\"",
            ),
            case(
                [("/implementation/weight_storage/block_bytes", json!(145))],
                Code::StorageDisagreement,
                "145, a block of q4_k has 144",
                "\"block_bytes\"",
            ),
            case(
                [("/quant/weight", json!("q6_k|q8_0"))],
                Code::StorageDisagreement,
                "q6_k|q8_0, the contract has q4_k",
                "\"weight\"",
            ),
            case(
                [("/implementation/diagnostic_providers", gone())],
                Code::StorageDisagreement,
                "expected diagnostic_providers",
                "\"implementation\"",
            ),
            case(
                [("/implementation/diagnostic_providers/row_quantized", gone())],
                Code::StorageDisagreement,
                "expected row_quantized",
                "\"diagnostic_providers\"",
            ),
            case(
                [("/quant/activation_quantization_contract", gone())],
                Code::NoQuantizationContract,
                "activation is q8_k, but",
                "\"quant\"",
            ),
            case(
                [("/quant/activation_quantization_contract", json!({"prefill": "nearest_even"}))],
                Code::NoQuantizationContract,
                "says nothing for phase decode",
                "\"quant\"",
            ),
        ],
    );
}

#[test]
fn null_is_not_absence() {
    let null = execution().to_string().replacen("\"notes\":\"n\"", "\"notes\":null", 1);
    assert_eq!(KernelMap::read("map.json", &null).unwrap_err().code, Code::Schema);
    let weightless = edited(&execution(), &[("/quant", json!({}))]).to_string();
    let null = weightless.replacen("\"quant\":{}", "\"quant\":{\"weight\":null}", 1);
    let (absent, null) =
        (KernelMap::read("map.json", &weightless).unwrap(), KernelMap::read("map.json", &null).unwrap());
    assert_eq!(absent.definition()["quant"], json!({}));
    assert_eq!(null.definition()["quant"], json!({"weight": null}));
}

#[test]
fn binding_tables_have_known_sources() {
    let table = |source: &str| {
        let table = json!({"bindings": {"f": {"params": [{"name": "x", "source": source}]}}});
        Bindings::read("bindings.json", &table.to_string())
    };
    assert!(table("param:eps").is_ok() && table("null").is_ok());
    let fault = table("ether:x").unwrap_err();
    assert_eq!(fault.code, Code::BadCallAbi);
    assert!(fault.message.contains("bindings.f.params.0: source 'ether:x' has an unknown namespace"), "{fault}");
}
