//! One phase as a function: header, layers, footer.
//!
//! Operands are given in the order of the operation's definition, by their port names.

use super::Source;
use super::symbols::{Symbols, attribute, layers};
use cke_contracts::circuit::{
    AttributeType, Extent, Fact, Op, PhaseRequirement, Value as CircuitValue, ValueType, of_layer,
};
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::vocabulary::{Phase, TensorStorage};
use cke_dialects::contract::attributes;
use cke_dialects::contract::json::from_json;
use cke_dialects::graph;
use cke_mlir::ir::{Attr, Block, ContextRef, InsertionPoint, Location, OpBuilder, Rewriter, Type, Value};
use serde_json::json;
use std::collections::BTreeMap;

/// Writes the function of a phase at the end of a block.
pub fn write<'a>(
    rewriter: &Rewriter<'a>,
    block: Block<'a>,
    source: &Source<'_>,
    symbols: &Symbols,
    phase: Phase,
) -> Result<(), Fault> {
    let context = rewriter.context();
    let name = Attr::string(context, &phase.to_string());
    let inputs = &source.circuit.inputs;
    let types: Vec<_> = inputs.iter().map(|input| ty(context, source, phase, input)).collect::<Result<_, _>>()?;
    // The results are known when the body is there; until then the function returns nothing.
    let op = rewriter
        .build("func.func", Location::unknown(context))
        .attr("sym_name", name)
        .attr("function_type", Attr::ty(Type::function(context, &types, &[])))
        .attr("arg_attrs", io_names(context, inputs.iter().map(|input| input.name.as_str())))
        .attr(graph::PHASE, name)
        .region()
        .at(InsertionPoint::EndOf(block));
    let body = rewriter.new_block(op.regions()[0], &types);
    let values = inputs.iter().map(|input| input.name.clone()).zip(body.args()).collect();
    let mut function = Function { rewriter, source, symbols, phase, block: body, values };
    function.operations()?;
    let results = function.finish()?;
    op.set_attr("function_type", Attr::ty(Type::function(context, &types, &results)));
    op.set_attr("res_attrs", io_names(context, source.circuit.results.iter().map(String::as_str)));
    Ok(())
}

/// Argument or result attributes that name each.
fn io_names<'a, 'n>(context: ContextRef<'a>, names: impl Iterator<Item = &'n str>) -> Attr<'a> {
    let named = names.map(|name| Attr::dict(context, &[(graph::IO, Attr::string(context, name))]));
    Attr::array(context, &named.collect::<Vec<_>>())
}

/// The type of a value of the circuit in a phase.
fn ty<'a>(context: ContextRef<'a>, source: &Source<'_>, phase: Phase, value: &CircuitValue) -> Result<Type<'a>, Fault> {
    let element = match value.dtype {
        ValueType::Fp32 => Type::f32(context),
        ValueType::Int32 => Type::i32(context),
        ValueType::Index => return Ok(Type::index(context)),
    };
    let shape = source.config.shape(&value.shape)?.into_iter().map(|extent| match (extent, phase) {
        (Extent::Size(size), _) => Some(size),
        (Extent::Rows, Phase::Decode) => Some(1),
        (Extent::Rows, _) => None,
    });
    Ok(Type::tensor(&shape.collect::<Vec<_>>(), element))
}

struct Function<'f, 'a> {
    rewriter: &'f Rewriter<'a>,
    source: &'f Source<'f>,
    symbols: &'f Symbols,
    phase: Phase,
    block: Block<'a>,
    /// Values by the circuit's name for them.
    values: BTreeMap<String, Value<'a>>,
}

impl<'a> Function<'_, 'a> {
    fn operations(&mut self) -> Result<(), Fault> {
        for op in &self.source.circuit.header {
            self.operation(op, None)?;
        }
        self.body()?;
        self.source.circuit.footer.iter().try_for_each(|op| self.operation(op, None))
    }

    /// The layers; a carried value has its initial value in the first and `next` of a layer in the following one.
    fn body(&mut self) -> Result<(), Fault> {
        let body = &self.source.circuit.body;
        for carried in &body.carried {
            self.values.insert(carried.name.clone(), self.value(&carried.initial)?);
        }
        for layer in 0..layers(self.source)? {
            for op in &body.ops {
                self.operation(op, Some(layer))?;
            }
            let next: Vec<_> =
                body.carried.iter().map(|carried| self.value(&carried.next)).collect::<Result<_, _>>()?;
            for (carried, value) in body.carried.iter().zip(next) {
                self.values.insert(carried.name.clone(), value);
            }
        }
        Ok(())
    }

    fn operation(&mut self, op: &Op, layer: Option<usize>) -> Result<(), Fault> {
        let context = self.rewriter.context();
        let name = format!("{}{}", graph::PREFIX, op.op);
        let Some(definition) = graph::ops::DIALECT.ops.iter().find(|known| known.name == name) else {
            return Err(self.broken(op, format!("'{name}' is no operation of the graph dialect")));
        };
        let instance = self.source.circuit.instance(self.phase, layer, op);
        let mut builder = self.build(definition.name);
        for operand in definition.operands {
            let Some(value) = op.inputs.get(operand.name) else {
                return Err(self.broken(op, format!("has no input '{}'", operand.name)));
            };
            builder = builder.operand(self.value(value)?);
        }
        let mut storage = BTreeMap::new();
        for (port, key) in &op.weights {
            let symbol = self.symbols.weight(self.source, key, layer)?;
            storage.insert(port.clone(), self.symbols.storage(&symbol));
            builder = builder.attr(port, Attr::symbol_ref(context, &[&symbol]));
        }
        let requirement = self.source.circuit.requirement(&op.operation, self.phase, self.source.config, &storage)?;
        for (port, key) in &op.states {
            let state = &self.source.circuit.states[key].name;
            let symbol = of_layer(state, layer.unwrap_or_default());
            builder = builder.attr(port, Attr::symbol_ref(context, &[&symbol]));
        }
        for (name, value) in &op.attributes {
            let fact = self.source.config.attribute(value)?;
            let attribute = match (value.kind, &fact) {
                (AttributeType::F32, Fact::Float(float)) => Attr::f32(context, *float as f32),
                _ => attribute(self.rewriter, &fact),
            };
            builder = builder.attr(name, attribute);
        }
        builder = builder.attr(attributes::INSTANCE, Attr::string(context, &instance));
        builder = builder.attr(attributes::REQUIRED, self.request(op, requirement, &storage));
        for result in definition.results {
            let Some(value) = op.outputs.get(result.name) else {
                return Err(self.broken(op, format!("has no output '{}'", result.name)));
            };
            builder = builder.result(ty(context, self.source, self.phase, value)?);
        }
        let built = builder.at(InsertionPoint::EndOf(self.block));
        for (result, definition) in built.results().into_iter().zip(definition.results) {
            self.values.insert(op.outputs[definition.name].name.clone(), result);
        }
        Ok(())
    }

    fn request(&self, op: &Op, requirement: &PhaseRequirement, storage: &BTreeMap<String, TensorStorage>) -> Attr<'a> {
        let context = self.rewriter.context();
        let contract = Attr::symbol_ref(context, &[crate::registry_ir::NATIVE, &requirement.contract_id]);
        let mut fields = vec![
            ("contract", contract),
            ("operation", Attr::string(context, &op.operation)),
            ("phase", Attr::string(context, &self.phase.to_string())),
            ("validation", Attr::string(context, &requirement.validation.to_string())),
        ];
        if !requirement.requires.is_empty() {
            fields.push(("requires", from_json(context, &json!(requirement.requires)).expect("an object")));
        }
        if !storage.is_empty() {
            fields.push(("storage", from_json(context, &json!(storage)).expect("an object")));
        }
        Attr::dict(context, &fields)
    }

    /// Returns the results; gives their types.
    fn finish(&self) -> Result<Vec<Type<'a>>, Fault> {
        let names = &self.source.circuit.results;
        let values: Vec<_> = names.iter().map(|name| self.value(name)).collect::<Result<_, _>>()?;
        let types = values.iter().map(|value| value.ty()).collect();
        self.build("func.return").operands(values).at(InsertionPoint::EndOf(self.block));
        Ok(types)
    }

    fn build(&self, name: &str) -> OpBuilder<'a> {
        self.rewriter.build(name, Location::unknown(self.rewriter.context()))
    }

    fn value(&self, name: &str) -> Result<Value<'a>, Fault> {
        self.values.get(name).copied().ok_or_else(|| {
            Fault::new(
                Code::BadDataflow,
                format!("circuit '{}': value '{name}' is undefined", self.source.circuit.name),
            )
        })
    }

    fn broken(&self, op: &Op, rule: String) -> Fault {
        Fault::new(Code::BadDataflow, format!("circuit '{}': operation '{}': {rule}", self.source.circuit.name, op.id))
    }
}
