//! Every leaf of every native execution contract.

use std::collections::BTreeSet;

use cke_contracts::layout::Layout;
use cke_contracts::registry::{Contract, ContractKind, NumericalExecution, Registry};
use serde_json::{Value, json};

use super::flips::{Outcome, flip};
use super::support::{Run, noise};

/// Leaves that say how work may be cut. No cut may show in the bits, and none does.
const CUTS: [&str; 3] = ["/position_transform/threading", "/threading/split_strategy", "/threading/work_partition"];

/// Leaves whose vocabulary has one word.
const SINGLE_WORDS: [&str; 9] = [
    "/semantics/elementwise",
    "/semantics/gate/function",
    "/semantics/normalization/epsilon",
    "/semantics/reduction/lanes/assignment",
    "/semantics/rotation/rest",
    "/semantics/rotation/table",
    "/semantics/selection/comparison",
    "/semantics/selection/nan",
    "/semantics/selection/tie",
];

/// Calls under a contract, crafted so that every field shows in one of them; the name of the output.
fn runs(contract: &Contract) -> (Vec<Run>, &'static str) {
    const ROWS: usize = 64;
    const DIM: usize = 300;
    let operation = contract.operations().expect("explicit")[0].clone();
    let run = Run::new(&operation, contract.clone()).at(ROWS, 0);
    let wide = |run: Run, name: &str, seed| run.tensor(name, Layout::RowMajor, &[ROWS, DIM], &noise(seed, ROWS * DIM));
    let rows = |run: Run| run.shape(&[("dim", DIM as i64)]).output("y", Layout::RowMajor, &[ROWS, DIM]);
    match &*operation {
        "argmax" => {
            let call = |x: [f32; 3]| {
                let run = Run::new("argmax", contract.clone()).shape(&[("n", 3)]);
                run.tensor("x", Layout::RowMajor, &[1, 3], &x).output("y", Layout::RowMajor, &[1])
            };
            (vec![call([-3., -1., -2.]), call([f32::NAN; 3]), call([1., 2., 2.])], "y")
        }
        "embedding" => {
            let run = rows(run).shape(&[("vocab", 20)]).bits("tokens", Layout::RowMajor, &[ROWS], &[7; ROWS]);
            (vec![run.tensor("table", Layout::RowMajor, &[20, DIM], &noise(1, 20 * DIM))], "y")
        }
        "kv_append" => {
            let run = run
                .shape(&[("kv_heads", 1), ("head_dim", DIM as i64), ("capacity", ROWS as i64)])
                .output("k_cache", Layout::HeadMajor, &[1, ROWS, DIM])
                .output("v_cache", Layout::HeadMajor, &[1, ROWS, DIM]);
            (vec![wide(wide(run, "k", 1), "v", 2)], "k_cache")
        }
        "linear" | "logits" => {
            let run = wide(run, "x", 1)
                .shape(&[("k", DIM as i64), ("n", 5)])
                .tensor("w", Layout::RowMajor, &[5, DIM], &noise(2, 5 * DIM))
                .output("y", Layout::RowMajor, &[ROWS, 5]);
            (vec![run], "y")
        }
        "residual_add" => (vec![rows(wide(wide(run, "a", 1), "b", 2))], "y"),
        "rmsnorm" => {
            let run = rows(wide(run, "x", 1)).param("eps", 1e-5);
            (vec![run.tensor("gamma", Layout::RowMajor, &[DIM], &noise(2, DIM))], "y")
        }
        "rope" => {
            let run = run
                .shape(&[
                    ("heads", 1),
                    ("head_dim", DIM as i64),
                    ("rotary_dim", DIM as i64),
                    ("positions", ROWS as i64),
                ])
                .tensor("table", Layout::RowMajor, &[ROWS, DIM / 2, 2], &noise(3, ROWS * DIM))
                .output("y", Layout::RowMajor, &[ROWS, DIM]);
            (vec![wide(run, "x", 1)], "y")
        }
        "swiglu" => (vec![rows(wide(wide(run, "gate", 1), "up", 2))], "y"),
        other => panic!("no calls of {other}"),
    }
}

/// The definition with what follows from a changed field of the semantics: the words of v8, and a tree for other lanes.
fn followed_up(definition: &Value, native: &Value) -> Value {
    let mut definition = definition.clone();
    if definition["semantics"] == native["semantics"] {
        return definition;
    }
    let count = definition["semantics"]["reduction"]["lanes"]["count"].as_u64();
    if count != native["semantics"]["reduction"]["lanes"]["count"].as_u64()
        && let Some(count) = count.filter(|count| count.is_power_of_two())
    {
        let strides = (0..count.trailing_zeros()).rev().map(|power| 1_u64 << power);
        definition["semantics"]["reduction"]["horizontal_tree"] = json!(strides.collect::<Vec<_>>());
    }
    match serde_json::from_value::<NumericalExecution>(definition.clone()) {
        Ok(mut contract) => {
            contract.restate();
            serde_json::to_value(contract).expect("a contract")
        }
        Err(_) => definition,
    }
}

#[test]
fn every_leaf_of_a_native_contract_changes_bits_or_is_refused() {
    let registry = Registry::native().expect("the embedded registry is valid");
    let mut single_words = BTreeSet::new();
    let mut proven = 0;
    for (id, contract) in &registry.contracts {
        if contract.kind() != ContractKind::Execution {
            continue;
        }
        let native = contract.definition();
        let (runs, output) = runs(contract);
        let bits = |mut run: Run| run.execute().map(|()| run.read(output));
        let expected: Vec<_> = runs.iter().map(|run| bits(run.clone()).expect("a valid call")).collect();
        let outcome = |definition: &Value| {
            let definition = followed_up(definition, &native);
            let loaded = Registry::from_values([(id.clone(), ContractKind::Execution, definition)], []);
            let changed = match loaded {
                Ok(mut loaded) => loaded.contracts.remove(id).expect("the only contract"),
                Err(fault) => return Outcome::Refused(fault.message),
            };
            let mut outcome = Outcome::Same;
            for (run, expected) in runs.iter().zip(&expected) {
                let mut run = run.clone();
                run.contract = changed.clone();
                match bits(run) {
                    Err(error) => return Outcome::Refused(error),
                    Ok(found) if found != *expected => outcome = Outcome::Changed,
                    Ok(_) => {}
                }
            }
            outcome
        };
        let decode = |definition: &Value| {
            serde_json::from_value::<NumericalExecution>(definition.clone()).map(drop).map_err(|e| e.to_string())
        };
        let report = flip(&native, decode, outcome);
        let of_cut = |entry: &String| CUTS.iter().any(|cut| entry.starts_with(cut));
        let unproven: Vec<_> = report.unproven.iter().filter(|entry| !of_cut(entry)).collect();
        assert!(unproven.is_empty(), "{id}: {unproven:#?}");
        assert!(!report.changed.iter().any(of_cut), "{id}: a cut of the work shows in the bits");
        proven += report.changed.len() + report.refused.len() + report.partly_refused.len();
        single_words.extend(report.single_word);
    }
    println!("{proven} leaves change bits or are refused");
    assert_eq!(single_words.into_iter().collect::<Vec<_>>(), SINGLE_WORDS);
}
