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
//!
//! ```no_run,standalone_crate
//! use cke_mlir::{Attr, Context, Module, Registry, pass};
//!
//! let context = Context::new(&Registry::upstream());
//! let source = "func.func @f(%x: f32) -> f32 { %y = arith.addf %x, %x : f32 return %x : f32 }";
//! let mut module = Module::parse(&context, source, "f.mlir").expect("valid IR");
//! module.edit(|root, rewriter| {
//!     let add = root.collect("arith.addf")[0];
//!     add.set_attr("note", Attr::string(rewriter.context(), "unused"));
//!     assert!(add.result(0).is_unused());
//! });
//! pass::run_pipeline(&mut module, "func.func(canonicalize)", &pass::PipelineConfig::default()).expect("no error");
//! assert!(module.op().collect("arith.addf").is_empty());
//! ```

mod assembly;
pub mod def;
mod dialect;
mod ffi;
pub mod ir;
pub mod pass;
pub mod tools;
pub mod translate;

pub use ir::{Attr, Block, Context, Location, Module, Op, Region, Registry, Rewriter, Type, Value};
