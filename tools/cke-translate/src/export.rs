//! From a `contract.registry` to the JSON files it was imported from.
//!
//! A definition that says no file goes to the one its kind and id give it, so that a registry that never was JSON can be
//! written too.

use crate::errors::Errors;
use crate::timing::Timing;
use cke_contracts::registry::{ContractFile, ContractKind, ENGINE_CONTRACT_VERSION, SCHEMA_VERSION};
use cke_dialects::contract::{entry, json::to_json};
use cke_mlir::ir::{Attr, Block, Context, Module, Op, Region};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The texts of the files of a module, by path inside the folder.
pub fn run(module: &Path, canonical: bool, timing: &mut Timing) -> Result<BTreeMap<PathBuf, String>, Errors> {
    let source = std::fs::read(module).map_err(|error| Errors::io(module, &error))?;
    timing.step("read");
    let context = Context::new(&cke_passes::registry());
    let module = Module::parse(&context, source, &module.display().to_string())?;
    timing.step("parse");
    let mut files = Files::default();
    let registries: Vec<_> = ops(module.op()).filter(|op| op.name() == "contract.registry").collect();
    if registries.is_empty() {
        return Err(Errors::at(module.op().location(), "the module has no contract.registry"));
    }
    for op in registries.into_iter().flat_map(ops) {
        files.add(op)?;
    }
    let texts = files.texts(canonical)?;
    timing.step("translate");
    Ok(texts)
}

fn ops(op: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    op.regions().into_iter().flat_map(Region::blocks).flat_map(Block::ops)
}

/// Files being put together.
#[derive(Default)]
struct Files<'a> {
    /// What is whole by itself, or the envelope of a file of contracts, with its operation.
    files: BTreeMap<String, (Op<'a>, Value)>,
    /// The contracts of each file, with one of their operations.
    contracts: BTreeMap<String, (Op<'a>, Map<String, Value>)>,
}

impl<'a> Files<'a> {
    fn add(&mut self, op: Op<'a>) -> Result<(), Errors> {
        let Some(definition) = op.attr("definition") else { return Ok(()) };
        let value = to_json(definition).map_err(|message| Errors::at(op.location(), message))?;
        let id = op.symbol_name().filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| Errors::at(op.location(), "its name is no text, so it can name no definition"))?;
        let source = op.attr("source").and_then(Attr::as_str);
        if let Some(kind) = entry::contract_kind(op.name()) {
            let file = source.map_or_else(|| self.own_file(op, kind, &value), |source| Ok(source.to_owned()))?;
            let (_, contracts) = self.contracts.entry(file.clone()).or_insert_with(|| (op, Map::new()));
            return match contracts.insert(id.to_owned(), value) {
                None => Ok(()),
                Some(_) => Err(Errors::at(op.location(), format!("'{file}' holds a contract '{id}' already"))),
            };
        }
        let file = match (op.name(), source) {
            ("contract.file", _) => id.to_owned(),
            (_, Some(source)) => source.to_owned(),
            (_, None) => format!("{id}.json"),
        };
        match self.files.insert(file.clone(), (op, value)) {
            None => Ok(()),
            Some((first, _)) => {
                let message = format!("'{file}' is written already by the operation at {}", first.location());
                Err(Errors::at(op.location(), message))
            }
        }
    }

    /// The file of a contract that says none: one a kind, in the format of this project.
    fn own_file(&mut self, op: Op<'a>, kind: ContractKind, value: &Value) -> Result<String, Errors> {
        if value.get("semantics").is_none() {
            let message = "it leaves things unsaid and says no file: only a file of v8 holds such contracts";
            return Err(Errors::at(op.location(), message));
        }
        let file = match kind {
            ContractKind::Execution => "numerical_execution.json",
            ContractKind::Attention => "attention_reductions.json",
            ContractKind::Linear => "quantized_linear.json",
        };
        let envelope = ContractFile::<Value> {
            note: None,
            schema: kind.schema().to_owned(),
            schema_version: SCHEMA_VERSION,
            engine_contract_version: ENGINE_CONTRACT_VERSION.to_owned(),
            required_semantic_fields: None,
            contracts: BTreeMap::new(),
        };
        self.files.entry(file.to_owned()).or_insert_with(|| (op, json!(envelope)));
        Ok(file.to_owned())
    }

    fn texts(mut self, canonical: bool) -> Result<BTreeMap<PathBuf, String>, Errors> {
        for (file, (op, contracts)) in self.contracts {
            let envelope = self.files.get_mut(&file).and_then(|(_, value)| value.as_object_mut());
            let fields = envelope.filter(|fields| fields.contains_key("schema")).ok_or_else(|| {
                Errors::at(op.location(), format!("it is from '{file}', but no contract.file has that name"))
            })?;
            fields.insert("contracts".to_owned(), Value::Object(contracts));
        }
        let text = |value: &Value| match canonical {
            true => serde_json_canonicalizer::to_string(value).expect("keys are texts, numbers are finite"),
            false => format!("{value:#}\n"),
        };
        let file = |(file, (op, value)): (String, (Op<'_>, Value))| match inside(&file) {
            Some(path) => Ok((path, text(&value))),
            None => Err(Errors::at(op.location(), format!("'{file}' is no path inside a folder"))),
        };
        self.files.into_iter().map(file).collect()
    }
}

/// A path that stays inside the folder it is joined to.
fn inside(file: &str) -> Option<PathBuf> {
    let path = Path::new(file);
    let stays = !file.is_empty() && !file.contains('\0');
    // Two spellings of one path would be one file, so only one is allowed.
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)))
        && path.components().collect::<PathBuf>().as_os_str() == file;
    (stays && plain).then(|| path.to_path_buf())
}
