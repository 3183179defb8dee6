//! Small contracts of the v8 generation, one of each kind and one more for attention.

use cke_contracts::registry::{ContractKind, Registry};
use serde_json::{Map, Value, json};

pub fn registry() -> Registry {
    let files = [
        v8_file(
            ContractKind::Attention,
            [
                (
                    "rows_in_chunks_fp32",
                    attention(json!({
                        "kind": "kv_chunks_by_workers",
                        "threshold": 512,
                        "extent_source": "valid_kv_rounded",
                        "extent_alignment": 256,
                        "below_threshold_chunks": 1,
                        "at_or_above_threshold_chunks": "runtime_worker_count",
                    })),
                ),
                ("rows_whole_fp32", attention(json!({"kind": "single_range"}))),
            ],
        ),
        v8_file(
            ContractKind::Execution,
            [
                ("norm_rows_fp64_sum", execution("rmsnorm", "fp32")),
                ("gelu_table_lookup", execution("gelu", "none")),
                ("gelu_tanh_formula", execution("gelu", "none")),
                ("down_product_q4", execution("gemm", "q4_k")),
                ("down_product_q6", execution("gemm", "q6_k")),
            ],
        ),
        v8_file(ContractKind::Linear, [("q4_k_x_q8_k_blocks_fp32", linear())]),
    ];
    let texts = files.map(|file| file.to_string());
    let texts: Vec<_> = ["a.json", "e.json", "l.json"].into_iter().zip(texts.iter().map(String::as_str)).collect();
    Registry::from_files(&texts, &[]).unwrap_or_else(|fault| panic!("{fault}"))
}

fn v8_file<const N: usize>(kind: ContractKind, contracts: [(&str, Value); N]) -> Value {
    let fields = [
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
    let mut file = json!({
        "schema": kind.schema(),
        "schema_version": 1,
        "engine_contract_version": "8",
        "contracts": Map::from_iter(contracts.map(|(id, contract)| (id.to_owned(), contract))),
    });
    if kind == ContractKind::Attention {
        file["required_semantic_fields"] = json!(fields);
    }
    file
}

fn attention(partition: Value) -> Value {
    let chunked = partition["kind"] == "kv_chunks_by_workers";
    json!({
        "status": "validated",
        "q_compute": "fp32",
        "k_compute": "fp32",
        "score_accumulator": "fp32",
        "softmax_statistics": "fp32",
        "value_compute": "fp32",
        "value_accumulator": "fp32",
        "partial_storage": if chunked { "fp32" } else { "none" },
        "partial_merge": if chunked { "fp32_chunk_order" } else { "none" },
        "partition": partition,
    })
}

fn execution(family: &str, weight: &str) -> Value {
    json!({
        "operator_family": family,
        "status": "validated",
        "storage": {"input": "fp32", "weight": weight, "output": "fp32"},
        "compute": {"input": "fp32", "weight": "fp32", "accumulator": "fp64"},
        "rounding": {"mode": "rne", "points": ["output_store"]},
        "reduction": {"kind": "sum", "order": "left_to_right", "partial_accumulator": "fp64", "merge_order": "none"},
        "threading": {
            "work_partition": "independent_rows",
            "split_strategy": "independent_outputs",
            "deterministic": true,
            "thread_count_changes_arithmetic_order": false,
        },
        "position_transform": null,
    })
}

fn linear() -> Value {
    json!({
        "status": "validated",
        "weight": {"format": "q4_k", "block_size": 256, "layout": "ggml_q4_k"},
        "activation": {
            "format": "q8_k",
            "block_size": 256,
            "layout": "ggml_q8_k",
            "quantization": "quantize_row_q8_k_ref",
        },
        "dot": {
            "integer_accumulator": "int32",
            "block_scale_application": "after_block_sums",
            "block_order": "ascending_k",
            "fp32_accumulator_lanes": 8,
        },
        "output": {"accumulator": "fp32", "bias": "after_complete_dot", "storage": "fp32"},
        "parallel_reduction": {"kind": "independent_outputs", "reduction_order_effect": "none"},
    })
}
