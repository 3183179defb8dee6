//! Resolution: a request is bound to exactly one provider, or refused.
//!
//! Nothing similar is taken, nothing is decided by the order of the input, and nothing is ranked but the members of one
//! group of providers of equal meaning. Every provider of the registry is looked at, and a refusal lists them all.

mod candidate;
mod offer;
mod rank;
mod verify;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use candidate::{Candidate, Rejection};
pub use offer::{Claim, Offer};

use crate::digest::digest;
use crate::fault::{Code, Fault};
use crate::json;
use crate::ledger::entry_digest;
use crate::registry::vocabulary::{Lifecycle, Phase, Status, TensorStorage};
use crate::registry::{Contract, Registry, check_id};

/// What an operation asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The one place in the program that asks, such as `decode/blk.0/attn_q`.
    pub instance: String,
    /// The operation to compute (kernel map `op`), such as `linear`.
    pub op: String,
    /// Its role in the circuit, such as `decoder.attn_q`.
    pub operation: String,
    /// The phase it runs in.
    pub phase: Phase,
    /// The contract required.
    pub contract: String,
    /// Further demands: each key must be provided with this value.
    #[serde(default)]
    pub requires: BTreeMap<String, String>,
    /// How far the circuit's choice has been confirmed.
    pub validation: Status,
    /// How the model stores each weight, by port.
    #[serde(default)]
    pub storage: BTreeMap<String, TensorStorage>,
    /// The version of the operation's ports, where it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_interface: Option<String>,
    /// Extents of the call that are known; a provider may be made for some extents only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shape: BTreeMap<String, i64>,
}

/// The answer to a request; made once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The provider.
    pub provider: String,
    /// The contract it fulfils: the requested one.
    pub contract: String,
    /// The function called.
    pub function: String,
    /// The digest over instance, request, contract and provider.
    pub digest: String,
}

/// How much confirmation is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Any confirmation will do.
    Bringup,
    /// Request, contract and capability must be validated, the capability an explicit selector, the provider in
    /// production.
    Production,
}

impl Mode {
    /// The mode of that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "bringup" => Some(Self::Bringup),
            "production" => Some(Self::Production),
            _ => None,
        }
    }
}

impl Request {
    /// A request from JSON or IR attributes.
    pub fn from_value(value: &Value) -> Result<Self, Fault> {
        json::from_value(value).map_err(|fault| Fault { code: Code::MalformedRequest, ..fault })
    }

    /// The request as JSON.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("a request holds names only")
    }

    fn check(&self) -> Result<(), Fault> {
        let required = [
            ("instance", &self.instance),
            ("op", &self.op),
            ("operation", &self.operation),
            ("contract", &self.contract),
        ];
        if let Some((field, _)) = required.iter().find(|(_, value)| value.trim().is_empty()) {
            return Err(self.fault(Code::MalformedRequest, format!("field '{field}' is empty")));
        }
        check_id(&self.contract).map_err(|reason| self.fault(Code::AmbiguousId, format!("contract {reason}")))
    }

    fn fault(&self, code: Code, message: impl std::fmt::Display) -> Fault {
        Fault::new(code, format!("'{}': {message}", self.instance))
    }
}

/// A registry made ready for requests: offers by operation, and the digest of every definition a decision needed.
#[derive(Debug)]
pub struct Resolver<'r> {
    registry: &'r Registry,
    /// By id.
    offers: BTreeMap<&'r str, Offer>,
    /// The ids of those that claim a contract for an operation; nothing else can fit.
    claimants: BTreeMap<(&'r str, &'r str), Vec<&'r str>>,
    contracts: BTreeMap<&'r str, OnceLock<String>>,
    providers: BTreeMap<&'r str, OnceLock<String>>,
}

impl<'r> Resolver<'r> {
    /// A resolver for the definitions of a registry.
    pub fn new(registry: &'r Registry) -> Self {
        let offers: BTreeMap<_, _> = registry.offers().collect();
        let mut claimants: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (id, op, contract) in registry.claims() {
            claimants.entry((op, contract)).or_default().push(id);
        }
        let contracts = registry.contracts.keys().map(|id| (id.as_str(), OnceLock::new())).collect();
        let providers = offers.keys().map(|id| (*id, OnceLock::new())).collect();
        Self { registry, offers, claimants, contracts, providers }
    }

    /// The registry.
    pub fn registry(&self) -> &'r Registry {
        self.registry
    }

    /// The digests of the definitions of a contract and a provider, if there are such. That of a composite covers its
    /// parts.
    pub fn digests(&self, contract: &str, provider: &str) -> Option<(&str, &str)> {
        let of_contract = self.contracts.get(contract)?.get_or_init(|| self.registry.contract_digest(contract));
        let of_provider = self.providers.get(provider)?.get_or_init(|| self.registry.provider_digest(provider));
        Some((of_contract, of_provider))
    }

    /// Every provider with the reasons that speak against it for a request, by id; none against the one that is chosen.
    pub fn candidates(&self, request: &Request) -> Vec<Candidate> {
        let mut candidates: Vec<_> = self.offers.values().map(|offer| Candidate::judge(offer, request)).collect();
        let fitting: Vec<_> =
            candidates.iter().filter(|c| c.fits()).map(|c| &self.offers[c.provider.as_str()]).collect();
        if let Some(rank::Choice { chosen, group: Some(group) }) = rank::choose(&fitting) {
            let by = chosen.provider.clone();
            for candidate in candidates.iter_mut().filter(|c| c.fits() && c.provider != by) {
                candidate.rejections.push(Rejection::Outranked { by: by.clone(), group: group.to_owned() });
            }
        }
        candidates
    }

    /// Binds a request to the one provider that fulfils it.
    ///
    /// Faults: `MalformedRequest`, `AmbiguousId`, `UnknownContract`, `OperationNotCovered`, `NoProvider`,
    /// `SeveralProviders`, and in production mode `NotValidated`.
    pub fn resolve(&self, request: &Request, mode: Mode) -> Result<Decision, Fault> {
        request.check()?;
        let contract = contract_of(self.registry, request)?;
        let claimants = self.claimants.get(&(request.op.as_str(), request.contract.as_str()));
        let offers = claimants.into_iter().flatten().map(|id| &self.offers[id]);
        let fitting: Vec<_> = offers.filter(|offer| Candidate::judge(offer, request).fits()).collect();
        let offer = match rank::choose(&fitting) {
            Some(choice) => choice.chosen,
            None if fitting.is_empty() => return Err(no_provider(request, self.candidates(request))),
            None => return Err(several_providers(request, self.candidates(request))),
        };
        let claim = offer.claim(&request.contract).expect("a fitting offer claims the contract");
        if mode == Mode::Production {
            self.refuse_unconfirmed(request, contract, offer, claim)?;
        }
        let (of_contract, of_provider) =
            self.digests(&request.contract, &offer.provider).expect("every definition has a digest");
        Ok(Decision {
            provider: offer.provider.clone(),
            contract: request.contract.clone(),
            function: claim.function.clone(),
            digest: entry_digest(request, of_contract, of_provider),
        })
    }

    /// Production refuses what is not confirmed: request, contract, its parts and the claim.
    fn refuse_unconfirmed(
        &self,
        request: &Request,
        contract: &Contract,
        offer: &Offer,
        claim: &Claim,
    ) -> Result<(), Fault> {
        let provider = &offer.provider;
        let parts = contract.parts().into_iter().filter_map(|(field, id)| {
            Some((format!("part '{id}' ({field})"), self.registry.contracts.get(id)?.status()))
        });
        let states = [
            (format!("the request for '{}'", request.operation), request.validation),
            (format!("contract '{}'", request.contract), contract.status()),
            (format!("the capability of provider '{provider}'"), claim.status),
        ];
        let mut blockers: Vec<_> = states
            .into_iter()
            .chain(parts)
            .filter(|(_, status)| *status != Status::Validated)
            .map(|(what, status)| format!("{what} is {status}, not validated"))
            .collect();
        let unsaid = contract.unspecified();
        if !unsaid.is_empty() {
            blockers.push(format!("contract '{}' leaves unspecified: {}", request.contract, unsaid.join(", ")));
        }
        if !claim.explicit_selector {
            blockers.push(format!("the capability of provider '{provider}' is not an explicit selector"));
        }
        if offer.lifecycle != Lifecycle::Production {
            blockers.push(format!("provider '{provider}' has lifecycle {}, not production", offer.lifecycle));
        }
        let unstated = Candidate::unstated(offer, request);
        blockers.extend(unstated.iter().map(|fact| format!("provider '{provider}': {fact}")));
        if blockers.is_empty() {
            return Ok(());
        }
        let message = format!("production mode refuses contract '{}': {} blockers", request.contract, blockers.len());
        Err(Fault { notes: blockers, ..request.fault(Code::NotValidated, message) })
    }
}

impl Registry {
    /// What resolution sees of every provider, by id.
    fn offers(&self) -> impl Iterator<Item = (&str, Offer)> {
        let providers = self.providers.iter().map(|(id, provider)| (id.as_str(), Offer::from(provider)));
        providers.chain(self.maps.iter().map(|(id, map)| (id.as_str(), Offer::from(map))))
    }

    /// Every claim of a contract for an operation: provider, operation, contract.
    fn claims(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let native = self.providers.iter().flat_map(|(id, provider)| {
            let claims = provider.numerical_capabilities.iter();
            claims.map(|claim| (id.as_str(), provider.op.as_str(), claim.contract_id.as_str()))
        });
        let maps =
            self.maps.iter().flat_map(|(id, map)| map.claims().map(|claim| (id.as_str(), map.op.as_str(), claim)));
        native.chain(maps)
    }

    /// The digest of a contract's definition; that of a composite covers its parts.
    fn contract_digest(&self, id: &str) -> String {
        let contract = &self.contracts[id];
        let of_part =
            |(field, part): (&'static str, &str)| Some((field, digest(&self.contracts.get(part)?.definition())));
        let parts: BTreeMap<_, _> = contract.parts().into_iter().filter_map(of_part).collect();
        match parts.is_empty() {
            true => digest(&contract.definition()),
            false => digest(&json!({"definition": contract.definition(), "parts": parts})),
        }
    }

    fn provider_digest(&self, id: &str) -> String {
        match self.providers.get(id) {
            Some(provider) => digest(&provider.definition()),
            None => digest(&self.maps[id].definition()),
        }
    }
}

fn contract_of<'a>(registry: &'a Registry, request: &Request) -> Result<&'a Contract, Fault> {
    let Some(contract) = registry.contracts.get(&request.contract) else {
        let known: Vec<_> = registry.contracts.keys().map(String::as_str).collect();
        let message = format!("requests contract '{}', which the registry does not define", request.contract);
        return Err(request.fault(Code::UnknownContract, message).note(format!("defined: {}", known.join(", "))));
    };
    match contract.operations() {
        Some(operations) if !operations.contains(&request.op) => {
            let message = format!(
                "contract '{}' governs {}, not operation '{}'",
                request.contract,
                operations.join(", "),
                request.op
            );
            Err(request.fault(Code::OperationNotCovered, message))
        }
        _ => Ok(contract),
    }
}

fn no_provider(request: &Request, candidates: Vec<Candidate>) -> Fault {
    let message = format!(
        "no provider of operation '{}' fulfils contract '{}' in phase {}",
        request.op, request.contract, request.phase
    );
    Fault { candidates, ..request.fault(Code::NoProvider, message) }
}

fn several_providers(request: &Request, candidates: Vec<Candidate>) -> Fault {
    let fitting: Vec<_> = candidates.iter().filter(|c| c.fits()).map(|c| format!("'{}'", c.provider)).collect();
    let message = format!(
        "{} providers of operation '{}' fulfil contract '{}' in phase {}: {}",
        fitting.len(),
        request.op,
        request.contract,
        request.phase,
        fitting.join(", ")
    );
    Fault { candidates, ..request.fault(Code::SeveralProviders, message) }
}
