//! The levels of whole models: a seeded model of the native circuit, compiled as `cke compile` does it.

use super::bench::SEED;
use super::compare::{compare_tokens, culprit, differing, occurrences};
use super::data::Random;
use super::levels::{MODEL_THREADS, Subject, record};
use super::route::options;
use super::tally::Tally;
use super::tiny::{self, ARCHITECTURE, POSITIONS, Paired, VOCABULARY};
use crate::load::compile_module;
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use cke_contracts::circuit::Circuit;
use cke_contracts::evidence::{Covered, Kernel, Level, Record};
use cke_contracts::registry::Registry;
use cke_contracts::registry::vocabulary::Phase;
use cke_mlir::ir::Context;
use cke_passes::describe;
use cke_passes::driver::Failure;
use cke_passes::import::{GgufModel, Model, import};
use cke_passes::pipelines::Level as IrLevel;
use cke_runtime::Engine;
use cke_runtime::compare::compare;
use cke_runtime::gguf::Gguf;
use cke_runtime::oracle::OracleEngine;
use cke_runtime::prepare::prepare;
use cke_runtime::program::{Program, Step};
use cke_runtime::session::Session;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::jit::CompiledEngine;
use std::collections::BTreeMap;
use std::path::Path;

/// The class of shapes that the seeded models are.
pub const TINY: &str = "tiny";
/// Rows of a prefill call: fewer than a prompt has, so that a prompt takes several.
const MAX_ROWS: usize = 4;
/// Lengths of the prompts.
const PROMPTS: [usize; 2] = [5, 9];
/// Tokens after each prompt.
const STEPS: usize = 6;
/// Both ways to pair what is rotated.
const PAIRINGS: [&str; 2] = ["pairwise_interleaved", "split_half"];

/// What a session leaves after each call.
#[derive(Clone, Debug, PartialEq)]
struct Trace {
    /// The state, where it is asked for.
    states: Vec<Vec<u8>>,
    logits: Vec<Vec<f32>>,
    tokens: Vec<u32>,
}

/// A record of one level for every provider and contract that took part, by provider.
pub fn records(context: &Context, registry: &Registry, isa: &Isa, level: Level) -> Result<Vec<(String, Record)>> {
    let circuit = Circuit::native(ARCHITECTURE).context("error: there is no circuit of the seeded model")?;
    let layers = if level == Level::Layer { 1 } else { 3 };
    let (file, digest) = tiny::model(layers, SEED)?;
    let mut tally = Tally::default();
    let mut parts: BTreeMap<(String, String), Part> = BTreeMap::new();
    for pairing in PAIRINGS {
        let model = Paired { file: GgufModel::new(&file, Some(POSITIONS))?, pairing };
        let (program, engine) = compile(context, registry, &circuit, &model, isa)?;
        check(registry, &program, &engine, &file, level, &mut tally)?;
        note_parts(&circuit, &program, layers as usize, &mut parts)?;
    }
    let mut records = Vec::new();
    for ((id, contract), part) in parts {
        let provider = registry.providers.get(&id).with_context(|| format!("error: no provider '{id}'"))?;
        let covered = Covered { circuit: circuit.name.clone(), model: digest.clone(), operations: part.operations };
        let subject = Subject { context, registry, provider, contract: &contract, isa };
        records.push((id.clone(), record(&subject, level, TINY, part.kernels, Some(covered), &tally)?));
    }
    Ok(records)
}

/// Replays tokens of a model file; gives how many were compared.
pub fn replay(context: &Context, registry: &Registry, isa: &Isa, path: &Path) -> Result<usize> {
    let file = Gguf::open(path)?;
    let end = file.metadata().find::<u32>("tokenizer.ggml.eos_token_id")?;
    let model = GgufModel::new(&file, Some(POSITIONS))?;
    let circuit = Circuit::native(model.architecture()).context("error: no circuit describes the model")?;
    let (program, engine) = compile(context, registry, &circuit, &model, isa)?;
    let oracle = OracleEngine::new(&program)?;
    let prompt = prompt(PROMPTS[0], u32::try_from(program.vocab)?);
    let run = |engine: &dyn Engine, threads| trace(&program, engine, &file, &prompt, threads, false);
    let first = run(&engine, 2)?;
    ensure!(first == run(&engine, 2)?, "error: not repeatable: two runs gave different bits");
    compare_tokens(&run(&oracle, 1)?.tokens, &first.tokens, end).map_err(|rule| anyhow!("error: {rule}"))
}

/// What a provider did in a program.
#[derive(Default)]
struct Part {
    kernels: Vec<Kernel>,
    operations: BTreeMap<String, Vec<Phase>>,
}

fn compile(
    context: &Context,
    registry: &Registry,
    circuit: &Circuit,
    model: &dyn Model,
    isa: &Isa,
) -> Result<(Program, CompiledEngine)> {
    let mut module = import(context, registry, circuit, model).map_err(|fault| anyhow!("{fault}"))?;
    let mut program = None;
    let object = compile_module(&mut module, &options(&isa.name, MAX_ROWS), &mut |level, module| {
        if level == IrLevel::Call {
            program = Some(describe(module.op()).map_err(Failure::Other)?);
        }
        Ok(())
    })?;
    let program = program.context("error: the module did not pass the call level")?;
    let engine = CompiledEngine::new(&program, &object)?;
    Ok((program, engine))
}

fn check(
    registry: &Registry,
    program: &Program,
    engine: &CompiledEngine,
    file: &Gguf,
    level: Level,
    tally: &mut Tally,
) -> Result<()> {
    let oracle = OracleEngine::new(program)?;
    let states = level == Level::Layer;
    for length in PROMPTS {
        let prompt = prompt(length, VOCABULARY);
        let expected = trace(program, &oracle, file, &prompt, 1, states)?;
        for threads in MODEL_THREADS {
            let name = format!("error: {level}, a prompt of {length} tokens, {threads} threads");
            let run = || trace(program, engine, file, &prompt, threads, states);
            let found = run()?;
            // Scratch is left as threads happened to use it; all that has a meaning must be the same.
            ensure!(found.logits == run()?.logits, "{name}: not repeatable: two runs gave different bits");
            compare_traces(registry, program, level, &expected, &found, tally)
                .with_context(|| format!("{name}: differs from the oracle"))?;
        }
    }
    Ok(())
}

fn compare_traces(
    registry: &Registry,
    program: &Program,
    level: Level,
    expected: &Trace,
    found: &Trace,
    tally: &mut Tally,
) -> Result<()> {
    match level {
        Level::Layer => {
            for (step, (expected, found)) in expected.states.iter().zip(&found.states).enumerate() {
                let entry = if step == 0 { "prefill" } else { "decode" };
                let steps = &program.entry(entry).context("error: no such entry")?.steps;
                let calls = occurrences(registry, steps)?;
                let bytes = differing(&calls, expected, found);
                ensure!(bytes.is_empty(), "call {step}: {} words; {}", bytes.len(), culprit(&calls, &bytes));
                tally.case(calls.iter().flat_map(|call| &call.writes).map(|range| &expected[range.clone()]).collect());
            }
        }
        Level::Stitched => {
            for (step, (expected, found)) in expected.logits.iter().zip(&found.logits).enumerate() {
                let outcome = compare(expected, found).map_err(|rule| anyhow!("logits of call {step}: {rule}"))?;
                ensure!(outcome.is_equal(), "logits of call {step}: {outcome}");
                let bytes: Vec<u8> = expected.iter().flat_map(|logit| logit.to_le_bytes()).collect();
                tally.case(vec![&bytes]);
            }
        }
        Level::TokenReplay => {
            let counted = compare_tokens(&expected.tokens, &found.tokens, None).map_err(|rule| anyhow!("{rule}"))?;
            let bytes: Vec<u8> = expected.tokens[..counted].iter().flat_map(|token| token.to_le_bytes()).collect();
            tally.case(vec![&bytes]);
        }
        Level::Leaf | Level::PublicRoute => bail!("error: {level} is no level of whole models"),
    }
    Ok(())
}

/// Runs a prompt and the tokens the program selects after it.
fn trace(
    program: &Program,
    engine: &dyn Engine,
    file: &Gguf,
    prompt: &[u32],
    threads: usize,
    states: bool,
) -> Result<Trace> {
    let state = prepare(program, file, 1, &|_| {})?;
    let mut session = Session::new(program, engine, state, threads)?;
    let mut trace = Trace { states: Vec::new(), logits: Vec::new(), tokens: Vec::new() };
    session.prefill(prompt)?;
    for step in 0..STEPS {
        if step > 0 {
            let token = session.next_token()?;
            session.decode(token)?;
        }
        trace.logits.push(session.logits()?.to_vec());
        trace.tokens.push(session.next_token()?);
        if states {
            trace.states.push(session.state().bytes().to_vec());
        }
    }
    Ok(trace)
}

fn prompt(length: usize, vocabulary: u32) -> Vec<u32> {
    let mut random = Random::new(SEED ^ length as u64);
    (0..length).map(|_| random.below(vocabulary as usize) as u32).collect()
}

/// What each provider did, by provider and contract.
fn note_parts(
    circuit: &Circuit,
    program: &Program,
    layers: usize,
    parts: &mut BTreeMap<(String, String), Part>,
) -> Result<()> {
    for &phase in &circuit.phases {
        let outside = circuit.header.iter().chain(&circuit.footer).map(|op| (op, None));
        let inside = (0..layers).flat_map(|layer| circuit.body.ops.iter().map(move |op| (op, Some(layer))));
        let roles: BTreeMap<_, _> =
            outside.chain(inside).map(|(op, layer)| (circuit.instance(phase, layer, op), &op.operation)).collect();
        let entry = program.entry(phase.as_str()).with_context(|| format!("error: no entry '{phase}'"))?;
        for step in &entry.steps {
            let Step::Invoke(invoke) = step else { continue };
            let role = roles.get(&invoke.instance).with_context(|| format!("error: '{}'", invoke.instance))?;
            let part = parts.entry((invoke.provider.clone(), invoke.contract.clone())).or_default();
            let kernel = Kernel { phase, shape: invoke.shape.clone(), params: invoke.params.clone() };
            if !part.kernels.contains(&kernel) {
                part.kernels.push(kernel);
            }
            let phases = part.operations.entry((*role).clone()).or_default();
            if !phases.contains(&phase) {
                phases.push(phase);
            }
        }
    }
    Ok(())
}
