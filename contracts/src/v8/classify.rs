//! What a file is, by its own keys; its name does not matter.

use serde_json::Value;

use super::{Bindings, Circuit, KernelMap, Manifest};
use crate::fault::{Code, Fault};
use crate::json::Document;
use crate::registry::ContractKind;

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum File {
    /// A registry of contracts of one kind; [`Registry::from_files`](crate::registry::Registry::from_files) reads it.
    Contracts(ContractKind),
    /// A kernel map.
    KernelMap(Box<KernelMap>),
    /// A binding table.
    Bindings(Bindings),
    /// A circuit.
    Circuit(Box<Circuit>),
    /// A weight manifest.
    Manifest(Box<Manifest>),
}

/// Reads a file and says what it is; `name` stands for it in errors.
///
/// Faults: those of [`json`](crate::json), `UnknownFile`, and those of the checks a file can be given alone.
pub fn classify(name: &str, text: &str) -> Result<File, Fault> {
    let document = Document::parse(name, text)?;
    let value = document.value();
    if let Some(schema) = value.get("schema").and_then(Value::as_str) {
        return match ContractKind::of_schema(schema) {
            Some(kind) => Ok(File::Contracts(kind)),
            None => Err(unknown(&document, "schema", format!("schema '{schema}' is none of a v8 file"))),
        };
    }
    let has = |key: &str| value.get(key).is_some();
    match () {
        () if has("bindings") => Bindings::from_document(&document).map(File::Bindings),
        () if has("entries") => Manifest::from_document(&document).map(|manifest| File::Manifest(Box::new(manifest))),
        () if ["block_types", "extends", "components"].into_iter().any(has) => {
            Circuit::from_document(&document).map(|circuit| File::Circuit(Box::new(circuit)))
        }
        () if has("op") || has("impl") => KernelMap::from_document(&document).map(|map| File::KernelMap(Box::new(map))),
        () => {
            let message = "expected a key that tells what the file is: 'schema' (contracts), 'op' (kernel map), \
                           'bindings', 'block_types' (circuit) or 'entries' (manifest)";
            Err(unknown(&document, "", message.to_owned()))
        }
    }
}

fn unknown(document: &Document, key: &str, message: String) -> Fault {
    Fault::new(Code::UnknownFile, message).at(document.location(&[key]))
}
