//! The registry between its two forms: typed values and `contract` operations of a module.

use crate::body;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::json;
use cke_contracts::registry::Registry;
use cke_contracts::resolve::Resolver;
use cke_contracts::v8::KernelMap;
use cke_dialects::contract::entry::{self, Entry};
use cke_dialects::contract::json::to_json;
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
    let end = InsertionPoint::EndOf(inside);
    for (id, contract) in &registry.contracts {
        let (unspecified, definition) = (contract.unspecified(), contract.definition());
        let kind = entry::of_contract(contract);
        Entry { kind, id, source: None, unspecified, definition: &definition }.write(rewriter, location, end);
    }
    for (id, provider) in &registry.providers {
        let (kind, definition) = ("contract.provider", provider.definition());
        Entry { kind, id, source: None, unspecified: &[], definition: &definition }.write(rewriter, location, end);
    }
    for (id, map) in &registry.maps {
        let (kind, definition) = ("contract.kernel_map", map.definition());
        Entry { kind, id, source: None, unspecified: &[], definition: &definition }.write(rewriter, location, end);
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
    let (mut contracts, mut providers, mut maps) = (Vec::new(), Vec::new(), Vec::new());
    for op in body::ops(registry) {
        let id = op.symbol_name().unwrap_or_default().to_owned();
        let definition = op.attr("definition").map(to_json).transpose();
        let definition = definition.map_err(|text| (op, Fault::new(Code::Schema, text)))?.unwrap_or(Value::Null);
        entries.insert(id.clone(), op);
        match (entry::contract_kind(op.name()), op.name()) {
            (Some(kind), _) => contracts.push((id, kind, definition)),
            (None, "contract.provider") => providers.push((id, definition)),
            (None, "contract.kernel_map") => {
                maps.push((id, json::from_value::<KernelMap>(&definition).map_err(|fault| (op, fault))?));
            }
            _ => {}
        }
    }
    let typed = Registry::from_values(contracts, providers).and_then(|registry| registry.with_maps(maps));
    let typed = typed.map_err(|fault| {
        let at = fault.definition.as_ref().and_then(|id| entries.get(id));
        (at.copied().unwrap_or(registry), fault)
    })?;
    Ok(ModuleRegistry { registry: typed, name: registry.symbol_name().unwrap_or_default(), entries })
}
