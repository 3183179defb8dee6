//! Flips: every leaf of a contract's definition takes another value, and that must be seen.
//!
//! A leaf is proven when some other value of it changes output bits, or when other values are refused with its place. A
//! vocabulary of one word has no other value; such leaves are reported, so that a test can name them.

use serde_json::{Value, json};

/// What a definition with one leaf changed leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The same bits on every input.
    Same,
    /// Other bits on some input.
    Changed,
    /// A refusal, by the registry or by the oracle.
    Refused(String),
}

/// The leaves of a definition, as JSON pointers, by how they were proven.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Another value changes bits.
    pub changed: Vec<String>,
    /// All other values are refused with their place.
    pub refused: Vec<String>,
    /// No other value changes bits; some are refused with their place, others change nothing.
    pub partly_refused: Vec<String>,
    /// There is no other word.
    pub single_word: Vec<String>,
    /// Neither, and what was tried.
    pub unproven: Vec<String>,
}

/// Flips every leaf. `decode` reads a definition, its error naming the words expected; `outcome` checks and runs it.
pub fn flip(
    definition: &Value,
    decode: impl Fn(&Value) -> Result<(), String>,
    outcome: impl Fn(&Value) -> Outcome,
) -> Report {
    assert_eq!(outcome(definition), Outcome::Same, "the definition as it is");
    let mut report = Report::default();
    for pointer in leaves(definition) {
        let (group, entry) = match flip_leaf(definition, &pointer, &decode, &outcome) {
            Proof::Changed => (&mut report.changed, pointer),
            Proof::Refused => (&mut report.refused, pointer),
            Proof::PartlyRefused => (&mut report.partly_refused, pointer),
            Proof::SingleWord => (&mut report.single_word, pointer),
            Proof::None(tried) => (&mut report.unproven, format!("{pointer}: {tried}")),
        };
        group.push(entry);
    }
    report
}

/// How a leaf was proven; [`Report`] has the words.
pub enum Proof {
    Changed,
    Refused,
    PartlyRefused,
    SingleWord,
    /// Not at all; what was tried.
    None(String),
}

/// Flips one leaf.
pub fn flip_leaf(
    definition: &Value,
    pointer: &str,
    decode: impl Fn(&Value) -> Result<(), String>,
    outcome: impl Fn(&Value) -> Outcome,
) -> Proof {
    let flipped = |value: &Value| {
        let mut flipped = definition.clone();
        *flipped.pointer_mut(pointer).expect("a leaf") = value.clone();
        flipped
    };
    let value = definition.pointer(pointer).expect("a leaf");
    let others = others(value, |other| decode(&flipped(other)));
    if others.is_empty() {
        return Proof::SingleWord;
    }
    let outcomes: Vec<_> = others.iter().map(|other| (other, outcome(&flipped(other)))).collect();
    let located = |(_, outcome): &(&Value, Outcome)| match outcome {
        Outcome::Refused(message) => names(message, pointer),
        Outcome::Same | Outcome::Changed => false,
    };
    if outcomes.iter().any(|(_, outcome)| *outcome == Outcome::Changed) {
        Proof::Changed
    } else if outcomes.iter().all(located) {
        Proof::Refused
    } else if outcomes.iter().any(located) {
        Proof::PartlyRefused
    } else {
        Proof::None(format!("{outcomes:?}"))
    }
}

/// Pointers to everything that is no object and not absent; a list of plain values is one leaf. What a contract means,
/// only.
fn leaves(definition: &Value) -> Vec<String> {
    fn visit(value: &Value, pointer: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| visit(value, &format!("{pointer}/{key}"), found));
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                items.iter().enumerate().for_each(|(n, item)| visit(item, &format!("{pointer}/{n}"), found));
            }
            Value::Null => {}
            _ => found.push(pointer.to_owned()),
        }
    }
    let mut found = vec![];
    visit(definition, "", &mut found);
    let meaning = |pointer: &String| {
        !["/status", "/description", "/validation"]
            .iter()
            .any(|prose| pointer.split('/').nth(1) == prose.strip_prefix('/'))
    };
    found.retain(meaning);
    found
}

/// Other values of a leaf: all other words of its vocabulary, other numbers, other lists.
fn others(value: &Value, decode: impl Fn(&Value) -> Result<(), String>) -> Vec<Value> {
    match value {
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Number(number) => {
            let n = number.as_u64().expect("contracts hold natural numbers");
            let all = [n * 2, n / 2, n + 1, n.saturating_sub(1), 1];
            all.into_iter().filter(|other| *other != n).map(Value::from).collect()
        }
        Value::String(word) => match decode(&json!("a_word_of_no_vocabulary")) {
            Err(expected) => words(&expected).filter(|other| other != word).map(Value::from).collect(),
            Ok(()) => vec![json!(format!("{word}_flipped"))],
        },
        Value::Array(items) => {
            let reversed: Vec<Value> = items.iter().rev().cloned().collect();
            let shorter: Vec<Value> = items.iter().skip(1).cloned().collect();
            // Another name in place of the first, or one more number.
            let other: Vec<Value> = match items.first() {
                Some(Value::String(word)) => [&[json!(format!("{word}_flipped"))], &items[1..]].concat(),
                Some(first) => [&**items, std::slice::from_ref(first)].concat(),
                None => vec![json!(1)],
            };
            [reversed, shorter, other].into_iter().filter(|other| other != items).map(Value::from).collect()
        }
        Value::Null | Value::Object(_) => panic!("no leaf: {value}"),
    }
}

/// The words in back quotes after `expected`.
fn words(error: &str) -> impl Iterator<Item = &str> {
    let (_, expected) = error.split_once("expected").unwrap_or_else(|| panic!("no vocabulary in: {error}"));
    expected.split('`').skip(1).step_by(2)
}

/// Whether a message names the leaf, or an object it stands in that is no more than one fact.
fn names(message: &str, pointer: &str) -> bool {
    let path = pointer.trim_start_matches('/').replace('/', ".");
    let objects = path.match_indices('.').map(|(at, _)| &path[..at]);
    let mut objects = objects.filter(|object| !["semantics", "partition"].contains(object));
    message.contains(path.strip_prefix("semantics.").unwrap_or(&path)) || objects.any(|object| message.contains(object))
}
