//! Resolution: a request is bound to exactly one provider, or refused.
//!
//! Nothing is ranked, nothing similar is taken, nothing is decided by the order of the input. Every provider of the
//! registry is looked at, and a refusal lists them all.

mod candidate;
mod verify;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use candidate::{Candidate, Rejection};

use crate::digest::digest;
use crate::fault::{Code, Fault};
use crate::json;
use crate::ledger::entry_digest;
use crate::registry::vocabulary::{Lifecycle, Phase, Status, TensorStorage};
use crate::registry::{Capability, Contract, Provider, Registry, check_id};

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

/// A registry with the digest of every definition, which each decision needs.
#[derive(Debug)]
pub struct Resolver<'r> {
    registry: &'r Registry,
    contracts: BTreeMap<&'r str, String>,
    providers: BTreeMap<&'r str, String>,
}

impl<'r> Resolver<'r> {
    /// A resolver for the definitions of a registry.
    pub fn new(registry: &'r Registry) -> Self {
        let contracts = registry.contracts.iter().map(|(id, contract)| (id.as_str(), digest(&contract.definition())));
        let providers = registry.providers.iter().map(|(id, provider)| (id.as_str(), digest(&provider.definition())));
        Self { registry, contracts: contracts.collect(), providers: providers.collect() }
    }

    /// The registry.
    pub fn registry(&self) -> &'r Registry {
        self.registry
    }

    /// The digests of the definitions of a contract and a provider, if there are such.
    pub fn digests(&self, contract: &str, provider: &str) -> Option<(&str, &str)> {
        Some((self.contracts.get(contract)?, self.providers.get(provider)?))
    }

    /// Binds a request to the one provider that fulfils it.
    ///
    /// Faults: `MalformedRequest`, `AmbiguousId`, `UnknownContract`, `OperationNotCovered`, `NoProvider`,
    /// `SeveralProviders`, and in production mode `NotValidated`.
    pub fn resolve(&self, request: &Request, mode: Mode) -> Result<Decision, Fault> {
        request.check()?;
        let contract = contract_of(self.registry, request)?;
        let providers = &self.registry.providers;
        let candidates: Vec<_> = providers.values().map(|provider| Candidate::judge(provider, request)).collect();
        let mut fitting = candidates.iter().filter(|candidate| candidate.fits());
        let provider = match (fitting.next(), fitting.next()) {
            (Some(only), None) => &providers[&only.provider],
            (None, _) => return Err(no_provider(request, candidates)),
            (Some(_), Some(_)) => return Err(several_providers(request, candidates)),
        };
        let capability = provider.capability(&request.contract).expect("a fitting candidate claims the contract");
        if mode == Mode::Production {
            refuse_unconfirmed(request, contract, provider, capability)?;
        }
        let (of_contract, of_provider) =
            self.digests(&request.contract, &provider.id).expect("every definition has a digest");
        Ok(Decision {
            provider: provider.id.clone(),
            contract: request.contract.clone(),
            function: capability.function.clone(),
            digest: entry_digest(request, of_contract, of_provider),
        })
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

fn refuse_unconfirmed(
    request: &Request,
    contract: &Contract,
    provider: &Provider,
    capability: &Capability,
) -> Result<(), Fault> {
    let states = [
        (format!("the request for '{}'", request.operation), request.validation),
        (format!("contract '{}'", request.contract), contract.status()),
        (format!("the capability of provider '{}'", provider.id), capability.status),
    ];
    let mut blockers: Vec<_> = states
        .into_iter()
        .filter(|(_, status)| *status != Status::Validated)
        .map(|(what, status)| format!("{what} is {status}, not validated"))
        .collect();
    if !capability.explicit_selector {
        blockers.push(format!("the capability of provider '{}' is not an explicit selector", provider.id));
    }
    if provider.status != Lifecycle::Production {
        blockers.push(format!("provider '{}' has lifecycle {}, not production", provider.id, provider.status));
    }
    if blockers.is_empty() {
        return Ok(());
    }
    let message = format!("production mode refuses contract '{}': {} blockers", request.contract, blockers.len());
    Err(Fault { notes: blockers, ..request.fault(Code::NotValidated, message) })
}
