//! The native data: it loads, it fits together, and every request a circuit can make is resolved.

use std::collections::{BTreeMap, BTreeSet};

use cke_contracts::circuit::{Circuit, Config, Fact, Facts, Op};
use cke_contracts::ledger::Ledger;
use cke_contracts::registry::vocabulary::{Phase, TensorStorage};
use cke_contracts::registry::{ContractKind, Dim, DimFact, PortKind, Provider, Registry};
use cke_contracts::resolve::{Mode, Request, Resolver};

/// A small model with the metadata of its file.
struct Model {
    pairing: Option<&'static str>,
}

impl Facts for Model {
    fn metadata(&self, key: &str) -> Result<Option<Fact>, String> {
        Ok(match key {
            "llama.block_count" => Some(Fact::Integer(2)),
            "llama.embedding_length" => Some(Fact::Integer(576)),
            "llama.feed_forward_length" => Some(Fact::Integer(1536)),
            "llama.attention.head_count" => Some(Fact::Integer(9)),
            "llama.attention.head_count_kv" => Some(Fact::Integer(3)),
            "llama.attention.layer_norm_rms_epsilon" => Some(Fact::Float(1e-5)),
            "llama.context_length" => Some(Fact::Integer(2048)),
            _ => None,
        })
    }

    fn dimension(&self, tensor: &str, index: usize) -> Option<i64> {
        (tensor == "token_embd.weight").then(|| [49152, 576][index])
    }

    fn option(&self, name: &str) -> Option<Fact> {
        (name == "rope_pairing").then_some(self.pairing).flatten().map(|pairing| Fact::Text(pairing.to_owned()))
    }
}

fn configs(circuit: &Circuit) -> Vec<Config> {
    [None, Some("split_half")].map(|pairing| circuit.configure("llama", &Model { pairing }).unwrap()).into()
}

fn ops(circuit: &Circuit) -> impl Iterator<Item = (&Op, Option<usize>)> {
    let header = circuit.header.iter().map(|op| (op, None));
    let body = circuit.body.ops.iter().map(|op| (op, Some(0)));
    header.chain(body).chain(circuit.footer.iter().map(|op| (op, None)))
}

/// The request of an operation whose weights all have one storage.
fn request(circuit: &Circuit, config: &Config, phase: Phase, op: (&Op, Option<usize>), file: TensorStorage) -> Request {
    let (op, layer) = op;
    let stored = |weight: &String| match circuit.tables.contains_key(weight) {
        true => TensorStorage::Generated,
        false => file,
    };
    let storage = op.weights.iter().map(|(port, weight)| (port.clone(), stored(weight))).collect();
    let requirement = circuit.requirement(&op.operation, phase, config, &storage).unwrap();
    Request {
        instance: circuit.instance(phase, layer, op),
        op: op.op.clone(),
        operation: op.operation.clone(),
        phase,
        contract: requirement.contract_id.clone(),
        requires: requirement.requires.clone(),
        validation: requirement.validation,
        storage,
        operation_interface: None,
        shape: BTreeMap::new(),
    }
}

#[test]
fn every_execution_contract_has_a_provider_and_every_provider_a_contract() {
    let registry = Registry::native().unwrap();
    let claims = |provider: &Provider| {
        provider.numerical_capabilities.iter().map(|claim| claim.contract_id.clone()).collect::<Vec<_>>()
    };
    let claimed: BTreeSet<_> = registry.providers.values().flat_map(claims).collect();
    assert!(claimed.iter().all(|id| registry.contracts.contains_key(id)));
    // The contracts of v8 that we state in full are for the oracle and for kernel maps of v8; we provide none of them.
    let unclaimed = registry.contracts.iter().filter(|(id, _)| !claimed.contains(*id));
    assert!(unclaimed.into_iter().all(|(_, contract)| contract.kind() != ContractKind::Execution));
    assert!(registry.contracts.values().all(|contract| contract.operations().is_some()));
    assert_eq!(registry.equal_contracts(), []);
}

#[test]
fn every_request_of_every_circuit_is_resolved() {
    let registry = Registry::native().unwrap();
    let circuit = Circuit::native("llama").unwrap();
    let files = [TensorStorage::F32, TensorStorage::F16, TensorStorage::Q8_0, TensorStorage::Q4_1];
    let mut functions = BTreeSet::new();
    for config in configs(&circuit) {
        for file in files {
            let mut ledger = BTreeMap::new();
            for phase in &circuit.phases {
                for op in ops(&circuit) {
                    let request = request(&circuit, &config, *phase, op, file);
                    let decision = Resolver::new(&registry)
                        .resolve(&request, Mode::Bringup)
                        .unwrap_or_else(|fault| panic!("{fault}"));
                    Resolver::new(&registry).verify(&request, &decision, Mode::Bringup).unwrap();
                    functions.insert(decision.function);
                    ledger.insert(request.instance, decision.digest);
                }
            }
            assert_eq!(ledger.len(), 2 * (1 + 16 + 3), "instance names are unique");
            Ledger::new(ledger).unwrap().check().unwrap();
        }
    }
    assert_eq!(functions.len(), registry.providers.len(), "every provider is used");
}

#[test]
fn production_mode_accepts_what_is_validated() {
    let registry = Registry::native().unwrap();
    let circuit = Circuit::native("llama").unwrap();
    let resolver = Resolver::new(&registry);
    for config in configs(&circuit) {
        for op in ops(&circuit) {
            let request = request(&circuit, &config, Phase::Decode, op, TensorStorage::F32);
            let production = resolver.resolve(&request, Mode::Production).unwrap();
            assert_eq!(
                production,
                resolver.resolve(&request, Mode::Bringup).unwrap(),
                "a mode is no part of a decision"
            );
        }
    }
}

#[test]
fn ports_of_operations_and_kernel_maps_agree() {
    let registry = Registry::native().unwrap();
    let circuit = Circuit::native("llama").unwrap();
    for (op, _) in ops(&circuit) {
        for provider in registry.providers.values().filter(|provider| provider.op == op.op) {
            let ports = |wanted| names(provider.ports().filter(move |(kind, _)| *kind == wanted).map(|(_, p)| &p.name));
            let inputs = names(op.inputs.keys().filter(|port| *port != "position"));
            assert_eq!(inputs, ports(PortKind::Input), "{}", op.id);
            assert_eq!(names(op.weights.keys()), ports(PortKind::Weight), "{}", op.id);
            assert_eq!(names(op.states.keys()), ports(PortKind::State), "{}", op.id);
            assert_eq!(names(op.outputs.keys()), ports(PortKind::Output), "{}", op.id);
            check_facts(op, provider);
        }
    }
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> BTreeSet<&'a str> {
    names.map(String::as_str).collect()
}

/// Every fact a function needs is in a shape or an attribute, and every float attribute is a parameter.
fn check_facts(op: &Op, provider: &Provider) {
    let shapes = provider.ports().flat_map(|(_, port)| &port.shape).filter_map(|dim| match dim {
        Dim::Name(name) => Some(name.as_str()),
        Dim::Size(_) => None,
    });
    let known: BTreeSet<_> = shapes.chain(op.attributes.keys().map(String::as_str)).collect();
    for dim in &provider.dims {
        assert!(matches!(dim, DimFact::Derived(_)) || known.contains(dim.name()), "{}: {}", provider.id, dim.name());
    }
    for param in &provider.params {
        assert!(op.attributes.contains_key(&param.name), "{}: {}", provider.id, param.name);
    }
}

#[test]
fn pairings_are_selected_by_configuration() {
    let circuit = Circuit::native("llama").unwrap();
    let contracts = configs(&circuit).into_iter().map(|config| {
        circuit.requirement("decoder.rope_q", Phase::Decode, &config, &BTreeMap::new()).unwrap().contract_id.clone()
    });
    assert_eq!(
        contracts.collect::<Vec<_>>(),
        ["rope_fp32_pairwise_interleaved_table_fma", "rope_fp32_split_half_table_fma"]
    );
}
