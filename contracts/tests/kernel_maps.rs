//! Every rule of a kernel map, each with a definition that breaks it.

mod support;

use cke_contracts::fault::Code;
use serde_json::{Value, json};
use support::{Definitions, expect_fault, expect_provider_fault, set};

const ATTENTION: &str = "cke_attention_fp32";
const LINEAR: &str = "cke_linear_fp32";
const RESIDUAL: &str = "cke_residual_add_fp32";
const RMSNORM: &str = "cke_rmsnorm_fp32";
const ROPE: &str = "cke_rope_pairwise_fp32";

type Case<'a> = (&'a str, Vec<(&'a str, Value)>, &'a str);

fn all(code: Code, cases: Vec<Case>) {
    for (id, edits, message) in cases {
        expect_provider_fault(id, &edits, code, message);
    }
}

#[test]
fn fields_are_known_and_typed() {
    all(
        Code::Schema,
        vec![
            (
                LINEAR,
                vec![("/priority", json!(1))],
                "priority: unknown field `priority`, expected one of \
              `contract_schema_version`, `id`, `op`, `phases`, `status`, `operation_interface`, \
              `selection`, `constraints`, `quant`, `inputs`, `weights`, `states`, `outputs`, `scratch`, `dims`, `params`, \
              `numerical_capabilities`, `provides`, `call_abi`, `impl`, `notes`",
            ),
            (LINEAR, vec![("/call_abi", Value::Null)], "missing field `call_abi`"),
            (
                LINEAR,
                vec![("/inputs/0/layout", json!("column_major"))],
                "inputs[0].layout: unknown layout \
              'column_major', expected one of: row_major, panels_n32, k_blocks_t16, head_major",
            ),
            (
                LINEAR,
                vec![("/inputs/0/shape/0", json!(-1))],
                "inputs[0].shape[0]: size -1 is not between 0 and 2^32 - 1",
            ),
            (
                LINEAR,
                vec![("/inputs/0/shape/0", json!(1_u64 << 40))],
                "inputs[0].shape[0]: size 1099511627776 does not \
              fit 32 bits",
            ),
            (
                LINEAR,
                vec![("/inputs/0/shape/0", json!(true))],
                "inputs[0].shape[0]: invalid type: boolean `true`, \
              expected the name of a dimension or its size",
            ),
            (
                ROPE,
                vec![("/dims/1/unit", json!("x"))],
                "dims[1].unit: unknown field `unit`, expected `name` or \
              `expression`",
            ),
        ],
    );
}

#[test]
fn ids_are_well_formed_and_unique() {
    let mut definitions = Definitions::native();
    definitions.derive_provider(LINEAR, "fast");
    let message = "provider 'fast': its id 'fast' is ambiguous: it names a type or a policy";
    expect_fault(definitions.load(), Code::AmbiguousId, message);
    let mut definitions = Definitions::native();
    definitions.providers.push(definitions.providers[0].clone());
    expect_fault(definitions.load(), Code::DuplicateId, "provider 'cke_argmax_fp32' is defined twice");
    let edits = [("/id", json!("cke_other"))];
    expect_provider_fault(LINEAR, &edits, Code::DuplicateId, "the definition calls itself 'cke_other'");
    let edits = [("/contract_schema_version", json!(2))];
    let message = "contract_schema_version must be 1, found 2";
    expect_provider_fault(LINEAR, &edits, Code::UnsupportedVersion, message);
}

#[test]
fn ports_are_well_formed() {
    let generated =
        [("/weights/0/preparation", json!("rope_table_fp64_series")), ("/weights/0/layout", json!("row_major"))];
    all(
        Code::BadPort,
        vec![
            (LINEAR, vec![("/outputs/0/name", json!("x"))], "port 'x' is declared twice"),
            (LINEAR, vec![("/inputs/0/name", json!(""))], "port 'activation:': has no name"),
            (LINEAR, vec![("/inputs/0/shape/0", json!(0))], "port 'activation:x': has an empty dimension"),
            (
                LINEAR,
                vec![("/inputs/0/layout", json!("head_major"))],
                "port 'activation:x': layout head_major takes 3 \
              dimensions, found 2",
            ),
            (LINEAR, vec![("/weights/0/preparation", Value::Null)], "port 'weight:w': a weight needs a preparation"),
            (LINEAR, vec![("/weights/0/storage", json!([]))], "port 'weight:w': a weight needs at least one storage"),
            (
                LINEAR,
                vec![("/weights/0/storage", json!(["f32", "f32"]))],
                "port 'weight:w': storage f32 is given twice",
            ),
            (
                LINEAR,
                vec![("/weights/0/layout", json!("row_major"))],
                "port 'weight:w': preparation \
              expand_fp32_panels_n32 gives fp32 in panels_n32, the port has fp32 in row_major",
            ),
            (
                LINEAR,
                vec![("/weights/0/dtype", json!("fp16"))],
                "port 'weight:w': preparation expand_fp32_panels_n32 \
              gives fp32 in panels_n32, the port has fp16 in panels_n32",
            ),
            (
                LINEAR,
                vec![("/weights/0/storage", json!(["generated"]))],
                "port 'weight:w': preparation \
              expand_fp32_panels_n32 does not read storage generated",
            ),
            (
                LINEAR,
                generated.to_vec(),
                "port 'weight:w': preparation rope_table_fp64_series does not read storage f32",
            ),
            (LINEAR, vec![("/inputs/0/storage", json!(["f32"]))], "port 'activation:x': only a weight has storage"),
            (
                LINEAR,
                vec![("/inputs/0/preparation", json!("expand_fp32"))],
                "port 'activation:x': only a weight has a \
              preparation",
            ),
            (LINEAR, vec![("/inputs/0/size_bytes", json!("k"))], "port 'activation:x': only scratch has size_bytes"),
            (
                ATTENTION,
                vec![("/scratch/0/size_bytes", Value::Null)],
                "port 'scratch:scores': scratch needs size_bytes",
            ),
            (
                ATTENTION,
                vec![("/scratch/0/size_bytes", json!("rows * 4"))],
                "port 'scratch:scores': size_bytes uses \
              'rows', which is none of dims",
            ),
            (
                ATTENTION,
                vec![("/scratch/0/size_bytes", json!("4 *"))],
                "port 'scratch:scores': expression '4 *': \
              expected a number or a name, found the end",
            ),
            (RESIDUAL, vec![("/inputs/0/alias_of", json!("b"))], "port 'activation:a': only an output has an alias"),
            (RESIDUAL, vec![("/outputs/0/alias_of", json!("c"))], "port 'output:y': alias_of 'c' is no input"),
            (
                RESIDUAL,
                vec![("/outputs/0/dtype", json!("fp16"))],
                "port 'output:y': alias_of 'a' has another type, \
              shape or layout",
            ),
        ],
    );
}

#[test]
fn dimensions_and_parameters_are_well_formed() {
    all(
        Code::BadDims,
        vec![
            (LINEAR, vec![("/dims", json!(["k", "k"]))], "dims: 'k' appears twice"),
            (LINEAR, vec![("/dims", json!(["k", "rows"]))], "dims: 'rows' is known at the time of the call only"),
            (
                RMSNORM,
                vec![("/params", json!([{"name": "eps", "dtype": "fp32"}, {"name": "eps", "dtype": "fp32"}]))],
                "params: 'eps' appears twice",
            ),
            (RMSNORM, vec![("/params/0/dtype", json!("fp64"))], "params: 'eps' must be fp32, found fp64"),
            (
                ROPE,
                vec![("/dims/1/expression", json!("width /"))],
                "dims: expression 'width /': expected a number or a \
              name, found the end",
            ),
            (
                ROPE,
                vec![("/dims/1/expression", json!("rows / heads"))],
                "dims: 'head_dim' uses 'rows', which is \
              neither found nor in a shape",
            ),
            (
                ROPE,
                vec![("/dims/1/expression", json!("rotary_dim * 2"))],
                "dims: 'head_dim' uses 'rotary_dim', which \
              is neither found nor in a shape",
            ),
        ],
    );
}

#[test]
fn calls_can_be_made() {
    all(
        Code::BadCallAbi,
        vec![
            (LINEAR, vec![("/call_abi/version", json!(2))], "call_abi: version must be 1, found 2"),
            (LINEAR, vec![("/call_abi/params/1/name", json!("x"))], "call_abi: slot 'x' appears twice"),
            (
                LINEAR,
                vec![("/call_abi/params/1/source", json!("activation:x"))],
                "call_abi: source 'activation:x' is \
              passed twice",
            ),
            (
                LINEAR,
                vec![("/call_abi/params/0/source", json!("x"))],
                "call_abi: slot 'x': source 'x' has no namespace",
            ),
            (
                LINEAR,
                vec![("/call_abi/params/0/source", json!("activation:z"))],
                "call_abi: slot 'x': source \
              'activation:z' is neither a declared port nor a run-time value",
            ),
            (
                LINEAR,
                vec![("/call_abi/params/0/source", json!("const:x"))],
                "call_abi: slot 'x': source 'const:x' is \
              neither a declared port nor a run-time value",
            ),
            (
                LINEAR,
                vec![("/call_abi/params/1/source", json!("activation:w"))],
                "call_abi: slot 'w': source \
              'activation:w' is neither a declared port nor a run-time value",
            ),
            (
                LINEAR,
                vec![("/call_abi/params/3/source", json!("runtime:thread"))],
                "call_abi: slot 'rows': source \
              'runtime:thread' is neither a declared port nor a run-time value",
            ),
            (
                LINEAR,
                vec![("/call_abi/params", json!([{"name": "x", "source": "activation:x"}]))],
                "call_abi: port \
              'weight:w' is not passed",
            ),
        ],
    );
}

#[test]
fn what_is_provided_is_true() {
    all(
        Code::BadProvides,
        vec![
            (
                LINEAR,
                vec![("/provides/tensor.activation.dtype", json!([]))],
                "provides.tensor.activation.dtype: needs \
              at least one value",
            ),
            (
                LINEAR,
                vec![("/provides/tensor.activation.dtype", json!(["fp32", "fp32"]))],
                "provides.tensor.activation.\
              dtype: 'fp32' is given twice",
            ),
            (
                LINEAR,
                vec![("/provides/execution.phase", json!(["decode"]))],
                "provides.execution.phase: says decode, \
              the map has decode, prefill",
            ),
            (
                ATTENTION,
                vec![("/provides/numerics.attention_reduction", json!(["fp32_online"]))],
                "provides.numerics.\
              attention_reduction: says fp32_online, the map has fp32_exact_max_kv_chunks_1024",
            ),
        ],
    );
}

#[test]
fn claims_are_well_formed() {
    let capability = Definitions::native().provider(LINEAR)["numerical_capabilities"][0].clone();
    let claim = "capability 'linear_fp32_ascending_k_fma': ";
    all(
        Code::BadCapability,
        vec![
            (LINEAR, vec![("/numerical_capabilities", json!([]))], "it claims no contract"),
            (
                LINEAR,
                vec![("/numerical_capabilities", json!([capability, capability]))],
                "it claims contract \
              'linear_fp32_ascending_k_fma' twice",
            ),
            (LINEAR, vec![("/phases", json!([])), ("/provides", json!({}))], "it serves no phase"),
            (
                LINEAR,
                vec![("/phases", json!(["decode", "decode"])), ("/provides", json!({}))],
                "phase decode is given twice",
            ),
            (LINEAR, vec![("/numerical_capabilities/0/phases", json!([]))], &format!("{claim}it holds for no phase")),
            (
                LINEAR,
                vec![("/numerical_capabilities/0/phases", json!(["decode", "decode"]))],
                &format!("{claim}phase decode is given twice"),
            ),
            (
                LINEAR,
                vec![("/numerical_capabilities/0/phases", json!(["init"]))],
                &format!("{claim}phase init is none of the provider's"),
            ),
        ],
    );
    let mut definitions = Definitions::native();
    set(definitions.contract("linear_fp32_ascending_k_fma"), "/semantics", Value::Null);
    let message = format!("provider '{LINEAR}': {claim}a generated function needs a contract with explicit semantics");
    expect_fault(definitions.load(), Code::BadCapability, &message);
}

#[test]
fn claims_repeat_the_contract_faithfully() {
    let claim = "capability 'linear_fp32_ascending_k_fma': ";
    let one = |code, field: &str, value: Value, message: &str| {
        let pointer = format!("/numerical_capabilities/0/{field}");
        expect_provider_fault(LINEAR, &[(&pointer, value)], code, &format!("{claim}{message}"));
    };
    let claims = |contract: &str| vec![("/numerical_capabilities/0/contract_id", json!(contract))];
    let message = "capability 'linear_gone': the registry does not define the contract";
    expect_provider_fault(LINEAR, &claims("linear_gone"), Code::ProviderUnknownContract, message);
    let message = "capability 'rmsnorm_fp32_lanes64_fma_sum': the contract governs rmsnorm, not 'linear'";
    expect_provider_fault(LINEAR, &claims("rmsnorm_fp32_lanes64_fma_sum"), Code::OperationDisagreement, message);
    let message = "function 'cke_other' is not 'cke_linear_fp32' of impl";
    one(Code::FunctionDisagreement, "function", json!("cke_other"), message);
    for (field, value, stated) in [
        ("partial_accumulator", json!("fp32"), "fp32, the contract has none"),
        ("merge_order", json!("ascending_chunk"), "ascending_chunk, the contract has none"),
        ("deterministic", json!(false), "false, the contract has true"),
        ("thread_count_changes_arithmetic_order", json!(true), "true, the contract has false"),
        ("split_strategy", json!("split_k"), "split_k, the contract has independent_outputs"),
    ] {
        let message = format!("arithmetic.{field} is {stated}");
        one(Code::ArithmeticDisagreement, &format!("arithmetic/{field}"), value, &message);
    }
    let partition = "implementation/threading/work_partition";
    let message = "work_partition split_k, serial lacks independent_columns";
    one(Code::ThreadingDisagreement, partition, json!(["split_k", "serial"]), message);
    let effect = "implementation/threading/reduction_order_effect";
    for value in ["contract_defined", "implementation_defined"] {
        let message = format!("reduction_order_effect is {value}, the contract's independent_outputs has none");
        one(Code::ThreadingDisagreement, effect, json!(value), &message);
    }
}

#[test]
fn attention_claims_repeat_the_contract_too() {
    let edits = [("/numerical_capabilities/0/arithmetic/merge_order", json!("none"))];
    let message = "capability 'fp32_exact_max_kv_chunks_1024': arithmetic.merge_order is none, the contract has \
                   ascending_chunk";
    expect_provider_fault(ATTENTION, &edits, Code::ArithmeticDisagreement, message);
}

#[test]
fn ports_store_what_the_contract_says() {
    let claim = "capability 'linear_fp32_ascending_k_fma': ";
    let no_weight = vec![
        ("/weights", json!([])),
        ("/call_abi/params", json!([{"name": "x", "source": "activation:x"}, {"name": "y", "source": "output:y"}])),
    ];
    all(
        Code::StorageDisagreement,
        vec![
            (
                LINEAR,
                vec![("/inputs/0/dtype", json!("fp16"))],
                &format!("{claim}port 'activation:x' is fp16, the contract stores fp32"),
            ),
            (
                LINEAR,
                vec![("/outputs/0/dtype", json!("bf16"))],
                &format!("{claim}port 'output:y' is bf16, the contract stores fp32"),
            ),
            (LINEAR, no_weight, &format!("{claim}0 weights, the contract's storage.weight is fp32")),
        ],
    );
    let mut definitions = Definitions::native();
    let factors = json!(["x", "v"]);
    set(definitions.contract("linear_fp32_ascending_k_fma"), "/semantics/reduction/factors", factors);
    let message = format!("provider '{LINEAR}': {claim}the contract's factor 'v' is no port");
    expect_fault(definitions.load(), Code::StorageDisagreement, &message);
}
