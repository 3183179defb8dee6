//! The buffers that outlive a call: which weights, states and io buffers the programs use, in which layout.

use crate::body;
use cke_contracts::registry::{Port, PortKind};
use cke_dialects::graph::{self, symbol_type};
use cke_mlir::ir::{Attr, InsertionPoint, Op, Rewriter, Type};
use cke_mlir::pass::PassFailure;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Globals in the order in which the graph declares them, io buffers first.
pub struct Globals<'p> {
    found: IndexMap<String, Global<'p>>,
}

/// One buffer; `port` is known from its first use on.
struct Global<'p> {
    declaration: Op<'p>,
    kind: &'static str,
    tensor: Type<'p>,
    port: Option<Port>,
}

impl<'p> Globals<'p> {
    /// Collects the declarations of a module: arguments and results named by `graph.io`, states and weights.
    pub fn new(module: Op<'p>, functions: &[Op<'p>]) -> Result<Self, PassFailure> {
        let mut globals = Globals { found: IndexMap::new() };
        for &function in functions {
            let mut named = BTreeSet::new();
            for (name, tensor) in io_of(function).into_iter().filter(|(_, ty)| ty.is_tensor()) {
                if name.is_empty() {
                    return Err(function.fail("has an io buffer without a name [CKE-L004]"));
                }
                // Written while it is read: one buffer cannot be two.
                if !named.insert(name) {
                    return Err(function.fail(format!("names two io buffers '{name}' [CKE-L004]")));
                }
                globals.declare_io(function, name, tensor)?;
            }
        }
        for op in body::ops(module) {
            let kind = match op.name() {
                "graph.weight" => "weight",
                "graph.state" => "state",
                _ => continue,
            };
            let (name, tensor) = (op.symbol_name().unwrap_or_default(), symbol_type(op).expect("verified"));
            if globals.found.contains_key(name) {
                return Err(op.fail(format!("'{name}' is the name of an io buffer too [CKE-L004]")));
            }
            globals.found.insert(name.to_owned(), Global { declaration: op, kind, tensor, port: None });
        }
        Ok(globals)
    }

    /// Phases share their io buffers; where only the rows differ, the one with dynamic rows gives the extent.
    fn declare_io(&mut self, function: Op<'p>, name: &str, tensor: Type<'p>) -> Result<(), PassFailure> {
        match self.found.get_mut(name) {
            Some(known) if known.tensor == tensor || takes_rows_of(known.tensor, tensor) => {}
            Some(known) if takes_rows_of(tensor, known.tensor) => known.tensor = tensor,
            Some(known) => {
                let message = format!("io buffer '{name}' is {tensor} here and {} elsewhere [CKE-L004]", known.tensor);
                return Err(function.fail(message));
            }
            None => {
                let global = Global { declaration: function, kind: "io", tensor, port: None };
                self.found.insert(name.to_owned(), global);
            }
        }
        Ok(())
    }

    /// Notes that `user` needs a global as the port of its provider says; returns the memref type it has.
    pub fn need(&mut self, user: Op<'p>, name: &str, kind: PortKind, port: &Port) -> Result<Type<'p>, PassFailure> {
        let Some(global) = self.found.get_mut(name) else {
            return Err(user.fail(format!("needs the unknown global '{name}' [CKE-L004]")));
        };
        match &global.port {
            // Io buffers are activations: every provider sees them row by row.
            _ if global.kind == "io" => {}
            None => global.port = Some(port.clone()),
            Some(known) if (known.layout, known.preparation) == (port.layout, port.preparation) => {}
            Some(known) => {
                let (one, other) = (known.layout.name(), port.layout.name());
                let message = format!("needs {} '{name}' as {other}, another as {one} [CKE-L001]", kind.namespace());
                return Err(user.fail(message));
            }
        }
        Ok(memref(global.tensor))
    }

    /// Writes the globals that are used, before `before`.
    pub fn write(self, rewriter: &Rewriter<'p>, before: Op<'p>) {
        let context = rewriter.context();
        for (name, global) in self.found {
            let layout = match (&global.port, global.kind) {
                (_, "io") => "row_major",
                (Some(port), _) => port.layout.name(),
                (None, _) => continue,
            };
            let mut builder = rewriter
                .build("lowered.global", global.declaration.location())
                .attr("sym_name", Attr::string(context, &name))
                .attr("kind", Attr::string(context, global.kind))
                .attr("layout", Attr::string(context, layout))
                .attr("type", Attr::ty(memref(global.tensor)));
            if let Some(preparation) = global.port.as_ref().and_then(|port| port.preparation) {
                builder = builder.attr("preparation", Attr::string(context, preparation.as_str()));
            }
            for copied in ["storage", "origin"] {
                if let Some(attribute) = global.declaration.attr(copied).filter(|_| global.kind == "weight") {
                    builder = builder.attr(copied, attribute);
                }
            }
            builder.at(InsertionPoint::Before(before));
        }
    }
}

/// Whether `open` is `other` but for its rows, which it leaves open.
fn takes_rows_of(open: Type<'_>, other: Type<'_>) -> bool {
    let (Some(open_shape), Some(shape)) = (open.shape(), other.shape()) else { return false };
    match (&open_shape[..], &shape[..]) {
        ([None, open_rest @ ..], [_, rest @ ..]) => open_rest == rest && open.element() == other.element(),
        _ => false,
    }
}

/// Names and types of a function's arguments and results that bear `graph.io`.
pub fn io_of(function: Op<'_>) -> Vec<(&str, Type<'_>)> {
    let signature = function.attr("function_type").and_then(Attr::as_type).and_then(Type::signature);
    let (inputs, results) = signature.unwrap_or_default();
    let names = |list: &str| function.attr(list).and_then(Attr::as_array).unwrap_or_default().into_iter().map(io_name);
    let all = names("arg_attrs").zip(inputs).chain(names("res_attrs").zip(results));
    all.filter_map(|(name, ty)| Some((name?, ty))).collect()
}

/// The name that the attributes of one argument or result give under `graph.io`.
pub fn io_name(attributes: Attr<'_>) -> Option<&str> {
    attributes.get(graph::IO).and_then(Attr::as_str)
}

/// The memref of a tensor's shape and element type.
pub fn memref(tensor: Type<'_>) -> Type<'_> {
    let (shape, element) = (tensor.shape().expect("a ranked tensor"), tensor.element().expect("a tensor"));
    Type::memref(&shape, element)
}
