//! What the oracle refuses: field values it does not implement, and calls that do not fit.

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::{
    Accumulator, CacheCompute, ComputeInput, ComputeWeight, Contraction, FixedValue, InputStorage, MaximumRule,
    NanRule, OutputRows, OutputStorage, Pairing, PartialMerge, PartialStorage, PartitionKind, QueryCompute,
    ReductionUpdate, RoundingMode, ScoreType, ValueAccumulator, WeightStorage, ZeroSign,
};
use cke_contracts::registry::{AttentionReduction, Contract, NumericalExecution};

use super::support::{Run, attention, execution, native, native_rope, semantics};

/// How the error of a changed field begins, and the change.
type Case<T> = (&'static str, fn(&mut T));

/// A call of every operation, small and valid.
fn calls() -> Vec<Run> {
    let row = |op: &str, contract: Contract, inputs: &[&str]| {
        let run = Run::new(op, contract).shape(&[("dim", 4)]).param("eps", 1e-5);
        let run = inputs.iter().fold(run, |run, name| run.tensor(name, Layout::RowMajor, &[1, 4], &[1.0; 4]));
        run.output("y", Layout::RowMajor, &[1, 4])
    };
    let cached = |op: &str| {
        Run::new(op, native(op))
            .shape(&[("heads", 2), ("kv_heads", 1), ("head_dim", 2), ("capacity", 3)])
            .param("scale", 1.0)
            .tensor("q", Layout::RowMajor, &[1, 4], &[1.0; 4])
            .tensor("k", Layout::RowMajor, &[1, 2], &[1.0; 2])
            .tensor("v", Layout::RowMajor, &[1, 2], &[1.0; 2])
            .tensor("k_cache", Layout::KBlocksT16, &[1, 3, 2], &[1.0; 6])
            .tensor("v_cache", Layout::HeadMajor, &[1, 3, 2], &[1.0; 6])
            .output("y", Layout::RowMajor, &[1, 4])
    };
    let product = |op: &str| {
        Run::new(op, native(op))
            .shape(&[("k", 4), ("n", 2)])
            .tensor("x", Layout::RowMajor, &[1, 4], &[1.0; 4])
            .tensor("w", Layout::PanelsN32, &[2, 4], &[1.0; 8])
            .output("y", Layout::RowMajor, &[1, 2])
    };
    let rope = |pairing| {
        Run::new("rope", native_rope(pairing))
            .shape(&[("heads", 1), ("head_dim", 4), ("rotary_dim", 4), ("positions", 2)])
            .tensor("x", Layout::RowMajor, &[1, 4], &[1.0; 4])
            .tensor("table", Layout::RowMajor, &[2, 2, 2], &[1.0; 8])
            .output("y", Layout::RowMajor, &[1, 4])
    };
    vec![
        Run::new("embedding", native("embedding"))
            .shape(&[("vocab", 2), ("dim", 4)])
            .bits("tokens", Layout::RowMajor, &[1], &[1])
            .tensor("table", Layout::PanelsN32, &[2, 4], &[1.0; 8])
            .output("y", Layout::RowMajor, &[1, 4]),
        row("rmsnorm", native("rmsnorm"), &["x"]).tensor("gamma", Layout::RowMajor, &[4], &[1.0; 4]),
        product("linear"),
        product("logits"),
        rope(Pairing::PairwiseInterleaved),
        rope(Pairing::SplitHalf),
        cached("kv_append"),
        cached("attention"),
        row("swiglu", native("swiglu"), &["gate", "up"]),
        row("residual_add", native("residual_add"), &["a", "b"]),
        Run::new("argmax", native("argmax"))
            .shape(&[("n", 4)])
            .tensor("x", Layout::RowMajor, &[1, 4], &[1.0; 4])
            .output("y", Layout::RowMajor, &[1]),
    ]
}

fn call(op: &str) -> Run {
    calls().into_iter().find(|run| run.op == op).expect("there is a call of every operation")
}

#[test]
fn all_of_them_are_valid() {
    for mut run in calls() {
        run.execute().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The rules for NaN and zeros are not options: an operation computes, copies or selects.
#[test]
fn the_rules_for_nan_and_zeros() {
    for run in calls() {
        for nan in NanRule::ALL {
            let mut changed = run.clone();
            match &mut changed.contract {
                Contract::Execution(c) => c.semantics.as_mut().unwrap().nan = *nan,
                Contract::Attention(c) => c.semantics.as_mut().unwrap().nan = *nan,
                Contract::Linear(_) => unreachable!("no linear contract among the calls"),
            }
            if changed.contract != run.contract {
                let implemented = match &*run.op {
                    "argmax" => NanRule::NotApplicable,
                    "embedding" | "kv_append" => NanRule::Preserved,
                    _ => NanRule::Canonical7fc00000,
                };
                let op = &run.op;
                assert_eq!(
                    changed.error(),
                    format!("{op}: semantics.nan is '{nan}', of which only '{implemented}' is implemented")
                );
            }
        }
        for sign in ZeroSign::ALL {
            let mut changed = run.clone();
            match &mut changed.contract {
                Contract::Execution(c) => c.semantics.as_mut().unwrap().zero_sign = *sign,
                Contract::Attention(c) => c.semantics.as_mut().unwrap().zero_sign = *sign,
                Contract::Linear(_) => unreachable!("no linear contract among the calls"),
            }
            if changed.contract != run.contract {
                assert!(changed.error().starts_with(&format!("{}: semantics.zero_sign is '{sign}'", run.op)));
            }
        }
    }
}

#[test]
fn threads_that_show_in_the_bits() {
    for run in calls() {
        let threading = |contract: &mut Contract, change: fn(&mut cke_contracts::registry::Threading)| match contract {
            Contract::Execution(c) => change(&mut c.threading),
            Contract::Attention(c) => change(&mut c.semantics.as_mut().unwrap().threading),
            Contract::Linear(_) => unreachable!("no linear contract among the calls"),
        };
        let error = run.with(|c| threading(c, |t| t.deterministic = false)).error();
        assert!(error.ends_with("threading.deterministic is 'false', of which only 'true' is implemented"), "{error}");
        let error = run.with(|c| threading(c, |t| t.thread_count_changes_arithmetic_order = true)).error();
        assert!(error.contains("threading.thread_count_changes_arithmetic_order is 'true'"), "{error}");
        let error = run
            .with(|c| match c {
                Contract::Execution(c) => c.semantics.as_mut().unwrap().thread_pin = Some(2),
                Contract::Attention(c) => c.semantics.as_mut().unwrap().thread_pin = Some(2),
                Contract::Linear(_) => unreachable!("no linear contract among the calls"),
            })
            .error();
        assert!(error.contains("semantics.thread_pin is 2"), "{error}");
    }
}

#[test]
fn other_types_than_f32() {
    let cases: [Case<NumericalExecution>; 7] = [
        ("storage.input is 'fp16'", |c| c.storage.input = InputStorage::Fp16),
        ("storage.weight is 'q8_0'", |c| c.storage.weight = WeightStorage::Q8_0),
        ("storage.output is 'fp16'", |c| c.storage.output = OutputStorage::Fp16),
        ("compute.input is 'bf16_rne'", |c| c.compute.input = ComputeInput::Bf16Rne),
        ("compute.weight is 'int8'", |c| c.compute.weight = ComputeWeight::Int8),
        ("compute.accumulator is 'fp64'", |c| c.compute.accumulator = Accumulator::Fp64),
        ("rounding.mode is 'truncate'", |c| c.rounding.mode = RoundingMode::Truncate),
    ];
    for op in ["rmsnorm", "linear", "logits", "rope", "swiglu", "residual_add"] {
        for (expected, change) in &cases {
            let error = call(op).with(|c| change(execution(c))).error();
            assert!(error.starts_with(&format!("{op}: {expected}, of which only")), "{error}");
        }
    }
    for op in ["embedding", "kv_append", "argmax"] {
        let error = call(op).with(|c| execution(c).storage.input = InputStorage::Fp16).error();
        assert!(error.starts_with(&format!("{op}: storage.input is 'fp16'")), "{error}");
        let error = call(op).with(|c| execution(c).storage.output = OutputStorage::Fp16).error();
        assert!(error.starts_with(&format!("{op}: storage.output is 'fp16'")), "{error}");
    }
}

#[test]
fn other_attention_types_and_cuts() {
    let cases: [Case<AttentionReduction>; 12] = [
        ("q_compute is 'fp16'", |c| c.q_compute = QueryCompute::Fp16),
        ("k_compute is 'fp16'", |c| c.k_compute = CacheCompute::Fp16),
        ("score_accumulator is 'fp16'", |c| c.score_accumulator = ScoreType::Fp16),
        ("softmax_statistics is 'bf16'", |c| c.softmax_statistics = ScoreType::Bf16),
        ("value_compute is 'fp16'", |c| c.value_compute = CacheCompute::Fp16),
        ("value_accumulator is 'fp16_rounded_each_update'", |c| {
            c.value_accumulator = ValueAccumulator::Fp16RoundedEachUpdate;
        }),
        ("partial_storage is 'none'", |c| c.partial_storage = PartialStorage::None),
        ("partial_merge is 'fp16_chunk_order'", |c| c.partial_merge = PartialMerge::Fp16ChunkOrder),
        ("partial_storage is 'fp32'", |c| c.partition.kind = PartitionKind::SingleRange),
        ("partition.chunk_extent is 0", |c| c.partition.chunk_extent = Some(0)),
        ("semantics.softmax.maximum is 'online'", |c| {
            c.semantics.as_mut().unwrap().softmax.as_mut().unwrap().maximum = MaximumRule::Online;
        }),
        ("semantics.empty_row is 'negative_infinity'", |c| {
            c.semantics.as_mut().unwrap().empty_row = FixedValue::NegativeInfinity;
        }),
    ];
    for (expected, change) in cases {
        let error = call("attention").with(|c| change(attention(c))).error();
        assert!(error.starts_with(&format!("attention: {expected}, ")), "{error}");
    }
}

#[test]
fn rows_that_are_left_out() {
    for run in calls() {
        if matches!(&*run.op, "linear" | "logits" | "argmax") {
            continue;
        }
        let error = run
            .with(|c| match c {
                Contract::Execution(c) => c.semantics.as_mut().unwrap().output_rows = OutputRows::Last,
                Contract::Attention(c) => c.semantics.as_mut().unwrap().output_rows = OutputRows::Last,
                Contract::Linear(_) => unreachable!("no linear contract among the calls"),
            })
            .error();
        assert!(error.ends_with("semantics.output_rows is 'last', of which only 'all' is implemented"), "{error}");
    }
}

#[test]
fn parts_that_are_missing_or_too_many() {
    let copy = semantics(&mut native("embedding")).copy;
    for run in calls() {
        let Contract::Execution(contract) = &run.contract else { continue };
        if contract.semantics.as_ref().is_some_and(|s| s.copy.is_none()) {
            let error = run.with(|c| semantics(c).copy = copy).error();
            assert_eq!(error, format!("{}: semantics has a 'copy', which this operation does not have", run.op));
        }
    }
    let error = call("rmsnorm").with(|c| semantics(c).normalization = None).error();
    assert_eq!(error, "rmsnorm: semantics has no 'normalization'");
    let error = call("rope").with(|c| execution(c).position_transform = None).error();
    assert_eq!(error, "rope: the contract has no position_transform");
}

#[test]
fn contraction_that_contradicts_the_update() {
    let error = call("linear").with(|c| execution(c).compute.contraction = Some(Contraction::Disabled)).error();
    assert_eq!(error, "linear: compute.contraction is 'disabled', of which only 'enabled' is implemented");
}

#[test]
fn reductions_that_make_no_sense() {
    let reduction = |change: fn(&mut cke_contracts::registry::LaneReduction)| {
        let changed = call("rmsnorm").with(|c| {
            execution(c).compute.contraction = None;
            change(semantics(c).reduction.as_mut().unwrap());
        });
        changed.error()
    };
    for (expected, error) in [
        ("update 'add' takes 1 factors, found 2", reduction(|r| r.update = ReductionUpdate::Add)),
        ("factors are [x, w], expected [x, x]", reduction(|r| r.factors = vec!["x".into(), "w".into()])),
        ("horizontal_tree leaves 64 lanes, expected 1", reduction(|r| r.horizontal_tree = vec![])),
        ("horizontal_tree leaves 2 lanes, expected 1", reduction(|r| r.horizontal_tree = vec![32, 16, 8, 4, 2])),
        (
            "horizontal_tree has stride 16 where 64 lanes are left",
            reduction(|r| r.horizontal_tree = vec![16, 8, 4, 2, 1]),
        ),
        ("horizontal_tree has stride 64 where 64 lanes are left", reduction(|r| r.horizontal_tree = vec![64, 32])),
        ("horizontal_tree has stride 0 where 1 lanes are left", reduction(|r| r.horizontal_tree.push(0))),
        ("lanes.count is 8192, of which at most 4096 are implemented", reduction(|r| r.lanes.count = 8192)),
    ] {
        assert!(error.starts_with("rmsnorm: semantics.reduction.") && error.ends_with(expected), "{error}");
    }
    let none = call("linear").with(|c| semantics(c).reduction.as_mut().unwrap().lanes.count = 0).error();
    assert_eq!(none, "linear: semantics.reduction.horizontal_tree leaves 0 lanes, expected 1");
}

#[test]
fn rotations_that_are_not_implemented() {
    use cke_contracts::registry::vocabulary::{FrequencyCompute, IntermediateCompute};
    let transform = |change: fn(&mut cke_contracts::registry::PositionTransform)| {
        call("rope").with(|c| change(execution(c).position_transform.as_mut().unwrap())).error()
    };
    assert_eq!(
        transform(|t| t.pairing = Pairing::MultiSection),
        "rope: semantics.rotation.sections are absent with position_transform.pairing 'multi_section'"
    );
    let error = transform(|t| t.frequency_compute = FrequencyCompute::Fp32);
    assert!(error.starts_with("rope: position_transform.frequency_compute is 'fp32'"), "{error}");
    let error = transform(|t| t.intermediate_compute = IntermediateCompute::Fp16);
    assert!(error.starts_with("rope: position_transform.intermediate_compute is 'fp16'"), "{error}");
}

#[test]
fn the_wrong_contract() {
    let mut run = call("linear");
    run.contract = native("attention");
    assert_eq!(run.error(), "linear: semantics.operations are attention, without this one");
    let mut run = call("linear");
    run.contract = native("attention");
    attention(&mut run.contract).semantics.as_mut().unwrap().operations = vec!["linear".into()];
    assert_eq!(run.error(), "linear: expected a numerical execution contract, found an attention reduction");
    let mut run = call("attention");
    run.contract = native("linear");
    semantics(&mut run.contract).operations = vec!["attention".into()];
    assert_eq!(run.error(), "attention: expected an attention reduction contract, found a numerical execution");
    let error = call("linear").with(|c| execution(c).semantics = None).error();
    assert_eq!(error, "linear: the contract has no explicit semantics to execute");
    let mut run = call("linear");
    run.op = "conv".to_owned();
    assert_eq!(run.error(), "unknown operation 'conv'");
}

#[test]
fn calls_that_do_not_fit() {
    for run in calls() {
        let op = run.op.clone();
        assert_eq!(run.clone().at(0, 0).error(), format!("{op}: a call has at least 1 row, found 0"));
        // Without its shape, its ports, or the end of its state block, a call is an error; nothing panics.
        for name in run.shape.keys() {
            let mut less = run.clone();
            less.shape.remove(name);
            if let Err(error) = less.execute() {
                assert!(error.starts_with(&format!("{op}: the shape has no '{name}'")), "{error}");
            }
            for extent in [i64::MIN, -1, 0, 7, 1 << 40, i64::MAX] {
                let _ = run.clone().shape(&[(name, extent)]).execute();
            }
        }
        for bytes in (0..run.state.len()).step_by(3) {
            let mut short = run.clone();
            short.state.truncate(bytes);
            let _ = short.execute();
        }
        for position in [1, usize::MAX] {
            for rows in [1, 2, usize::MAX] {
                let _ = run.clone().at(rows, position).execute();
            }
        }
        let unnamed = run.rename("y", "z");
        let outputs = if op == "kv_append" { "" } else { "there is no port 'y'" };
        match unnamed.clone().execute() {
            Ok(()) => assert!(outputs.is_empty()),
            Err(error) => assert_eq!(error, format!("{op}: {outputs}")),
        }
    }
    let error = call("linear").alias("y", "x").error();
    assert_eq!(error, "linear: there are two ports 'y'");
    let mut run = call("rmsnorm");
    run.params.clear();
    assert_eq!(run.error(), "rmsnorm: there is no parameter 'eps'");
}

#[test]
fn a_tensor_that_sticks_out_of_the_state_block() {
    let mut run = call("residual_add");
    let end = run.state.len();
    run.state.truncate(end - 64);
    let error = run.error();
    assert!(error.starts_with("residual_add: port 'y' takes 4 elements from byte"), "{error}");
    assert!(error.ends_with(&format!("outside a state block of {} bytes", end - 64)), "{error}");
}
