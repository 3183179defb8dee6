//! Every kernel against the scalar oracle, bit for bit: phases, rows, threads, odd extents, special values, two ISAs.

mod common;

use cke_target_llvm::isa::Isa;
use cke_target_llvm::kernels::Phase::{self, Decode, Prefill};
use common::{Bench, CallOf, Kernel, Kind, native_contract};

const THREADS: [usize; 4] = [1, 2, 3, 7];
/// Around the powers of two and around the tiles of rows, which have 6 and 14.
const ROWS: [usize; 11] = [1, 2, 3, 4, 5, 13, 14, 16, 17, 25, 33];

/// The machine itself, and the same code generator held to AVX2 where that is a different machine.
fn isas() -> Vec<Isa> {
    let isas = ["native", "x86-64-v3", "aarch64"].map(|name| Isa::parse(name).expect("a known name"));
    isas.into_iter().filter(Isa::runs_on_host).collect()
}

/// Checks the kernel on every instruction set, with every number of rows and threads and every kind of data.
fn check(kernel: &Kernel, rows: &[usize], positions: &[usize]) -> (usize, usize) {
    let contract = native_contract(kernel.op, kernel.function);
    let (mut calls, mut words) = (0, 0);
    for isa in isas() {
        let bench = Bench::new(kernel, &contract, &isa);
        for &rows in rows {
            for &position in positions {
                for (index, kind) in Kind::ALL.into_iter().enumerate() {
                    // Each number of threads meets each kind of data over the positions and rows.
                    let threads = THREADS[(index + rows + position) % THREADS.len()];
                    for threads in if kind == Kind::Special { THREADS.to_vec() } else { vec![threads] } {
                        words += bench.check(CallOf { rows, position, threads, kind });
                        calls += 1;
                    }
                }
            }
        }
    }
    (calls, words)
}

/// Checks several kernels in both phases and prints what was compared.
fn check_family(kernels: impl Fn(Phase) -> Vec<Kernel>, positions: &[usize]) {
    let (mut calls, mut words) = (0, 0);
    for (phase, rows) in [(Decode, &[1_usize][..]), (Prefill, &ROWS)] {
        for kernel in kernels(phase) {
            let (more_calls, more_words) = check(&kernel, rows, positions);
            calls += more_calls;
            words += more_words;
        }
    }
    println!("{calls} calls, {words} words of state compared, 0 mismatches");
}

#[test]
fn embedding() {
    let kernels = |phase| {
        let shapes = [(1, 1), (33, 70), (64, 31), (576, 100)];
        let shapes = shapes.map(|(dim, vocab)| [("dim", dim), ("vocab", vocab)]);
        shapes.map(|shape| Kernel::new("embedding", "cke_embedding_fp32", phase, &shape)).into()
    };
    check_family(kernels, &[0]);
}

#[test]
fn rmsnorm() {
    let kernels = |phase| {
        let dims = [1, 15, 16, 63, 64, 65, 100, 128, 193, 576];
        dims.map(|dim| Kernel::new("rmsnorm", "cke_rmsnorm_fp32", phase, &[("dim", dim)]).with("eps", 1e-5)).into()
    };
    check_family(kernels, &[0]);
}

const PRODUCTS: [(i64, i64); 9] = [(0, 5), (1, 1), (7, 31), (8, 32), (9, 33), (16, 96), (17, 100), (64, 65), (193, 80)];

#[test]
fn linear() {
    let kernels =
        |phase| PRODUCTS.map(|(k, n)| Kernel::new("linear", "cke_linear_fp32", phase, &[("k", k), ("n", n)])).into();
    check_family(kernels, &[0]);
}

#[test]
fn logits() {
    let kernels =
        |phase| PRODUCTS.map(|(k, n)| Kernel::new("logits", "cke_logits_fp32", phase, &[("k", k), ("n", n)])).into();
    check_family(kernels, &[0]);
}

#[test]
fn rope() {
    let kernels = |phase| {
        let shapes = [(1, 2, 2), (3, 20, 6), (2, 64, 64), (3, 100, 70), (2, 37, 30), (5, 16, 16)];
        let functions = ["cke_rope_pairwise_fp32", "cke_rope_split_half_fp32"];
        let shapes = shapes.iter().flat_map(|shape| functions.map(|function| (shape, function)));
        shapes
            .map(|(&(heads, head_dim, rotary), function)| {
                let shape = [("heads", heads), ("head_dim", head_dim), ("rotary_dim", rotary), ("positions", 50)];
                Kernel::new("rope", function, phase, &shape)
            })
            .collect()
    };
    check_family(kernels, &[0, 17]);
}

#[test]
fn kv_append() {
    let kernels = |phase| {
        let shapes = [(1, 1, 50), (3, 20, 64), (2, 64, 51)];
        shapes
            .map(|(kv_heads, head_dim, capacity)| {
                let shape = [("kv_heads", kv_heads), ("head_dim", head_dim), ("capacity", capacity)];
                Kernel::new("kv_append", "cke_kv_append_fp32", phase, &shape)
            })
            .into()
    };
    check_family(kernels, &[0, 1, 15, 17]);
}

fn attention_kernel(phase: Phase, heads: i64, kv_heads: i64, head_dim: i64, capacity: i64) -> Kernel {
    let shape = [("heads", heads), ("kv_heads", kv_heads), ("head_dim", head_dim), ("capacity", capacity)];
    Kernel::new("attention", "cke_attention_fp32", phase, &shape).with("scale", 1.0 / (head_dim as f64).sqrt())
}

#[test]
fn attention_of_one_row_at_every_length() {
    let mut calls = 0;
    for (heads, kv_heads, head_dim) in [(3, 1, 64), (2, 2, 20), (1, 1, 1), (2, 1, 129)] {
        let kernel = attention_kernel(Decode, heads, kv_heads, head_dim, 2051);
        let lengths = [1, 15, 16, 17, 64, 65, 129, 255, 256, 257, 1023, 1024, 1025, 2048, 2049];
        calls += check(&kernel, &[1], &lengths.map(|length| length - 1)).0;
    }
    println!("{calls} calls, 0 mismatches");
}

#[test]
fn attention_of_many_rows() {
    let mut calls = 0;
    for (heads, kv_heads, head_dim, capacity) in [(9, 3, 64, 60), (2, 1, 33, 51), (1, 1, 16, 52)] {
        let kernel = attention_kernel(Prefill, heads, kv_heads, head_dim, capacity);
        calls += check(&kernel, &ROWS, &[0, 1, 15]).0;
    }
    let across_a_chunk = attention_kernel(Prefill, 2, 1, 16, 1100);
    calls += check(&across_a_chunk, &[5, 17], &[1010, 1022]).0;
    // More scores than a tile of rows may keep on the stack.
    calls += check(&attention_kernel(Prefill, 2, 1, 4, 17_000), &[5], &[15, 4090]).0;
    println!("{calls} calls, 0 mismatches");
}

#[test]
fn swiglu() {
    let kernels = |phase| {
        [1, 15, 16, 17, 100, 192].map(|dim| Kernel::new("swiglu", "cke_swiglu_fp32", phase, &[("dim", dim)])).into()
    };
    check_family(kernels, &[0]);
}

#[test]
fn residual_add() {
    let kernels = |phase| {
        [1, 15, 16, 17, 100, 192]
            .map(|dim| Kernel::new("residual_add", "cke_residual_add_fp32", phase, &[("dim", dim)]))
            .into()
    };
    check_family(kernels, &[0]);
}

#[test]
fn argmax() {
    let kernels = |phase| {
        [1, 2, 15, 16, 17, 100, 1000].map(|n| Kernel::new("argmax", "cke_argmax_fp32", phase, &[("n", n)])).into()
    };
    check_family(kernels, &[0]);
}
