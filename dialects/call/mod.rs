//! The call dialect: kernels by symbol, arguments by offset, barriers in between.

#[allow(missing_docs)]
pub mod ops {
    //! Generated from `Call.td`.
    include!(concat!(env!("OUT_DIR"), "/call.rs"));
}
mod verify;

/// The discardable attribute of an entry point's `llvm.func` that says which phase it is.
pub const PHASE: &str = "call.phase";
/// The function at which all threads of an entry point wait for each other.
pub const BARRIER: &str = "cke_barrier";
