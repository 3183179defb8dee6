//! Compile-time facts of an operation: the extents its provider names, found by matching port shapes with the types the
//! operation has, and integer attributes of the operation.

use cke_contracts::expression::Expression;
use cke_contracts::registry::{Dim, DimFact, Provider};
use std::collections::BTreeMap;

/// Extents by name.
pub type Facts = BTreeMap<String, i64>;

/// The shape a kernel is made for: what the provider's `dims` name.
///
/// `shapes` holds the actual extents of the ports (`None` for one known at run time only), `attributes` the integer
/// attributes of the operation.
///
/// # Errors
///
/// The rule that is broken: ranks differ, one name has two extents, or a fact cannot be found or computed.
pub fn shape(
    provider: &Provider,
    shapes: &BTreeMap<&str, Vec<Option<i64>>>,
    attributes: &Facts,
) -> Result<Facts, String> {
    let mut found = attributes.clone();
    for (_, port) in provider.ports() {
        let Some(actual) = shapes.get(port.name.as_str()) else { continue };
        if actual.len() != port.shape.len() {
            let (rank, expected) = (actual.len(), port.shape.len());
            return Err(format!("port '{}' has {rank} dimensions, the kernel map gives {expected}", port.name));
        }
        for (dim, actual) in port.shape.iter().zip(actual) {
            match (dim, actual) {
                (Dim::Size(size), Some(actual)) if i64::from(*size) != *actual => {
                    return Err(format!("port '{}' has the extent {actual}, the kernel map gives {size}", port.name));
                }
                (Dim::Name(name), Some(actual)) => {
                    let known = *found.entry(name.clone()).or_insert(*actual);
                    if known != *actual {
                        return Err(format!("'{name}' is {known} and, at port '{}', {actual}", port.name));
                    }
                }
                _ => {}
            }
        }
    }
    let mut shape = Facts::new();
    for dim in &provider.dims {
        let value = match dim {
            DimFact::Found(name) => found.get(name).copied().ok_or_else(|| format!("'{name}' is not known")),
            DimFact::Derived(derived) => evaluate(&derived.expression, &found),
        }?;
        shape.insert(dim.name().to_owned(), value);
    }
    Ok(shape)
}

/// The value of an integer expression over facts.
///
/// # Errors
///
/// An unknown name, an inexact division or an overflow.
pub fn evaluate(expression: &str, facts: &Facts) -> Result<i64, String> {
    let value = Expression::parse(expression).and_then(|parsed| parsed.integer(|name| facts.get(name).copied()));
    value.map_err(|error| error.to_string())
}
