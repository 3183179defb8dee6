//! The shapes that are run, by operation and class: data, in `contracts/evidence/shapes.json`.

use anyhow::{Context as _, Result, anyhow};
use cke_contracts::expression::Expression;
use cke_contracts::json;
use cke_contracts::registry::{Dim, DimFact, Port, Provider};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Sizes by name: what the port shapes of a kernel map name.
pub type Facts = BTreeMap<String, i64>;

/// The shapes of an operation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The numbers every kernel is made for.
    #[serde(default)]
    pub params: BTreeMap<String, f64>,
    classes: BTreeMap<String, Class>,
}

/// A class of shapes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// The sizes of each shape.
    pub shapes: Vec<Facts>,
    /// The rows of a prefill call.
    pub rows: Vec<usize>,
    /// The positions calls start at; those that a shape has no room for are left out.
    #[serde(default = "from_the_start")]
    pub positions: Vec<usize>,
}

fn from_the_start() -> Vec<usize> {
    vec![0]
}

/// The shapes of every operation.
pub fn catalogue() -> Result<BTreeMap<String, Family>> {
    let text = include_str!("../../../../contracts/evidence/shapes.json");
    json::from_str("contracts/evidence/shapes.json", text).map_err(|fault| anyhow!("{fault}"))
}

impl Family {
    /// A class by name.
    pub fn class(&self, name: &str) -> Result<&Class> {
        self.classes.get(name).with_context(|| format!("error: there is no class of shapes '{name}'"))
    }
}

/// The extents a kernel of `provider` is made for.
pub fn kernel_shape(provider: &Provider, facts: &Facts) -> Result<Facts> {
    let extent = |dim: &DimFact| match dim {
        DimFact::Found(name) => fact(facts, name),
        DimFact::Derived(derived) => evaluate(&derived.expression, facts),
    };
    provider.dims.iter().map(|dim| Ok((dim.name().to_owned(), extent(dim)?))).collect()
}

/// The dimensions of a port, with `rows` rows.
pub fn port_dims(port: &Port, facts: &Facts, rows: usize) -> Result<Vec<usize>> {
    let size = |dim: &Dim| match dim {
        Dim::Size(size) => Ok(*size as usize),
        Dim::Name(name) if name == "rows" => Ok(rows),
        Dim::Name(name) => Ok(usize::try_from(fact(facts, name)?)?),
    };
    port.shape.iter().map(size).collect()
}

/// The value of an integer expression over sizes.
pub fn evaluate(expression: &str, facts: &Facts) -> Result<i64> {
    let value = Expression::parse(expression).and_then(|parsed| parsed.integer(|name| facts.get(name).copied()));
    value.map_err(|error| anyhow!("error: {error}"))
}

fn fact(facts: &Facts, name: &str) -> Result<i64> {
    facts.get(name).copied().with_context(|| format!("error: the shapes do not say '{name}'"))
}
