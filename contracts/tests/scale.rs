//! A registry of 10,000 contracts and 50,000 kernel maps, and a circuit of 1,000 operations bound against it. Without
//! `CKE_SWEEP` a tenth of the registry.
//!
//! Times are printed, never judged: `make bench` does that (tools/bench/resolve_speed.sh).

mod support;

use std::time::Instant;

use cke_contracts::fault::Code;
use cke_contracts::ledger::Ledger;
use cke_contracts::registry::Registry;
use cke_contracts::resolve::{Decision, Mode, Request, Resolver};
use serde_json::{Map, Value, json};
use support::{Definitions, set};

/// Contracts of the registry, of which each has five maps.
fn size() -> usize {
    if std::env::var_os("CKE_SWEEP").is_some() { 10_000 } else { 1_000 }
}

const OPERATIONS: usize = 1_000;
/// The maps of each contract: what `provides.variant` says, and what is particular.
const VARIANTS: [(&str, &str); 5] = [
    ("alone", "/operation_interface"),
    ("ranked", "/selection"),
    ("ranked", "/selection"),
    ("sized", "/constraints"),
    ("retired", "/status"),
];

fn timed<T>(what: &str, function: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = function();
    println!("{what}: {:.3} s", start.elapsed().as_secs_f64());
    result
}

fn contract(n: usize) -> String {
    format!("fp32_exact_max_kv_chunks_{}", n + 1)
}

fn map(n: usize, variant: usize) -> String {
    format!("attention_chunks_{}_map_{variant}", n + 1)
}

/// The text of a registry file with contracts that differ in one number each.
fn contract_file(definitions: &mut Definitions) -> String {
    let base = definitions.contract("fp32_exact_max_kv_chunks_1024").clone();
    let contracts: Map<_, _> = (0..size())
        .map(|n| {
            let mut definition = base.clone();
            set(&mut definition, "/partition/chunk_extent", json!(n + 1));
            (contract(n), definition)
        })
        .collect();
    json!({
        "schema": "cke.attention_reduction_contracts", "schema_version": 1, "engine_contract_version": "1",
        "contracts": contracts,
    })
    .to_string()
}

fn map_file(base: &Value, n: usize, variant: usize) -> String {
    let mut map_of = base.clone();
    let (name, field) = VARIANTS[variant];
    let particular = match field {
        "/operation_interface" => json!("attention.fp32.v1"),
        "/selection" => json!({"equivalence_group": format!("chunks_{n}"), "priority": variant}),
        "/constraints" => json!([{"dim": "head_dim", "multiple_of": 64}]),
        _ => json!("deprecated"),
    };
    set(&mut map_of, field, particular);
    set(&mut map_of, "/provides/variant", json!([name]));
    set(&mut map_of, "/provides/numerics.attention_reduction", json!([contract(n)]));
    set(&mut map_of, "/numerical_capabilities/0/contract_id", json!(contract(n)));
    for pointer in ["/id", "/impl/function", "/numerical_capabilities/0/function"] {
        set(&mut map_of, pointer, json!(map(n, variant)));
    }
    map_of.to_string()
}

fn build() -> Registry {
    let mut definitions = Definitions::native();
    let contracts = contract_file(&mut definitions);
    let base = definitions.provider("cke_attention_fp32").clone();
    let maps = (0..size()).flat_map(|n| (0..VARIANTS.len()).map(move |variant| (n, variant)));
    let maps: Vec<_> = maps.map(|(n, variant)| (map(n, variant), map_file(&base, n, variant))).collect();
    let maps: Vec<_> = maps.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let bytes: usize = maps.iter().map(|(_, text)| text.len()).sum();
    println!("{} contracts in {} kB, {} maps in {} kB", size(), contracts.len() / 1024, maps.len(), bytes / 1024);
    timed("building the registry", || Registry::from_files(&[("contracts.json", &contracts)], &maps)).unwrap()
}

/// The contract that an operation requires: spread over all of them.
fn of_operation(n: usize) -> usize {
    n * 7919 % size()
}

fn request(n: usize, variant: &str) -> Request {
    Request::from_value(&json!({
        "instance": format!("decode/blk.{n}/attention"),
        "op": "attention",
        "operation": "decoder.attention",
        "phase": "decode",
        "contract": contract(of_operation(n)),
        "requires": {"variant": variant},
        "validation": "observed",
        "shape": {"head_dim": if n.is_multiple_of(2) { 128 } else { 96 }},
    }))
    .unwrap()
}

#[test]
fn a_large_registry_binds_a_large_circuit() {
    let registry = build();
    assert_eq!((registry.contracts.len(), registry.providers.len()), (size(), size() * VARIANTS.len()));
    let requests: Vec<_> = (0..OPERATIONS).map(|n| request(n, ["alone", "ranked"][n % 2])).collect();

    let start = Instant::now();
    let resolver = timed("preparing the resolver", || Resolver::new(&registry));
    let decide = || requests.iter().map(|request| resolver.resolve(request, Mode::Bringup).unwrap()).collect();
    let decisions: Vec<Decision> = timed("resolving 1000 operations", decide);
    println!("both: {:.3} s", start.elapsed().as_secs_f64());

    for (n, decision) in decisions.iter().enumerate() {
        // Of the two that are ranked, the second has the greater priority.
        let provider = map(of_operation(n), [0, 2][n % 2]);
        assert_eq!((&decision.provider, &decision.contract), (&provider, &contract(of_operation(n))));
    }
    timed("verifying 1000 decisions", || {
        for (request, decision) in requests.iter().zip(&decisions) {
            resolver.verify(request, decision, Mode::Bringup).unwrap();
        }
    });
    let entries =
        requests.iter().zip(&decisions).map(|(request, made)| (request.instance.clone(), made.digest.clone()));
    let ledger = timed("the ledger of 1000 decisions", || Ledger::new(entries.collect::<Vec<_>>())).unwrap();
    assert_eq!(ledger.entries.len(), OPERATIONS);

    // What fits by extent only, and a refusal: it lists every map there is.
    assert_eq!(resolver.resolve(&request(2, "sized"), Mode::Bringup).unwrap().provider, map(of_operation(2), 3));
    let refused =
        |n, variant| timed("one refusal", || resolver.resolve(&request(n, variant), Mode::Bringup)).unwrap_err();
    for (n, variant, provider, reason) in
        [(3, "sized", 3, "'head_dim' must be a multiple of 64, it is 96"), (4, "retired", 4, "is deprecated")]
    {
        let fault = refused(n, variant);
        assert_eq!((fault.code, fault.candidates.len()), (Code::NoProvider, registry.providers.len()));
        let rejected = format!("'{}' rejected: {reason}", map(of_operation(n), provider));
        assert_eq!(fault.candidates.iter().filter(|candidate| candidate.to_string() == rejected).count(), 1);
    }
}
