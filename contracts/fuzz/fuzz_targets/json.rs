//! Any text is JSON as `serde_json` reads it, or is refused; every key of what is read can be found in the text.
#![no_main]

use cke_contracts::digest::digest;
use cke_contracts::json::{Document, read_text};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = read_text("fuzz", bytes) else { return };
    let document = match Document::parse("fuzz", &text) {
        Ok(document) => document,
        Err(fault) => {
            assert!(fault.location.is_some());
            return;
        }
    };
    let value: Value = serde_json::from_str(&text).expect("what is read is JSON");
    assert_eq!(*document.value(), value);
    let again = Document::parse("again", &value.to_string()).expect("what was read once is read again");
    assert_eq!(digest(again.value()), digest(&value));
    if let Value::Object(fields) = &value {
        assert!(document.locations(&[]).keys().eq(fields.keys()));
        for (key, place) in document.locations(&[]) {
            assert_eq!(document.location(&[&key]), place);
        }
    }
});
