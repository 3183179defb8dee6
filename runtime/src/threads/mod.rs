//! Threads of a program: a barrier and a pool whose thread 0 is the caller.
//!
//! A program is one list of kernel calls which every thread runs; nothing here chooses who computes what.

mod barrier;
mod pool;

pub use barrier::Barrier;
pub use pool::Pool;
