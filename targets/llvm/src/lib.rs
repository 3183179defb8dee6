//! The LLVM target: kernels generated from contracts, and their way from MLIR to machine code in memory.
//!
//! ```text
//! contract, shape, isa ──kernels──► MLIR ──lower──► LLVM dialect ──object──► object code ──jit──► engine
//! ```
//!
//! This crate decides tiles, unrolling and instructions. It decides nothing that shows in a bit of a result: that is the
//! contract's, and a contract the generators cannot follow exactly is refused.

mod elf;
pub mod isa;
pub mod jit;
pub mod kernels;
mod lower;
pub mod object;

pub use lower::TO_LLVM_DIALECT;
