//! Quantized linear contracts: what v8 says of them, what their fields mean, and that every field matters.

#[path = "../../../tests/support/mod.rs"]
mod definitions;
mod faults;
mod fields;
#[path = "../support/flips.rs"]
mod flips;
mod ggml;
mod regressions;
mod support;
mod values;
