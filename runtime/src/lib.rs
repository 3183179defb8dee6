//! What a compiled program needs to run: the model file, prepared weights, the state block, threads and sessions.
//!
//! ```text
//! model file ──gguf──► tensors ──prepare──► state block ◄── engine (native code or oracle) ◄── session ◄── tokenizer
//!                                               ▲
//! compiler ──► program (plain data: offsets, steps, contracts) ┘
//! ```
//!
//! This crate decides nothing about numerics: which preparation a weight gets, which contract a step follows and where
//! every buffer lies is written in the [`program::Program`]. It knows neither the IR nor a target, and it holds no
//! `unsafe` code.

#![forbid(unsafe_code)]

pub mod compare;
pub mod engine;
pub mod fault;
pub mod gguf;
pub mod oracle;
pub mod prepare;
pub mod program;
pub mod sampler;
pub mod session;
pub mod state;
pub mod threads;
pub mod tokenizer;

pub use engine::Engine;
