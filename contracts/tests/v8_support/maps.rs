//! Small kernel maps of the v8 generation, one for each kind of claim, and edits of them.

use serde_json::{Map, Value, json};

/// A value with others at JSON pointers; null deletes a key, and an index past the end appends.
pub fn edited(base: &Value, edits: &[(&'static str, Value)]) -> Value {
    let mut value = base.clone();
    for (pointer, new) in edits {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer begins with a slash");
        match value.pointer_mut(parent).unwrap_or_else(|| panic!("{parent} is not there")) {
            Value::Object(fields) if new.is_null() => drop(fields.remove(key)),
            Value::Object(fields) => drop(fields.insert(key.to_owned(), new.clone())),
            Value::Array(items) => {
                let index: usize = key.parse().expect("an index");
                match items.get_mut(index) {
                    Some(item) => *item = new.clone(),
                    None => items.push(new.clone()),
                }
            }
            _ => panic!("{parent} holds nothing"),
        }
    }
    value
}

/// A map that claims an execution contract, with an operation interface.
pub fn execution() -> Value {
    json!({
        "id": "norm_rows",
        "op": "rmsnorm",
        "operation_interface": "rmsnorm.fp32.v1",
        "contract_schema_version": 1,
        "quant": {"weight": "fp32", "activation": "fp32", "output": "fp32"},
        "inputs": [{"name": "x", "dtype": "fp32", "shape": ["T", "E"], "layout": "row_major"}],
        "outputs": [{"name": "y", "dtype": "fp32", "shape": ["T", "E"], "layout": "row_major"}],
        "dims": ["T", "E"],
        "impl": {"function": "norm_rows"},
        "numerical_capabilities": [claim("norm_rows_fp64_sum", "norm_rows")],
        "call_abi": {
            "version": 1,
            "params": [
                {"name": "x", "source": "activation:x", "ports": ["input:x"]},
                {"name": "y", "source": "output:y", "ports": ["output:y"]},
                {"name": "eps", "source": "const:1e-6"},
            ],
        },
        "notes": "n",
    })
}

/// The claim of an execution contract by a function that cuts rows.
pub fn claim(contract: &str, function: &str) -> Value {
    json!({
        "contract_id": contract,
        "status": "validated",
        "phases": ["prefill", "decode"],
        "function": function,
        "explicit_selector": true,
        "implementation": {
            "isa_dispatch": "runtime",
            "threading": {
                "runtime": "serial",
                "work_partition": ["independent_rows"],
                "dispatch": ["inline"],
                "reduction_order_effect": "none",
            },
        },
        "arithmetic": {
            "partial_accumulator": "fp64",
            "merge_order": "none",
            "deterministic": true,
            "thread_count_changes_arithmetic_order": false,
            "split_strategy": "independent_outputs",
        },
    })
}

/// A map of any operation that claims one execution contract for a weight.
pub fn map(id: &str, op: &str, contract: &str, weight: &str) -> Value {
    json!({
        "id": id,
        "op": op,
        "quant": {"weight": weight},
        "impl": {"function": id},
        "numerical_capabilities": [claim(contract, id)],
        "call_abi": {"version": 1, "params": []},
    })
}

/// A map that claims an attention contract.
pub fn attention() -> Value {
    let mut reductions = Map::new();
    reductions.insert(
        "rows_in_chunks_fp32".to_owned(),
        json!({"status": "validated", "function": "attend", "explicit_selector": true}),
    );
    json!({
        "id": "attend_rows",
        "op": "attention",
        "mode": "decode",
        "contract_schema_version": 1,
        "provides": {
            "execution.phase": ["decode"],
            "tensor.q.dtype": ["fp32"],
            "tensor.kv.dtype": ["fp32"],
            "tensor.layout": ["head_major"],
            "numerics.attention_reduction": ["rows_in_chunks_fp32"],
        },
        "supported_reductions": reductions,
        "implementation": {
            "isa_dispatch": "runtime",
            "threading": {
                "runtime": "ck_threadpool",
                "work_partition": ["kv_chunks_by_workers"],
                "dispatch": ["ck_threadpool_dispatch_n"],
                "reduction_order_effect": "contract_defined",
            },
        },
        "impl": {"function": "attend"},
        "call_abi": {"version": 1, "params": [{"name": "q", "source": "activation:q"}]},
    })
}

/// A map that claims a quantized linear contract.
pub fn linear() -> Value {
    json!({
        "id": "product_q4_k",
        "op": "gemm",
        "contract_schema_version": 1,
        "selection": {
            "status": "production",
            "priority": 1,
            "equivalence_group": "product.v1",
            "phases": ["prefill", "decode"],
        },
        "numerical_contract": "q4_k_x_q8_k_blocks_fp32",
        "reference": {
            "function": "product_q4_k_ref",
            "kind": "scalar_contract_oracle",
            "adapter": "direct",
            "validation": {
                "status": "validated",
                "tests": ["t"],
                "external_oracles": [{"backend": "numpy", "status": "validated", "evidence": "t"}],
            },
        },
        "production": {
            "function": "product_q4_k",
            "threaded_function": "product_q4_k_threads",
            "reference_comparison": {
                "requirement": "bit_exact",
                "absolute_tolerance": 0.0,
                "relative_tolerance": 0.0,
                "tests": ["t"],
            },
        },
        "implementation": {
            "isa_dispatch": "runtime",
            "weight_storage": {"format": "q4_k", "block_elements": 256, "block_bytes": 144},
            "activation_storage": {"format": "q8_k", "block_elements": 256},
            "diagnostic_providers": {"fp32_activation": "f", "row_quantized": "r"},
            "threading": {
                "runtime": "ck_threadpool",
                "work_partition": ["independent_rows"],
                "dispatch": ["ck_threadpool_dispatch_n"],
                "reduction_order_effect": "none",
            },
        },
        "quant": {
            "weight": "q4_k",
            "activation": "q8_k",
            "activation_quantization_contract": "nearest_even",
            "output": "fp32",
        },
        "impl": {"function": "product_q4_k"},
        "call_abi": {"version": 1, "params": [{"name": "A", "source": "activation:a"}]},
    })
}
