//! Binding tables: how functions were called before kernel maps said so themselves.

use std::collections::BTreeMap;

use super::map::CallParam;
use super::record::record;

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
