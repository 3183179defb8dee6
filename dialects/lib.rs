//! The dialects `contract`, `graph`, `lowered` and `call`: one folder a dialect, its `.td` file the only source of its
//! operations.
//!
//! This crate defines what operations are and when they are valid. It decides nothing and transforms nothing.
#![forbid(unsafe_code)]

pub mod call;
pub mod contract;
pub mod graph;
pub mod lowered;

use cke_mlir::ir::Registry;

/// Registers all dialects of this crate.
pub fn register(registry: &mut Registry) {
    for dialect in [&contract::ops::DIALECT, &graph::ops::DIALECT, &lowered::ops::DIALECT, &call::ops::DIALECT] {
        registry.register(dialect);
    }
}
