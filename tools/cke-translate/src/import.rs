//! From JSON files to a `contract.registry`.
//!
//! Every file becomes operations that hold its values as they are, so that nothing is lost: a file of contracts its
//! envelope and one operation a contract, every other file one operation. Before that the typed readers and the checks
//! between definitions have accepted all of it.

use crate::errors::Errors;
use crate::files::{self, Text};
use crate::timing::Timing;
use cke_contracts::circuit::Circuit;
use cke_contracts::fault::{Code, Fault, Location as Place};
use cke_contracts::json::Document;
use cke_contracts::registry::Registry;
use cke_contracts::v8::{self, File};
use cke_dialects::contract::entry::{self, Entry};
use cke_mlir::ir::{Attr, Block, Context, InsertionPoint, Location, Module, PrintFlags, Region, Rewriter};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an import gives.
#[derive(Debug)]
pub struct Imported {
    /// The text of the module.
    pub module: String,
    /// What a user should know, one line each.
    pub remarks: Vec<String>,
}

/// What a file is.
#[derive(Debug)]
enum Kind {
    Contracts,
    Provider,
    KernelMap { governed: bool },
    Circuit,
    Manifest,
    Bindings,
}

/// A file that was accepted.
struct Source {
    text: Text,
    document: Document,
    kind: Kind,
}

/// An operation to be made.
struct Definition<'s> {
    kind: &'static str,
    id: String,
    source: Option<&'s str>,
    unspecified: &'static [&'static str],
    value: Value,
    place: Place,
}

/// Imports files and folders.
pub fn run(paths: &[PathBuf], registry: &str, timing: &mut Timing) -> Result<Imported, Errors> {
    let texts = files::read_all(paths)?;
    timing.step("read");
    let mut errors = Errors::default();
    let mut sources = Vec::new();
    for text in texts {
        match classify(text) {
            Ok(source) => sources.push(source),
            Err(fault) => errors.add(fault),
        }
    }
    let sources = errors.or(sources)?;
    let typed = typed(&sources)?;
    let definitions = definitions(&sources, &typed);
    check_names(&definitions, &sources)?;
    timing.step("check");
    let module = write(&definitions, registry)?;
    timing.step("translate");
    Ok(Imported { module, remarks: remarks(&sources, &typed) })
}

fn classify(text: Text) -> Result<Source, Fault> {
    let document = Document::parse(&text.path, &text.text)?;
    let value = document.value();
    let kind = if value.get("schema").and_then(Value::as_str) == Some(cke_contracts::circuit::SCHEMA) {
        Circuit::parse(&text.path, &text.text)?;
        Kind::Circuit
    } else if value.get("op").is_some() && value.get("phases").is_some() {
        Kind::Provider
    } else {
        match v8::classify(&text.path, &text.text)? {
            File::Contracts(_) => Kind::Contracts,
            File::KernelMap(map) => Kind::KernelMap { governed: map.is_governed() },
            File::Circuit(_) => Kind::Circuit,
            File::Manifest(_) => Kind::Manifest,
            File::Bindings(_) => Kind::Bindings,
        }
    };
    Ok(Source { text, document, kind })
}

/// The registry of all files that make one.
fn typed(sources: &[Source]) -> Result<Registry, Fault> {
    let of = |kind: fn(&Kind) -> bool| -> Vec<_> {
        let chosen = sources.iter().filter(|source| kind(&source.kind));
        chosen.map(|source| (source.text.path.as_str(), source.text.text.as_str())).collect()
    };
    Registry::from_files(&of(|kind| matches!(kind, Kind::Contracts)), &of(|kind| matches!(kind, Kind::Provider)))
}

fn definitions<'s>(sources: &'s [Source], registry: &Registry) -> Vec<Definition<'s>> {
    let mut definitions = Vec::new();
    for Source { text, document, kind } in sources {
        let source = Some(text.source.as_str());
        let mut value = document.value().clone();
        let kind = match kind {
            Kind::Contracts => {
                let contracts = value.as_object_mut().and_then(|file| file.remove("contracts"));
                let id = text.source.clone();
                let place = document.location(&[]);
                let kind = "contract.file";
                definitions.push(Definition { kind, id, source: None, unspecified: &[], value, place });
                for (id, value) in contracts.as_ref().and_then(Value::as_object).into_iter().flatten() {
                    let contract = &registry.contracts[id];
                    definitions.push(Definition {
                        kind: entry::of_contract(contract),
                        id: id.clone(),
                        source,
                        unspecified: contract.unspecified(),
                        value: value.clone(),
                        place: document.location(&["contracts", id]),
                    });
                }
                continue;
            }
            Kind::Provider => "contract.provider",
            Kind::KernelMap { .. } => "contract.kernel_map",
            Kind::Circuit => "contract.circuit",
            Kind::Manifest => "contract.manifest",
            Kind::Bindings => "contract.bindings",
        };
        // A table of calls and a manifest have no name of their own.
        let named = value.get("id").or(value.get("name")).and_then(Value::as_str);
        let stem = Path::new(&text.source).file_stem().and_then(|stem| stem.to_str()).unwrap_or(&text.source);
        let id = named.unwrap_or(stem).to_owned();
        definitions.push(Definition { kind, id, source, unspecified: &[], value, place: document.location(&[]) });
    }
    definitions
}

/// No two operations have one symbol, and no two files go to one place when they are written again.
fn check_names(definitions: &[Definition<'_>], sources: &[Source]) -> Result<(), Errors> {
    let mut errors = Errors::default();
    let mut twice = |what: String, place: &Place, first: &Place| {
        let fault = Fault::new(Code::DuplicateId, what).at(place.clone());
        errors.add(fault.note(format!("the first is at {first}")));
    };
    let mut first_of: BTreeMap<_, &Place> = BTreeMap::new();
    for definition in definitions {
        match first_of.get(&definition.id) {
            Some(first) => twice(format!("'{}' is defined twice", definition.id), &definition.place, first),
            None => drop(first_of.insert(&definition.id, &definition.place)),
        }
    }
    let mut place_of = BTreeMap::new();
    for source in sources {
        let place = Place::start_of(&source.text.path);
        match place_of.get(&source.text.source) {
            Some(first) => twice(format!("a second file would be exported as '{}'", source.text.source), &place, first),
            None => drop(place_of.insert(&source.text.source, place)),
        }
    }
    for definition in definitions {
        if let Some(path) = unsayable(&definition.value) {
            let what = format!("the empty key at '{path}' has no place in a dictionary of MLIR");
            errors.add(Fault::new(Code::Schema, what).at(definition.place.clone()));
        }
        if definition.id.is_empty() {
            errors.add(Fault::new(Code::AmbiguousId, "the name is empty").at(definition.place.clone()));
        }
    }
    errors.or(())
}

/// The path to an object with an empty key.
fn unsayable(value: &Value) -> Option<String> {
    let inside = |name: &str, value| unsayable(value).map(|path| format!("{name}.{path}"));
    match value {
        Value::Object(fields) if fields.contains_key("") => Some(String::new()),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| inside(name, value)),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, value)| inside(&index.to_string(), value)),
        _ => None,
    }
}

fn write(definitions: &[Definition<'_>], registry: &str) -> Result<String, Errors> {
    let mut dialects = cke_mlir::ir::Registry::upstream();
    cke_dialects::register(&mut dialects);
    let context = Context::new(&dialects);
    let mut module = Module::new(&context);
    module.edit(|root, rewriter| {
        root.context().load_dialect("contract");
        let body = root.regions().into_iter().next().and_then(Region::first_block).expect("a module has a block");
        write_registry(rewriter, body, definitions, registry);
    });
    module.verify()?;
    Ok(module.print(PrintFlags::default()) + "\n")
}

fn write_registry<'a>(rewriter: &Rewriter<'a>, body: Block<'a>, definitions: &[Definition<'_>], registry: &str) {
    let context = rewriter.context();
    let name = Attr::string(context, registry);
    let builder = rewriter.build("contract.registry", Location::unknown(context)).attr("sym_name", name).region();
    let inside = rewriter.new_block(builder.at(InsertionPoint::EndOf(body)).regions()[0], &[]);
    for Definition { kind, id, source, unspecified, value, place } in definitions {
        let location = Location::file(context, &place.file, place.line, place.column);
        let entry = Entry { kind, id, source: *source, unspecified, definition: value };
        entry.write(rewriter, location, InsertionPoint::EndOf(inside));
    }
}

fn remarks(sources: &[Source], registry: &Registry) -> Vec<String> {
    let mut remarks = Vec::new();
    for (one, other) in registry.equal_contracts() {
        remarks
            .push(format!("warning: contracts '{one}' and '{other}' have equal fields: only prose tells them apart"));
    }
    let maps: Vec<_> = sources.iter().filter(|source| matches!(source.kind, Kind::KernelMap { .. })).collect();
    let ungoverned = maps.iter().filter(|source| matches!(source.kind, Kind::KernelMap { governed: false }));
    let names: Vec<_> = ungoverned.map(|source| source.text.source.as_str()).collect();
    if !names.is_empty() {
        let (count, all) = (names.len(), maps.len());
        remarks.push(format!("warning: {count} of {all} kernel maps declare no contract (ungoverned)"));
        remarks.extend(names.iter().map(|name| format!("note: {name} is ungoverned")));
    }
    remarks
}
