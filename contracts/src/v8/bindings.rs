//! Binding tables: how functions were called before kernel maps said so themselves.

use std::collections::{BTreeMap, BTreeSet};

use super::flaw::Flaw;
use super::map::CallParam;
use super::record::record;
use crate::fault::{Code, Fault};
use crate::json::Document;

/// Where an argument may come from: more than a kernel map allows.
const NAMESPACES: [&str; 15] = [
    "activation",
    "config",
    "const",
    "dim",
    "dtype",
    "dtype_weight",
    "null",
    "output",
    "param",
    "resolved",
    "runtime",
    "scratch",
    "scratch_size",
    "weight",
    "weight_f",
];

record! {
    /// A table of calls; an overlay replaces entries of another.
    Bindings {
        required {
            /// The calls by function.
            bindings: BTreeMap<String, Binding>,
        }
        optional {
            /// What the table is.
            #[serde(rename = "_meta")]
            meta: BindingsMeta,
        }
    }
}

record! {
    /// What a table of calls is.
    BindingsMeta {
        optional {
            /// The version.
            version: String,
            /// For a reader.
            description: String,
            /// What sources there are.
            format: BindingsFormat,
        }
    }
}

record! {
    /// What sources there are.
    BindingsFormat {
        optional {
            /// The namespaces, each explained.
            binding_types: Vec<String>,
        }
    }
}

record! {
    /// A call.
    Binding {
        required {
            /// The arguments, in order.
            params: Vec<CallParam>,
        }
        optional {
            /// The format the activation must be quantised to before the call.
            requires_quantized_activation: String,
            /// For a reader.
            note: String,
            /// For a reader.
            notes: String,
        }
    }
}

impl Bindings {
    /// Reads a table; `name` stands for the file in errors.
    ///
    /// Faults: those of [`json`](crate::json), and `BadCallAbi`.
    pub fn read(name: &str, text: &str) -> Result<Self, Fault> {
        Self::from_document(&Document::parse(name, text)?)
    }

    pub(super) fn from_document(document: &Document) -> Result<Self, Fault> {
        let table: Self = document.decode()?;
        table.check().map_err(|flaw| flaw.fault_in(document))?;
        Ok(table)
    }

    fn check(&self) -> Result<(), Flaw> {
        for (function, binding) in &self.bindings {
            let mut names = BTreeSet::new();
            for (n, param) in binding.params.iter().enumerate() {
                let fault = |message: String| {
                    Err(Flaw::new(Code::BadCallAbi, format!("bindings/{function}/params/{n}"), message))
                };
                if !names.insert(&param.name) {
                    return fault(format!("argument '{}' is given twice", param.name));
                }
                let namespace = param.source.split(':').next().unwrap_or_default();
                if !NAMESPACES.contains(&namespace) {
                    return fault(format!("source '{}' has an unknown namespace", param.source));
                }
            }
        }
        Ok(())
    }
}
