//! The plans of the circuits that the registry of a module holds, as `cke-translate` imports them from the v8 generation.

use crate::body;
use crate::registry_ir;
use cke_contracts::circuit::SCHEMA;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::json;
use cke_contracts::v8::{Circuit, Facts, Manifest, Plan, plan as plan_circuit};
use cke_dialects::contract::json::to_json;
use cke_mlir::ir::Op;
use serde_json::Value;

/// Which circuits are planned, and for what.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// One circuit by name, or all.
    pub circuit: Option<&'a str>,
    /// The weight manifest by name.
    pub manifest: Option<&'a str>,
    /// What selectors look at, beside the manifest.
    pub config: &'a Facts,
}

/// The plans of circuits against the registry they stand in, in the order of the module; a circuit may have none.
///
/// # Errors
///
/// Those of reading the registry; `UnknownArchitecture` when the module holds no circuit of the name, or no manifest of
/// it.
pub fn plans(module: Op<'_>, choice: Choice<'_>) -> Result<Vec<Result<Plan, Fault>>, Fault> {
    let read = registry_ir::read(module).map_err(|(_, fault)| fault)?;
    let registry = body::named(module, "contract.registry")[0];
    let manifest = choice.manifest.map(|name| {
        let op = one(registry, "contract.manifest", name)?;
        json::from_value::<Manifest>(&definition(op)?)
    });
    let manifest = manifest.transpose()?;
    let circuits = match choice.circuit {
        Some(name) => vec![one(registry, "contract.circuit", name)?],
        None => body::ops(registry).into_iter().filter(|op| op.name() == "contract.circuit").collect(),
    };
    if circuits.is_empty() {
        return Err(Fault::new(Code::UnknownArchitecture, "the module holds no circuit"));
    }
    let planned = circuits.into_iter().map(|op| {
        let circuit = circuit(op).map_err(|fault| {
            let name = op.symbol_name().unwrap_or_default();
            Fault { message: format!("circuit '{name}': {}", fault.message), ..fault }
        })?;
        plan_circuit(&circuit, &read.registry, choice.config, manifest.as_ref())
    });
    Ok(planned.collect())
}

fn one<'a>(registry: Op<'a>, kind: &str, name: &str) -> Result<Op<'a>, Fault> {
    let of_kind: Vec<_> = body::ops(registry).into_iter().filter(|op| op.name() == kind).collect();
    let what = kind.trim_start_matches("contract.");
    of_kind.iter().copied().find(|op| op.symbol_name() == Some(name)).ok_or_else(|| {
        let names: Vec<_> = of_kind.iter().filter_map(|op| op.symbol_name()).collect();
        let fault = Fault::new(Code::UnknownArchitecture, format!("the module holds no {what} '{name}'"));
        fault.note(format!("it holds {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") }))
    })
}

fn circuit(op: Op<'_>) -> Result<Circuit, Fault> {
    let definition = definition(op)?;
    if definition.get("schema").and_then(Value::as_str) == Some(SCHEMA) {
        let message = "the circuit describes a model in full: compile a model by it, which resolves every operation";
        return Err(Fault::new(Code::UnknownArchitecture, message));
    }
    json::from_value(&definition)
}

fn definition(op: Op<'_>) -> Result<Value, Fault> {
    let attribute = op.attr("definition").ok_or_else(|| Fault::new(Code::Schema, "the definition is missing"))?;
    to_json(attribute).map_err(|text| Fault::new(Code::Schema, text))
}
