//! The oracle engine on a program of three operations, through prepared weights and a session, against plain loops.

use crate::support::{MAX_ROWS, VOCAB, add_weight, program};
use cke_contracts::registry::{ContractKind, Registry};
use cke_oracle::dequant::Storage;
use cke_oracle::fma::fma;
use cke_runtime::compare::compare;
use cke_runtime::fault::Code;
use cke_runtime::gguf::{Gguf, write::Builder};
use cke_runtime::oracle::OracleEngine;
use cke_runtime::prepare::prepare;
use cke_runtime::program::{Arg, ArgValue, ContractDefinition, Entry, Invoke, Program, Step};
use cke_runtime::sampler::Sampler;
use cke_runtime::session::Session;
use cke_runtime::state::StateBlock;
use std::collections::BTreeMap;

/// Width of the embedding.
const DIM: u64 = 32;

/// The embedding, as stored, and the matrix of the logits.
fn model() -> Gguf {
    let table: Vec<u8> = (0..VOCAB)
        .flat_map(|row| [0x00, 0x30].into_iter().chain((0..32).map(move |k| (row * 7 + k * 13) as u8)))
        .collect();
    let output: Vec<f32> = (0..VOCAB * DIM).map(|i| ((i * 29 % 101) as f32 - 50.0) * 0.013).collect();
    let builder = Builder::new().tensor("token_embd.weight", &[VOCAB, DIM], Storage::Q8_0, table).tensor_f32(
        "output.weight",
        &[VOCAB, DIM],
        &output,
    );
    Gguf::from_bytes("tiny.gguf", builder.finish().unwrap()).unwrap()
}

fn buffer(name: &str, offset: u64, bytes: u64, layout: &str) -> Arg {
    Arg { name: name.to_owned(), value: ArgValue::Offset(offset), layout: layout.to_owned(), bytes }
}

fn invoke(op: &str, contract: &str, shape: &[(&str, u64)], args: Vec<Arg>) -> Step {
    Step::Invoke(Box::new(Invoke {
        instance: op.to_owned(),
        symbol: format!("cke_{op}_fp32"),
        op: op.to_owned(),
        contract: contract.to_owned(),
        provider: format!("cke_{op}_fp32"),
        function: format!("cke_{op}_fp32"),
        shape: shape.iter().map(|(key, extent)| ((*key).to_owned(), *extent as i64)).collect(),
        params: BTreeMap::new(),
        args,
    }))
}

/// Token to embedding to logits to next token.
fn tiny() -> Program {
    let mut program = program();
    add_weight(&mut program, "token_embd.weight", "q8_0", "expand_fp32_panels_n32", &[VOCAB, DIM]);
    add_weight(&mut program, "output.weight", "f32", "expand_fp32_panels_n32", &[VOCAB, DIM]);
    let weight = |name, index: usize| {
        let slot = &program.weights[index];
        buffer(name, slot.offset, slot.bytes, &slot.layout)
    };
    let rows = || Arg { name: "rows".to_owned(), value: ArgValue::Rows, layout: String::new(), bytes: 0 };
    let activation = |name| buffer(name, program.arena.offset, MAX_ROWS * DIM * 4, "row_major");
    let logits = |name| buffer(name, program.io.logits, VOCAB * 4, "row_major");
    let tokens = buffer("tokens", program.io.tokens, MAX_ROWS * 4, "row_major");
    let next = buffer("y", program.io.next_token, 4, "row_major");
    let steps = vec![
        invoke(
            "embedding",
            "embedding_fp32_copy",
            &[("dim", DIM), ("vocab", VOCAB)],
            vec![tokens, weight("table", 0), activation("y"), rows()],
        ),
        Step::Barrier,
        invoke(
            "logits",
            "logits_fp32_ascending_k_fma_last_row",
            &[("k", DIM), ("n", VOCAB)],
            vec![activation("x"), weight("w", 1), logits("y"), rows()],
        ),
        Step::Barrier,
        invoke("argmax", "argmax_fp32_first_index", &[("n", VOCAB)], vec![logits("x"), next]),
    ];
    let entry = |name: &str| Entry { name: name.to_owned(), steps: steps.clone() };
    let entries = ["prefill", "decode"].map(entry).into();
    let registry = Registry::native().unwrap();
    let definition = |contract: &cke_contracts::registry::Contract| match contract.kind() {
        ContractKind::Execution => ContractDefinition::Execution(contract.definition()),
        ContractKind::Attention => ContractDefinition::Attention(contract.definition()),
        ContractKind::Linear => ContractDefinition::Linear(contract.definition()),
    };
    program.entries = entries;
    program.contracts = registry.contracts.iter().map(|(id, contract)| (id.clone(), definition(contract))).collect();
    program.providers = registry.providers.iter().map(|(id, provider)| (id.clone(), provider.definition())).collect();
    program
}

/// Row `row` of a tensor, decoded.
fn row(model: &Gguf, name: &str, row: usize) -> Vec<f32> {
    let tensor = model.tensor(name).unwrap();
    let stored = model.read_tensor(tensor).unwrap();
    let mut values = vec![0.0; (VOCAB * DIM) as usize];
    tensor.kind.storage().unwrap().decode(&stored, &mut values).unwrap();
    values[row * DIM as usize..][..DIM as usize].to_vec()
}

fn expected_logits(model: &Gguf, token: u32) -> Vec<f32> {
    let x = row(model, "token_embd.weight", token as usize);
    let chain = |n| row(model, "output.weight", n).iter().zip(&x).fold(0.0, |sum, (w, x)| fma(*x, *w, sum));
    (0..VOCAB as usize).map(chain).collect()
}

#[test]
fn a_session_of_the_oracle_computes_what_the_contracts_say() {
    let (program, model) = (tiny(), model());
    let engine = OracleEngine::new(&program).unwrap();
    let state = prepare(&program, &model, 2, &|_| ()).unwrap();
    let mut session = Session::new(&program, &engine, state, 4).unwrap();
    session.prefill(&[3, 0, 39, 17, 5, 6, 7, 8, 9, 21]).unwrap();
    for token in [21, 4, 11] {
        if token != 21 {
            session.decode(token).unwrap();
        }
        let comparison = compare(&expected_logits(&model, token), session.logits().unwrap()).unwrap();
        assert!(comparison.is_equal(), "token {token}: {comparison}");
        assert_eq!(session.next_token().unwrap(), Sampler::Greedy.next(session.logits().unwrap()));
    }
}

#[test]
fn a_failing_step_is_named() {
    let mut program = tiny();
    let Step::Invoke(invoke) = &mut program.entries[1].steps[2] else { unreachable!("the third step is a call") };
    invoke.shape.remove("k");
    let engine = OracleEngine::new(&program).unwrap();
    let mut session = Session::new(&program, &engine, StateBlock::new(program.state_bytes).unwrap(), 1).unwrap();
    let fault = session.decode(1).unwrap_err();
    assert_eq!(fault.to_string(), "error: entry 'decode' step 2 ('logits'): logits: the shape has no 'k' [CKE-R006]");
}

#[test]
fn contracts_that_cannot_be_understood_are_refused() {
    let mut program = tiny();
    let broken = ContractDefinition::Attention(serde_json::json!({"status": "observed"}));
    program.contracts.insert("argmax_fp32_first_index".to_owned(), broken);
    let fault = OracleEngine::new(&program).map(drop).unwrap_err();
    assert_eq!(fault.code, Code::ProgramMalformed);
    assert!(fault.message.contains("argmax_fp32_first_index"), "{fault}");
}
