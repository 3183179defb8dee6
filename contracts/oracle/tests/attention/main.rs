//! What tells the attention contracts apart, on calls of seeded data.

mod calls;
mod rounding;
