//! What is checked of a decision wherever an operation is verified: the symbols exist, and the provider's kernel map
//! claims the requested contract with the recorded function.
//!
//! The whole truth (the request resolved anew, digests, the ledger) is `verify-contracts`' business; this is the part
//! that needs no registry to be read, so that no level can even be parsed with a decision that does not hang together.

use super::attributes::{Resolved, leaf, required, resolved};
use super::json::to_json;
use cke_contracts::fault::Code;
use cke_contracts::json;
use cke_contracts::resolve::Offer;
use cke_contracts::v8::KernelMap;
use cke_mlir::ir::{Attr, Op, SymbolTables};

/// Checks the decision of `op`, which must have one.
///
/// # Errors
///
/// As verifiers do; empty when the error was reported here, with a note at the registry.
pub fn check<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Result<(), String> {
    let Some(request) = required(op)? else {
        return Err(format!("requires no contract [{}]", Code::NotGoverned));
    };
    let Some(decision) = resolved(op)? else {
        return Err(format!("has no decision [{}]", Code::Unresolved));
    };
    let contract =
        definition(op, tables, request.contract, &["contract.execution", "contract.attention", "contract.linear"])?;
    if decision.contract != request.contract {
        return Err(reselected(op, "contract", request.contract, decision.contract, contract));
    }
    let provider = definition(op, tables, decision.provider, &["contract.provider", "contract.kernel_map"])?;
    let Some(function) = claimed_function(provider, decision) else {
        let message = format!(
            "requires contract {}, which the decided provider {} does not claim [{}]",
            request.contract,
            decision.provider,
            Code::ProviderReselected
        );
        op.error(format!("'{}' op {message}", op.name())).note(provider.location(), "the provider").emit();
        return Err(String::new());
    };
    if function.as_str() != Some(decision.function) {
        let found = op.attr(super::attributes::RESOLVED).and_then(|d| d.get("function")).unwrap_or(function);
        return Err(reselected(op, "function", function, found, provider));
    }
    Ok(())
}

fn definition<'a>(op: Op<'a>, tables: &SymbolTables<'a>, symbol: Attr<'a>, kinds: &[&str]) -> Result<Op<'a>, String> {
    match tables.lookup(op, symbol) {
        Some(found) if kinds.contains(&found.name()) => Ok(found),
        Some(found) => {
            Err(format!("refers to {symbol}, which is a {}, expected a {}", found.name(), kinds.join(" or a ")))
        }
        None => Err(format!("refers to {symbol}, which no registry of the module defines [{}]", Code::UnknownContract)),
    }
}

/// The function with which a provider's kernel map claims the decided contract.
fn claimed_function<'a>(provider: Op<'a>, decision: Resolved<'a>) -> Option<Attr<'a>> {
    let contract = leaf(decision.contract)?;
    let definition = provider.attr("definition")?;
    if provider.name() == "contract.kernel_map" {
        let map: KernelMap = json::from_value(&to_json(definition).ok()?).ok()?;
        return Some(Attr::string(provider.context(), &Offer::from(&map).claim(contract)?.function));
    }
    let claims = definition.get("numerical_capabilities")?.as_array()?;
    let claim = claims.into_iter().find(|c| c.get("contract_id").and_then(Attr::as_str) == Some(contract))?;
    claim.get("function")
}

fn reselected<'a>(op: Op<'a>, what: &str, expected: Attr<'a>, found: Attr<'a>, entry: Op<'a>) -> String {
    let message =
        format!("'{}' op requires {what} {expected}, found {found} [{}]", op.name(), Code::ProviderReselected);
    op.error(message).note(entry.location(), format!("the registry's entry gives {expected}")).emit();
    String::new()
}
