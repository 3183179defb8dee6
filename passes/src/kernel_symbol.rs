//! The symbol of a kernel: function, phase, shape, and a digest of all that the kernel is made from.
//!
//! `cke_linear_fp32.decode.k576.n192.3fa9c1d2`. Two kernels that differ in contract, provider, shape or parameters have
//! different symbols, and a symbol can be recomputed from the operation that calls it.

use crate::decisions::numbers;
use cke_contracts::digest::digest;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::resolve::{Decision, Request, Resolver};
use cke_dialects::contract::attributes::leaf;
use cke_mlir::ir::Op;
use serde_json::{Value, json};

/// Hexadecimal digits of the digest that a symbol bears.
const DIGITS: usize = 8;

/// The symbol of the kernel for a decision, a shape and parameters (both JSON objects of numbers).
pub fn of(request: &Request, decision: &Decision, resolver: &Resolver<'_>, shape: &Value, params: &Value) -> String {
    let made_from = json!({
        "definitions": resolver.digests(&decision.contract, &decision.provider),
        "phase": request.phase,
        "shape": shape,
        "params": params,
    });
    let digest = digest(&made_from);
    let digits: String = digest.trim_start_matches("sha256:").chars().take(DIGITS).collect();
    let extents = shape.as_object().into_iter().flatten().map(|(name, extent)| format!(".{name}{extent}"));
    format!("{}.{}{}.{digits}", decision.function, request.phase, extents.collect::<String>())
}

/// Checks that an operation which names a kernel names the one of its decision.
///
/// # Errors
///
/// `ProviderReselected` when it names another.
pub fn check(op: Op<'_>, request: &Request, decision: &Decision, resolver: &Resolver<'_>) -> Result<(), Fault> {
    let Some(found) = op.attr("kernel").or_else(|| op.attr("callee")).and_then(leaf) else { return Ok(()) };
    let expected = of(request, decision, resolver, &numbers(op, "shape"), &numbers(op, "params"));
    if found == expected {
        return Ok(());
    }
    let message = format!("'{}': kernel '{found}' is not '{expected}', which the decision asks for", request.instance);
    Err(Fault::new(Code::ProviderReselected, message))
}
