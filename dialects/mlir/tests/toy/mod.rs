//! A dialect for tests: small operations, one for each feature of the tables.

#![allow(dead_code, reason = "each test uses a part")]

mod ops;
pub mod passes;

use cke_mlir::{
    Attr, Context, Module, Op, Registry,
    def::DialectDef,
    ir::{Diagnostic, PrintFlags},
};

/// The dialect.
pub static TOY: DialectDef = DialectDef { name: "toy", ops: ops::OPS, verify_attr: Some(verify_attr) };

/// `toy.budget` is an integer; nothing else is known.
fn verify_attr(_op: Op<'_>, name: &str, value: Attr<'_>) -> Result<(), String> {
    match name {
        "toy.budget" if value.as_i64().is_some() => Ok(()),
        "toy.budget" => Err(format!("toy.budget must be an integer, but got {value}")),
        _ => Err(format!("unknown attribute '{name}'")),
    }
}

/// MLIR's dialects and the toy.
pub fn registry() -> Registry {
    let mut registry = Registry::upstream();
    registry.register(&TOY);
    registry
}

/// A context with MLIR's dialects and the toy.
pub fn context() -> Context {
    Context::new(&registry())
}

/// Parses what must be valid.
pub fn parse(context: &Context, source: &str) -> Module {
    Module::parse(context, source, "test.mlir").unwrap_or_else(|errors| panic!("{}\n{source}", show(&errors)))
}

/// Parses what must be invalid; the diagnostics as text.
pub fn errors(source: &str) -> String {
    match Module::parse(&context(), source, "test.mlir") {
        Ok(module) => panic!("accepted:\n{module}"),
        Err(errors) => show(&errors),
    }
}

/// The diagnostics, one below the other.
pub fn show(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The generic form.
pub fn generic(module: &Module) -> String {
    module.print(PrintFlags { generic: true, ..PrintFlags::default() })
}
