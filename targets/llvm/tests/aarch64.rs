//! The same bits on AArch64, executed by an emulator; skipped where the cross compiler or the emulator is absent.

mod common;

use cke_runtime::program::Program;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::kernels::Phase;
use cke_target_llvm::object::Object;
use common::{Bench, CallOf, Kernel, Kind, Runner, native_contract};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs all threads of a call one after the other on a state read from a file, and writes the state back.
const MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
void run(void *state, long rows, long position, long thread, long threads, void *sync);
int main(int argc, char **argv) {
    long bytes = atol(argv[2]), rows = atol(argv[3]), position = atol(argv[4]), threads = atol(argv[5]);
    char *state = aligned_alloc(64, bytes);
    FILE *file = fopen(argv[1], "rb+");
    if (argc != 6 || !state || !file || fread(state, 1, bytes, file) != bytes) return 1;
    for (long thread = 0; thread < threads; thread++) run(state, rows, position, thread, threads, 0);
    rewind(file);
    return fwrite(state, 1, bytes, file) != bytes || fclose(file);
}
"#;

const COMPILER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";

fn available(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// An executable with the object's code, and the runner that emulates it.
fn emulated(name: &str, object: &Object) -> Runner {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |suffix: &str| -> PathBuf { directory.join(format!("aarch64-{name}{suffix}")) };
    let (source, code, executable, data) = (file(".c"), file(".o"), file(""), file(".state"));
    std::fs::write(&source, MAIN).expect("a writable temporary directory");
    std::fs::write(&code, object.bytes()).expect("a writable temporary directory");
    let built = Command::new(COMPILER).args(["-O1", "-static", "-o"]).args([&executable, &source, &code]).status();
    assert!(built.expect("the compiler runs").success());
    Box::new(move |state, call| {
        std::fs::write(&data, state.bytes()).expect("a writable temporary directory");
        let numbers = [state.len(), call.rows, call.position, call.threads].map(|number| number.to_string());
        let ran = Command::new(EMULATOR).arg(&executable).arg(&data).args(numbers).status();
        assert!(ran.expect("the emulator runs").success());
        state.bytes_mut().copy_from_slice(&std::fs::read(&data).expect("the emulated program wrote it"));
    })
}

#[test]
fn emulated_kernels_have_the_bits_of_the_oracle() {
    if !available(COMPILER) || !available(EMULATOR) {
        println!("skipped: needs {COMPILER} and {EMULATOR}");
        return;
    }
    let isa = Isa::parse("aarch64").expect("a known name");
    let mut calls = 0;
    for (phase, rows) in [(Phase::Decode, 1), (Phase::Prefill, 17)] {
        let kernel = |op, function, shape: &[(&str, i64)]| Kernel::new(op, function, phase, shape);
        let heads = [("heads", 3), ("kv_heads", 1), ("head_dim", 37), ("capacity", 1100)];
        let rope = [("heads", 3), ("head_dim", 37), ("rotary_dim", 30), ("positions", 1100)];
        let kernels = [
            kernel("embedding", "cke_embedding_fp32", &[("dim", 33), ("vocab", 70)]),
            kernel("rmsnorm", "cke_rmsnorm_fp32", &[("dim", 193)]).with("eps", 1e-5),
            kernel("linear", "cke_linear_fp32", &[("k", 67), ("n", 75)]),
            kernel("logits", "cke_logits_fp32", &[("k", 67), ("n", 75)]),
            kernel("rope", "cke_rope_pairwise_fp32", &rope),
            kernel("rope", "cke_rope_split_half_fp32", &rope),
            kernel("kv_append", "cke_kv_append_fp32", &heads),
            kernel("attention", "cke_attention_fp32", &heads).with("scale", 0.25),
            kernel("swiglu", "cke_swiglu_fp32", &[("dim", 101)]),
            kernel("residual_add", "cke_residual_add_fp32", &[("dim", 101)]),
            kernel("argmax", "cke_argmax_fp32", &[("n", 101)]),
        ];
        for kernel in kernels {
            let contract = native_contract(kernel.op, kernel.function);
            let name = format!("{}-{phase:?}", kernel.function);
            let runner = |_: &Program, object: &Object| emulated(&name, object);
            let bench = Bench::with_runner(&kernel, &contract, &isa, runner);
            for (kind, position, threads) in
                [(Kind::Ordinary, 0, 1), (Kind::Small, 1015, 3), (Kind::Wide, 1020, 2), (Kind::Special, 1023, 7)]
            {
                bench.check(CallOf { rows, position, threads, kind });
                calls += 1;
            }
        }
    }
    println!("{calls} calls, 0 mismatches");
}
