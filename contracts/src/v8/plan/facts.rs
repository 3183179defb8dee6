//! Facts: what selectors look at, by paths of names joined by dots.

use std::collections::BTreeMap;

use crate::circuit::Fact;
use crate::fault::{Code, Fault};
use crate::v8::circuit::Selector;
use crate::v8::manifest::{Manifest, QuantSummary};
use crate::v8::record::FreeForm;

/// Scalars by path.
pub type Facts = BTreeMap<String, Fact>;

/// What stands for the layer in a path.
pub(super) const LAYER: &str = "{layer}";

/// The scalars of a configuration by path; an element of a list has its index as name, and null is nothing.
pub fn facts(config: &BTreeMap<String, FreeForm>) -> Facts {
    let mut facts = Facts::new();
    config.iter().for_each(|(name, value)| flatten(name.clone(), value, &mut facts));
    facts
}

fn flatten(path: String, value: &FreeForm, facts: &mut Facts) {
    let fact = match value {
        FreeForm::Bool(value) => Fact::Bool(*value),
        FreeForm::Integer(value) => Fact::Integer(*value),
        FreeForm::Float(value) => Fact::Float(*value),
        FreeForm::Text(value) => Fact::Text(value.clone()),
        FreeForm::Null => return,
        FreeForm::List(items) => {
            return items.iter().enumerate().for_each(|(n, item)| flatten(format!("{path}.{n}"), item, facts));
        }
        FreeForm::Object(fields) => {
            return fields.iter().for_each(|(name, field)| flatten(format!("{path}.{name}"), field, facts));
        }
    };
    facts.insert(path, fact);
}

/// The facts of a caller together with those of a manifest: its configuration, and how its weights are stored.
pub(super) fn gather(config: &Facts, manifest: Option<&Manifest>) -> Result<Facts, Fault> {
    let mut all = config.clone();
    let Some(manifest) = manifest else { return Ok(all) };
    let found = manifest.config.as_ref().map(facts).unwrap_or_default();
    for (path, value) in found.into_iter().chain(summary(manifest)) {
        match all.get(&path) {
            Some(said) if !same(said, &value) => {
                let message = format!("fact '{path}' is {said} by the configuration and {value} by the manifest");
                return Err(Fault::new(Code::BadConfig, message));
            }
            Some(_) => {}
            None => drop(all.insert(path, value)),
        }
    }
    Ok(all)
}

/// How weights are stored: what the manifest sums up, or else what its tensors are.
fn summary(manifest: &Manifest) -> Facts {
    let path = |parts: &[&str]| format!("quant_summary.{}", parts.join("."));
    match &manifest.quant_summary {
        Some(summary) => summary
            .iter()
            .flat_map(|(name, stored)| match stored {
                QuantSummary::One(dtype) => vec![(path(&[name]), Fact::Text(dtype.clone()))],
                QuantSummary::Layer(roles) => {
                    let fact = |(role, dtype): (&String, &String)| (path(&[name, role]), Fact::Text(dtype.clone()));
                    roles.iter().map(fact).collect()
                }
            })
            .collect(),
        None => manifest.entries.iter().map(|e| (path(&[&e.name]), Fact::Text(e.dtype.clone()))).collect(),
    }
}

/// Whether two facts are the same value; 1 and 1.0 are.
fn same(one: &Fact, two: &Fact) -> bool {
    match (one, two) {
        (Fact::Integer(integer), Fact::Float(float)) | (Fact::Float(float), Fact::Integer(integer)) => {
            float.fract() == 0.0 && format!("{float:.0}") == integer.to_string()
        }
        _ => one == two,
    }
}

impl Selector {
    /// Whether facts satisfy it for a layer. A fact that is not there differs from every value.
    pub(super) fn matches(&self, facts: &Facts, layer: Option<u32>) -> bool {
        let fact = |path: &str| match layer {
            Some(layer) => facts.get(&path.replace(LAYER, &layer.to_string())),
            None => facts.get(path),
        };
        let holds = |(path, value): (&String, &Fact)| fact(path).is_some_and(|found| same(found, value));
        self.config_equals.iter().flatten().all(holds) && !self.config_not_equals.iter().flatten().any(holds)
    }

    /// Whether it can differ from layer to layer.
    pub(super) fn depends_on_layer(&self) -> bool {
        self.config_equals.iter().chain(&self.config_not_equals).flatten().any(|(path, _)| path.contains(LAYER))
    }
}
