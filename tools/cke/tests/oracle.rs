//! Generated code against the scalar oracle, both running the same call-level program: every logit, bit for bit.

mod common;

use cke_mlir::ir::Context;
use cke_runtime::Engine;
use cke_runtime::compare::compare;
use cke_runtime::gguf::Gguf;
use cke_runtime::oracle::OracleEngine;
use cke_runtime::prepare::prepare;
use cke_runtime::program::Program;
use cke_runtime::session::Session;
use cke_target_llvm::jit::CompiledEngine;

/// "The capital of France is"
const PROMPT: [u32; 5] = [504, 3575, 282, 4649, 314];
/// Logits that are compared: those of the prompt and of the tokens after it.
const STEPS: usize = 8;

/// The logits of the first steps, each step taking the program's own choice of a token.
fn logits(program: &Program, engine: &dyn Engine, model: &Gguf, threads: usize) -> Vec<Vec<f32>> {
    let state = prepare(program, model, 2, &|_| {}).expect("the weights fit");
    let mut session = Session::new(program, engine, state, threads).expect("a valid program");
    let mut steps = Vec::new();
    session.prefill(&PROMPT).expect("the prompt fits");
    for step in 0..STEPS {
        if step > 0 {
            let token = session.next_token().expect("a token was chosen");
            session.decode(token).expect("the token fits");
        }
        steps.push(session.logits().expect("a token was run").to_vec());
    }
    steps
}

fn differing(one: &[Vec<f32>], other: &[Vec<f32>]) -> usize {
    one.iter().zip(other).map(|(one, other)| compare(one, other).expect("equal lengths").differing()).sum()
}

fn check(model: &Gguf, isas: &[&str]) {
    let context = Context::new(&cke_passes::registry());
    let mut expected = None;
    for isa in isas {
        let (program, object) = common::compile_model(&context, model, &common::options(isa));
        let expected: &Vec<Vec<f32>> = expected.get_or_insert_with(|| {
            let oracle = OracleEngine::new(&program).expect("a valid program");
            logits(&program, &oracle, model, 1)
        });
        let engine = CompiledEngine::new(&program, &object).expect("code for this machine");
        for threads in [1, 2, 3] {
            let found = logits(&program, &engine, model, threads);
            assert_eq!(differing(expected, &found), 0, "{isa}, {threads} threads: logits differ from the oracle's");
        }
        // The comparison sees a single changed bit.
        let mut changed = expected.clone();
        changed[STEPS - 1][7] = f32::from_bits(changed[STEPS - 1][7].to_bits() ^ 1);
        assert_eq!(differing(expected, &changed), 1);
    }
}

#[test]
fn logits_of_two_layers_equal_the_oracle_s() {
    let Some(path) = common::model_path() else { return };
    let model = Gguf::open(&path).expect("readable");
    check(&common::cut(&model, 2), &["native"]);
}

#[test]
fn logits_of_the_whole_model_equal_the_oracle_s() {
    if !common::sweep() {
        eprintln!("skipped: `make sweep` runs the whole model through the oracle");
        return;
    }
    let Some(path) = common::model_path() else { return };
    check(&Gguf::open(&path).expect("readable"), &["native", "x86-64-v3"]);
}
