//! The scalar oracle.

pub mod dequant;
pub mod fma;
pub mod functions;
pub mod nan;
pub mod rope_table;
