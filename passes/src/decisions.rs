//! The operations of a module that stand under contract, at whatever level, with request and decision in typed form.

use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::vocabulary::Status;
use cke_contracts::resolve::{Decision, Request};
use cke_dialects::call;
use cke_dialects::contract::attributes::{self, leaf};
use cke_dialects::contract::json::to_json;
use cke_dialects::graph;
use cke_mlir::ir::{Attr, Op};
use serde_json::{Value, json};

/// Whether an operation must stand under contract: it computes something of the circuit.
///
/// At the last level these are the calls of an entry point, except for the barrier.
pub fn governed(op: Op<'_>) -> bool {
    match op.name() {
        "lowered.invoke" | "call.invoke" => true,
        "llvm.call" => {
            let entry = op.parent().is_some_and(|parent| parent.attr(call::PHASE).is_some());
            entry && op.attr("callee").and_then(leaf) != Some(call::BARRIER)
        }
        "graph.weight" | "graph.state" => false,
        name => name.starts_with("graph."),
    }
}

/// All operations of a module that must stand under contract, in order.
pub fn governed_in(module: Op<'_>) -> Vec<Op<'_>> {
    let mut found = Vec::new();
    module.walk_pre(|op| {
        if governed(op) {
            found.push(op);
        }
    });
    found
}

/// The operation's kind as kernel maps name it: `linear`.
pub fn kind(op: Op<'_>) -> &str {
    match op.name().strip_prefix(graph::PREFIX) {
        Some(kind) => kind,
        None => op.attr("op").and_then(Attr::as_str).unwrap_or_default(),
    }
}

/// The request of an operation.
///
/// # Errors
///
/// `NotGoverned` without a request, `MalformedRequest` when it is not well-formed or for another phase than the program's.
pub fn request(op: Op<'_>) -> Result<Request, Fault> {
    let malformed = |text: String| Fault::new(Code::MalformedRequest, text);
    let Some(required) = attributes::required(op).map_err(malformed)? else {
        return Err(Fault::new(Code::NotGoverned, format!("'{}' requires no contract", op.name())));
    };
    let mut fields = serde_json::Map::new();
    for (name, value) in required.attribute.as_dict().unwrap_or_default() {
        let value =
            if name == "contract" { json!(leaf(required.contract)) } else { to_json(value).map_err(malformed)? };
        fields.insert(name.to_owned(), value);
    }
    fields.insert("instance".to_owned(), json!(attributes::instance(op)));
    fields.insert("op".to_owned(), json!(kind(op)));
    fields.entry("validation").or_insert_with(|| json!(Status::Unresolved));
    let request = Request::from_value(&Value::Object(fields))?;
    match program_phase(op) {
        Some(phase) if phase != request.phase.as_str() => {
            let (instance, requested) = (&request.instance, request.phase);
            Err(malformed(format!("'{instance}': requests phase {requested} in a program for {phase}")))
        }
        _ => Ok(request),
    }
}

/// The phase of the program that an operation stands in, at whatever level.
fn program_phase(op: Op<'_>) -> Option<&str> {
    std::iter::successors(op.parent(), |parent| parent.parent()).find_map(|program| {
        let name = match program.name() {
            "lowered.program" | "call.program" => "phase",
            "llvm.func" => call::PHASE,
            _ => graph::PHASE,
        };
        program.attr(name)?.as_str()
    })
}

/// The decision of an operation.
///
/// # Errors
///
/// `Unresolved` when there is none or it is not well-formed.
pub fn decision(op: Op<'_>) -> Result<Decision, Fault> {
    let unresolved = |text: String| Fault::new(Code::Unresolved, text);
    let Some(resolved) = attributes::resolved(op).map_err(unresolved)? else {
        let name = attributes::instance(op).unwrap_or("an operation without instance");
        return Err(unresolved(format!("'{name}' has no decision")));
    };
    Ok(Decision {
        provider: leaf(resolved.provider).unwrap_or_default().to_owned(),
        contract: leaf(resolved.contract).unwrap_or_default().to_owned(),
        function: resolved.function.to_owned(),
        digest: resolved.digest.to_owned(),
    })
}

/// Checks that the symbols of a request and a decision are of the registry of that name, the only one there is.
///
/// # Errors
///
/// `UnknownContract` when one names another registry.
pub fn check_registry(op: Op<'_>, registry: &str) -> Result<(), Fault> {
    let symbols =
        [(attributes::REQUIRED, "contract"), (attributes::RESOLVED, "contract"), (attributes::RESOLVED, "provider")];
    let symbols = symbols.into_iter().filter_map(|(name, field)| op.attr(name)?.get(field));
    for symbol in symbols {
        if symbol.as_symbol().is_none_or(|path| path.first() != Some(&registry)) {
            let instance = attributes::instance(op).unwrap_or_default();
            let message = format!("'{instance}': {symbol} is not of the module's registry @{registry}");
            return Err(Fault::new(Code::UnknownContract, message));
        }
    }
    Ok(())
}

/// A dictionary attribute of numbers as JSON, empty if absent.
pub fn numbers(op: Op<'_>, name: &str) -> Value {
    op.attr(name).and_then(|attribute| to_json(attribute).ok()).unwrap_or_else(|| json!({}))
}
