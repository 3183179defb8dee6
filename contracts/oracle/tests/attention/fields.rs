//! Every leaf of the nine contracts that have the ids of the v8 registry.
//!
//! A leaf counts as proven in one of four ways, and in no other:
//! * changed: some other value of it gives other bits on one of the calls below, or bits where the call was refused. With
//!   a count of lanes its tree changes;
//! * refused: every other value is refused by the oracle or by the registry, in words that name the leaf or the object it
//!   stands in;
//! * masked: as `changed`, with another leaf of the contract changed before and after. The pairs are listed with their
//!   reasons;
//! * single: its vocabulary has one word. These leaves are listed.
//!
//! Leaves that say how an implementation may cut its work are the exception: none of their values may change bits.
//! Prose and status are no part of the meaning.

use std::collections::{BTreeMap, BTreeSet};

use cke_contracts::registry::vocabulary::IsaClass;
use cke_contracts::registry::{AttentionReduction, Contract, ContractKind, Registry};
use cke_oracle::Element;
use serde_json::{Value, json};

use super::calls::{Case, SMALL, bits, run_on};
use super::crafts::{Craft, Operands};
use super::flips::{Outcome, Proof, flip, flip_leaf};

const IDS: [&str; 9] = [
    "bf16_pytorch_sdpa",
    "f16_flash_auto_qtile64",
    "f16_kv_fp32_online",
    "f16_kv_tiled64_fp32_softmax_fp64_sum_update",
    "f16_online_fp32_merge",
    "f16_online_single_range",
    "f16_online_single_range_noscale",
    "fp32_llama_regular",
    "fp32_online",
];

/// Leaves that say how work may be cut: rows and heads are independent of each other.
const PERMISSIONS: [&str; 2] = ["/semantics/threading/split_strategy", "/semantics/threading/work_partition"];

/// Leaves that another one hides: contracts, the end of their path, and the leaf that hides them with a value (or none)
/// that does not.
const MASKED: [(&[&str], &str, &str, Option<&str>); 3] = [
    // Beyond positions padded to a multiple of the lanes there is no tail.
    (&["fp32_llama_regular"], "/value/tail", "/semantics/padding", None),
    // A product of two numbers of fp16 is exact: it is all the same whether it is rounded before it is added.
    (&["fp32_llama_regular"], "/value/update", "/semantics/weight_rounding", None),
    (&FP16_SCORES, "/score/update", "/q_compute", Some("fp32")),
];

/// Contracts whose scores are products of queries and keys of fp16.
const FP16_SCORES: [&str; 4] =
    ["f16_online_fp32_merge", "f16_online_single_range", "f16_online_single_range_noscale", "fp32_llama_regular"];

/// Leaves whose vocabulary has one word, over all nine contracts.
const SINGLE_WORDS: [&str; 11] = [
    "/partition/at_or_above_threshold_chunks",
    "/partition/worker_partition",
    "/semantics/chunks/empty",
    "/semantics/composite/extent",
    "/semantics/head_sharing",
    "/semantics/range/outside",
    "/semantics/range/row_position",
    "/semantics/softmax/argument",
    "/semantics/softmax/maximum_nan",
    "/semantics/softmax/online/rescale",
    // Of every reduction, those of variants too.
    "/lanes/assignment",
];

/// Calls on which the fields of a contract show, the quick ones first.
fn cases(id: &str) -> Vec<Case> {
    let cache = match id {
        "f16_flash_auto_qtile64" | "f16_online_fp32_merge" => Element::Fp16,
        _ => Element::Bits32,
    };
    let small = Case { position: 70, ..SMALL };
    let one = Case { rows: 1, ..small };
    let mut cases = vec![small, one, Case { spread: 40.0, ..small }];
    cases.extend([small, one].map(|case| Case { isa: Some(IsaClass::X86Avx2), ..case }));
    let crafts = [Craft::NoWeight, Craft::Faint, Craft::Low, Craft::Huge, Craft::Ties, Craft::Special];
    cases.extend(crafts.map(|craft| Case { rows: 1, position: 3, craft, ..small }));
    // A few positions: their scores may all be below a maximum that is not their own.
    cases.push(Case { rows: 3, position: 0, spread: 9.0, ..small });
    cases.push(Case { rows: 5, position: 200, craft: Craft::Growing, ..small });
    let of_length = |kv: usize| Case { rows: 1, position: kv - 1, width: 8, spread: 9.0, ..small };
    cases.extend([1, 255, 256, 257, 511, 512, 513, 1058].map(of_length));
    match id {
        "f16_online_fp32_merge" => {
            // Between both readings of the threshold, and where the two ways to cut part.
            cases.extend([1, 2, 7, 13].map(|workers| Case { workers, ..of_length(521) }));
        }
        "f16_flash_auto_qtile64" => {
            cases.extend([63, 64].map(|rows| Case { rows, position: 0, width: 8, ..small }));
        }
        _ => {}
    }
    // So many values, or values so near an edge, that a difference survives a rounding to 16 bits.
    let mut many = vec![];
    match id {
        "fp32_llama_regular" => {
            let offset = Case { heads: 16, width: 136, position: 249, craft: Craft::Offset, ..small };
            let edge = Case { heads: 64, width: 4, position: 39, craft: Craft::Edge, ..small };
            // More groups: what is added after the first is too small for fp32.
            let groups = Case { position: 79, ..edge };
            many.extend([offset, edge, groups].iter().flat_map(|case| [1, 2].map(|rows| Case { rows, ..*case })));
        }
        "bf16_pytorch_sdpa" => many.push(Case { heads: 24, position: 299, ..one }),
        _ if FP16_SCORES.contains(&id) => {
            many.extend([small, one].map(|case| Case { heads: 12, width: 136, spread: 0.25, ..case }));
        }
        _ => {}
    }
    cases.extend(many.iter().flat_map(|case| [None, Some(IsaClass::X86Avx2)].map(|isa| Case { isa, ..*case })));
    cases.iter_mut().for_each(|case| case.cache = [cache; 2]);
    // Storage that not every contract reads.
    cases.extend([[Element::Bits32, cache], [cache, Element::Bits32]].map(|cache| Case { cache, ..one }));
    cases
}

/// The definition with the tree of every reduction whose lanes are others than before.
fn followed_up(native: &Value, flipped: &mut Value) {
    let count = |of: &Value| of.pointer("/lanes/count").and_then(Value::as_u64);
    let before = count(native);
    match count(flipped).filter(|count| Some(*count) != before && count.is_power_of_two()) {
        Some(count) => {
            let strides = (0..count.trailing_zeros()).rev().map(|power| 1_u64 << power);
            flipped["horizontal_tree"] = json!(strides.collect::<Vec<_>>());
        }
        None => match (native, flipped) {
            (Value::Object(native), Value::Object(flipped)) => {
                flipped.iter_mut().for_each(|(key, flipped)| followed_up(&native[key], flipped));
            }
            (Value::Array(native), Value::Array(flipped)) => {
                native.iter().zip(flipped).for_each(|(native, flipped)| followed_up(native, flipped));
            }
            _ => {}
        },
    }
}

fn decode(definition: &Value) -> Result<AttentionReduction, String> {
    serde_json::from_value(definition.clone()).map_err(|error| error.to_string())
}

/// A contract, the contracts around it, and the calls it is run on.
struct Subject<'a> {
    id: &'a str,
    all: &'a BTreeMap<String, Contract>,
    calls: Vec<(Case, Operands)>,
}

impl Subject<'_> {
    /// What a flipped definition leads to, compared with `native`.
    fn outcome(&self, native: &Value) -> impl Fn(&Value) -> Outcome {
        let before: Vec<_> = self.run(native).collect();
        move |flipped| {
            let mut flipped = flipped.clone();
            followed_up(native, &mut flipped);
            if let Err(message) = decode(&flipped) {
                return Outcome::Refused(message);
            }
            let mut messages = vec![];
            for (found, before) in self.run(&flipped).zip(&before) {
                match (found, before) {
                    (Ok(found), before) if Ok(&found) != before.as_ref() => return Outcome::Changed,
                    (Err(message), Ok(_)) => {
                        messages.push(message);
                        break;
                    }
                    _ => {}
                }
            }
            messages.extend(self.refusal(&flipped));
            if messages.is_empty() { Outcome::Same } else { Outcome::Refused(messages.join("; ")) }
        }
    }

    /// The bits of every call under a definition, whether the registry would have it or not.
    fn run(&self, definition: &Value) -> impl Iterator<Item = Result<Vec<u32>, String>> {
        let mut contracts = self.all.clone();
        contracts.insert(self.id.to_owned(), Contract::Attention(decode(definition).expect("a definition")));
        let of = move |(case, operands): &(_, _)| Ok(bits(&run_on(&contracts, self.id, case, operands)?));
        self.calls.iter().map(of)
    }

    /// What the registry refuses the contracts for when one has this definition.
    fn refusal(&self, definition: &Value) -> Option<String> {
        let entry = |(id, contract): (&String, &Contract)| {
            let definition = if id == self.id { definition.clone() } else { contract.definition() };
            (id.clone(), ContractKind::Attention, definition)
        };
        let of = |contracts: &BTreeMap<_, _>| Registry::from_values(contracts.iter().map(entry), []).err();
        // By itself first, so that no composite it is a part of comes before it.
        let mut own = self.all.clone();
        own.retain(|id, contract| id == self.id || contract.parts().is_empty());
        of(&own).or_else(|| of(self.all)).map(|fault| fault.message)
    }

    /// Whether a leaf is listed as hidden by another one and shows without that.
    fn masked(&self, native: &Value, leaf: &str) -> bool {
        MASKED.iter().filter(|(ids, end, ..)| ids.contains(&self.id) && leaf.ends_with(end)).any(
            |(_, _, mask, value)| {
                let mut native = native.clone();
                *native.pointer_mut(mask).expect("a leaf or an object") = value.map_or(Value::Null, Value::from);
                let proof = flip_leaf(&native, leaf, |value| decode(value).map(drop), self.outcome(&native));
                matches!(proof, Proof::Changed)
            },
        )
    }
}

#[test]
fn every_leaf_changes_bits_or_is_refused() {
    let mut all = Registry::native().expect("the embedded registry is valid").contracts;
    all.retain(|_, contract| contract.kind() == ContractKind::Attention);
    let (mut single, mut unproven) = (BTreeSet::new(), vec![]);
    println!("{:<44} changed masked refused single permission", "contract");
    for id in IDS {
        let definition = all[id].definition();
        let calls: Vec<(Case, Operands)> = cases(id).into_iter().map(|case| (case, case.operands())).collect();
        let subject = Subject { id, all: &all, calls };
        let report = flip(&definition, |value| decode(value).map(drop), subject.outcome(&definition));
        let permission = |leaf: &&String| PERMISSIONS.iter().any(|permission| leaf.starts_with(permission));
        assert!(!report.changed.iter().any(|leaf| permission(&leaf)), "{id}: a cut of the work shows in the bits");
        let left = report.partly_refused.iter().chain(&report.unproven);
        let (permitted, left): (Vec<_>, Vec<_>) = left.partition(permission);
        let pointer = |leaf: &str| leaf.split(':').next().unwrap_or_default().to_owned();
        let (masked, open): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|leaf| subject.masked(&definition, &pointer(leaf)));
        let found = [&report.changed, &report.refused, &report.single_word].map(Vec::len);
        let [changed, refused, single_words] = found;
        let (masked, permitted) = (masked.len(), permitted.len());
        println!("{id:<44} {changed:>7} {masked:>6} {refused:>7} {single_words:>6} {permitted:>10}");
        unproven.extend(open.into_iter().map(|leaf| format!("{id}: {leaf}")));
        single.extend(report.single_word.into_iter().map(|leaf| match leaf.ends_with("/lanes/assignment") {
            true => "/lanes/assignment".to_owned(),
            false => leaf,
        }));
    }
    assert!(unproven.is_empty(), "{unproven:#?}");
    assert_eq!(single, SINGLE_WORDS.map(str::to_owned).into());
}
