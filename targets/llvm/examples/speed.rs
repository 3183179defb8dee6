//! How fast the kernels of a small model are on this machine: `cargo run --release --example speed [ISA [OPERATION]]`.
//!
//! Each figure is the fastest of the runs in half a second. Read it as the kernel's own speed: other work on the machine
//! only ever makes a run slower.

#[path = "../tests/common/mod.rs"]
mod common;

use cke_target_llvm::isa::Isa;
use cke_target_llvm::kernels::Phase::{self, Decode, Prefill};
use common::{Bench, CallOf, Kernel, Kind, native_contract};
use std::time::Instant;

const THREADS: [usize; 2] = [1, 2];

fn main() -> Result<(), String> {
    let isa = Isa::parse(&std::env::args().nth(1).unwrap_or_else(|| "native".to_owned()))?;
    println!("instruction set {} ({}), {} lanes", isa.name, isa.cpu, isa.lanes);
    let only = std::env::args().nth(2);
    let wanted = |op: &str| only.as_deref().is_none_or(|only| only == op);
    for (k, n) in [(576, 576), (576, 1536), (1536, 576), (576, 49152)].into_iter().filter(|_| wanted("linear")) {
        linear(&isa, k, n);
    }
    for (phase, rows, position) in
        [(Decode, 1, 511), (Decode, 1, 2047), (Prefill, 128, 0), (Prefill, 512, 0), (Prefill, 512, 1536)]
            .into_iter()
            .filter(|_| wanted("attention"))
    {
        attention(&isa, phase, rows, position);
    }
    for op in ["rmsnorm", "swiglu", "residual_add"].into_iter().filter(|op| wanted(op)) {
        rows_of(&isa, op);
    }
    Ok(())
}

fn bench(isa: &Isa, mut kernel: Kernel, rows: usize) -> Bench {
    kernel.max_rows = rows;
    let contract = native_contract(kernel.op, kernel.function);
    let start = Instant::now();
    let bench = Bench::new(&kernel, &contract, isa);
    println!(
        "{} {:?} {:?}, made in {:.0} ms",
        kernel.function,
        kernel.phase,
        kernel.shape,
        start.elapsed().as_secs_f64() * 1e3
    );
    bench
}

fn report(bench: &Bench, rows: usize, position: usize, flops: f64, bytes: f64) {
    for threads in THREADS {
        let seconds = bench.seconds(CallOf { rows, position, threads, kind: Kind::Ordinary });
        println!(
            "    rows {rows:4} threads {threads}: {:9.1} us {:7.1} GFLOP/s {:6.1} GB/s",
            seconds * 1e6,
            flops / seconds / 1e9,
            bytes / seconds / 1e9
        );
    }
}

fn linear(isa: &Isa, k: i64, n: i64) {
    let shape = [("k", k), ("n", n)];
    let (flops, bytes) = (2.0 * k as f64 * n as f64, 4.0 * k as f64 * n as f64);
    report(&bench(isa, Kernel::new("linear", "cke_linear_fp32", Decode, &shape), 1), 1, 0, flops, bytes);
    if n < 10_000 {
        let prefill = bench(isa, Kernel::new("linear", "cke_linear_fp32", Prefill, &shape), 512);
        for rows in [2, 4, 8, 14, 16, 20, 32, 64, 128, 512] {
            report(&prefill, rows, 0, flops * rows as f64, bytes);
        }
    }
}

fn attention(isa: &Isa, phase: Phase, rows: usize, position: usize) {
    let shape = [("heads", 9), ("kv_heads", 3), ("head_dim", 64), ("capacity", 2048)];
    let kernel = Kernel::new("attention", "cke_attention_fp32", phase, &shape).with("scale", 0.125);
    let pairs = rows as f64 * (position as f64 + (rows as f64 + 1.0) / 2.0);
    let bytes = 2.0 * 4.0 * 3.0 * 64.0 * (position + rows) as f64;
    report(&bench(isa, kernel, rows), rows, position, 4.0 * 64.0 * 9.0 * pairs, bytes);
}

fn rows_of(isa: &Isa, op: &'static str) {
    let (function, dim) = match op {
        "rmsnorm" => ("cke_rmsnorm_fp32", 576),
        "swiglu" => ("cke_swiglu_fp32", 1536),
        _ => ("cke_residual_add_fp32", 576),
    };
    for (phase, rows) in [(Decode, 1), (Prefill, 512)] {
        let kernel = Kernel::new(op, function, phase, &[("dim", dim)]).with("eps", 1e-5);
        let bytes = 4.0 * (dim as usize * rows) as f64 * if op == "rmsnorm" { 2.0 } else { 3.0 };
        report(&bench(isa, kernel, rows), rows, 0, 0.0, bytes);
    }
}
