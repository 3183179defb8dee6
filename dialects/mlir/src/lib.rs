//! MLIR from Rust: IR, table-driven dialects, passes, pipelines and tools, all safe to use.
//!
//! * [`def`]: the `static` tables of a dialect. They are generated from `.td` files; MLIR gets its operations, with
//!   parser, printer and verifier, from them.
//! * [`ir`]: handles to IR that can't outlive what they point to, diagnostics, and the means to change IR.
//! * [`pass`]: passes with options and statistics, pipelines by name, running them in this process.
//! * [`tools`]: the mains of `opt` and of the language server.
//! * [`translate`]: from the LLVM dialect to LLVM IR.
//!
//! This is the only crate that talks to MLIR. It knows no dialect of the project.

mod assembly;
pub mod def;
mod dialect;
mod ffi;
pub mod ir;
pub mod pass;
pub mod tools;
pub mod translate;

pub use ir::{Attr, Block, Context, Location, Module, Op, Region, Registry, Rewriter, Type, Value};
