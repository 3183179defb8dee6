//! Nothing is decided by order: shuffling definitions, keys or candidates changes no registry, decision or fault.

mod support;

use cke_contracts::fault::Fault;
use cke_contracts::ledger::Ledger;
use cke_contracts::registry::{ContractKind, Registry};
use cke_contracts::resolve::{Decision, Mode, Request, Resolver};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};
use support::{Definitions, linear_request};

/// A permutation by drawing one element after the other.
fn shuffled<T>(mut items: Vec<T>, draws: &[Index]) -> Vec<T> {
    let mut result = Vec::with_capacity(items.len());
    for draw in draws.iter().cycle() {
        if items.is_empty() {
            break;
        }
        result.push(items.swap_remove(draw.index(items.len())));
    }
    result
}

/// The value with the keys of every object in another order, written and read as text.
fn rekeyed(value: &Value, draws: &[Index]) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<_> = fields.iter().map(|(key, value)| (key, rekeyed(value, draws))).collect();
            let fields = shuffled(fields, draws);
            let fields: Vec<_> = fields.iter().map(|(key, value)| format!("{}: {value}", json!(key))).collect();
            format!("{{{}}}", fields.join(",\n"))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| rekeyed(item, draws)).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn borrowed<'a>(files: &'a [(&str, String)]) -> Vec<(&'a str, &'a str)> {
    files.iter().map(|(name, text)| (*name, text.as_str())).collect()
}

fn answer(definitions: Definitions, request: &Request) -> Result<Decision, Fault> {
    Resolver::new(&definitions.load()?).resolve(request, Mode::Bringup)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// One case each: a decision, no provider, several providers, a broken contract, two broken maps, duplicates.
    #[test]
    fn the_order_of_definitions_changes_nothing(draws in prop::collection::vec(any::<Index>(), 16), case in 0..6_usize) {
        let mut definitions = Definitions::spoilt(case);
        match case {
            0..=4 => {}
            _ => {
                definitions.providers.push(definitions.providers[3].clone());
                definitions.providers.push(definitions.providers[1].clone());
            }
        }
        let expected = answer(definitions.clone(), &linear_request());
        prop_assert_eq!(expected.is_ok(), case == 0);
        let other = Definitions {
            contracts: shuffled(definitions.contracts, &draws),
            providers: shuffled(definitions.providers, &draws),
        };
        prop_assert_eq!(answer(other, &linear_request()), expected);
    }

    #[test]
    fn the_order_of_keys_changes_nothing(draws in prop::collection::vec(any::<Index>(), 8)) {
        let native = Registry::native().unwrap();
        let mut files = Vec::new();
        for kind in ContractKind::ALL {
            let schema = kind.schema();
            let of_kind = native.contracts.iter().filter(|(_, contract)| contract.kind() == kind);
            let contracts: Map<_, _> = of_kind.map(|(id, contract)| (id.clone(), contract.definition())).collect();
            let file = json!({"schema": schema, "schema_version": 1, "engine_contract_version": "1",
                              "contracts": contracts});
            files.push(("c.json", rekeyed(&file, &draws)));
        }
        let maps: Vec<_> = native.providers.values().map(|map| ("p.json", rekeyed(&map.definition(), &draws))).collect();
        let again = Registry::from_files(&borrowed(&shuffled(files, &draws)), &borrowed(&shuffled(maps, &draws))).unwrap();
        prop_assert_eq!(&again, &native);
        let decide = |registry| Resolver::new(registry).resolve(&linear_request(), Mode::Bringup).unwrap();
        prop_assert_eq!(decide(&again), decide(&native));
    }

    #[test]
    fn the_order_of_decisions_changes_no_ledger(draws in prop::collection::vec(any::<Index>(), 8)) {
        let decisions: Vec<_> = (0..20).map(|n| (format!("decode/blk.{n}/attn_q"), format!("sha256:{n}"))).collect();
        let expected = Ledger::new(decisions.clone()).unwrap();
        prop_assert_eq!(Ledger::new(shuffled(decisions, &draws)).unwrap(), expected);
    }
}
