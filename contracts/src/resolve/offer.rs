//! What resolution sees of a provider, whichever generation of kernel map describes it.

use std::collections::BTreeMap;

use crate::registry::vocabulary::{Lifecycle, Phase, Status, TensorStorage};
use crate::registry::{Constraint, Provider, ProviderSelection};

/// A provider as a candidate for requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The id of the provider.
    pub provider: String,
    /// The operation it serves.
    pub op: String,
    /// The version of the operation's ports it implements.
    pub operation_interface: Option<String>,
    /// The phases it serves.
    pub phases: Vec<Phase>,
    /// Its lifecycle; a candidate where its map says nothing.
    pub lifecycle: Lifecycle,
    /// Its place among providers of equal meaning; without one it is never ranked.
    pub selection: Option<ProviderSelection>,
    /// The contracts it claims. None: it is ungoverned and fits no request.
    pub claims: Vec<Claim>,
    /// What a request may ask for by key and value.
    pub provides: BTreeMap<String, Vec<String>>,
    /// The storages it accepts of its weights, by port.
    pub weights: BTreeMap<String, Vec<TensorStorage>>,
    /// What it demands of the extents of a call.
    pub constraints: Vec<Constraint>,
    /// Whether a request must state the storage of every weight and every constrained extent; otherwise only production
    /// insists.
    pub needs_facts: bool,
}

/// The claim of one contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The contract.
    pub contract: String,
    /// How far the claim has been confirmed.
    pub status: Status,
    /// The phases it holds for.
    pub phases: Vec<Phase>,
    /// The function that fulfils it.
    pub function: String,
    /// Whether it binds only when the contract is named.
    pub explicit_selector: bool,
}

impl Offer {
    /// The claim of a contract, if it is claimed.
    pub fn claim(&self, contract: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.contract == contract)
    }
}

impl From<&Provider> for Offer {
    fn from(provider: &Provider) -> Self {
        let claims = provider.numerical_capabilities.iter().map(|capability| Claim {
            contract: capability.contract_id.clone(),
            status: capability.status,
            phases: capability.phases.clone(),
            function: capability.function.clone(),
            explicit_selector: capability.explicit_selector,
        });
        let weights = provider.weights.iter().map(|port| (port.name.clone(), port.storage.clone()));
        Self {
            provider: provider.id.clone(),
            op: provider.op.clone(),
            operation_interface: provider.operation_interface.clone(),
            phases: provider.phases.clone(),
            lifecycle: provider.status,
            selection: provider.selection.clone(),
            claims: claims.collect(),
            provides: provider.provides.clone(),
            weights: weights.collect(),
            constraints: provider.constraints.clone(),
            needs_facts: true,
        }
    }
}
