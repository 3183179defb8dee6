//! The fields of execution contracts bind: each of them changes bits or is refused, and the mistakes of the past are
//! two contracts that differ in a field.

mod fields;
#[path = "../support/flips.rs"]
mod flips;
mod regressions;
#[path = "../families/support.rs"]
#[allow(dead_code, reason = "every test uses its own part")]
mod support;
