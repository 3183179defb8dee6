//! Weights, tables and states of a model as symbols: found and checked once, then written.

use super::Source;
use cke_contracts::circuit::{AttributeType, Extent, Fact, of_layer};
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::vocabulary::TensorStorage;
use cke_mlir::ir::{Attr, Block, InsertionPoint, Location, Rewriter, Type};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The symbols of a model in the order in which they are written.
pub struct Symbols {
    weights: IndexMap<String, Weight>,
    states: IndexMap<String, Vec<i64>>,
}

struct Weight {
    shape: Vec<i64>,
    storage: TensorStorage,
    /// For a table: the function and its parameters.
    origin: Vec<(String, Fact)>,
}

impl Symbols {
    /// Finds every tensor of the circuit in the model, and every table and state in the configuration.
    pub fn find(source: &Source<'_>) -> Result<Self, Fault> {
        let mut symbols = Symbols { weights: IndexMap::new(), states: IndexMap::new() };
        let layers = layers(source)?;
        for key in source.circuit.tensors.keys() {
            for layer in instances(&source.circuit.tensors[key].name, layers) {
                symbols.tensor(source, key, layer)?;
            }
        }
        for table in source.circuit.tables.values() {
            let shape = sizes(source, &table.shape)?;
            let mut origin = vec![("function".to_owned(), Fact::Text(table.function.as_str().to_owned()))];
            for (name, attribute) in &table.params {
                debug_assert_ne!(attribute.kind, AttributeType::F32, "tables are made in double precision");
                origin.push((name.clone(), source.config.attribute(attribute)?));
            }
            let weight = Weight { shape, storage: TensorStorage::Generated, origin };
            symbols.weights.insert(table.name.clone(), weight);
        }
        for state in source.circuit.states.values() {
            for layer in instances(&state.name, layers) {
                symbols.states.insert(of_layer(&state.name, layer), sizes(source, &state.shape)?);
            }
        }
        symbols.refuse_unused(source)?;
        Ok(symbols)
    }

    /// The symbol of a tensor or table of the circuit, in a layer.
    pub fn weight(&self, source: &Source<'_>, key: &str, layer: Option<usize>) -> Result<String, Fault> {
        if let Some(table) = source.circuit.tables.get(key) {
            return Ok(table.name.clone());
        }
        tensor_name(source, key, layer.unwrap_or_default())
    }

    /// How the model stores a weight.
    pub fn storage(&self, symbol: &str) -> TensorStorage {
        self.weights[symbol].storage
    }

    /// Writes the symbols at the end of a block.
    pub fn write<'a>(&self, rewriter: &Rewriter<'a>, block: Block<'a>) {
        let context = rewriter.context();
        let tensor = |shape: &[i64]| {
            let shape: Vec<_> = shape.iter().map(|&extent| Some(extent)).collect();
            Attr::ty(Type::tensor(&shape, Type::f32(context)))
        };
        for (name, weight) in &self.weights {
            let mut builder = rewriter
                .build("graph.weight", Location::unknown(context))
                .attr("sym_name", Attr::string(context, name))
                .attr("storage", Attr::string(context, weight.storage.as_str()))
                .attr("type", tensor(&weight.shape));
            if !weight.origin.is_empty() {
                let origin: Vec<_> =
                    weight.origin.iter().map(|(name, fact)| (name.as_str(), attribute(rewriter, fact))).collect();
                builder = builder.attr("origin", Attr::dict(context, &origin));
            }
            builder.at(InsertionPoint::EndOf(block));
        }
        for (name, shape) in &self.states {
            rewriter
                .build("graph.state", Location::unknown(context))
                .attr("sym_name", Attr::string(context, name))
                .attr("type", tensor(shape))
                .at(InsertionPoint::EndOf(block));
        }
    }

    fn tensor(&mut self, source: &Source<'_>, key: &str, layer: usize) -> Result<(), Fault> {
        let name = tensor_name(source, key, layer)?;
        let declared = source.model.tensor(&name).expect("tensor_name finds existing tensors only");
        let shape = sizes(source, &source.circuit.tensors[key].shape)?;
        if declared.shape != shape {
            let message = format!("tensor '{name}' has shape {:?}, the configuration gives {shape:?}", declared.shape);
            return Err(Fault::new(Code::BadConfig, message));
        }
        let storage = declared.storage.map_err(|found| {
            Fault::new(Code::RefusedModel, format!("tensor '{name}' is stored as {found}, which is not supported"))
        })?;
        self.weights.insert(name, Weight { shape, storage, origin: Vec::new() });
        Ok(())
    }

    /// A tensor that is not used would silently change what the model computes.
    fn refuse_unused(&self, source: &Source<'_>) -> Result<(), Fault> {
        let known: BTreeSet<&str> = self.weights.keys().map(String::as_str).collect();
        match source.model.tensor_names().into_iter().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let message = format!("tensor '{name}' is used by no operation of circuit '{}'", source.circuit.name);
                Err(Fault::new(Code::RefusedModel, message))
            }
        }
    }
}

/// The number of layers.
pub fn layers(source: &Source<'_>) -> Result<usize, Fault> {
    let layers = source.config.integer(&source.circuit.body.repeat)?;
    // Each layer needs tensors of its own, so the file bounds what is sensible.
    let most = source.model.tensor_names().len();
    usize::try_from(layers).ok().filter(|&layers| layers <= most).ok_or_else(|| {
        let message = format!("the model claims {layers} layers, but its file has {most} tensors");
        Fault::new(Code::BadConfig, message)
    })
}

/// A configuration value as an attribute.
pub fn attribute<'a>(rewriter: &Rewriter<'a>, fact: &Fact) -> Attr<'a> {
    let context = rewriter.context();
    match fact {
        Fact::Bool(value) => Attr::bool(context, *value),
        Fact::Integer(value) => Attr::i64(context, *value),
        Fact::Float(value) => Attr::f64(context, *value),
        Fact::Text(text) => Attr::string(context, text),
    }
}

/// The layers in which a name exists: all of them if it has a place for one, else the first stands for all.
fn instances(name: &str, layers: usize) -> std::ops::Range<usize> {
    0..if of_layer(name, 0) == name { 1 } else { layers }
}

/// The name in the file of the tensor with that key, or of its fallback.
fn tensor_name(source: &Source<'_>, key: &str, layer: usize) -> Result<String, Fault> {
    let tensor = &source.circuit.tensors[key];
    let name = of_layer(&tensor.name, layer);
    if source.model.tensor(&name).is_some() {
        return Ok(name);
    }
    match &tensor.fallback {
        Some(fallback) => tensor_name(source, fallback, layer),
        None => Err(Fault::new(Code::BadConfig, format!("tensor '{name}' is missing"))),
    }
}

/// A shape without rows.
fn sizes(source: &Source<'_>, shape: &[String]) -> Result<Vec<i64>, Fault> {
    let extents = source.config.shape(shape)?.into_iter().map(|extent| match extent {
        Extent::Size(size) => Ok(size),
        Extent::Rows => Err(Fault::new(Code::BadConfig, "a weight or state has no rows")),
    });
    extents.collect()
}
