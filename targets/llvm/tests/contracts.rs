//! Kernels follow the fields of the contract they are generated from, and a value they cannot follow is refused.

mod common;

use cke_contracts::registry::vocabulary::{MaximumRule, NanRule, ReductionUpdate};
use cke_contracts::registry::{AttentionSemantics, Contract, ExecutionSemantics};
use cke_target_llvm::isa::Isa;
use cke_target_llvm::kernels::{Phase, synthesize};
use common::{Bench, CallOf, Kernel, Kind, native_contract, round_products};

/// Many rows: the last bits of a sum of squares show in few of them.
const CALL: CallOf = CallOf { rows: 33, position: 0, threads: 2, kind: Kind::Ordinary };

fn rmsnorm() -> Kernel {
    Kernel::new("rmsnorm", "cke_rmsnorm_fp32", Phase::Prefill, &[("dim", 300)]).with("eps", 1e-5)
}

fn linear() -> Kernel {
    Kernel::new("linear", "cke_linear_fp32", Phase::Prefill, &[("k", 70), ("n", 40)])
}

fn attention() -> Kernel {
    let shape = [("heads", 2), ("kv_heads", 1), ("head_dim", 20), ("capacity", 300)];
    Kernel::new("attention", "cke_attention_fp32", Phase::Prefill, &shape).with("scale", 0.3)
}

fn execution(contract: &mut Contract) -> &mut ExecutionSemantics {
    let Contract::Execution(execution) = contract else { panic!("an execution contract") };
    execution.semantics.as_mut().expect("explicit semantics")
}

fn attention_semantics(contract: &mut Contract) -> &mut AttentionSemantics {
    let Contract::Attention(attention) = contract else { panic!("an attention contract") };
    attention.semantics.as_mut().expect("explicit semantics")
}

fn set_lanes(contract: &mut Contract, count: u32, tree: &[u32]) {
    let reduction = execution(contract).reduction.as_mut().expect("a reduction");
    reduction.lanes.count = count;
    reduction.horizontal_tree = tree.to_vec();
}

fn set_chunk(contract: &mut Contract, extent: u32) {
    let Contract::Attention(attention) = contract else { panic!("an attention contract") };
    attention.partition.chunk_extent = Some(extent);
}

/// The kernel follows both the native contract and the altered one, and the comparison tells them apart.
fn follows(kernel: &Kernel, call: CallOf, alter: impl FnOnce(&mut Contract)) {
    let native = native_contract(kernel.op, kernel.function);
    let mut altered = native.clone();
    alter(&mut altered);
    let isa = Isa::host().expect("a supported machine");
    let [by_native, by_altered] = [&native, &altered].map(|contract| Bench::new(kernel, contract, &isa));
    by_native.check(call);
    by_altered.check(call);
    let seen = by_native.mismatches_under(&altered, call);
    assert!(seen > 0, "the comparison cannot see the difference in {}", kernel.function);
    assert_eq!(seen, by_altered.mismatches_under(&native, call));
}

#[test]
fn lanes_of_a_normalisation() {
    for (count, tree) in [(1, &[][..]), (4, &[2, 1]), (16, &[8, 4, 2, 1]), (128, &[64, 32, 16, 8, 4, 2, 1])] {
        follows(&rmsnorm(), CALL, |contract| set_lanes(contract, count, tree));
    }
}

#[test]
fn a_product_that_is_rounded_before_it_is_added() {
    follows(&rmsnorm(), CALL, round_products);
    follows(&linear(), CALL, round_products);
    let call = CallOf { position: 200, ..CALL };
    let separate = |contract: &mut Contract| {
        attention_semantics(contract).score.as_mut().unwrap().update = ReductionUpdate::MultiplyThenAdd
    };
    follows(&attention(), call, separate);
    let separate = |contract: &mut Contract| {
        attention_semantics(contract).value.as_mut().unwrap().update = ReductionUpdate::MultiplyThenAdd
    };
    follows(&attention(), call, separate);
}

#[test]
fn chunks_of_attention() {
    for extent in [16, 48, 128] {
        follows(&attention(), CallOf { position: 200, ..CALL }, |contract| set_chunk(contract, extent));
    }
}

/// What the generator says of a kernel under an altered native contract.
fn refusal(kernel: &Kernel, alter: impl FnOnce(&mut Contract)) -> String {
    let mut contract = native_contract(kernel.op, kernel.function);
    alter(&mut contract);
    let isa = Isa::parse("x86-64-v3").expect("a known name");
    synthesize(&kernel.request(&contract, &isa)).expect_err("a refusal")
}

#[test]
fn values_no_kernel_follows_are_refused() {
    assert_eq!(
        refusal(&rmsnorm(), |contract| set_lanes(contract, 12, &[6, 3, 1])),
        "the contract's field 'semantics.reduction.lanes.count' is 12, but only a power of two up to 128 is implemented"
    );
    assert_eq!(
        refusal(&rmsnorm(), |contract| set_lanes(contract, 4, &[1, 2])),
        "the contract's field 'semantics.reduction.horizontal_tree' is [1, 2], but only [2, 1] is implemented"
    );
    assert_eq!(
        refusal(&linear(), |contract| set_lanes(contract, 4, &[2, 1])),
        "the contract's field 'semantics.reduction.lanes.count' is 4, but only 1 is implemented"
    );
    assert_eq!(
        refusal(&linear(), |contract| execution(contract).nan = NanRule::Preserved),
        "the contract's field 'semantics.nan' is preserved, but only canonical_7fc00000 is implemented"
    );
    assert_eq!(
        refusal(&linear(), |contract| execution(contract).thread_pin = Some(2)),
        "the contract's field 'semantics.thread_pin' is 2, but only no pin is implemented"
    );
    assert_eq!(
        refusal(&linear(), |contract| execution(contract).reduction = None),
        "the contract lacks the field 'semantics.reduction', which a kernel is generated from"
    );
    assert_eq!(
        refusal(&attention(), |contract| set_chunk(contract, 100)),
        "the contract's field 'partition.chunk_extent' is 100, but only multiples of 16 are implemented"
    );
    assert_eq!(
        refusal(&attention(), |contract| attention_semantics(contract).softmax.as_mut().unwrap().maximum =
            MaximumRule::Online),
        "the contract's field 'semantics.softmax.maximum' is online, but only exact is implemented"
    );
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let isa = Isa::parse("x86-64-v3").expect("a known name");
    let contract = native_contract("linear", "cke_linear_fp32");
    let refuse = |kernel: &Kernel, isa: &Isa| synthesize(&kernel.request(&contract, isa)).expect_err("a refusal");
    let kernel = linear();
    assert_eq!(
        refuse(&kernel, &Isa::parse("x86-64-v2").expect("a known name")),
        "'cke_linear_fp32' needs a fused multiply-add instruction, which the instruction set 'x86-64-v2' lacks"
    );
    let unknown = Kernel { function: "cke_conv_fp32", ..kernel.clone() };
    assert_eq!(refuse(&unknown, &isa), "no generator for the function 'cke_conv_fp32'");
    let other = Kernel { op: "logits", ..kernel.clone() };
    assert_eq!(refuse(&other, &isa), "'cke_linear_fp32' serves the operation 'linear', not 'logits'");
    let no_k = Kernel::new("linear", "cke_linear_fp32", Phase::Decode, &[("n", 5)]);
    assert_eq!(refuse(&no_k, &isa), "'cke_linear_fp32' needs the extent 'k'");
    let no_n = Kernel::new("linear", "cke_linear_fp32", Phase::Decode, &[("k", 5), ("n", 0)]);
    assert_eq!(refuse(&no_n, &isa), "the extent 'n' of 'cke_linear_fp32' must be in 1..=1048576, found 0");
    let foreign = Kernel::new("swiglu", "cke_swiglu_fp32", Phase::Decode, &[("dim", 5)]);
    assert_eq!(refuse(&foreign, &isa), "the contract governs linear, not 'swiglu'");
}
