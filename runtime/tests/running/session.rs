//! Sessions: chunks, positions and limits, seen by an engine that only writes down what it is asked.

use crate::support::{CAPACITY, VOCAB, program};
use anyhow::{Result, bail};
use cke_runtime::Engine;
use cke_runtime::fault::Code;
use cke_runtime::program::Program;
use cke_runtime::session::Session;
use cke_runtime::state::StateBlock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// What the engine was asked: entry, tokens, position, threads.
type Run = (String, Vec<u32>, usize, usize);

#[derive(Default)]
struct Recorder {
    runs: Mutex<Vec<Run>>,
    /// The number of the run that fails; 0 for none.
    fails_at: AtomicUsize,
    /// What it selects as the next token.
    selects: AtomicI32,
}

impl Engine for Recorder {
    fn run(&self, entry: &str, state: &mut StateBlock, rows: usize, position: usize, threads: usize) -> Result<()> {
        let mut runs = self.runs.lock().unwrap();
        runs.push((entry.to_owned(), state.read::<u32>(0, rows)?.to_vec(), position, threads));
        if runs.len() == self.fails_at.load(Ordering::Relaxed) {
            bail!("kernel 7 is out of order");
        }
        state.write(64, &vec![position as f32; VOCAB as usize])?;
        state.write(256, &[self.selects.load(Ordering::Relaxed)])?;
        // A mark in the cache, which a reset must clear.
        state.write(320, &[1.0_f32])
    }
}

fn block(program: &Program) -> StateBlock {
    StateBlock::new(program.state_bytes).unwrap()
}

#[test]
fn prompts_run_in_chunks_and_tokens_one_by_one() {
    let (program, engine) = (program(), Recorder::default());
    let mut session = Session::new(&program, &engine, block(&program), 3).unwrap();
    let prompt: Vec<u32> = (10..27).collect();
    session.prefill(&prompt).unwrap();
    assert_eq!(session.logits().unwrap(), [16.0; VOCAB as usize]);
    session.decode(5).unwrap();
    session.prefill(&[6, 7]).unwrap();
    assert_eq!((session.position(), session.remaining()), (20, 0));
    let expected: [(&str, &[u32], usize); 5] = [
        ("prefill", &prompt[..8], 0),
        ("prefill", &prompt[8..16], 8),
        ("prefill", &prompt[16..], 16),
        ("decode", &[5], 17),
        ("prefill", &[6, 7], 18),
    ];
    let expected = expected.map(|(entry, tokens, position)| (entry.to_owned(), tokens.to_vec(), position, 3));
    assert_eq!(*engine.runs.lock().unwrap(), expected);
}

#[test]
fn limits_are_checked_before_anything_runs() {
    let (program, engine) = (program(), Recorder::default());
    let mut session = Session::new(&program, &engine, block(&program), 1).unwrap();
    let fault = session.prefill(&[]).unwrap_err();
    assert_eq!(fault.to_string(), "error: a prompt of 0 tokens, expected at least 1 [CKE-R004]");
    let fault = session.prefill(&[1, 2, 40]).unwrap_err();
    assert_eq!(fault.to_string(), "error: token 2 is 40, expected 0 to 39 [CKE-R002]");
    assert_eq!(session.decode(u32::MAX).unwrap_err().code, Code::TokenOutOfRange);
    let fault = session.prefill(&[0; CAPACITY as usize + 1]).unwrap_err();
    assert_eq!(fault.to_string(), "error: 21 tokens at position 0, the capacity is 20 [CKE-R003]");
    assert!(engine.runs.lock().unwrap().is_empty());
    session.prefill(&[0; CAPACITY as usize]).unwrap();
    let fault = session.decode(1).unwrap_err();
    assert_eq!(fault.to_string(), "error: 1 tokens at position 20, the capacity is 20 [CKE-R003]");
    assert!(session.logits().is_ok());
}

#[test]
fn there_are_no_results_before_the_first_token() {
    let (program, engine) = (program(), Recorder::default());
    let mut session = Session::new(&program, &engine, block(&program), 1).unwrap();
    assert_eq!(session.logits().unwrap_err().code, Code::NothingToRun);
    assert_eq!(session.next_token().unwrap_err().code, Code::NothingToRun);
    session.decode(3).unwrap();
    assert_eq!(session.next_token().unwrap(), 0);
}

#[test]
fn a_selected_token_is_checked() {
    let (program, engine) = (program(), Recorder::default());
    let mut session = Session::new(&program, &engine, block(&program), 1).unwrap();
    for (selected, expected) in [(39, Ok(39)), (40, Err(Code::EngineFailed)), (-1, Err(Code::EngineFailed))] {
        engine.selects.store(selected, Ordering::Relaxed);
        session.decode(1).unwrap();
        assert_eq!(session.next_token().map_err(|fault| fault.code), expected);
    }
}

#[test]
fn a_reset_session_is_like_a_new_one() {
    let (program, engine) = (program(), Recorder::default());
    let mut session = Session::new(&program, &engine, block(&program), 1).unwrap();
    session.prefill(&[1; 9]).unwrap();
    assert_eq!(session.state().read::<f32>(320, 1).unwrap(), [1.0]);
    session.reset().unwrap();
    assert_eq!(session.state().read::<f32>(320, 1).unwrap(), [0.0]);
    assert_eq!(session.position(), 0);
    assert_eq!(session.logits().unwrap_err().code, Code::NothingToRun);
    session.prefill(&[1; 20]).unwrap();
}

#[test]
fn a_failed_run_loses_the_sequence_until_reset() {
    let (program, engine) = (program(), Recorder::default());
    let mut session = Session::new(&program, &engine, block(&program), 1).unwrap();
    engine.fails_at.store(2, Ordering::Relaxed);
    let fault = session.prefill(&[1; 16]).unwrap_err();
    assert_eq!(fault.to_string(), "error: kernel 7 is out of order [CKE-R006]");
    for outcome in
        [session.decode(1), session.prefill(&[1]), session.logits().map(drop), session.next_token().map(drop)]
    {
        assert_eq!(outcome.unwrap_err().code, Code::EngineFailed);
    }
    session.reset().unwrap();
    session.decode(1).unwrap();
    assert_eq!(session.position(), 1);
}

#[test]
fn sessions_which_cannot_run_are_refused() {
    let engine = Recorder::default();
    let refused = |program: &Program, state: StateBlock, threads| {
        Session::new(program, &engine, state, threads).map(drop).unwrap_err()
    };
    let valid = program();
    assert_eq!(refused(&valid, block(&valid), 0).message, "0 threads, expected 1 to 4");
    assert_eq!(refused(&valid, block(&valid), 5).message, "5 threads, expected 1 to 4");
    let small = StateBlock::new(4095).unwrap();
    assert_eq!(refused(&valid, small, 1).message, "a state block of 4095 bytes, expected 4096");
    let mut without = program();
    without.entries.pop();
    assert_eq!(refused(&without, block(&without), 1).message, "the program has no entry 'decode'");
    let mut malformed = program();
    malformed.io.tokens = 1;
    assert_eq!(refused(&malformed, block(&valid), 1).code, Code::ProgramMalformed);
}
