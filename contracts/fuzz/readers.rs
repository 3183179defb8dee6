//! Every typed reader of the crate, and what must hold of its answer.

use cke_contracts::circuit::Circuit;
use cke_contracts::evidence::{EvidenceFile, Needs};
use cke_contracts::fault::Fault;
use cke_contracts::registry::Registry;
use cke_contracts::resolve::{Mode, Request, Resolver};
use cke_contracts::v8;

/// The longest message of a fault that may come of a text.
const LONGEST: usize = 1 << 20;

/// Reads a text as everything it could be.
pub fn read(text: &str) {
    check(Circuit::parse("fuzz", text));
    check(v8::classify("fuzz", text));
    check(EvidenceFile::parse("fuzz", text));
    check(Needs::parse("fuzz", text));
    check(Registry::from_files(&[], &[("fuzz", text)]));
    if let Some(registry) = check(Registry::from_files(&[("fuzz", text)], &[])) {
        same_from_values(&registry);
    }
}

/// Reads a text as a file of contracts or a kernel map beside the native ones.
pub fn read_beside(contracts: &str, map: &str) {
    if let Some(registry) = check(Registry::from_files(&[("contracts", contracts)], &[("map", map)])) {
        same_from_values(&registry);
        resolve_all(&registry);
    }
}

/// A definition survives the way through IR with its digest.
fn same_from_values(registry: &Registry) {
    let contracts = registry.contracts.iter().map(|(id, c)| (id.clone(), c.kind(), c.definition()));
    let providers = registry.providers.iter().map(|(id, p)| (id.clone(), p.definition()));
    let again = Registry::from_values(contracts, providers).expect("what was read once is read again");
    assert_eq!(&again, registry);
}

/// Asks for every claim of every provider; an answer still holds when it is checked.
fn resolve_all(registry: &Registry) {
    let resolver = Resolver::new(registry);
    for provider in registry.providers.values() {
        for capability in &provider.numerical_capabilities {
            for phase in &capability.phases {
                let request = Request {
                    instance: "fuzz".to_owned(),
                    op: provider.op.clone(),
                    operation: "fuzz".to_owned(),
                    phase: *phase,
                    contract: capability.contract_id.clone(),
                    requires: Default::default(),
                    validation: capability.status,
                    storage: provider.weights.iter().map(|port| (port.name.clone(), port.storage[0])).collect(),
                    operation_interface: provider.operation_interface.clone(),
                    shape: Default::default(),
                };
                for mode in [Mode::Bringup, Mode::Production] {
                    if let Ok(decision) = resolver.resolve(&request, mode) {
                        resolver.verify(&request, &decision, mode).expect("a decision holds");
                    }
                }
            }
        }
    }
}

/// A fault of a text can be read by a person and has a place.
fn check<T>(result: Result<T, Fault>) -> Option<T> {
    let fault = match result {
        Ok(value) => return Some(value),
        Err(fault) => fault,
    };
    assert!(fault.location.is_some(), "no place: {fault}");
    assert!(fault.to_string().len() < LONGEST, "a long message");
    None
}
