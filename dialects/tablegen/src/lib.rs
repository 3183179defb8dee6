//! Reads dialect definitions and generates their Rust source.
//!
//! A dialect is defined once, in a `.td` file in a subset of TableGen that `mlir-tblgen` accepts too. From it come the
//! static tables that MLIR's parser, printer and verifier work from, and typed accessors and builders; MLIR's own tools
//! make the reference pages from the same file.
//!
//! The way of a file: `scan` (comments, preprocessor, nesting) → `parse` ([pest] grammar) → `eval` (records, as
//! `llvm-tblgen` would resolve them) → [`model`] (a typed dialect, every rule checked) → [`generate()`] (Rust).
//!
//! Nothing is dropped in silence: what the tables cannot say is an error with a place, [`Error`].
//!
//! # The subset
//!
//! * `include` of a path beside the file, or of one of MLIR's files; of those, a part is known (`src/prelude`);
//! * `class` with template parameters and defaults, `def`, `multiclass`, `defm`, `let` in bodies and around statements;
//! * the types `bit`, `bits<n>`, `int`, `string`, `code`, `dag`, `list<...>` and classes;
//! * integers, strings (adjacent ones join), code blocks, lists, bits, dags, `?`, `Class<...>`, `value.field`, `#`;
//! * the operators `!con`, `!foreach`, `!interleave`, `!listconcat`, `!strconcat`;
//! * `#define`, `#ifdef`, `#ifndef`, `#else`, `#endif`.

#![forbid(unsafe_code)]

mod build_script;
mod error;
mod eval;
pub mod format;
mod generate;
mod json;
pub mod model;
mod parse;
mod prelude;
pub mod record;
mod scan;
mod source;
mod syntax;
mod text;

pub use build_script::build_script;
pub use error::{Error, Location};
pub use generate::generate;
pub use json::to_json;
pub use model::Dialect;
pub use scan::MAX_NESTING;
pub use source::Source;
