//! A kernel map of the v8 generation as resolution sees it.

use std::collections::{BTreeMap, BTreeSet};

use super::KernelMap;
use super::map::Provides;
use crate::registry::vocabulary::{Lifecycle, Phase, Status, TensorStorage};
use crate::registry::{Constraint, ProviderSelection};
use crate::resolve::{Claim, Offer};

/// What requests call the weight of a map, which does not say which port it filters.
pub const WEIGHT: &str = "weight";

impl From<&KernelMap> for Offer {
    fn from(map: &KernelMap) -> Self {
        let claims = claims(map);
        let selection = map.selection.as_ref().and_then(|selection| {
            let group = selection.equivalence_group.clone()?;
            Some(ProviderSelection { equivalence_group: group, priority: selection.priority })
        });
        let alignment = map.constraints.iter().flat_map(|constraints| &constraints.alignment).flatten();
        let constraint = |(dim, factor): (&String, &u32)| Constraint {
            dim: dim.clone(),
            multiple_of: Some(*factor),
            minimum: None,
            maximum: None,
        };
        Self {
            provider: map.id.clone(),
            op: map.op.clone(),
            operation_interface: map.operation_interface.clone(),
            phases: phases(map, &claims),
            lifecycle: map.selection.as_ref().map_or(Lifecycle::Candidate, |selection| selection.status),
            selection,
            claims,
            provides: map.provides.as_ref().map(provides).unwrap_or_default(),
            weights: weights(map),
            constraints: alignment.map(constraint).collect(),
            needs_facts: false,
        }
    }
}

/// The phases a map may be selected for, or else those of its claims.
fn phases(map: &KernelMap, claims: &[Claim]) -> Vec<Phase> {
    match map.selection.as_ref().and_then(|selection| selection.phases.clone()) {
        Some(phases) => phases,
        None => claims.iter().flat_map(|claim| &claim.phases).copied().collect::<BTreeSet<_>>().into_iter().collect(),
    }
}

fn claims(map: &KernelMap) -> Vec<Claim> {
    let attention_phases = match (map.provides.as_ref().and_then(|provides| provides.phase.clone()), map.mode) {
        (Some(phases), _) => phases,
        (None, mode) => mode.into_iter().collect(),
    };
    let reductions = map.supported_reductions.iter().flatten().map(|(contract, claim)| Claim {
        contract: contract.clone(),
        status: claim.status,
        phases: attention_phases.clone(),
        function: claim.function.clone(),
        explicit_selector: claim.explicit_selector,
    });
    let capabilities = map.numerical_capabilities.iter().flatten().map(|claim| Claim {
        contract: claim.contract_id.clone(),
        status: claim.status,
        phases: claim.phases.clone(),
        function: claim.function.clone(),
        explicit_selector: claim.explicit_selector,
    });
    let linear = map.numerical_contract.iter().map(|contract| Claim {
        contract: contract.clone(),
        status: map.reference.as_ref().map_or(Status::Unresolved, |reference| reference.validation.status),
        phases: linear_phases(map),
        function: map.entry.function.clone(),
        // The map names its one contract.
        explicit_selector: true,
    });
    reductions.chain(capabilities).chain(linear).collect()
}

/// A quantized linear map serves the phases whose default it is, or both where it does not tell them apart.
fn linear_phases(map: &KernelMap) -> Vec<Phase> {
    let Some(choices) = &map.phase_selection else { return vec![Phase::Prefill, Phase::Decode] };
    let is_default = |(phase, choice): (&Phase, &super::map::PhaseChoice)| {
        (choice.default_kernel.as_ref() == Some(&map.id)).then_some(*phase)
    };
    choices.iter().filter_map(is_default).collect()
}

fn provides(provides: &Provides) -> BTreeMap<String, Vec<String>> {
    let value = serde_json::to_value(provides).expect("lists of names by key");
    serde_json::from_value(value).expect("lists of names by key")
}

/// The storages weights may have: by port where a map reads several kinds of matrices, or else of the one kind it reads.
/// Nothing where the map has no weight or does not say. Vectors of floats beside a matrix are no filter.
fn weights(map: &KernelMap) -> BTreeMap<String, Vec<TensorStorage>> {
    let accepted = |words: &str| -> Vec<_> { words.split('|').filter_map(storage).collect() };
    let ports = map.weights.iter().flatten().filter_map(|port| Some((port.name.clone(), port.dtype.as_deref()?)));
    let matrices: BTreeMap<_, _> = ports.filter(|(_, dtype)| *dtype != "fp32").collect();
    if matrices.values().collect::<BTreeSet<_>>().len() > 1 {
        return matrices.into_iter().map(|(port, dtype)| (port, accepted(dtype))).collect();
    }
    let words = map.quant.as_ref().and_then(|quant| quant.weight.clone()).flatten();
    let words = words.as_deref().filter(|words| *words != "none");
    words.map(|words| (WEIGHT.to_owned(), accepted(words))).into_iter().collect()
}

/// The storage that a v8 name of a type stands for.
pub fn storage(name: &str) -> Option<TensorStorage> {
    let name = match name.trim() {
        "fp32" => "f32",
        "fp16" => "f16",
        other => other,
    };
    TensorStorage::ALL.iter().copied().find(|storage| storage.as_str() == name)
}
