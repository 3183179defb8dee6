//! The oracle's families: hand-computed values, special values, and that every field of a contract either changes bits
//! or is refused.

mod attention;
mod copies;
mod linear;
mod refusals;
mod rmsnorm;
mod rope;
mod rows;
mod support;
