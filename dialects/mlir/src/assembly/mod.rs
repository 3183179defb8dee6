//! Custom assembly, interpreted: one parser and one printer for all operations, driven by their formats.
//!
//! A format is the `assemblyFormat` of ODS, and the text is what ODS would parse and print, down to the spaces. Names are
//! resolved when a dialect is registered, so that parsing and printing compare no strings and allocate nothing.

mod format;
mod literal;
mod parse;
mod print;

pub(crate) use format::Format;
pub(crate) use parse::parse;
pub(crate) use print::print;
