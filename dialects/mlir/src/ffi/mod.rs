//! The foreign side: MLIR's C API (`mlir_sys`), the shim, and what both need to talk in strings and to survive panics.
//!
//! Nothing outside this crate sees anything of this module.

pub mod panic;
pub mod shim;
pub mod text;

pub use mlir_sys::*;
