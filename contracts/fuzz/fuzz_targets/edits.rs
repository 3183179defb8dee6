//! Files of this project with a few values exchanged, so that what is read is nearly right: the bytes choose the file,
//! the places and the values.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

const FILES: &[&str] = &[
    include_str!("../../data/contracts/attention_reductions.json"),
    include_str!("../../data/contracts/numerical_execution.json"),
    include_str!("../../data/kernel_maps/cke_attention_fp32.json"),
    include_str!("../../data/kernel_maps/cke_linear_fp32.json"),
    include_str!("../../data/kernel_maps/cke_rmsnorm_fp32.json"),
    include_str!("../../data/kernel_maps/cke_rope_split_half_fp32.json"),
    include_str!("../../data/circuits/llama.json"),
];

/// The bytes as a row of choices; 0 when they are used up.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first)
    }

    fn of(&mut self, count: usize) -> usize {
        (self.next() * 256 + self.next()) % count.max(1)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices(bytes);
    let n = choices.of(FILES.len());
    let mut file: Value = serde_json::from_str(FILES[n]).expect("a file of this project");
    let words = words(&file);
    while !choices.0.is_empty() {
        edit(&mut file, &words, &mut choices);
    }
    let text = file.to_string();
    cke_contracts_fuzz::read(&text);
    match n {
        0 => cke_contracts_fuzz::read_beside(&text, FILES[2]),
        1 => cke_contracts_fuzz::read_beside(&text, FILES[3]),
        2 => cke_contracts_fuzz::read_beside(FILES[0], &text),
        3..6 => cke_contracts_fuzz::read_beside(FILES[1], &text),
        _ => {}
    }
});

/// The strings of a value: what other strings may become.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields.iter().flat_map(|(key, value)| [vec![key.clone()], words(value)].concat()).collect(),
        Value::Array(items) => items.iter().flat_map(words).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// Walks down to a value and exchanges, doubles or removes it.
fn edit(value: &mut Value, words: &[String], choices: &mut Choices) {
    match value {
        Value::Object(fields) if !fields.is_empty() && choices.next() % 16 != 0 => {
            let key = fields.keys().nth(choices.of(fields.len())).expect("a key").clone();
            match choices.next() % 16 {
                0 => drop(fields.remove(&key)),
                1 => {
                    let doubled = fields[&key].clone();
                    fields.insert(words[choices.of(words.len())].clone(), doubled);
                }
                _ => edit(&mut fields[&key], words, choices),
            }
        }
        Value::Array(items) if !items.is_empty() && choices.next() % 16 != 0 => {
            let n = choices.of(items.len());
            match choices.next() % 16 {
                0 => drop(items.remove(n)),
                1 => items.push(items[n].clone()),
                _ => edit(&mut items[n], words, choices),
            }
        }
        leaf => *leaf = other(words, choices),
    }
}

fn other(words: &[String], choices: &mut Choices) -> Value {
    match choices.next() % 12 {
        0 => Value::Null,
        1 => json!(choices.next().is_multiple_of(2)),
        2 => json!(choices.next()),
        3 => json!(-1),
        4 => json!(1_u64 << (choices.next() % 54)),
        5 => json!(f64::from_bits(choices.of(1 << 16) as u64 * 0x0001_0000_0000_0001)),
        6 => json!([]),
        7 => Value::Object(Map::new()),
        8 => json!("\u{0}\u{e9}'\""),
        _ => json!(words[choices.of(words.len())]),
    }
}
