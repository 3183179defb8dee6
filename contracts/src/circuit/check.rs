//! Checks of a circuit: names that exist, values defined once before they are used, a requirement for every operation.

use std::collections::{BTreeMap, BTreeSet};

use super::{Attribute, AttributeType, Circuit, ConfigEntry, ConfigType, Fact, Op};
use crate::expression::Expression;
use crate::fault::{Code, Fault};
use crate::registry::vocabulary::Status;

/// The name of the number of rows in shapes of values.
const ROWS: &str = "rows";

/// Checks a circuit.
pub(super) fn check(circuit: &Circuit) -> Result<(), Fault> {
    check_config(circuit).map_err(|reason| Fault::new(Code::BadConfig, reason))?;
    check_dataflow(circuit).map_err(|reason| Fault::new(Code::BadDataflow, reason))?;
    check_requirements(circuit)
}

type Checked = Result<(), String>;

fn check_config(circuit: &Circuit) -> Checked {
    if circuit.architectures.is_empty() || circuit.phases.is_empty() {
        return Err("at least one architecture and one phase are needed".to_owned());
    }
    for (architecture, fixed) in &circuit.architectures {
        if let Some(name) = fixed.keys().find(|name| !circuit.config.contains_key(*name)) {
            return Err(format!("architectures.{architecture}: '{name}' is no configuration value"));
        }
    }
    for (name, entry) in &circuit.config {
        check_entry(circuit, name, entry).map_err(|reason| format!("config.{name}: {reason}"))?;
    }
    let expressions = circuit.checks.iter().flat_map(|check| [Some(&check.expression), check.equals.as_ref()]);
    let tensors = circuit.tensors.values().flat_map(|tensor| &tensor.shape);
    let tables = circuit.tables.values().flat_map(|table| &table.shape);
    let states = circuit.states.values().flat_map(|state| &state.shape);
    let sizes = expressions.flatten().chain(tensors).chain(tables).chain(states).chain([&circuit.body.repeat]);
    for expression in sizes {
        check_expression(circuit, expression, &[ConfigType::Integer])?;
    }
    for (key, tensor) in &circuit.tensors {
        if tensor.fallback.as_ref().is_some_and(|fallback| fallback == key || !circuit.tensors.contains_key(fallback)) {
            return Err(format!("tensors.{key}: the fallback is no other tensor"));
        }
    }
    circuit
        .tables
        .values()
        .flat_map(|table| table.params.values())
        .try_for_each(|param| check_attribute(circuit, param))
}

fn check_entry(circuit: &Circuit, name: &str, entry: &ConfigEntry) -> Checked {
    if name == ROWS {
        return Err("the name stands for the rows of a call".to_owned());
    }
    if entry.tensor.as_ref().is_some_and(|dimension| !circuit.tensors.contains_key(&dimension.name)) {
        return Err("the tensor is not declared".to_owned());
    }
    match (entry.kind, &entry.default) {
        (ConfigType::Text, Some(default)) if !entry.values.contains(default) => {
            Err(format!("default '{default}' is none of the values"))
        }
        (ConfigType::Text, _) if entry.values.is_empty() => Err("a text needs the values allowed".to_owned()),
        (ConfigType::Text, _) => Ok(()),
        _ if !entry.values.is_empty() => Err("only a text lists values".to_owned()),
        (ConfigType::Integer, Some(default)) => check_expression(circuit, default, &[ConfigType::Integer]),
        (ConfigType::Float, Some(default)) => {
            check_expression(circuit, default, &[ConfigType::Integer, ConfigType::Float])
        }
        (_, None) => Ok(()),
    }
}

fn check_expression(circuit: &Circuit, text: &str, types: &[ConfigType]) -> Checked {
    let expression = Expression::parse(text).map_err(|error| error.to_string())?;
    let known = |name: &&str| circuit.config.get(*name).is_some_and(|entry| types.contains(&entry.kind));
    match expression.names().into_iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => Err(format!("expression '{text}': '{name}' is no configuration value of a fitting type")),
    }
}

fn check_attribute(circuit: &Circuit, attribute: &Attribute) -> Checked {
    match attribute.kind {
        AttributeType::I64 => check_expression(circuit, &attribute.value, &[ConfigType::Integer]),
        AttributeType::F32 | AttributeType::F64 => {
            check_expression(circuit, &attribute.value, &[ConfigType::Integer, ConfigType::Float])
        }
        AttributeType::Text => match circuit.config.get(&attribute.value) {
            Some(entry) if entry.kind == ConfigType::Text => Ok(()),
            _ => Err(format!("attribute '{}' is no text of the configuration", attribute.value)),
        },
    }
}

/// What is used so far, and the values in scope.
struct Flow<'a> {
    circuit: &'a Circuit,
    values: BTreeSet<&'a str>,
    used: BTreeSet<&'a str>,
}

fn check_dataflow(circuit: &Circuit) -> Checked {
    if let Some(name) = circuit.tables.keys().find(|name| circuit.tensors.contains_key(*name)) {
        return Err(format!("'{name}' is both a tensor and a table"));
    }
    let mut flow = Flow { circuit, values: BTreeSet::new(), used: BTreeSet::new() };
    for input in &circuit.inputs {
        flow.define(&input.name)?;
        flow.check_shape(&input.shape)?;
    }
    flow.section("header", &circuit.header)?;
    let outside = flow.values.clone();
    for carried in &circuit.body.carried {
        if !outside.contains(carried.initial.as_str()) {
            return Err(format!(
                "body: carried '{}' starts with '{}', which is undefined",
                carried.name, carried.initial
            ));
        }
        flow.define(&carried.name)?;
    }
    flow.section("body", &circuit.body.ops)?;
    for carried in &circuit.body.carried {
        if !flow.values.contains(carried.next.as_str()) || outside.contains(carried.next.as_str()) {
            return Err(format!(
                "body: carried '{}' continues with '{}', no value of a layer",
                carried.name, carried.next
            ));
        }
    }
    // After the layers only what is carried is left of them.
    flow.values = outside;
    flow.values.extend(circuit.body.carried.iter().map(|carried| carried.name.as_str()));
    flow.section("footer", &circuit.footer)?;
    if let Some(result) = circuit.results.iter().find(|result| !flow.values.contains(result.as_str())) {
        return Err(format!("result '{result}' is undefined"));
    }
    flow.check_used()
}

impl<'a> Flow<'a> {
    fn section(&mut self, section: &str, ops: &'a [Op]) -> Checked {
        let mut ids = BTreeSet::new();
        for op in ops {
            if !ids.insert(&op.id) {
                return Err(format!("{section}: id '{}' appears twice", op.id));
            }
            self.op(op, section == "body").map_err(|reason| format!("{section}.{}: {reason}", op.id))?;
        }
        Ok(())
    }

    fn op(&mut self, op: &'a Op, in_body: bool) -> Checked {
        if let Some(value) = op.inputs.values().find(|value| !self.values.contains(value.as_str())) {
            return Err(format!("value '{value}' is undefined"));
        }
        for name in op.weights.values() {
            let tensor = self.circuit.tensors.get(name).map(|tensor| &tensor.name);
            let Some(symbol) = tensor.or_else(|| self.circuit.tables.get(name).map(|table| &table.name)) else {
                return Err(format!("'{name}' is neither a tensor nor a table"));
            };
            self.use_symbol(name, symbol, in_body)?;
        }
        for name in op.states.values() {
            let Some(state) = self.circuit.states.get(name) else { return Err(format!("'{name}' is no state")) };
            self.use_symbol(name, &state.name, in_body)?;
        }
        for output in op.outputs.values() {
            self.define(&output.name)?;
            self.check_shape(&output.shape)?;
        }
        op.attributes.values().try_for_each(|attribute| check_attribute(self.circuit, attribute))
    }

    fn use_symbol(&mut self, name: &'a str, symbol: &str, in_body: bool) -> Checked {
        self.used.insert(name);
        match symbol.contains("{layer}") && !in_body {
            true => Err(format!("'{name}' belongs to a layer")),
            false => Ok(()),
        }
    }

    fn define(&mut self, name: &'a str) -> Checked {
        match self.values.insert(name) {
            true => Ok(()),
            false => Err(format!("value '{name}' is defined twice")),
        }
    }

    fn check_shape(&self, shape: &[String]) -> Checked {
        let sizes = shape.iter().filter(|size| *size != ROWS);
        sizes.into_iter().try_for_each(|size| check_expression(self.circuit, size, &[ConfigType::Integer]))
    }

    /// Everything declared is used, a fallback by the tensor it stands in for.
    fn check_used(&self) -> Checked {
        let circuit = self.circuit;
        let fallbacks: BTreeSet<_> = circuit.tensors.values().filter_map(|tensor| tensor.fallback.as_deref()).collect();
        let declared = circuit.tensors.keys().chain(circuit.tables.keys()).chain(circuit.states.keys());
        match declared.into_iter().find(|name| !self.used.contains(name.as_str()) && !fallbacks.contains(name.as_str()))
        {
            None => Ok(()),
            Some(name) => Err(format!("'{name}' is declared but not used")),
        }
    }
}

/// Every operation has requirements for every phase, and every requirement an operation.
fn check_requirements(circuit: &Circuit) -> Result<(), Fault> {
    let ops = circuit.header.iter().chain(&circuit.body.ops).chain(&circuit.footer);
    let operations: BTreeMap<_, _> = ops.map(|op| (op.operation.as_str(), op)).collect();
    for operation in operations.keys() {
        if circuit.required_contracts.get(*operation).is_none_or(Vec::is_empty) {
            let message = format!("operation '{operation}' requires no contract");
            return Err(Fault::new(Code::NotGoverned, message));
        }
    }
    for (operation, alternatives) in &circuit.required_contracts {
        let fault = |code, reason: String| Err(Fault::new(code, format!("required_contracts.{operation}: {reason}")));
        if !operations.contains_key(operation.as_str()) {
            return fault(Code::BadRequirement, "no operation bears the name".to_owned());
        }
        for alternative in alternatives {
            if let Some(phase) = circuit.phases.iter().find(|phase| !alternative.phases.contains_key(phase)) {
                return fault(Code::NotGoverned, format!("phase {phase} requires no contract"));
            }
            if let Some(phase) = alternative.phases.keys().find(|phase| !circuit.phases.contains(phase)) {
                return fault(Code::BadRequirement, format!("phase {phase} is none of the circuit's"));
            }
            let unproven = alternative.phases.values().any(|phase| {
                phase.validation == Status::Validated
                    && phase.evidence.as_deref().is_none_or(|text| text.trim().is_empty())
            });
            if unproven {
                return fault(Code::BadRequirement, "a validated requirement needs evidence".to_owned());
            }
            let Some(selector) = &alternative.selector else { continue };
            let predicates: Vec<(&String, &Fact)> =
                selector.config_equals.iter().chain(&selector.config_not_equals).collect();
            if predicates.is_empty() && selector.storage_equals.is_empty() {
                return fault(Code::BadRequirement, "a selector needs at least one predicate".to_owned());
            }
            if let Some((name, _)) = predicates.iter().find(|(name, _)| !circuit.config.contains_key(*name)) {
                return fault(Code::BadRequirement, format!("selector: '{name}' is no configuration value"));
            }
            let op = operations[operation.as_str()];
            if let Some(port) = selector.storage_equals.keys().find(|port| !op.weights.contains_key(*port)) {
                return fault(Code::BadRequirement, format!("selector: '{port}' is no weight of the operation"));
            }
        }
    }
    Ok(())
}
