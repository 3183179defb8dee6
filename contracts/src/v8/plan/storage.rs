//! How the model stores the weights of an operation in a layer.

use std::collections::{BTreeMap, BTreeSet};

use super::site::Site;
use crate::fault::{Code, Fault};
use crate::registry::vocabulary::TensorStorage;
use crate::v8::circuit::Circuit;
use crate::v8::manifest::Manifest;
use crate::v8::offer::{WEIGHT, storage};
use crate::v8::words::BindingSection;

/// The manifest by name.
pub(super) struct Stored<'m> {
    dtypes: BTreeMap<&'m str, &'m str>,
}

impl<'m> Stored<'m> {
    pub fn new(manifest: &'m Manifest) -> Self {
        Self { dtypes: manifest.entries.iter().map(|entry| (entry.name.as_str(), entry.dtype.as_str())).collect() }
    }

    /// The storage of an operation's weights as a request states it: of the one kind of matrix it reads, or by weight
    /// where it reads several kinds. Vectors of floats beside a matrix are read as floats by every provider.
    pub fn request(
        &self,
        circuit: &Circuit,
        site: &Site<'_>,
        layer: Option<u32>,
    ) -> Result<BTreeMap<String, TensorStorage>, Fault> {
        let mut weights = BTreeMap::new();
        for Needed { role, tensor, required } in needed(circuit, site, layer) {
            let Some(dtype) = self.dtypes.get(tensor.as_str()) else {
                if required {
                    let message =
                        format!("tensor '{tensor}', which operation '{}' needs, is not in the manifest", site.op.op());
                    return Err(Fault::new(Code::BadManifest, message));
                }
                continue;
            };
            let Some(stored) = storage(dtype) else {
                let message = format!("tensor '{tensor}' is stored as '{dtype}', which is no known storage of weights");
                return Err(Fault::new(Code::BadManifest, message));
            };
            weights.insert(role, stored);
        }
        if weights.values().any(|stored| *stored != TensorStorage::F32) {
            weights.retain(|_, stored| *stored != TensorStorage::F32);
        }
        let kinds: BTreeSet<_> = weights.values().copied().collect();
        match (kinds.first(), kinds.len()) {
            (Some(only), 1) => Ok(BTreeMap::from([(WEIGHT.to_owned(), *only)])),
            _ => Ok(weights),
        }
    }
}

/// A weight an operation reads.
struct Needed {
    role: String,
    tensor: String,
    required: bool,
}

/// The weights of an operation, as far as the circuit names them.
fn needed(circuit: &Circuit, site: &Site<'_>, layer: Option<u32>) -> Vec<Needed> {
    let in_layer = |name: &str| match layer {
        Some(layer) => name.replace("{L}", &layer.to_string()),
        None => name.to_owned(),
    };
    if let Some(refs) = site.op.weight_refs() {
        let needed =
            |(port, name): (&String, &String)| Needed { role: port.clone(), tensor: in_layer(name), required: true };
        // The layers a branch leaves are not those of its site.
        return refs.iter().map(needed).filter(|needed| !needed.tensor.contains('{')).collect();
    }
    let bindings = circuit.weight_policy.iter().filter_map(|policy| policy.op_bindings.as_ref()).flatten();
    let bindings = bindings.filter(|binding| binding.section == site.section && binding.op == site.op.op());
    let needed = bindings.flat_map(|binding| {
        binding.weights.iter().map(move |role| Needed {
            role: role.clone(),
            tensor: match (site.section, layer) {
                (BindingSection::Body, Some(layer)) => format!("layer.{layer}.{role}"),
                _ => role.clone(),
            },
            required: binding.required != Some(false),
        })
    });
    needed.collect()
}
