//! Sites: where the operations of a circuit stand, and in which layers.

use std::collections::BTreeMap;

use super::facts::Facts;
use crate::circuit::Fact;
use crate::fault::{Code, Fault};
use crate::v8::circuit::{Body, Circuit, Op};
use crate::v8::manifest::Manifest;
use crate::v8::words::BindingSection;

/// An operation in a block.
pub(super) struct Site<'c> {
    /// Block, part and index, such as `decoder.body.3`.
    pub place: String,
    /// The part.
    pub section: BindingSection,
    /// The operation.
    pub op: &'c Op,
    /// Its layers; none outside them, or where their number is not known.
    pub layers: Vec<u32>,
}

impl Site<'_> {
    /// Its layers one by one; once without a layer where it has none.
    pub fn each_layer(&self) -> Vec<Option<u32>> {
        match self.layers.is_empty() {
            true => vec![None],
            false => self.layers.iter().copied().map(Some).collect(),
        }
    }
}

/// The most layers a model may have.
const MOST_LAYERS: u32 = 4096;

/// The number of layers, if configuration or manifest tell.
pub(super) fn layer_count(facts: &Facts, manifest: Option<&Manifest>) -> Result<Option<u32>, Fault> {
    let count = match facts.get("num_layers") {
        Some(Fact::Integer(count)) => Some(u32::try_from(*count).unwrap_or(u32::MAX)),
        Some(other) => {
            return Err(Fault::new(Code::BadConfig, format!("num_layers must be an integer, found {other}")));
        }
        None => manifest.and_then(|manifest| manifest.entries.iter().filter_map(|e| layer_of(&e.name)).max()),
    };
    match count {
        Some(count) if !(1..=MOST_LAYERS).contains(&count) => {
            Err(Fault::new(Code::BadConfig, format!("expected between 1 and {MOST_LAYERS} layers, found {count}")))
        }
        count => Ok(count),
    }
}

/// One more than the layer in the name of a tensor.
fn layer_of(name: &str) -> Option<u32> {
    let (layer, _) = name.strip_prefix("layer.")?.split_once('.')?;
    layer.parse::<u32>().ok()?.checked_add(1)
}

/// Every operation of every block, in the order of the file.
pub(super) fn sites<'c>(circuit: &'c Circuit, facts: &Facts, layers: Option<u32>) -> Result<Vec<Site<'c>>, Fault> {
    let mut sites = Vec::new();
    for (name, block) in circuit.block_types.iter().flatten() {
        let mut outside = |section: BindingSection, ops: &mut dyn Iterator<Item = &'c Op>, part: &str| {
            let site =
                |(n, op): (usize, &'c Op)| Site { place: format!("{name}.{part}.{n}"), section, op, layers: vec![] };
            sites.extend(ops.enumerate().map(site));
        };
        outside(BindingSection::Header, &mut block.header.iter().flatten(), "header");
        outside(BindingSection::Footer, &mut block.footer.iter().flatten(), "footer");
        for branch in block.branches.iter().flatten() {
            let part = format!("branches.{}", branch.name);
            outside(BindingSection::Branch, &mut branch.producer.ops.iter(), &part);
        }
        let Some(body) = &block.body else { continue };
        let all: Vec<_> = (0..layers.unwrap_or(0)).collect();
        let in_body = |part: String, ops: &'c [Op], layers: &[u32]| {
            let layers = layers.to_vec();
            ops.iter().enumerate().map(move |(n, op)| Site {
                place: format!("{part}.{n}"),
                section: BindingSection::Body,
                op,
                layers: layers.clone(),
            })
        };
        if let Some(ops) = &body.ops {
            sites.extend(in_body(format!("{name}.body"), ops, &all));
        }
        let Some(kinds) = &body.ops_by_kind else { continue };
        let layers_of = layers_by_kind(body, facts, &all)?;
        if let Some(unknown) = layers_of.keys().find(|kind| !kinds.contains_key(**kind)) {
            return Err(Fault::new(Code::BadConfig, format!("block '{name}' has no layers of kind '{unknown}'")));
        }
        for (kind, ops) in kinds {
            match layers_of.get(kind.as_str()) {
                // No layer of the model is of this kind.
                None if !all.is_empty() => {}
                layers => {
                    let layers = layers.map_or(&[][..], Vec::as_slice);
                    sites.extend(in_body(format!("{name}.body.{kind}"), ops, layers));
                }
            }
        }
    }
    sites.sort_by(|one, other| one.place.cmp(&other.place));
    Ok(sites)
}

fn layers_by_kind<'a>(body: &'a Body, facts: &'a Facts, all: &[u32]) -> Result<BTreeMap<&'a str, Vec<u32>>, Fault> {
    let interval = body.interval_config_key.as_ref().and_then(|key| match facts.get(key) {
        Some(Fact::Integer(interval)) => u32::try_from(*interval).ok().filter(|interval| *interval > 0),
        _ => None,
    });
    let mut layers: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for layer in all {
        let listed = body.kind_config_key.as_ref().and_then(|key| facts.get(&format!("{key}.{layer}")));
        let periodic = interval.is_some_and(|interval| (layer + 1) % interval == 0);
        let kind = match listed {
            Some(Fact::Text(kind)) => Some(kind.as_str()),
            Some(_) => None,
            None if periodic && body.periodic_kind.is_some() => body.periodic_kind.as_deref(),
            None => body.default_kind.as_deref(),
        };
        let Some(kind) = kind else {
            let key = body.kind_config_key.as_deref().unwrap_or_default();
            return Err(Fault::new(
                Code::BadConfig,
                format!("configuration '{key}' does not tell the kind of layer {layer}"),
            ));
        };
        layers.entry(kind).or_default().push(*layer);
    }
    Ok(layers)
}
