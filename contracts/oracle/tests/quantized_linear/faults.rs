//! Contracts that leave something open or contradict themselves.

use cke_contracts::fault::Code::{self, BadComposite, ContradictoryContract, IncompleteContract};
use serde_json::{Value, json};

use crate::definitions::{Definitions, expect_contract_fault, expect_fault, set};
use crate::support::{MATMUL, MATVEC, Product, Q4, Q6, contract, product};

#[track_caller]
fn refused(id: &str, edits: &[(&str, Value)], code: Code, message: &str) {
    expect_contract_fault(id, edits, code, message);
}

#[test]
fn an_operation_that_is_not_governed_is_refused() {
    let mut governs_another = contract(Q4);
    governs_another.semantics.as_mut().unwrap().operations = vec!["logits".to_owned()];
    let error = product(Q4, 1, 8, 256, 1).run(&governs_another).unwrap_err();
    assert_eq!(error, "linear: semantics.operations are logits, without this one");
}

#[test]
fn a_residual_contract_must_be_at_hand() {
    let mut composite = contract(MATMUL);
    composite.semantics.as_mut().unwrap().residual_rows.as_mut().unwrap().contract = "elsewhere".to_owned();
    let five = product(MATMUL, 5, 8, 256, 1);
    let error = five.run(&composite).unwrap_err();
    assert_eq!(error, "linear: semantics.residual_rows.contract 'elsewhere' is not at hand");
    let four: Product = five.of_rows(0..4);
    four.run(&composite).unwrap();
}

#[test]
fn fields_of_v8() {
    refused(Q4, &[("/weight/block_size", json!(0))], ContradictoryContract, "weight.block_size is 0");
    refused(
        Q4,
        &[("/dot/minimum_accumulator_lanes", json!(16))],
        ContradictoryContract,
        "dot.minimum_accumulator_lanes is 16, more than the 8 of dot.fp32_accumulator_lanes",
    );
    refused(
        Q4,
        &[("/dot/fp32_accumulator_lanes", Value::Null)],
        IncompleteContract,
        "dot.minimum_accumulator_lanes needs dot.fp32_accumulator_lanes",
    );
    refused(
        Q4,
        &[("/parallel_reduction/reduction_order_effect", json!("contract_defined"))],
        ContradictoryContract,
        "parallel_reduction.reduction_order_effect is contract_defined: independent_outputs have none",
    );
    refused(
        Q4,
        &[("/parallel_reduction/kind", json!("split_k"))],
        IncompleteContract,
        "parallel_reduction.kind split_k needs partial_accumulator",
    );
    refused(
        Q4,
        &[("/parallel_reduction/kind", json!("split_k")), ("/parallel_reduction/partial_accumulator", json!("fp32"))],
        IncompleteContract,
        "parallel_reduction.kind split_k needs merge_order",
    );
}

#[test]
fn blocks_must_be_filled() {
    refused(
        Q4,
        &[("/weight/block_size", json!(128))],
        ContradictoryContract,
        "weight.block_size is 128, but activation.block_size is 256",
    );
    refused(
        Q4,
        &[("/semantics/weight/bytes", json!(145))],
        ContradictoryContract,
        "semantics.weight.bytes is 145, the parts take 144",
    );
    refused(
        Q6,
        &[("/semantics/weight/high_codes_offset", json!(127))],
        ContradictoryContract,
        "semantics.weight: a part at byte 127, where byte 128 is next",
    );
    refused(
        Q6,
        &[("/semantics/weight/high_codes_offset", Value::Null)],
        ContradictoryContract,
        "semantics.weight.codes nibbles_of_128_with_high_pairs needs semantics.weight.high_codes_offset",
    );
    refused(
        Q4,
        &[("/semantics/weight/sub_block", json!(48))],
        ContradictoryContract,
        "semantics.weight.sub_block 48 does not divide a block of 256",
    );
    refused(
        MATMUL,
        &[("/semantics/weight/interleave", Value::Null)],
        IncompleteContract,
        "semantics.weight.rows 8 needs semantics.weight.interleave",
    );
}

#[test]
fn accumulators_must_be_whole() {
    refused(
        Q4,
        &[("/semantics/minimum", Value::Null)],
        IncompleteContract,
        "semantics.weight.sub_scales six_bit_pairs_by_sub_block needs semantics.minimum",
    );
    refused(
        Q4,
        &[("/semantics/value/lanes/width", Value::Null)],
        IncompleteContract,
        "semantics.value.lanes.assignment element_groups needs semantics.value.lanes.width",
    );
    refused(
        Q4,
        &[("/semantics/value/horizontal_tree", json!([4, 2]))],
        IncompleteContract,
        "semantics.value.horizontal_tree leaves 2 lanes",
    );
    refused(
        MATMUL,
        &[("/semantics/value/lanes/width", json!(4))],
        ContradictoryContract,
        "semantics.value.lanes.assignment output_columns has no semantics.value.lanes.width",
    );
    refused(
        MATMUL,
        &[("/output/horizontal_reduction", json!("llama_x86_lane_order"))],
        ContradictoryContract,
        "output.horizontal_reduction is llama_x86_lane_order: semantics.value.lanes.assignment output_columns has none",
    );
    refused(
        Q6,
        &[("/semantics/value/lanes/count", json!(16))],
        ContradictoryContract,
        "semantics.value.lanes.count is 16, but dot.fp32_accumulator_lanes is 8",
    );
    refused(
        Q6,
        &[("/semantics/value/group", json!(24))],
        ContradictoryContract,
        "semantics.value.group 24 is no number of sub-blocks of 16 that divides a block of 256",
    );
    refused(
        Q4,
        &[("/semantics/minimum/group", json!(128))],
        ContradictoryContract,
        "semantics.minimum.group 128 is no number of turns of 4 lanes of 64",
    );
    refused(
        Q6,
        &[("/semantics/value/update", json!("add"))],
        ContradictoryContract,
        "semantics.value.update is add: a term has two factors",
    );
}

/// The name of a quantiser says all of it.
#[test]
fn a_quantiser_is_what_its_name_says() {
    refused(
        Q4,
        &[("/semantics/quantizer/rounding", json!("contracted_nearest_even"))],
        ContradictoryContract,
        "semantics.quantizer.rounding is contracted_nearest_even: semantics.quantizer.rule canonical_q8_k_row_nearest \
         has product_then_nearest_even",
    );
}

#[test]
fn threads_take_outputs() {
    refused(
        Q4,
        &[("/semantics/threading/split_strategy", json!("split_k"))],
        ContradictoryContract,
        "semantics.threading.split_strategy is split_k, but parallel_reduction.kind is independent_outputs",
    );
    refused(
        Q4,
        &[("/semantics/thread_pin", json!(4))],
        ContradictoryContract,
        "semantics.thread_pin is given, but the bits hold for any thread count",
    );
}

#[test]
fn residual_rows_follow_a_contract_of_the_same_product() {
    let residual = "/semantics/residual_rows/contract";
    let field = "semantics.residual_rows.contract";
    let reasons = [
        (MATMUL, "is the contract itself"),
        ("somewhere_else_entirely", "is not defined"),
        ("linear_fp32_ascending_k_fma", "is no quantized linear contract"),
        (Q6, "has another weight"),
    ];
    for (part, reason) in reasons {
        refused(MATMUL, &[(residual, json!(part))], BadComposite, &format!("{field} '{part}' {reason}"));
    }
    let mut definitions = Definitions::native();
    set(definitions.contract(MATVEC), "/semantics/weight/scale_offset", json!(16));
    set(definitions.contract(MATVEC), "/semantics/weight/minimum_offset", json!(0));
    let message = format!("contract '{MATMUL}': {field} '{MATVEC}' packs the weight another way");
    expect_fault(definitions.load(), BadComposite, &message);
    refused(
        MATMUL,
        &[("/status", json!("validated"))],
        BadComposite,
        &format!("{field} '{MATVEC}' is observed, the composite cannot be validated"),
    );
    refused(
        MATMUL,
        &[("/semantics/residual_rows/group", json!(8))],
        ContradictoryContract,
        "semantics.residual_rows.group is 8, only 4 is defined",
    );
}
