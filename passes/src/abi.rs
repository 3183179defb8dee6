//! An operation against the kernel map of its decided provider: what was copied from the map, or follows from it, still
//! agrees with it.
//!
//! Gap: at the lowered level `params` cannot be recomputed, since no type says them; from the call level on the
//! kernel's symbol covers them.

use crate::facts;
use crate::synthesize_kernels::extents;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::{Port, Provider};
use cke_contracts::resolve::Request;
use cke_mlir::ir::{Attr, Op, Type};
use serde_json::json;
use std::collections::BTreeMap;

/// Checks call ABI, layouts and extents of an operation.
///
/// # Errors
///
/// `ProviderReselected` with what the kernel map says and what the operation says.
pub fn check(op: Op<'_>, request: &Request, provider: &Provider) -> Result<(), Fault> {
    let differs = |what: &str, expected: &str, found: &str| {
        let message = format!("'{}': {what} is {found}, provider '{}' gives {expected}", request.instance, provider.id);
        Err(Fault::new(Code::ProviderReselected, message))
    };
    let expected: Vec<&str> = provider.call_abi.params.iter().map(|param| param.source.as_str()).collect();
    match sources(op) {
        Some(found) if found != expected => return differs("the call ABI", &expected.join(", "), &found.join(", ")),
        None => return Ok(()),
        Some(_) => {}
    }
    let pointers = provider.call_abi.params.iter().filter_map(|param| param.source.split_once(':'));
    let ports = pointers.filter(|(space, _)| *space != "runtime").filter_map(|(_, name)| provider.port(name));
    let ports: Vec<&Port> = ports.map(|(_, port)| port).collect();
    for (index, port) in ports.iter().enumerate() {
        let what = |field: &str| format!("the {field} of '{}'", port.name);
        if let Some(found) = layout(op, index).filter(|found| *found != port.layout.name()) {
            return differs(&what("layout"), port.layout.name(), found);
        }
        let stored = global(op, index).and_then(|global| global.attr("storage")).and_then(Attr::as_str);
        let requested = request.storage.get(&port.name).map_or("none", |storage| storage.as_str());
        if let Some(found) = stored.filter(|found| *found != requested) {
            let message =
                format!("'{}': '{}' is stored as {found}, requested is {requested}", request.instance, port.name);
            return Err(Fault::new(Code::ProviderReselected, message));
        }
        let prepared = global(op, index).and_then(|global| global.attr("preparation")).and_then(Attr::as_str);
        if let Some(found) = prepared.filter(|found| port.preparation.is_some_and(|known| known.as_str() != *found)) {
            return differs(&what("preparation"), port.preparation.map_or("none", |known| known.as_str()), found);
        }
    }
    if op.name() == "lowered.invoke" {
        let buffers = ports.iter().enumerate().filter(|(_, port)| port.size_bytes.is_none());
        let shapes: BTreeMap<&str, _> = buffers
            .filter_map(|(index, port)| Some((port.name.as_str(), Type::shape(op.operand(index).ty())?)))
            .collect();
        let given = extents(op);
        match facts::shape(provider, &shapes, &given) {
            Ok(shape) if shape == given => {}
            Ok(shape) => return differs("the shape", &json!(shape).to_string(), &json!(given).to_string()),
            Err(rule) => return differs("the shape", &format!("another ({rule})"), &json!(given).to_string()),
        }
    }
    Ok(())
}

/// The sources of the call ABI that an operation lists; `None` if its level has none.
fn sources(op: Op<'_>) -> Option<Vec<&str>> {
    if let Some(sources) = op.attr("sources").and_then(Attr::as_array) {
        return Some(sources.into_iter().filter_map(Attr::as_str).collect());
    }
    let args = op.attr("args").and_then(Attr::as_array)?;
    Some(args.into_iter().filter_map(|arg| arg.get("source")?.as_str()).collect())
}

/// The layout in which a pointer of an operation is said to lie.
fn layout(op: Op<'_>, index: usize) -> Option<&str> {
    if let Some(args) = op.attr("args").and_then(Attr::as_array) {
        return args.into_iter().filter_map(|arg| arg.get("layout")?.as_str()).nth(index);
    }
    global(op, index)?.attr("layout").and_then(Attr::as_str)
}

/// The global buffer behind an operand.
fn global(op: Op<'_>, index: usize) -> Option<Op<'_>> {
    if op.name() != "lowered.invoke" {
        return None;
    }
    let definition = op.operand(index).defining_op()?;
    definition.lookup_symbol_ref(definition.attr("global")?)
}
