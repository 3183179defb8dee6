//! Weight manifests: which tensors a weight file holds, where, and how they are stored.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::circuit::Circuit;
use super::flaw::Flaw;
use super::record::{FreeForm, record};
use crate::fault::{Code, Fault};
use crate::json::Document;

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

impl Manifest {
    /// Reads a manifest; `name` stands for the file in errors.
    ///
    /// Faults: those of [`json`](crate::json), and `BadManifest`.
    pub fn read(name: &str, text: &str) -> Result<Self, Fault> {
        Self::from_document(&Document::parse(name, text)?)
    }

    pub(super) fn from_document(document: &Document) -> Result<Self, Fault> {
        let manifest: Self = document.decode()?;
        manifest.check().map_err(|flaw| flaw.fault_in(document))?;
        Ok(manifest)
    }

    /// Every tensor once, and none over another.
    fn check(&self) -> Result<(), Flaw> {
        if self.entries.is_empty() {
            return Err(Flaw::new(Code::BadManifest, "entries", "expected at least one tensor"));
        }
        let mut names = BTreeSet::new();
        let mut extents = Vec::with_capacity(self.entries.len());
        for (n, entry) in self.entries.iter().enumerate() {
            if !names.insert(&entry.name) {
                let message = format!("tensor '{}' is listed twice", entry.name);
                return Err(Flaw::new(Code::BadManifest, format!("entries/{n}"), message));
            }
            extents.push((entry.file_offset, entry.size, n));
        }
        extents.sort_unstable();
        for pair in extents.windows(2) {
            let [(offset, size, first), (next, _, second)] = *pair else { continue };
            if offset.saturating_add(size) > next {
                let (first, second) = (&self.entries[first].name, &self.entries[second].name);
                let message = format!("tensor '{second}' begins at {next}, inside tensor '{first}'");
                return Err(Flaw::new(Code::BadManifest, "entries", message));
            }
        }
        Ok(())
    }
}
