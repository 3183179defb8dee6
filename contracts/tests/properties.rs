//! Properties of resolution: order changes nothing, one provider less or more is a refusal, any edit is noticed, and what
//! fits is what an independent statement of the rules says.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::{ContractKind, Registry};
use cke_contracts::resolve::{Decision, Mode, Request, Resolver};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};
use support::{Definitions, set};

/// For every provider, contract it claims and phase: a request that asks for it.
fn requests(definitions: &Definitions) -> Vec<(String, Request)> {
    let mut requests = Vec::new();
    for (id, map) in &definitions.providers {
        for claim in map["numerical_capabilities"].as_array().unwrap() {
            for phase in claim["phases"].as_array().unwrap() {
                let weights = map["weights"].as_array().unwrap().iter();
                let storage: Map<_, _> = weights
                    .map(|port| (port["name"].as_str().unwrap().to_owned(), port["storage"][0].clone()))
                    .collect();
                let contract = claim["contract_id"].as_str().unwrap();
                let request = json!({
                    "instance": format!("{}/{id}/{contract}", phase.as_str().unwrap()),
                    "op": map["op"], "operation": "decoder.any", "phase": phase, "contract": contract,
                    "validation": "observed", "storage": storage,
                });
                requests.push((id.clone(), Request::from_value(&request).unwrap()));
            }
        }
    }
    requests
}

fn resolve(registry: &Registry, request: &Request) -> Result<Decision, Fault> {
    Resolver::new(registry).resolve(request, Mode::Bringup)
}

/// All answers as text, by instance; or why there is no registry.
fn transcript(registry: Result<Registry, Fault>, requests: &[Request]) -> String {
    let registry = match registry {
        Ok(registry) => registry,
        Err(fault) => return fault.to_string(),
    };
    let resolver = Resolver::new(&registry);
    let answer = |request: &Request| match resolver.resolve(request, Mode::Bringup) {
        Ok(decision) => serde_json::to_string(&decision).unwrap(),
        Err(fault) => fault.to_string(),
    };
    let answers: BTreeMap<_, _> = requests.iter().map(|request| (&request.instance, answer(request))).collect();
    json!(answers).to_string()
}

fn shuffled<T>(mut items: Vec<T>, draws: &[Index]) -> Vec<T> {
    let mut result = Vec::with_capacity(items.len());
    for draw in draws.iter().cycle() {
        if items.is_empty() {
            return result;
        }
        result.push(items.swap_remove(draw.index(items.len())));
    }
    result
}

/// The text of a value with the keys of its objects in another order.
fn rekeyed(value: &Value, draws: &[Index]) -> String {
    match value {
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{}:{}", json!(key), rekeyed(value, draws));
            format!("{{{}}}", shuffled(fields.iter().map(field).collect(), draws).join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| rekeyed(item, draws)).collect::<Vec<_>>().join(","))
        }
        leaf => leaf.to_string(),
    }
}

/// Files as (name, text).
type Files = Vec<(String, String)>;

/// Registry files with the contracts of one kind spread over some of them, by draws; and the maps.
fn files(definitions: &Definitions, draws: &[Index]) -> (Files, Files) {
    let mut by_file: BTreeMap<(usize, &str), Map<String, Value>> = BTreeMap::new();
    for ((id, kind, definition), draw) in definitions.contracts.iter().zip(draws.iter().cycle()) {
        let contracts = by_file.entry((draw.index(3), kind.schema())).or_default();
        contracts.insert(id.clone(), definition.clone());
    }
    let contracts = by_file.into_iter().map(|((n, schema), contracts)| {
        let file =
            json!({"schema": schema, "schema_version": 1, "engine_contract_version": "1", "contracts": contracts});
        (format!("{schema}_{n}.json"), rekeyed(&file, draws))
    });
    let maps = definitions.providers.iter().map(|(id, map)| (format!("{id}.json"), rekeyed(map, draws)));
    (shuffled(contracts.collect(), draws), shuffled(maps.collect(), draws))
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}

/// The native definitions with something done to them: nothing, a provider gone, one twice, a broken contract, two broken
/// maps, a map of an unknown contract.
fn spoilt(case: usize) -> Definitions {
    let mut definitions = Definitions::spoilt(case);
    match case {
        0..=4 => {}
        _ => {
            set(definitions.provider("cke_argmax_fp32"), "/numerical_capabilities/0/contract_id", json!("argmax_other"))
        }
    }
    definitions
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_changes_an_answer(draws in prop::collection::vec(any::<Index>(), 16), case in 0..6_usize) {
        let definitions = spoilt(case);
        let requests: Vec<_> = requests(&Definitions::native()).into_iter().map(|(_, request)| request).collect();
        let expected = transcript(definitions.clone().load(), &requests);
        let other = Definitions {
            contracts: shuffled(definitions.contracts.clone(), &draws),
            providers: shuffled(definitions.providers.clone(), &draws),
        };
        prop_assert_eq!(transcript(other.load(), &shuffled(requests.clone(), &draws)), &expected[..]);
        // The same by files. A fault of a file has a place, so there the texts stay and their order changes.
        let (contracts, maps) = files(&definitions, &draws);
        let by_files = transcript(Registry::from_files(&borrowed(&contracts), &borrowed(&maps)), &requests);
        if case < 3 {
            prop_assert_eq!(&by_files, &expected);
        }
        let (contracts, maps) = (shuffled(contracts, &draws[3..]), shuffled(maps, &draws[5..]));
        prop_assert_eq!(transcript(Registry::from_files(&borrowed(&contracts), &borrowed(&maps)), &requests), by_files);
    }
}

#[test]
fn every_provider_is_needed_and_enough() {
    let native = Definitions::native();
    let registry = native.clone().load().unwrap();
    let requests = requests(&native);
    assert!(requests.len() >= 20);
    for (id, request) in &requests {
        assert_eq!(resolve(&registry, request).unwrap().provider, *id);
    }
    for (id, _) in &native.providers {
        let mut less = native.clone();
        less.providers.retain(|(other, _)| other != id);
        let mut more = native.clone();
        let twin = format!("{id}_twin");
        more.derive_provider(id, &twin);
        let (less, more) = (less.load().unwrap(), more.load().unwrap());
        for (of, request) in &requests {
            if of != id {
                let expected = resolve(&registry, request).unwrap();
                assert_eq!(resolve(&less, request).as_ref(), Ok(&expected), "'{id}' is gone");
                assert_eq!(resolve(&more, request).as_ref(), Ok(&expected), "'{id}' is there twice");
                continue;
            }
            let fault = resolve(&less, request).unwrap_err();
            assert_eq!((fault.code, fault.candidates.len()), (Code::NoProvider, native.providers.len() - 1));
            let fault = resolve(&more, request).unwrap_err();
            assert_eq!((fault.code, fault.candidates.len()), (Code::SeveralProviders, native.providers.len() + 1));
            let fitting = fault.candidates.iter().filter(|candidate| candidate.fits());
            assert!(fitting.map(|candidate| candidate.provider.as_str()).eq([id.as_str(), twin.as_str()]));
        }
    }
}

/// Every leaf and every empty container of a value, by pointer.
fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(key, value)| leaves(value, &format!("{pointer}/{}", escaped(key)), found));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(n, item)| leaves(item, &format!("{pointer}/{n}"), found));
        }
        _ => found.push(pointer.to_owned()),
    }
}

/// Other values in place of a leaf; `words` are the strings there are.
fn alternatives(leaf: &Value, words: &BTreeSet<String>) -> Vec<Value> {
    match leaf {
        Value::Bool(value) => vec![json!(!value)],
        Value::Number(number) => {
            let n = number.as_f64().unwrap();
            vec![json!(n as i64 + 1), json!(2 * n as i64 + 3), json!(n + 0.5)]
        }
        Value::String(text) => words.iter().filter(|word| *word != text).map(|word| json!(word)).collect(),
        _ => vec![json!(["other"]), json!({"other": "other"})],
    }
}

/// All strings of values, by the last key above them: what may stand in one another's place.
fn words_by_key(value: &Value, key: &str, words: &mut BTreeMap<String, BTreeSet<String>>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| words_by_key(value, key, words)),
        Value::Array(items) => items.iter().for_each(|item| words_by_key(item, key, words)),
        Value::String(text) => drop(words.entry(key.to_owned()).or_default().insert(text.clone())),
        _ => {}
    }
}

/// How the edits of a definition were noticed.
#[derive(Debug, Default)]
struct Noticed {
    by_the_registry: usize,
    by_the_digest: usize,
    by_resolution: usize,
}

/// Edits every leaf of one definition of a small registry: none goes unnoticed by the decision made before.
fn edit_every_leaf(
    definitions: &Definitions,
    request: &Request,
    of: impl Fn(&mut Definitions) -> &mut Value,
) -> Noticed {
    let decision = resolve(&definitions.clone().load().unwrap(), request).unwrap();
    let mut words = BTreeMap::new();
    let native = Definitions::native();
    native.contracts.iter().for_each(|(_, _, definition)| words_by_key(definition, "", &mut words));
    native.providers.iter().for_each(|(_, definition)| words_by_key(definition, "", &mut words));
    words.values_mut().for_each(|words| words.extend(["other".to_owned(), String::new()]));
    let mut copy = definitions.clone();
    let definition = of(&mut copy).clone();
    let mut pointers = Vec::new();
    leaves(&definition, "", &mut pointers);
    let mut noticed = Noticed::default();
    for pointer in pointers {
        let leaf = definition.pointer(&pointer).unwrap();
        let key = pointer.split('/').rfind(|part| part.parse::<usize>().is_err()).unwrap().replace("~1", "/");
        for other in alternatives(leaf, words.get(&key).unwrap_or(&BTreeSet::from(["other".to_owned()]))) {
            let mut edited = definitions.clone();
            *of(&mut edited).pointer_mut(&pointer).unwrap() = other.clone();
            let Ok(registry) = edited.load() else {
                noticed.by_the_registry += 1;
                continue;
            };
            let code = match Resolver::new(&registry).verify(request, &decision, Mode::Bringup) {
                Ok(()) => panic!("{pointer}: {leaf} became {other}, and nobody noticed"),
                Err(fault) => fault.code,
            };
            match code {
                Code::DefinitionEdited => noticed.by_the_digest += 1,
                _ => noticed.by_resolution += 1,
            }
        }
    }
    noticed
}

/// The definitions of one provider and the contracts it claims, and their parts.
fn alone(native: &Definitions, provider: &str) -> Definitions {
    let mut definitions = native.clone();
    definitions.providers.retain(|(id, _)| id == provider);
    let mut kept: BTreeSet<String> = BTreeSet::new();
    for claim in definitions.provider(provider)["numerical_capabilities"].as_array().unwrap() {
        kept.insert(claim["contract_id"].as_str().unwrap().to_owned());
    }
    let partition =
        |id: &str| native.contracts.iter().find(|(found, _, _)| found == id).unwrap().2["partition"].clone();
    for id in kept.clone() {
        let partition = partition(&id);
        let parts =
            ["below_threshold", "at_or_above_threshold"].map(|field| partition[field].as_str().map(str::to_owned));
        kept.extend(parts.into_iter().flatten());
    }
    definitions.contracts.retain(|(id, _, _)| kept.contains(id));
    definitions
}

#[test]
fn no_edit_of_a_definition_goes_unnoticed() {
    let native = Definitions::native();
    let mut total = Noticed::default();
    for (id, request) in requests(&native).into_iter().filter(|(_, request)| request.instance.starts_with("prefill/")) {
        let small = alone(&native, &id);
        let of_contract = edit_every_leaf(&small, &request, |definitions| definitions.contract(&request.contract));
        let of_provider = edit_every_leaf(&small, &request, |definitions| definitions.provider(&id));
        for part in [of_contract, of_provider] {
            total.by_the_registry += part.by_the_registry;
            total.by_the_digest += part.by_the_digest;
            total.by_resolution += part.by_resolution;
        }
    }
    println!("{total:?}");
    assert!(total.by_the_registry > 1000 && total.by_the_digest > 1000, "{total:?}");
}

/// An attention contract of the v8 generation: the nine fields, nothing else.
fn v8_attention(kv: &str, partial: [&str; 2], partition: Value) -> Value {
    json!({
        "status": "observed", "description": "d",
        "q_compute": "fp32", "k_compute": kv, "score_accumulator": "fp32", "softmax_statistics": "fp32",
        "value_compute": kv, "value_accumulator": "fp32",
        "partial_storage": partial[0], "partial_merge": partial[1], "partition": partition,
    })
}

const F32: &str = "fp32_online";
const F16: &str = "f16_kv_fp32_online";

/// Two contracts that differ in the rounding of keys and values, a tiled one, and a composite of two of them.
fn attention_contracts() -> Vec<(String, ContractKind, Value)> {
    let single = json!({"kind": "single_range"});
    let tiles = json!({
        "kind": "query_key_tiles", "query_tile_size": 64, "key_tile_size": 64,
        "softmax_sum_update": "fp64_add_then_fp32_store", "worker_partition": "contiguous_head_query_rows",
    });
    let threshold = json!({
        "kind": "query_tile_threshold", "threshold": 64, "below_threshold": F16, "at_or_above_threshold": "f16_kv_tiled64",
    });
    let in_chunks = ["fp32", "fp32_chunk_order"];
    [
        (F32, v8_attention("fp32", ["none", "none"], single.clone())),
        (F16, v8_attention("fp16_rounded", ["none", "none"], single)),
        ("f16_kv_tiled64", v8_attention("fp16_rounded", in_chunks, tiles)),
        ("f16_kv_by_rows64", v8_attention("fp16_rounded", in_chunks, threshold)),
    ]
    .map(|(id, definition)| (id.to_owned(), ContractKind::Attention, definition))
    .into()
}

/// A provider of attention that claims contracts.
fn attention(id: &str, claims: &[&str]) -> (String, Value) {
    let mut native = Definitions::native();
    let mut map = native.derive_provider("cke_attention_fp32", id).clone();
    let claim = map["numerical_capabilities"][0].clone();
    let claim_of = |contract: &&str| {
        let mut claim = claim.clone();
        set(&mut claim, "/contract_id", json!(contract));
        claim
    };
    // These contracts leave the explicit semantics unsaid, so nobody can generate code from them.
    set(&mut map, "/impl/generator", Value::Null);
    map["numerical_capabilities"] = claims.iter().map(claim_of).collect();
    map["provides"]["numerics.attention_reduction"] = json!(claims);
    (id.to_owned(), map)
}

fn attention_request(contract: &str) -> Request {
    Request::from_value(&json!({
        "instance": "decode/blk.0/attention", "op": "attention", "operation": "decoder.attention", "phase": "decode",
        "contract": contract, "validation": "observed",
    }))
    .unwrap()
}

#[test]
fn an_edited_part_is_an_edited_whole() {
    let whole = "f16_kv_by_rows64";
    let definitions = Definitions { contracts: attention_contracts(), providers: vec![attention("by_rows", &[whole])] };
    for id in [whole, F16, "f16_kv_tiled64"] {
        let noticed = edit_every_leaf(&definitions, &attention_request(whole), |definitions| definitions.contract(id));
        assert!(noticed.by_the_digest >= 5, "{id}: {noticed:?}");
    }
    // What is no part changes nothing.
    let before = resolve(&definitions.clone().load().unwrap(), &attention_request(whole)).unwrap();
    let mut edited = definitions;
    set(edited.contract(F32), "/status", json!("validated"));
    assert_eq!(resolve(&edited.load().unwrap(), &attention_request(whole)).unwrap(), before);
}

#[test]
fn contracts_that_differ_in_rounding_are_never_exchanged() {
    let load = |providers: &[(String, Value)]| {
        Definitions { contracts: attention_contracts(), providers: providers.to_vec() }.load()
    };
    let both = load(&[attention("plain", &[F32]), attention("rounding", &[F16])]).unwrap();
    for (contract, provider) in [(F32, "plain"), (F16, "rounding")] {
        assert_eq!(resolve(&both, &attention_request(contract)).unwrap().provider, provider);
    }
    for (claimed, asked) in [(F32, F16), (F16, F32)] {
        let fault = resolve(&load(&[attention("only", &[claimed])]).unwrap(), &attention_request(asked)).unwrap_err();
        assert_eq!(fault.code, Code::NoProvider);
        assert_eq!(fault.candidates[0].to_string(), format!("'only' rejected: claims {claimed}"));
    }
    // Nor can one go before the other in a group.
    let mut grouped = [attention("plain", &[F32]), attention("rounding", &[F16])];
    for (n, (_, map)) in grouped.iter_mut().enumerate() {
        set(map, "/selection", json!({"equivalence_group": "online", "priority": n}));
    }
    assert_eq!(load(&grouped).unwrap_err().code, Code::BadSelection);
    // A decision for one is none for the other, and what it was made for may not be exchanged underneath.
    let decision = resolve(&both, &attention_request(F32)).unwrap();
    let fault = Resolver::new(&both).verify(&attention_request(F16), &decision, Mode::Bringup).unwrap_err();
    assert_eq!(fault.code, Code::ProviderReselected);
}

/// What is drawn of a provider.
#[derive(Clone, Debug)]
struct Drawn {
    claims: Vec<&'static str>,
    lifecycle: &'static str,
    phases: &'static [&'static str],
    group: Option<(&'static str, i64)>,
    mask: &'static str,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (
        prop::sample::select(vec![vec![F32], vec![F16], vec![F32, F16]]),
        prop::sample::select(vec!["production", "production", "candidate", "candidate", "deprecated", "diagnostic"]),
        prop::sample::select(vec![&["prefill", "decode"][..], &["decode"], &["prefill"]]),
        prop::option::weighted(0.8, (prop::sample::select(vec!["one", "one", "two"]), 0..3_i64)),
        prop::sample::select(vec!["causal", "causal", "full"]),
    )
        .prop_map(|(claims, lifecycle, phases, group, mask)| Drawn { claims, lifecycle, phases, group, mask })
}

/// The rules once more: which of the drawn providers a request for `F32` in decode with a causal mask takes.
fn expected(drawn: &[Drawn]) -> Result<usize, Code> {
    let fits = |one: &Drawn| {
        one.claims.contains(&F32)
            && one.phases.contains(&"decode")
            && one.mask == "causal"
            && matches!(one.lifecycle, "production" | "candidate")
    };
    let fitting: Vec<usize> = (0..drawn.len()).filter(|n| fits(&drawn[*n])).collect();
    let groups: BTreeSet<_> = fitting.iter().map(|n| drawn[*n].group.map(|(group, _)| group)).collect();
    let rank = |n: &usize| (drawn[*n].lifecycle == "production", drawn[*n].group.map(|(_, priority)| priority));
    let first = fitting.iter().map(rank).max();
    let best: Vec<usize> = fitting.iter().copied().filter(|n| Some(rank(n)) == first).collect();
    match (fitting.as_slice(), best.as_slice()) {
        ([], _) => Err(Code::NoProvider),
        ([only], _) => Ok(*only),
        (_, [best]) if groups.len() == 1 && !groups.contains(&None) => Ok(*best),
        _ => Err(Code::SeveralProviders),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ranking_is_what_the_rules_say(drawn in prop::collection::vec(drawn(), 1..7)) {
        let provider = |(n, one): (usize, &Drawn)| {
            let (id, mut map) = attention(&format!("attention_{n}"), &one.claims);
            set(&mut map, "/status", json!(one.lifecycle));
            set(&mut map, "/phases", json!(one.phases));
            set(&mut map, "/provides/execution.phase", json!(one.phases));
            set(&mut map, "/provides/mask", json!([one.mask]));
            for claim in map["numerical_capabilities"].as_array_mut().unwrap() {
                set(claim, "/phases", json!(one.phases));
            }
            if let Some((group, priority)) = one.group {
                set(&mut map, "/selection", json!({"equivalence_group": group, "priority": priority}));
            }
            (id, map)
        };
        let providers: Vec<_> = drawn.iter().enumerate().map(provider).collect();
        let mut meanings: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for one in &drawn {
            if let Some((group, _)) = one.group {
                meanings.entry(group).or_default().insert(one.claims.clone());
            }
        }
        let registry = match (Definitions { contracts: attention_contracts(), providers }.load()) {
            Ok(registry) => registry,
            Err(fault) => {
                prop_assert_eq!(fault.code, Code::BadSelection);
                prop_assert!(meanings.values().any(|meanings| meanings.len() > 1), "{}", fault);
                return Ok(());
            }
        };
        prop_assert!(meanings.values().all(|meanings| meanings.len() == 1));
        let mut request = attention_request(F32);
        request.requires.insert("mask".to_owned(), "causal".to_owned());
        let answer = resolve(&registry, &request);
        let found = answer.as_ref().map(|decision| decision.provider.clone()).map_err(|fault| fault.code);
        prop_assert_eq!(found, expected(&drawn).map(|n| format!("attention_{n}")));
        match answer {
            Ok(decision) => {
                // Whatever it is, it claims the contract asked for, and the loser knows who won.
                prop_assert!(registry.providers[&decision.provider].capability(F32).is_some());
                let candidates = Resolver::new(&registry).candidates(&request);
                prop_assert_eq!(candidates.iter().filter(|candidate| candidate.fits()).count(), 1);
            }
            Err(fault) => prop_assert_eq!(fault.candidates.len(), drawn.len()),
        }
    }
}
