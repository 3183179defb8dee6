//! What tells the attention contracts apart, and that every field of them matters, on calls of seeded data.

mod calls;
mod crafts;
mod fields;
#[path = "../support/flips.rs"]
mod flips;
mod fp16;
mod rounding;
mod segments;
