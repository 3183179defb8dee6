//! The registry between its two forms: typed values and `contract` operations of a module.

use crate::body;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::{Contract, ContractKind, Registry};
use cke_contracts::resolve::Resolver;
use cke_dialects::contract::json::{from_json, to_json};
use cke_mlir::ir::{Attr, Block, InsertionPoint, Location, Op, Rewriter};
use serde_json::Value;
use std::collections::BTreeMap;

/// The name of the registry operation that an import makes.
pub const NATIVE: &str = "native";

/// A registry read from a module, with the operation each definition stands in.
#[derive(Debug)]
pub struct ModuleRegistry<'a> {
    /// The typed registry.
    pub registry: Registry,
    /// Name of the registry operation.
    pub name: &'a str,
    /// The operation of each contract and provider, by id.
    pub entries: BTreeMap<String, Op<'a>>,
}

impl ModuleRegistry<'_> {
    /// A resolver for its definitions.
    pub fn resolver(&self) -> Resolver<'_> {
        Resolver::new(&self.registry)
    }
}

/// Writes a registry at the end of a block.
pub fn write<'a>(rewriter: &Rewriter<'a>, block: Block<'a>, registry: &Registry) {
    let context = rewriter.context();
    let location = Location::unknown(context);
    let name = Attr::string(context, NATIVE);
    let builder = rewriter.build("contract.registry", location).attr("sym_name", name).region();
    let inside = rewriter.new_block(builder.at(InsertionPoint::EndOf(block)).regions()[0], &[]);
    let entry = |kind: &str, id: &str, definition: &Value| {
        let attribute = from_json(context, definition).expect("a definition is an object");
        rewriter
            .build(kind, location)
            .attr("sym_name", Attr::string(context, id))
            .attr("definition", attribute)
            .at(InsertionPoint::EndOf(inside));
    };
    for (id, contract) in &registry.contracts {
        entry(kind_name(contract), id, &contract.definition());
    }
    for (id, provider) in &registry.providers {
        entry("contract.provider", id, &provider.definition());
    }
}

/// Reads the registry of a module.
///
/// # Errors
///
/// A fault with the operation it is about: no registry or several, or what the typed registry refuses.
pub fn read(module: Op<'_>) -> Result<ModuleRegistry<'_>, (Op<'_>, Fault)> {
    let registry = match body::named(module, "contract.registry")[..] {
        [registry] => registry,
        [] => return Err((module, Fault::new(Code::UnknownContract, "the module has no contract.registry"))),
        [_, second, ..] => {
            return Err((second, Fault::new(Code::DuplicateId, "the module has a second contract.registry")));
        }
    };
    let mut entries = BTreeMap::new();
    let (mut contracts, mut providers) = (Vec::new(), Vec::new());
    for op in body::ops(registry) {
        let id = op.symbol_name().unwrap_or_default().to_owned();
        let definition = op.attr("definition").map(to_json).transpose();
        let definition = definition.map_err(|text| (op, Fault::new(Code::Schema, text)))?.unwrap_or(Value::Null);
        entries.insert(id.clone(), op);
        match op.name() {
            "contract.execution" => contracts.push((id, ContractKind::Execution, definition)),
            "contract.attention" => contracts.push((id, ContractKind::Attention, definition)),
            "contract.linear" => contracts.push((id, ContractKind::Linear, definition)),
            "contract.provider" => providers.push((id, definition)),
            _ => {}
        }
    }
    let typed = Registry::from_values(contracts, providers).map_err(|fault| (registry, fault))?;
    Ok(ModuleRegistry { registry: typed, name: registry.symbol_name().unwrap_or_default(), entries })
}

fn kind_name(contract: &Contract) -> &'static str {
    match contract.kind() {
        ContractKind::Execution => "contract.execution",
        ContractKind::Attention => "contract.attention",
        ContractKind::Linear => "contract.linear",
    }
}
