//! Applies the typed schema of the registries to the definitions of the dialect.
//!
//! Known gap: rules between definitions (a provider that claims an unknown contract, two contracts of equal meaning)
//! need the whole registry; `resolve-contracts` and `verify-contracts` apply them when they read it.

use super::json::to_json;
use cke_contracts::registry::{AttentionReduction, NumericalExecution, Provider, QuantizedLinear};
use cke_mlir::ir::Op;
use serde_json::Value;

type Verdict = Result<(), String>;

fn definition(op: Op<'_>) -> Result<Value, String> {
    to_json(op.attr("definition").ok_or("requires attribute 'definition'")?)
}

fn check<T: serde::de::DeserializeOwned>(value: Value) -> Verdict {
    cke_contracts::json::from_value::<T>(&value)
        .map(drop)
        .map_err(|fault| format!("has a definition that breaks its schema: {} [{}]", fault.message, fault.code))
}

/// `contract.execution`
pub fn execution(op: Op<'_>) -> Verdict {
    check::<NumericalExecution>(definition(op)?)
}

/// `contract.attention`
pub fn attention(op: Op<'_>) -> Verdict {
    check::<AttentionReduction>(definition(op)?)
}

/// `contract.linear`
pub fn linear(op: Op<'_>) -> Verdict {
    check::<QuantizedLinear>(definition(op)?)
}

/// `contract.provider`
pub fn provider(op: Op<'_>) -> Verdict {
    check::<Provider>(definition(op)?)
}
