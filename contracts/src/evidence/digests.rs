//! What a record is bound to, as digests.
//!
//! How far something has been confirmed is left out of them: it is the conclusion that evidence allows, and what a
//! conclusion rests on cannot depend on it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::digest::digest;
use crate::registry::Registry;

/// Fields of a provider that say how far it has been confirmed, or are prose.
const NOT_MEANING: [&str; 2] = ["status", "notes"];

/// The digest of what a contract means; that of a composite covers its parts. `None` if it is not defined.
pub fn contract_digest(registry: &Registry, id: &str) -> Option<String> {
    let contract = registry.contracts.get(id)?;
    let parts: Vec<_> = contract.parts().into_iter().map(|(_, part)| part).collect();
    let mut meanings = vec![json!({"id": id, "meaning": contract.meaning()})];
    for part in parts {
        meanings.push(json!({"id": part, "digest": contract_digest(registry, part)?}));
    }
    Some(digest(&Value::Array(meanings)))
}

/// The digest of what a provider claims and how it is called. `None` if it is not defined.
pub fn provider_digest(registry: &Registry, id: &str) -> Option<String> {
    let mut definition = registry.providers.get(id)?.definition();
    let fields = definition.as_object_mut().expect("a provider is an object");
    NOT_MEANING.iter().for_each(|field| drop(fields.remove(*field)));
    for capability in fields.get_mut("numerical_capabilities").and_then(Value::as_array_mut).into_iter().flatten() {
        capability.as_object_mut().map(|capability| capability.remove("status"));
    }
    Some(digest(&definition))
}

/// What the compiler is told besides the text of kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeFlags {
    /// The target triple.
    pub triple: String,
    /// The processor.
    pub cpu: String,
    /// The features of the processor.
    pub features: String,
    /// The passes from kernels to the LLVM dialect.
    pub lowering: String,
    /// The pipeline of the optimiser.
    pub optimiser: String,
}

/// The digest of generated code: the texts of the kernels in order, before any optimiser has seen them, and the flags.
/// The version of LLVM is no part of it.
pub fn code_digest(texts: &[String], flags: &CodeFlags) -> String {
    digest(&json!({"kernels": texts, "flags": flags}))
}
