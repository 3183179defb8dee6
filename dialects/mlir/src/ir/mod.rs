//! Handles to IR.
//!
//! [`Context`] and [`Module`] own; everything else is a `Copy` handle whose lifetime is that of the borrow, pass run or
//! [`Module::edit`] it came from. Within such a scope no operation is destroyed: [`Rewriter::erase`] unlinks at once and
//! destroys when the scope has ended, so that no handle dangles. IR changes through shared handles, as through a `Cell`;
//! handles stay on their thread.
//!
//! What the types can't rule out is checked when IR changes, and panics: attributes, types and locations of another
//! context, values of another module, changes from within a verifier.

mod attr;
mod block;
mod context;
mod depth;
mod diagnostic;
mod guard;
mod handle;
mod location;
mod module;
mod op;
mod op_builder;
mod registry;
mod rewriter;
mod symbols;
mod ty;
mod value;
mod walk;

pub use attr::{Attr, Kind};
pub use block::{Block, Region};
pub use context::{Context, ContextRef};
pub use diagnostic::{Diagnostic, DiagnosticBuilder, Severity};
pub use location::Location;
pub use module::{Module, PrintFlags};
pub use op::Op;
pub use op_builder::OpBuilder;
pub use registry::Registry;
pub use rewriter::{InsertionPoint, Rewriter};
pub use symbols::SymbolTables;
pub use ty::Type;
pub use value::Value;

pub(crate) use depth::{MAX_NESTING, too_deep};
pub(crate) use guard::{Reading, Within};
