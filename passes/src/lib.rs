//! From a circuit to code: one file a pass, each with what it expects, what it leaves and what it may not touch.
//!
//! The way is forward only: import, resolve, lower, plan, call, synthesise, emit. `verify-contracts` runs after every step.
#![forbid(unsafe_code)]

mod abi;
mod arena;
mod body;
pub mod circuit_plan;
mod code;
mod decisions;
mod describe;
pub mod driver;
mod effective;
pub mod explain;
mod facts;
pub mod import;
mod kernel_symbol;
pub mod pipelines;
mod registry_ir;
mod report;

mod lower_call_to_llvm;
mod lower_graph;
mod lower_to_call;
mod plan_memory;
mod resolve_contracts;
mod synthesize_kernels;
mod verify_contracts;

pub use code::Code;
pub use describe::{describe, describe_steps};

use cke_mlir::ir::Registry;
use cke_mlir::pass::{PassDef, register_pass, register_pipeline};

/// Every pass of this crate, in the order of the pipeline.
pub static PASSES: [&PassDef; 7] = [
    &resolve_contracts::PASS,
    &verify_contracts::PASS,
    &lower_graph::PASS,
    &plan_memory::PASS,
    &lower_to_call::PASS,
    &synthesize_kernels::PASS,
    &lower_call_to_llvm::PASS,
];

/// Every dialect of MLIR and of this project; registers the passes and pipelines by name, once a process.
pub fn registry() -> Registry {
    let mut registry = Registry::upstream();
    cke_dialects::register(&mut registry);
    PASSES.iter().copied().for_each(register_pass);
    register_pipeline(&pipelines::CKE_CPU);
    registry
}
