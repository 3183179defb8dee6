//! Every rule of a contract, each with a definition that breaks it.

mod support;

use cke_contracts::fault::Code;
use cke_contracts::registry::ContractKind;
use serde_json::{Value, json};
use support::{Definitions, expect_contract_fault, expect_fault};

const ARGMAX: &str = "argmax_fp32_first_index";
const ATTENTION: &str = "fp32_exact_max_kv_chunks_1024";
const EMBEDDING: &str = "embedding_fp32_copy";
const LINEAR: &str = "linear_fp32_ascending_k_fma";
const LOGITS: &str = "logits_fp32_ascending_k_fma_last_row";
const RESIDUAL: &str = "residual_add_fp32";
const RMSNORM: &str = "rmsnorm_fp32_lanes64_fma_sum";
const ROPE: &str = "rope_fp32_split_half_table_fma";
const SWIGLU: &str = "swiglu_fp32_sigmoid_e1_divide";

type Case<'a> = (&'a str, Vec<(&'a str, Value)>, &'a str);

fn all(code: Code, cases: Vec<Case>) {
    for (id, edits, message) in cases {
        expect_contract_fault(id, &edits, code, message);
    }
}

#[test]
fn fields_are_known_typed_and_complete() {
    let enumerated = "unknown variant `fp31`, expected one of `none`, `fp32`, `fp64`, `fp16`, `bf16`, `q8_0`, `q8_k`, \
                      `uint8`, `int16`, `int32`";
    all(
        Code::Schema,
        vec![
            (
                LINEAR,
                vec![("/lanes", json!(1))],
                "lanes: unknown field `lanes`, expected one of `operator_family`, \
              `status`, `storage`, `compute`, `rounding`, `reduction`, `threading`, `position_transform`, \
              `spatial_transform`, `semantics`, `description`",
            ),
            (
                LINEAR,
                vec![("/semantics/reduction/lanes/width", json!(1))],
                "semantics.reduction.lanes.width: unknown \
              field `width`, expected `count` or `assignment`",
            ),
            (LINEAR, vec![("/position_transform", Value::Null)], "missing field `position_transform`"),
            (LINEAR, vec![("/storage/input", json!("fp31"))], &format!("storage.input: {enumerated}")),
            (
                LINEAR,
                vec![("/threading/deterministic", json!("yes"))],
                "threading.deterministic: invalid type: string \
              \"yes\", expected a boolean",
            ),
            (
                LINEAR,
                vec![("/semantics/reduction/lanes/count", json!(-1))],
                "semantics.reduction.lanes.count: invalid \
              value: integer `-1`, expected u32",
            ),
            (
                ATTENTION,
                vec![("/semantics/softmax/exponential", json!("exp"))],
                "semantics.softmax.exponential: \
              unknown variant `exp`, expected one of `exp_e0`, `exp_d1`, `exp_v1`",
            ),
        ],
    );
}

#[test]
fn ids_must_say_what_is_computed() {
    for (id, reason) in [
        ("fp16", "is ambiguous: it names a type or a policy"),
        ("fast", "is ambiguous: it names a type or a policy"),
        ("strict_fp32", "is ambiguous: it must say what is computed, not only how well"),
        ("Linear_Fp32", "is not lower-case words joined by '_'"),
    ] {
        let mut definitions = Definitions::native();
        definitions.derive_contract(LINEAR, id, &[("/semantics/operations", json!(["linear", "other"]))]);
        expect_fault(definitions.load(), Code::AmbiguousId, &format!("contract '{id}': its id '{id}' {reason}"));
    }
}

#[test]
fn one_id_has_one_definition() {
    let mut definitions = Definitions::native();
    definitions.contracts.push(definitions.contracts[0].clone());
    expect_fault(definitions.load(), Code::DuplicateId, "contract 'argmax_fp32_first_index' is defined twice");
}

#[test]
fn one_meaning_has_one_id() {
    let mut definitions = Definitions::native();
    definitions.derive_contract(LINEAR, "linear_again", &[("/description", json!("Another text."))]);
    // Ids are compared as text, so the later one is at fault.
    let message = "contract 'linear_fp32_ascending_k_fma': it has the same semantic fields as contract 'linear_again'";
    expect_fault(definitions.load(), Code::EqualContracts, message);
}

#[test]
fn nothing_is_left_open() {
    all(
        Code::IncompleteContract,
        vec![
            (LINEAR, vec![("/description", json!(" "))], "field 'description' is empty"),
            (
                LINEAR,
                vec![("/semantics/operations", json!([]))],
                "semantics.operations must name at least one operation",
            ),
            (LINEAR, vec![("/semantics/reduction", Value::Null)], "operator_family gemm needs semantics.reduction"),
            (
                RMSNORM,
                vec![("/semantics/normalization", Value::Null)],
                "operator_family rmsnorm needs \
              semantics.normalization",
            ),
            (ROPE, vec![("/semantics/rotation", Value::Null)], "operator_family rope needs semantics.rotation"),
            (SWIGLU, vec![("/semantics/gate", Value::Null)], "operator_family swiglu needs semantics.gate"),
            (
                RESIDUAL,
                vec![("/semantics/elementwise", Value::Null)],
                "operator_family residual_add needs \
              semantics.elementwise",
            ),
            (ARGMAX, vec![("/semantics/selection", Value::Null)], "operator_family argmax needs semantics.selection"),
            (EMBEDDING, vec![("/semantics/copy", Value::Null)], "operator_family embedding needs semantics.copy"),
            (LINEAR, vec![("/compute/contraction", Value::Null)], "explicit semantics need compute.contraction"),
            (
                LINEAR,
                vec![("/operator_family", json!("layernorm"))],
                "no explicit semantics are defined for operator_family \
              layernorm",
            ),
            (
                RMSNORM,
                vec![("/semantics/reduction/horizontal_tree", json!([32, 16]))],
                "semantics.reduction.\
              horizontal_tree leaves 16 lanes",
            ),
            (
                LINEAR,
                vec![("/threading/thread_count_changes_arithmetic_order", json!(true))],
                "threading.thread_count_changes_arithmetic_order needs semantics.thread_pin",
            ),
            (
                LINEAR,
                vec![("/threading/split_strategy", json!("split_k")), ("/semantics", Value::Null)],
                "a split_k needs reduction.partial_accumulator and reduction.merge_order",
            ),
            (
                ATTENTION,
                vec![("/partition/chunk_extent", Value::Null)],
                "partition.kind absolute_position_chunks \
              needs partition.chunk_extent",
            ),
            (
                ATTENTION,
                vec![("/partial_storage", json!("none")), ("/partial_merge", json!("none"))],
                "partition.kind absolute_position_chunks needs partial_storage",
            ),
        ],
    );
}

/// A position transform replaced where the contract has none cannot be written by `set`, which reads null as removal.
#[test]
fn a_rotation_needs_a_transform() {
    let mut definitions = Definitions::native();
    definitions.contract(ROPE)["position_transform"] = Value::Null;
    let message = format!("contract '{ROPE}': operator_family rope needs a position_transform");
    expect_fault(definitions.load(), Code::IncompleteContract, &message);
}

#[test]
fn fields_agree_with_each_other() {
    let transform = Definitions::native().contract(ROPE)["position_transform"].clone();
    let argmax_words = json!({"kind": "argmax", "order": "ascending_index", "partial_accumulator": "fp32",
                              "merge_order": "first_index_on_tie"});
    all(
        Code::ContradictoryContract,
        vec![
            (
                LINEAR,
                vec![("/rounding/points", json!(["output_store", "output_store"]))],
                "rounding.points names \
              output_store twice",
            ),
            (
                LINEAR,
                vec![("/semantics/operations", json!(["linear", "linear"]))],
                "semantics.operations names \
              'linear' twice",
            ),
            (
                LINEAR,
                vec![("/semantics/elementwise", json!("a_plus_b"))],
                "operator_family gemm has no \
              semantics.elementwise",
            ),
            (LINEAR, vec![("/position_transform", transform)], "operator_family gemm has no position_transform"),
            (
                LINEAR,
                vec![("/semantics/nan", json!("preserved"))],
                "semantics.nan is preserved: a contract that \
              computes has canonical_7fc00000",
            ),
            (
                EMBEDDING,
                vec![("/semantics/zero_sign", json!("ieee"))],
                "semantics.zero_sign is ieee: a contract that \
              copies has preserved",
            ),
            (
                ARGMAX,
                vec![("/semantics/nan", json!("preserved"))],
                "semantics.nan is preserved: a contract that has \
              an integer output has not_applicable",
            ),
            (
                LINEAR,
                vec![("/rounding/mode", json!("truncate"))],
                "rounding.mode is truncate, the explicit semantics \
              have rne",
            ),
            (
                LINEAR,
                vec![("/rounding/points", json!([]))],
                "rounding.points is [], the explicit semantics have [reduction_update, output_store]",
            ),
            (
                EMBEDDING,
                vec![("/rounding/points", json!(["output_store"]))],
                "rounding.points is [output_store], the explicit semantics have []",
            ),
            (
                LINEAR,
                vec![("/compute/contraction", json!("disabled"))],
                "compute.contraction is disabled, the \
              explicit semantics have enabled",
            ),
            (
                SWIGLU,
                vec![("/compute/contraction", json!("enabled"))],
                "compute.contraction is enabled, the explicit \
              semantics have disabled",
            ),
            (
                LINEAR,
                vec![("/reduction", argmax_words)],
                "reduction.kind is argmax, the explicit semantics have dot_product",
            ),
            (
                RESIDUAL,
                vec![("/reduction/kind", json!("sum"))],
                "reduction.kind is sum, the explicit semantics have none",
            ),
            (
                LINEAR,
                vec![("/reduction/order", json!("pairwise_tree"))],
                "reduction.order is pairwise_tree, the \
              explicit semantics have ascending_k",
            ),
            (
                RMSNORM,
                vec![("/reduction/merge_order", json!("pairwise_tree"))],
                "reduction.merge_order is \
              pairwise_tree, the explicit semantics have horizontal_tree",
            ),
            (
                LINEAR,
                vec![("/reduction/partial_accumulator", json!("fp32"))],
                "reduction.partial_accumulator is fp32, \
              the explicit semantics have none",
            ),
        ],
    );
}

#[test]
fn reductions_are_well_formed() {
    all(
        Code::ContradictoryContract,
        vec![
            (
                LINEAR,
                vec![("/semantics/reduction/factors", json!(["x"]))],
                "semantics.reduction.update is fma: needs \
              2 factors, found 1",
            ),
            (
                LINEAR,
                vec![("/semantics/reduction/initial", json!("negative_infinity"))],
                "semantics.reduction.initial \
              is negative_infinity: a sum starts at positive_zero",
            ),
            (
                LINEAR,
                vec![("/semantics/reduction/empty", json!("negative_infinity"))],
                "semantics.reduction.empty is \
              negative_infinity, but lanes that start at positive_zero stay there",
            ),
            (RMSNORM, vec![("/semantics/reduction/lanes/count", json!(0))], "semantics.reduction.lanes.count is 0"),
            (
                RMSNORM,
                vec![("/semantics/reduction/horizontal_tree", json!([32, 8]))],
                "semantics.reduction.\
              horizontal_tree: stride 8 does not halve 32 lanes",
            ),
            (
                LINEAR,
                vec![("/semantics/reduction/horizontal_tree", json!([1]))],
                "semantics.reduction.\
              horizontal_tree: stride 1 does not halve 1 lanes",
            ),
        ],
    );
}

#[test]
fn threads_do_what_is_said() {
    all(
        Code::ContradictoryContract,
        vec![
            (
                LINEAR,
                vec![("/semantics/thread_pin", json!(4))],
                "semantics.thread_pin is given, but the bits hold for \
              any thread count",
            ),
            (LINEAR, vec![("/semantics/thread_pin", json!(0))], "semantics.thread_pin is 0"),
            (
                LINEAR,
                vec![
                    ("/threading/thread_count_changes_arithmetic_order", json!(true)),
                    ("/semantics/thread_pin", json!(4)),
                ],
                "threads change the order of arithmetic, but the work is cut as independent_outputs",
            ),
        ],
    );
}

#[test]
fn positions_are_well_formed() {
    let code = Code::ContradictoryContract;
    let rank = [("/position_transform/position_rank", json!(2))];
    expect_contract_fault(
        ROPE,
        &rank,
        code,
        "position_transform.position_rank is 2, position_transform.axis_order has 1 axes",
    );
    let widths =
        [("/position_transform/rotary_width_value", json!(128)), ("/position_transform/head_width_value", json!(64))];
    let message = "position_transform: rotary width 128 is wider than the head, 64";
    expect_contract_fault(ROPE, &widths, code, message);
    let dims =
        [("/position_transform/rotary_width_value", json!(64)), ("/position_transform/mrope_n_dims_value", json!(32))];
    expect_contract_fault(ROPE, &dims, code, "position_transform: 32 rotated dimensions, rotary width 64");
    let sections = [("/position_transform/pairing", json!("multi_section"))];
    let message = "position_transform: multi_section pairing needs a section interpretation";
    expect_contract_fault(ROPE, &sections, Code::IncompleteContract, message);
    let rotation = [
        ("/position_transform/pairing", json!("multi_section")),
        ("/position_transform/section_interpretation", json!("axis_selection")),
    ];
    let message = "multi_section pairing needs semantics.rotation.sections";
    expect_contract_fault(ROPE, &rotation, Code::IncompleteContract, message);
    let sections = [("/position_transform/section_interpretation", json!("axis_selection"))];
    let message = "position_transform.section_interpretation is axis_selection: split_half has no sections";
    expect_contract_fault(ROPE, &sections, code, message);
    let source = [("/position_transform/position_source", json!("explicit_i32_positions"))];
    let message = "position_transform.position_source is explicit_i32_positions: semantics.rotation.row_position \
                   position_plus_row has scalar_offset";
    expect_contract_fault(ROPE, &source, code, message);
}

#[test]
fn attention_is_consistent() {
    all(
        Code::ContradictoryContract,
        vec![
            (
                ATTENTION,
                vec![("/partition/threshold", json!(512))],
                "partition.kind absolute_position_chunks has no \
              partition.threshold",
            ),
            (ATTENTION, vec![("/partition/chunk_extent", json!(0))], "partition.chunk_extent is 0"),
            (ATTENTION, vec![("/partial_merge", json!("none"))], "partial_storage is fp32, but partial_merge is none"),
            (
                ATTENTION,
                vec![("/partition", json!({"kind": "single_range"}))],
                "partition.kind single_range has no \
              partial results, partial_storage is fp32",
            ),
            (
                ATTENTION,
                vec![("/semantics/nan", json!("preserved"))],
                "semantics.nan is preserved: a contract that \
              computes has canonical_7fc00000",
            ),
            (
                ATTENTION,
                vec![("/semantics/thread_pin", json!(2))],
                "semantics.thread_pin is given, but the bits hold \
              for any thread count",
            ),
            (
                ATTENTION,
                vec![("/semantics/denominator/horizontal_tree", json!([4]))],
                "semantics.denominator.\
              horizontal_tree: stride 4 does not halve 16 lanes",
            ),
            (
                ATTENTION,
                vec![("/semantics/score/update", json!("add")), ("/semantics/score/factors", json!(["q"]))],
                "semantics.score.update is add",
            ),
            (
                ATTENTION,
                vec![("/semantics/value/lanes/count", json!(2)), ("/semantics/value/horizontal_tree", json!([1]))],
                "semantics.value has 2 lanes: every output element is one chain",
            ),
        ],
    );
}

/// An attention contract without explicit semantics, as v8 has them.
fn plain_attention(status: &str, partial: (&str, &str), partition: Value) -> Value {
    json!({
        "status": status, "q_compute": "fp32", "k_compute": "fp16", "score_accumulator": "fp32",
        "softmax_statistics": "fp32", "value_compute": "fp16", "value_accumulator": "fp32",
        "partial_storage": partial.0, "partial_merge": partial.1, "partition": partition, "description": "A test.",
    })
}

const SHAPE_DEPENDENT: (&str, &str) =
    ("shape_dependent_none_or_fp32", "shape_dependent_single_range_or_fp32_chunk_order");

fn with_attention(definition: Value, code: Code, message: &str) {
    let mut definitions = Definitions::native();
    let single = plain_attention("observed", ("none", "none"), json!({"kind": "single_range"}));
    definitions.contracts.push(("part_single_range".to_owned(), ContractKind::Attention, single));
    definitions.contracts.push(("whole_composite".to_owned(), ContractKind::Attention, definition));
    expect_fault(definitions.load(), code, &format!("contract 'whole_composite': {message}"));
}

#[test]
fn every_partition_kind_has_its_fields() {
    let workers = json!({"kind": "kv_chunks_by_workers", "threshold": 512, "below_threshold_chunks": 1,
                         "at_or_above_threshold_chunks": "runtime_worker_count", "extent_alignment": 256});
    let contract = plain_attention("observed", ("fp32", "fp32_chunk_order"), workers);
    let message = "partition.kind kv_chunks_by_workers needs partition.extent_source";
    with_attention(contract, Code::IncompleteContract, message);
    let tiles = json!({"kind": "query_key_tiles", "query_tile_size": 64, "key_tile_size": 64,
                       "worker_partition": "contiguous_head_query_rows"});
    let contract = plain_attention("observed", ("fp32", "fp32_chunk_order"), tiles);
    let message = "partition.kind query_key_tiles needs partition.softmax_sum_update";
    with_attention(contract, Code::IncompleteContract, message);
    let threshold = json!({"kind": "query_tile_threshold", "threshold": 64, "below_threshold": "part_single_range"});
    let contract = plain_attention("observed", SHAPE_DEPENDENT, threshold);
    let message = "partition.kind query_tile_threshold needs partition.at_or_above_threshold";
    with_attention(contract, Code::IncompleteContract, message);
}

#[test]
fn a_partition_has_its_kind_of_maximum() {
    let mut contract = Definitions::native().contract(ATTENTION).clone();
    contract["partition"] = json!({"kind": "query_key_tiles", "query_tile_size": 64, "key_tile_size": 64,
        "softmax_sum_update": "fp32_add", "worker_partition": "contiguous_head_query_rows"});
    let message = "partition.kind is query_key_tiles, but semantics.softmax.maximum is exact";
    with_attention(contract, Code::ContradictoryContract, message);
}

#[test]
fn a_composite_is_no_stronger_than_its_parts() {
    let composite = |status: &str, above: &str| {
        let partition = json!({"kind": "query_tile_threshold", "threshold": 64,
                               "below_threshold": "part_single_range", "at_or_above_threshold": above});
        plain_attention(status, SHAPE_DEPENDENT, partition)
    };
    for (status, above, message) in [
        ("observed", "gone_contract", "partition.at_or_above_threshold 'gone_contract' is not defined"),
        ("observed", "whole_composite", "partition.at_or_above_threshold 'whole_composite' is the contract itself"),
        ("observed", LINEAR, "partition.at_or_above_threshold 'linear_fp32_ascending_k_fma' is no attention contract"),
        (
            "validated",
            ATTENTION,
            "partition.below_threshold 'part_single_range' is observed, the composite cannot be validated",
        ),
    ] {
        with_attention(composite(status, above), Code::BadComposite, message);
    }
    let mut definitions = Definitions::native();
    let single = plain_attention("observed", ("none", "none"), json!({"kind": "single_range"}));
    definitions.contracts.push(("part_single_range".to_owned(), ContractKind::Attention, single));
    definitions.contracts.push((
        "inner_composite".to_owned(),
        ContractKind::Attention,
        composite("observed", ATTENTION),
    ));
    let outer = composite("observed", "inner_composite");
    definitions.contracts.push(("outer_composite".to_owned(), ContractKind::Attention, outer));
    let message = "contract 'outer_composite': partition.at_or_above_threshold 'inner_composite' is a composite itself";
    expect_fault(definitions.clone().load(), Code::BadComposite, message);
    definitions.contracts.pop();
    assert!(definitions.load().is_ok(), "a composite of existing parts is fine");
}

#[test]
fn contracts_that_differ_in_prose_only_are_reported() {
    let mut definitions = Definitions::native();
    for id in ["one_single_range", "two_single_range"] {
        let single = plain_attention("observed", ("none", "none"), json!({"kind": "single_range"}));
        definitions.contracts.push((id.to_owned(), ContractKind::Attention, single));
    }
    assert_eq!(definitions.load().unwrap().equal_contracts(), [("one_single_range", "two_single_range")]);
}

#[test]
fn rows_of_the_output_distinguish_contracts() {
    let mut definitions = Definitions::native();
    for (pointer, value) in [("/semantics/operations", json!(["linear"])), ("/semantics/output_rows", json!("all"))] {
        support::set(definitions.contract(LOGITS), pointer, value);
    }
    let message = format!("contract '{LOGITS}': it has the same semantic fields as contract '{LINEAR}'");
    expect_fault(definitions.load(), Code::EqualContracts, &message);
}
