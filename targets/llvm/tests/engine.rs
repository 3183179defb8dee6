//! Loading and running object code: barriers between threads, limits, and errors that are values.

mod common;

use cke_runtime::Engine;
use cke_runtime::program::{Entry, Io, Program, Region};
use cke_runtime::state::StateBlock;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::jit::CompiledEngine;
use cke_target_llvm::object::Object;
use common::{MAX_THREADS, compile, with_llvm_dialect};
use std::collections::BTreeMap;

/// Each thread stores its number plus one, waits, and then sums what all have stored.
const SUM_OF_ALL: &str = "
func.func private @cke_barrier(!llvm.ptr)
func.func @run(%state: !llvm.ptr, %rows: i64, %position: i64, %thread: i64, %threads: i64, %sync: !llvm.ptr) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %next = arith.addi %thread, %one : i64
  %own = llvm.getelementptr %state[%thread] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %next, %own : i64, !llvm.ptr
  func.call @cke_barrier(%sync) : (!llvm.ptr) -> ()
  %sum = scf.for %other = %zero to %threads step %one iter_args(%sum = %zero) -> (i64) : i64 {
    %address = llvm.getelementptr %state[%other] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %value = llvm.load %address : !llvm.ptr -> i64
    %more = arith.addi %sum, %value : i64
    scf.yield %more : i64
  }
  func.call @cke_barrier(%sync) : (!llvm.ptr) -> ()
  llvm.store %sum, %own : i64, !llvm.ptr
  return
}";

fn program(entries: &[&str]) -> Program {
    Program {
        state_bytes: 128,
        max_rows: 4,
        capacity: 10,
        max_threads: MAX_THREADS as u64,
        vocab: 1,
        io: Io { tokens: 0, logits: 0, next_token: 0 },
        weights: Vec::new(),
        states: Vec::new(),
        arena: Region { offset: 0, bytes: 128 },
        entries: entries.iter().map(|&name| Entry { name: name.to_owned(), steps: Vec::new() }).collect(),
        contracts: BTreeMap::new(),
        providers: BTreeMap::new(),
        ledger_root: String::new(),
    }
}

fn host() -> Isa {
    Isa::host().expect("a supported machine")
}

#[test]
fn threads_meet_at_barriers() {
    let engine = CompiledEngine::new(&program(&["run"]), &compile(SUM_OF_ALL, &host())).expect("it loads");
    for round in 0..200 {
        for threads in 1..=MAX_THREADS {
            let mut state = StateBlock::new(128).expect("memory for a test");
            engine.run("run", &mut state, 1, 0, threads).expect("it runs");
            let sum = (threads * (threads + 1) / 2) as u64;
            let found = state.read::<u64>(0, threads).expect("inside the block");
            assert!(found.iter().all(|&value| value == sum), "round {round}, {threads} threads: {found:?}");
        }
    }
}

#[test]
fn a_missing_entry_is_an_error() {
    let object = compile(SUM_OF_ALL, &host());
    let Err(error) = CompiledEngine::new(&program(&["run", "decode"]), &object) else { panic!("no such entry") };
    let error = format!("{error:#}");
    assert!(error.starts_with("entry 'decode': ") && error.contains("decode"), "{error}");
    let engine = CompiledEngine::new(&program(&["run"]), &object).expect("it loads");
    let mut state = StateBlock::new(128).expect("memory for a test");
    let error = engine.run("decode", &mut state, 1, 0, 1).expect_err("no such entry");
    assert_eq!(error.to_string(), "the program has no entry 'decode'");
}

#[test]
fn extents_beyond_the_program_are_errors() {
    let engine = CompiledEngine::new(&program(&["run"]), &compile(SUM_OF_ALL, &host())).expect("it loads");
    let mut state = StateBlock::new(128).expect("memory for a test");
    let mut refuse = |rows, position, threads| {
        engine.run("run", &mut state, rows, position, threads).expect_err("a limit").to_string()
    };
    assert_eq!(refuse(0, 0, 1), "a call has 1 to 4 rows, found 0");
    assert_eq!(refuse(5, 0, 1), "a call has 1 to 4 rows, found 5");
    assert_eq!(refuse(4, 7, 1), "4 rows from position 7 on exceed the capacity of 10");
    assert_eq!(refuse(1, usize::MAX, 1), format!("1 rows from position {} on exceed the capacity of 10", usize::MAX));
    assert_eq!(refuse(1, 0, 0), "a call runs on 1 to 8 threads, found 0");
    assert_eq!(refuse(1, 0, 9), "a call runs on 1 to 8 threads, found 9");
    let mut small = StateBlock::new(64).expect("memory for a test");
    let error = engine.run("run", &mut small, 1, 0, 1).expect_err("a small block").to_string();
    assert_eq!(error, "the state block has 64 bytes, the program needs 128");
}

#[test]
fn code_for_another_machine_is_refused() {
    let foreign = if cfg!(target_arch = "aarch64") { "x86-64-v3" } else { "aarch64" };
    let object = compile(SUM_OF_ALL, &Isa::parse(foreign).expect("a known name"));
    let Err(error) = CompiledEngine::new(&program(&["run"]), &object) else { panic!("another machine") };
    assert_eq!(error.to_string(), format!("this machine cannot run code for the instruction set '{foreign}'"));
}

#[test]
fn a_library_call_is_refused() {
    let text = "
func.func private @expf(f32) -> f32
func.func @run(%x: f32) -> f32 {
  %y = func.call @expf(%x) : (f32) -> f32
  return %y : f32
}";
    let error = with_llvm_dialect(text, |module| Object::compile(module.op(), &host())).expect_err("a call");
    assert_eq!(error, "the code for 'native' calls expf, which no contract provides for");
}

/// A loop that copies or clears is not turned into a call of the C library.
#[test]
fn copying_loops_stay_loops() {
    let text = "
func.func @run(%from: !llvm.ptr, %to: !llvm.ptr {llvm.noalias}, %count: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %index = %zero to %count step %one : i64 {
    %source = llvm.getelementptr %from[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %value = llvm.load %source : !llvm.ptr -> i32
    %target = llvm.getelementptr %to[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %value, %target : i32, !llvm.ptr
  }
  return
}";
    with_llvm_dialect(text, |module| Object::compile(module.op(), &host())).expect("no call");
}
