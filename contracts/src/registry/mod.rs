//! The registry: every contract and every provider by id, checked as a whole when it is made.
//!
//! A registry that exists is consistent: each contract is complete and free of contradictions, each provider repeats
//! its contracts faithfully, each id has one definition. Where definitions come from does not matter: files, the native
//! data of this crate and IR go through the same checks.

mod attention;
mod check_attention;
mod check_attention_semantics;
mod check_execution;
mod check_linear;
mod check_linear_explicit;
mod check_port;
mod check_provider;
mod check_reduction;
mod contract;
mod execution;
mod explicit;
mod file;
mod id;
mod linear;
mod native;
mod port;
mod provider;
mod selection;
pub mod vocabulary;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

pub use attention::{AttentionReduction, Partition, Validation};
pub use contract::{Arithmetic, Contract, ContractKind};
pub use execution::{
    Compute, NumericalExecution, PositionTransform, Reduction, Rounding, SpatialTransform, Storage, Threading,
};
pub use explicit::*;
pub use file::{ContractFile, ENGINE_CONTRACT_VERSION, SCHEMA_VERSION, V8_CONTRACT_VERSION};
pub use id::check_id;
pub use linear::{LinearActivation, LinearDot, LinearOutput, LinearWeight, ParallelReduction, QuantizedLinear};
pub use port::{DerivedDim, Dim, DimFact, Port};
pub use provider::{
    CallAbi, CallParam, Capability, Execution, Implementation, Param, PortKind, Provider, ProviderThreading, Quant,
};
pub use selection::{Constraint, ProviderSelection};

use crate::digest::digest;
use crate::fault::{Code, Fault, Location};
use crate::json;
use crate::v8::{Flaw, KernelMap, check_maps};

/// A consistent set of contracts and providers.
#[derive(Clone, Debug, PartialEq)]
pub struct Registry {
    /// The contracts by id.
    pub contracts: BTreeMap<String, Contract>,
    /// The providers by id.
    pub providers: BTreeMap<String, Provider>,
    /// Kernel maps of the v8 generation by id; no id is that of a provider.
    pub maps: BTreeMap<String, KernelMap>,
}

/// A definition that has been read, and where from.
struct Entry<T> {
    id: String,
    definition: T,
    location: Option<Location>,
}

impl Registry {
    /// The contracts and providers of this project.
    pub fn native() -> Result<Self, Fault> {
        native::registry()
    }

    /// The registry of JSON values, such as definitions held by IR.
    ///
    /// Faults: `Schema`, `DuplicateId` and those of a check; the same whatever the order of the values.
    pub fn from_values(
        contracts: impl IntoIterator<Item = (String, ContractKind, Value)>,
        providers: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<Self, Fault> {
        let contracts = contracts.into_iter().map(|(id, kind, value)| {
            let definition = match kind {
                ContractKind::Execution => json::from_value(&value).map(Contract::Execution),
                ContractKind::Attention => json::from_value(&value).map(Contract::Attention),
                ContractKind::Linear => json::from_value(&value).map(Contract::Linear),
            };
            (format!("contract '{id}'"), id, definition)
        });
        let providers =
            providers.into_iter().map(|(id, value)| (format!("provider '{id}'"), id, json::from_value(&value)));
        Self::new(decoded(contracts)?, decoded(providers)?)
    }

    /// The registry of JSON texts, each given as (file name, text): registry files of contracts, and kernel maps.
    ///
    /// Faults: those of [`mod@json`], `UnsupportedVersion`, `DuplicateId` and those of a check, each with its place; the same
    /// whatever the order of the files.
    pub fn from_files(contracts: &[(&str, &str)], providers: &[(&str, &str)]) -> Result<Self, Fault> {
        let mut contract_entries = Vec::new();
        for (name, text) in sorted(contracts) {
            contract_entries.extend(file::contracts(name, text)?);
        }
        let provider_entries = sorted(providers).into_iter().map(|(name, text)| file::provider(name, text));
        Self::new(contract_entries, provider_entries.collect::<Result<_, _>>()?)
    }

    /// The registry with kernel maps of the v8 generation, each given with the file it comes from.
    ///
    /// Faults: `DuplicateId`, naming both files, and those of a check. [`read_maps`](crate::v8::read_maps) tells more
    /// exactly where.
    pub fn with_maps(mut self, maps: impl IntoIterator<Item = (String, KernelMap)>) -> Result<Self, Fault> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut maps: Vec<_> = maps.into_iter().collect();
        maps.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (file, map) in maps {
            let id = map.id.clone();
            if self.maps.contains_key(&id) || self.providers.contains_key(&id) {
                let fault = Fault::new(Code::DuplicateId, format!("kernel map '{id}' is defined twice"));
                let fault = Fault { definition: Some(id.clone()), ..fault.at(Location::start_of(&file)) };
                return Err(match files.get(&id) {
                    Some(first) => fault.note(format!("also defined in {first}")),
                    None => fault,
                });
            }
            map.check(&self.contracts).map_err(|flaw| of_map(&id, &file, &flaw))?;
            files.insert(id.clone(), file);
            self.maps.insert(id, map);
        }
        check_maps(&self.maps).map_err(|(id, flaw)| of_map(&id, files.get(&id).unwrap_or(&id), &flaw))?;
        Ok(self)
    }

    /// How the provider of a decision executes, as its kernel map says.
    pub fn execution(&self, contract: &str, provider: &str) -> Option<Value> {
        if let Some(provider) = self.providers.get(provider) {
            return Some(json!(provider.capability(contract)?.implementation));
        }
        let map = self.maps.get(provider)?;
        let capability = map.numerical_capabilities.iter().flatten().find(|claim| claim.contract_id == contract);
        match capability {
            Some(capability) => Some(json!(capability.implementation)),
            None => map.implementation.as_ref().map(|implementation| json!(implementation)),
        }
    }

    /// Pairs of contracts of one kind whose semantic fields are equal.
    ///
    /// Contracts with explicit semantics never appear here: for them it is a fault. Others may differ in prose only.
    pub fn equal_contracts(&self) -> Vec<(&str, &str)> {
        let mut first_with: BTreeMap<(ContractKind, String), &str> = BTreeMap::new();
        let mut equal = Vec::new();
        for (id, contract) in &self.contracts {
            let meaning = (contract.kind(), digest(&contract.meaning()));
            match first_with.get(&meaning) {
                Some(first) => equal.push((*first, id.as_str())),
                None => drop(first_with.insert(meaning, id)),
            }
        }
        equal
    }

    fn new(contracts: Vec<Entry<Contract>>, providers: Vec<Entry<Provider>>) -> Result<Self, Fault> {
        let (contracts, contract_places) = by_id("contract", contracts)?;
        let (providers, provider_places) = by_id("provider", providers)?;
        let registry = Self { contracts, providers, maps: BTreeMap::new() };
        for (id, contract) in &registry.contracts {
            registry.check_contract(id, contract).map_err(|fault| located("contract", id, fault, &contract_places))?;
        }
        if let Some((one, other)) = registry.equal_contracts().into_iter().find(|(one, _)| registry.is_explicit(one)) {
            let message = format!("it has the same semantic fields as contract '{one}'");
            let fault = Fault::new(Code::EqualContracts, message);
            return Err(located("contract", other, fault, &contract_places));
        }
        for (id, provider) in &registry.providers {
            check_provider::check(id, provider, &registry.contracts)
                .map_err(|fault| located("provider", id, fault, &provider_places))?;
        }
        registry.check_groups(&provider_places)?;
        Ok(registry)
    }

    /// Providers are ranked inside a group only, so its members must mean the same.
    fn check_groups(&self, places: &Places) -> Result<(), Fault> {
        let mut first_of: BTreeMap<&str, (&str, BTreeSet<&str>)> = BTreeMap::new();
        for (id, provider) in &self.providers {
            let Some(selection) = &provider.selection else { continue };
            let group = selection.equivalence_group.as_str();
            let meaning = provider.numerical_capabilities.iter().map(|claim| claim.contract_id.as_str());
            let meaning: BTreeSet<_> = meaning.chain([provider.op.as_str()]).collect();
            match first_of.get(group) {
                Some((first, other)) if *other != meaning => {
                    let message = format!(
                        "equivalence group '{group}': operation and contracts are not those of '{first}', a member too"
                    );
                    return Err(located("provider", id, Fault::new(Code::BadSelection, message), places));
                }
                Some(_) => {}
                None => drop(first_of.insert(group, (id, meaning))),
            }
        }
        Ok(())
    }

    fn check_contract(&self, id: &str, contract: &Contract) -> Result<(), Fault> {
        id::check_id(id).map_err(|reason| Fault::new(Code::AmbiguousId, format!("its {reason}")))?;
        if contract.unspecified().is_empty() && contract.description().trim().is_empty() {
            return Err(Fault::new(Code::IncompleteContract, "field 'description' is empty"));
        }
        match contract {
            Contract::Execution(contract) => check_execution::check(contract),
            Contract::Attention(contract) => check_attention::check(id, contract, &self.contracts),
            Contract::Linear(contract) => check_linear::check(id, contract, &self.contracts),
        }
    }

    fn is_explicit(&self, id: &str) -> bool {
        self.contracts.get(id).is_some_and(|contract| contract.operations().is_some())
    }
}

/// Files by name.
fn sorted<'t>(files: &[(&'t str, &'t str)]) -> Vec<(&'t str, &'t str)> {
    let mut files = files.to_vec();
    files.sort_unstable();
    files
}

type Places = BTreeMap<String, Location>;

/// The entries that decode, or the fault of the least id.
fn decoded<T>(values: impl Iterator<Item = (String, String, Result<T, Fault>)>) -> Result<Vec<Entry<T>>, Fault> {
    let mut values: Vec<_> = values.collect();
    values.sort_by(|(_, one, _), (_, other, _)| one.cmp(other));
    let entry = |(what, id, definition): (String, String, Result<T, Fault>)| match definition {
        Ok(definition) => Ok(Entry { id, definition, location: None }),
        Err(fault) => Err(Fault { message: format!("{what}: {}", fault.message), definition: Some(id), ..fault }),
    };
    values.into_iter().map(entry).collect()
}

fn by_id<T>(what: &str, entries: Vec<Entry<T>>) -> Result<(BTreeMap<String, T>, Places), Fault> {
    let mut definitions = BTreeMap::new();
    let mut places = Places::new();
    let mut duplicates = BTreeMap::new();
    for Entry { id, definition, location } in entries {
        if definitions.contains_key(&id) {
            duplicates.entry(id).or_insert(location);
            continue;
        }
        if let Some(location) = location {
            places.insert(id.clone(), location);
        }
        definitions.insert(id, definition);
    }
    let Some((id, location)) = duplicates.pop_first() else { return Ok((definitions, places)) };
    let mut fault = Fault::new(Code::DuplicateId, format!("{what} '{id}' is defined twice"));
    if let Some(first) = places.get(&id) {
        fault = fault.note(format!("also defined at {first}"));
    }
    Err(location.into_iter().fold(fault, Fault::at))
}

fn of_map(id: &str, file: &str, flaw: &Flaw) -> Fault {
    let fault = flaw.fault();
    Fault { message: format!("kernel map '{id}': {}", fault.message), ..fault }.at(Location::start_of(file))
}

fn located(what: &str, id: &str, fault: Fault, places: &Places) -> Fault {
    let message = format!("{what} '{id}': {}", fault.message);
    let fault = Fault { message, definition: Some(id.to_owned()), ..fault };
    places.get(id).cloned().into_iter().fold(fault, Fault::at)
}
