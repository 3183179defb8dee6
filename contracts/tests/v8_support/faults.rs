//! Rules of kernel maps, each broken once: the code, the words and the place of the fault.

use cke_contracts::fault::{Code, Fault};
use cke_contracts::v8::read_maps;
use serde_json::Value;

use super::{contracts, maps::edited};

/// An edit of a map, and what is wrong with it then.
pub struct Case {
    edits: Vec<(&'static str, Value)>,
    code: Code,
    /// Part of the message.
    message: &'static str,
    /// What stands in the line of the fault.
    line: &'static str,
}

pub fn case<const N: usize>(
    edits: [(&'static str, Value); N],
    code: Code,
    message: &'static str,
    line: &'static str,
) -> Case {
    Case { edits: edits.into(), code, message, line }
}

fn read(map: &Value) -> Result<(), (Fault, String)> {
    let text = serde_json::to_string_pretty(map).unwrap();
    match read_maps(&[("map.json", &text)], &contracts::registry().contracts) {
        Ok(_) => Ok(()),
        Err(fault) => Err((fault, text)),
    }
}

pub fn check(base: &Value, cases: Vec<Case>) {
    read(base).unwrap_or_else(|(fault, _)| panic!("{fault}"));
    for Case { edits, code, message, line } in cases {
        let (fault, text) = read(&edited(base, &edits)).expect_err(message);
        assert_eq!(fault.code, code, "{fault}");
        assert!(fault.message.contains(message), "{fault}\nlacks {message}");
        let place = fault.location.as_ref().expect("the map has a text");
        assert_eq!(place.file, "map.json");
        let found = text.lines().nth(place.line as usize - 1).unwrap();
        assert!(found.contains(line), "{place} is {found}, not {line}: {fault}");
    }
}

/// The value that deletes a key.
pub fn gone() -> Value {
    Value::Null
}
