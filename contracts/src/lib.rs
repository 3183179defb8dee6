//! Numerical contracts as data: what an operation must compute, bit for bit, who claims to compute it, and the one
//! decision that binds the two.
//!
//! * [`registry`]: contracts and kernel maps, typed and checked;
//! * [`circuit`]: a model family as data, with the contract each of its operations requires;
//! * [`effective`]: which contract is in effect where one branches on an extent;
//! * [`resolve`]: exactly one provider for a request, or a [`fault`];
//! * [`evidence`]: what was run, and what that lets a claim say;
//! * [`v8`]: files of the v8 generation as they are, and the requests of its circuits;
//! * [`ledger`]: the record of the decisions of a program, by digest;
//! * [`schema`]: the JSON Schema of every file format;
//! * [`digest`], [`json`], [`expression`]: what the above stand on.
//!
//! Nothing here knows MLIR, a target or a file format of weights.
#![forbid(unsafe_code)]

pub mod circuit;
pub mod digest;
pub mod effective;
pub mod evidence;
pub mod expression;
pub mod fault;
pub mod json;
pub mod layout;
pub mod ledger;
pub mod registry;
pub mod resolve;
pub mod schema;
pub mod v8;
