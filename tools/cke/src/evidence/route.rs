//! The public route: a program of one operation, through every level of the compiler as `cke compile` takes it.
//!
//! The operation stands in a circuit of its own, made from the provider's ports; the compiler finds the provider.

use super::levels::{MAX_ROWS, Subject};
use super::shapes::Facts;
use crate::cli::{CompileOptions, Mode};
use crate::load::compile_module;
use anyhow::{Context as _, Result, anyhow};
use cke_contracts::circuit::{
    Attribute, AttributeType, Body, Circuit, ConfigEntry, ConfigType, Fact, Facts as ModelFacts, Op, PhaseRequirement,
    Requirement, State, Table, Tensor, Value, ValueType,
};
use cke_contracts::registry::vocabulary::{DType, Phase, Preparation, Status, TableFunction, TensorStorage};
use cke_contracts::registry::{Dim, Port, Provider};
use cke_passes::describe_steps;
use cke_passes::driver::Failure;
use cke_passes::import::{Declared, Model, import};
use cke_passes::pipelines::Level;
use cke_runtime::program::Program;
use cke_target_llvm::object::Object;
use std::collections::BTreeMap;

/// The one architecture of the circuit.
const ARCHITECTURE: &str = "one_operation";
/// The base of rotary frequencies; the table's values are overwritten by the inputs of a case.
const BASE: &str = "10000";

/// The program and the code of an operation.
pub fn compile(subject: &Subject<'_>, facts: &Facts, params: &BTreeMap<String, f64>) -> Result<(Program, Object)> {
    let Subject { context, registry, provider, contract, isa } = subject;
    let circuit = circuit(provider, contract, facts, params)?;
    let model = OneOperation { provider, facts };
    let mut module = import(context, registry, &circuit, &model).map_err(|fault| anyhow!("{fault}"))?;
    let options = options(&isa.name, MAX_ROWS);
    let mut program = None;
    let object = compile_module(&mut module, &options, &mut |level, module| {
        if level == Level::Call {
            program = Some(describe_steps(module.op()).map_err(Failure::Other)?);
        }
        Ok(())
    })?;
    Ok((program.context("error: the module did not pass the call level")?, object))
}

/// How `cke compile` compiles for an instruction set.
pub fn options(isa: &str, max_rows: usize) -> CompileOptions {
    let max_rows = u32::try_from(max_rows).expect("a small number");
    CompileOptions { mode: Mode::Bringup, isa: isa.to_owned(), context: None, max_rows, dump_ir: None }
}

/// A model file with the weights of the operation and nothing else.
struct OneOperation<'o> {
    provider: &'o Provider,
    facts: &'o Facts,
}

impl ModelFacts for OneOperation<'_> {
    fn metadata(&self, _: &str) -> Result<Option<Fact>, String> {
        Ok(None)
    }

    fn dimension(&self, _: &str, _: usize) -> Option<i64> {
        None
    }

    fn option(&self, _: &str) -> Option<Fact> {
        None
    }
}

impl Model for OneOperation<'_> {
    fn architecture(&self) -> &str {
        ARCHITECTURE
    }

    fn tensor(&self, name: &str) -> Option<Declared> {
        let port = tensors(self.provider).find(|port| port.name == name)?;
        let size = |dim: &Dim| match dim {
            Dim::Name(name) => self.facts.get(name).copied(),
            Dim::Size(size) => Some(i64::from(*size)),
        };
        Some(Declared { shape: port.shape.iter().map(size).collect::<Option<_>>()?, storage: Ok(TensorStorage::F32) })
    }

    fn tensor_names(&self) -> Vec<&str> {
        tensors(self.provider).map(|port| port.name.as_str()).collect()
    }
}

/// Weights that come from a file; the others are made by a table function.
fn tensors(provider: &Provider) -> impl Iterator<Item = &Port> {
    provider.weights.iter().filter(|port| !is_table(port))
}

fn is_table(port: &Port) -> bool {
    port.preparation == Some(Preparation::RopeTableFp64Series)
}

fn circuit(provider: &Provider, contract: &str, facts: &Facts, params: &BTreeMap<String, f64>) -> Result<Circuit> {
    let shape = |port: &Port| -> Result<Vec<String>> {
        let size = |dim: &Dim| match dim {
            Dim::Name(name) if name == "rows" => Ok(name.clone()),
            Dim::Name(name) => facts.get(name).map(i64::to_string).with_context(|| format!("error: no size '{name}'")),
            Dim::Size(size) => Ok(size.to_string()),
        };
        port.shape.iter().map(size).collect()
    };
    let value = |port: &Port| -> Result<Value> {
        let dtype = if port.dtype == DType::Int32 { ValueType::Int32 } else { ValueType::Fp32 };
        Ok(Value { name: port.name.clone(), dtype, shape: shape(port)? })
    };
    let named = |ports: &[Port]| ports.iter().map(|port| (port.name.clone(), port.name.clone())).collect();
    let mut inputs: Vec<Value> = provider.inputs.iter().map(value).collect::<Result<_>>()?;
    let mut operands: BTreeMap<String, String> = named(&provider.inputs);
    if provider.call_abi.params.iter().any(|param| param.source == "runtime:position") {
        operands.insert("position".to_owned(), "position".to_owned());
    }
    inputs.push(Value { name: "position".to_owned(), dtype: ValueType::Index, shape: Vec::new() });
    let (config, attributes) = attributes(provider, facts, params);
    let op = Op {
        id: provider.op.clone(),
        op: provider.op.clone(),
        operation: provider.op.clone(),
        inputs: operands,
        weights: named(&provider.weights),
        states: named(&provider.states),
        outputs: provider.outputs.iter().map(|port| Ok((port.name.clone(), value(port)?))).collect::<Result<_>>()?,
        attributes,
    };
    let tensor =
        |port: &Port| Ok((port.name.clone(), Tensor { name: port.name.clone(), shape: shape(port)?, fallback: None }));
    let table = |port: &Port| -> Result<_> {
        let of = |kind, value: String| Attribute { kind, value };
        let rotary_dim = facts.get("rotary_half").map_or(0, |half| 2 * half);
        let positions = facts.get("positions").copied().unwrap_or(0);
        let params = [
            ("base", of(AttributeType::F64, BASE.to_owned())),
            ("positions", of(AttributeType::I64, positions.to_string())),
            ("rotary_dim", of(AttributeType::I64, rotary_dim.to_string())),
        ];
        let params = params.into_iter().map(|(name, param)| (name.to_owned(), param)).collect();
        let function = TableFunction::RopeTableFp64Series;
        Ok((port.name.clone(), Table { name: port.name.clone(), shape: shape(port)?, function, params }))
    };
    let state = |port: &Port| {
        Ok((port.name.clone(), State { name: port.name.clone(), dtype: ValueType::Fp32, shape: shape(port)? }))
    };
    Ok(Circuit {
        schema: "cke.circuit".to_owned(),
        schema_version: 1,
        name: ARCHITECTURE.to_owned(),
        description: format!("One '{}'.", provider.op),
        architectures: [(ARCHITECTURE.to_owned(), BTreeMap::new())].into(),
        config,
        checks: Vec::new(),
        refusals: Vec::new(),
        tensors: tensors(provider).map(tensor).collect::<Result<_>>()?,
        tables: provider.weights.iter().filter(|port| is_table(port)).map(table).collect::<Result<_>>()?,
        states: provider.states.iter().map(state).collect::<Result<_>>()?,
        phases: provider.phases.clone(),
        inputs,
        header: vec![op],
        body: Body { repeat: "0".to_owned(), prefix: "{layer}".to_owned(), carried: Vec::new(), ops: Vec::new() },
        footer: Vec::new(),
        results: provider.outputs.iter().map(|port| port.name.clone()).collect(),
        required_contracts: [(provider.op.clone(), vec![requirement(provider, contract)])].into(),
    })
}

/// Numbers and integers of the operation that no shape shows, and the words its provider is chosen by.
fn attributes(
    provider: &Provider,
    facts: &Facts,
    params: &BTreeMap<String, f64>,
) -> (BTreeMap<String, ConfigEntry>, BTreeMap<String, Attribute>) {
    let mut attributes = BTreeMap::new();
    for param in &provider.params {
        let value = params.get(&param.name).map(f64::to_string).unwrap_or_default();
        attributes.insert(param.name.clone(), Attribute { kind: AttributeType::F32, value });
    }
    if let Some(heads) = facts.get("heads") {
        attributes.insert("heads".to_owned(), Attribute { kind: AttributeType::I64, value: heads.to_string() });
    }
    let mut config = BTreeMap::new();
    if let Some(pairing) = provider.provides.get("position.pairing").and_then(|pairings| pairings.first()) {
        let entry = ConfigEntry {
            kind: ConfigType::Text,
            option: None,
            key: None,
            tensor: None,
            default: Some(pairing.clone()),
            values: vec![pairing.clone()],
        };
        config.insert("pairing".to_owned(), entry);
        attributes.insert("pairing".to_owned(), Attribute { kind: AttributeType::Text, value: "pairing".to_owned() });
    }
    (config, attributes)
}

fn requirement(provider: &Provider, contract: &str) -> Requirement {
    let required = |phase: &Phase| {
        let requirement = PhaseRequirement {
            contract_id: contract.to_owned(),
            requires: BTreeMap::new(),
            validation: Status::Observed,
            evidence: None,
        };
        (*phase, requirement)
    };
    Requirement { selector: None, phases: provider.phases.iter().map(required).collect() }
}
