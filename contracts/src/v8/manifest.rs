//! Weight manifests: which tensors a weight file holds, where, and how they are stored.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::circuit::Circuit;
use super::record::{FreeForm, record};

record! {
    /// A manifest of either generation: merged files (6.6) or BUMP 5.
    Manifest {
        required {
            /// The tensors.
            entries: Vec<ManifestEntry>,
        }
        optional {
            /// The format of the weight file, in 6.6.
            format: String,
            /// When it was made.
            generated: String,
            /// The version of the weight file: 5.
            version: u32,
            /// The model.
            model: String,
            /// The architecture by its name in the source.
            source_arch: String,
            /// The format of the source.
            source_format: String,
            /// Whether attention has biases.
            has_attention_biases: bool,
            /// Tensors that were looked for in vain.
            missing: Vec<String>,
            /// The parts of the weight file.
            bump_layout: BumpLayout,
            /// The configuration: whatever the converter found.
            config: BTreeMap<String, FreeForm>,
            /// The circuit, by its historical name.
            template: Box<Circuit>,
            /// How weights are stored, by layer.
            quant_summary: BTreeMap<String, QuantSummary>,
        }
    }
}

record! {
    /// The parts of a weight file.
    BumpLayout {
        optional {
            /// Bytes of the header.
            header_size: u64,
            /// Bytes of the metadata after it.
            ext_metadata_size: u64,
            /// Where tensors begin.
            data_start: u64,
        }
    }
}

record! {
    /// A tensor.
    ManifestEntry {
        required {
            /// The name, such as `layer.0.wq`.
            name: String,
            /// How it is stored.
            dtype: String,
            /// Where it begins in the file.
            file_offset: u64,
            /// Its bytes.
            size: u64,
        }
        optional {
            /// Where it begins in memory, in 6.6.
            runtime_offset: u64,
            /// Its name in the source.
            source_name: String,
            /// Its shape.
            shape: Vec<u64>,
            /// The kind of its layer.
            layer_kind: String,
            /// Its shape as a GGUF file says it.
            gguf_dims: Vec<u64>,
        }
    }
}

/// How weights are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a storage, or storages by weight")]
pub enum QuantSummary {
    /// One tensor, or a remark on the summary.
    One(String),
    /// The weights of a layer.
    Layer(BTreeMap<String, String>),
}
