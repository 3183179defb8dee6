//! A definition of a registry as an operation.

use super::json::from_json;
use cke_contracts::registry::{Contract, ContractKind};
use cke_mlir::ir::{Attr, InsertionPoint, Location, Op, Rewriter};
use serde_json::{Value, json};

/// What an operation of a registry says.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'e> {
    /// The name of the operation, such as `contract.circuit`.
    pub kind: &'static str,
    /// The symbol: the id.
    pub id: &'e str,
    /// The file it is from, relative to the imported folder.
    pub source: Option<&'e str>,
    /// What a contract leaves unsaid.
    pub unspecified: &'e [&'e str],
    /// The definition, an object.
    pub definition: &'e Value,
}

impl Entry<'_> {
    /// Writes the operation.
    ///
    /// # Panics
    ///
    /// If a number of the definition fits neither a 64-bit integer nor a double; [`cke_contracts::json`] reads no such.
    pub fn write<'a>(&self, rewriter: &Rewriter<'a>, location: Location<'a>, at: InsertionPoint<'a>) -> Op<'a> {
        let context = rewriter.context();
        let attribute = |value: &Value| from_json(context, value).expect("numbers fit 64 bits");
        let unspecified = (!self.unspecified.is_empty()).then(|| attribute(&json!(self.unspecified)));
        rewriter
            .build(self.kind, location)
            .attr("sym_name", Attr::string(context, self.id))
            .maybe_attr("source", self.source.map(|source| Attr::string(context, source)))
            .maybe_attr("unspecified", unspecified)
            .attr("definition", attribute(self.definition))
            .at(at)
    }
}

/// The operation of a contract.
pub fn of_contract(contract: &Contract) -> &'static str {
    match contract.kind() {
        ContractKind::Execution => "contract.execution",
        ContractKind::Attention => "contract.attention",
        ContractKind::Linear => "contract.linear",
    }
}

/// The kind of contract that an operation of that name holds.
pub fn contract_kind(name: &str) -> Option<ContractKind> {
    match name {
        "contract.execution" => Some(ContractKind::Execution),
        "contract.attention" => Some(ContractKind::Attention),
        "contract.linear" => Some(ContractKind::Linear),
        _ => None,
    }
}
