//! The contract in effect for a call: the contract itself, or one part of a composite.

use crate::{Call, Element};
use cke_contracts::registry::vocabulary::{PartitionKind, QueryExtent};
use cke_contracts::registry::{AttentionReduction, AttentionSemantics, Contract};

use super::rounding;

/// A contract and its explicit semantics.
pub(super) type Part<'a> = (&'a AttentionReduction, &'a AttentionSemantics);

/// The contract whose arithmetic the call follows. A composite decides by the rows of this call alone, so every segment
/// of a prompt is decided for itself.
pub(super) fn part<'a>(call: &Call<'a>) -> Result<Part<'a>, String> {
    let (contract, semantics) = explicit(call.contract)?;
    if contract.partition.kind != PartitionKind::QueryTileThreshold {
        return Ok((contract, semantics));
    }
    let composite = semantics.composite.ok_or("semantics has no 'composite'")?;
    let QueryExtent::RowsOfCall = composite.extent;
    let partition = &contract.partition;
    let threshold = partition.threshold.ok_or("partition has no 'threshold'")? as usize;
    let (field, id) = if call.rows < threshold {
        ("below_threshold", &partition.below_threshold)
    } else {
        ("at_or_above_threshold", &partition.at_or_above_threshold)
    };
    let id = id.as_ref().ok_or_else(|| format!("partition has no '{field}'"))?;
    let parts = call.context.parts.ok_or("a composite is executed with the contracts it is made of")?;
    let part = parts.get(id).ok_or_else(|| format!("partition.{field} is '{id}', which is not defined"))?;
    let (part, semantics) = explicit(part)?;
    if part.partition.kind == PartitionKind::QueryTileThreshold {
        return Err(format!("partition.{field} is '{id}', which is a composite itself"));
    }
    Ok((part, semantics))
}

/// What a composite says of the storage of its caches holds besides what its parts say.
pub(super) fn check_storage(call: &Call<'_>, keys: Element, values: Element) -> Result<(), String> {
    let (contract, _) = explicit(call.contract)?;
    rounding::cache("k_compute", contract.k_compute, "k_cache", keys)?;
    rounding::cache("value_compute", contract.value_compute, "v_cache", values)?;
    Ok(())
}

fn explicit(contract: &Contract) -> Result<Part<'_>, String> {
    let Contract::Attention(contract) = contract else {
        let found = match contract {
            Contract::Linear(_) => "a quantized linear",
            Contract::Execution(_) | Contract::Attention(_) => "a numerical execution",
        };
        return Err(format!("expected an attention reduction contract, found {found}"));
    };
    Ok((contract, contract.semantics.as_ref().ok_or("the contract has no explicit semantics")?))
}
