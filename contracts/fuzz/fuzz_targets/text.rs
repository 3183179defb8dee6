//! Any text is a file of some kind or is refused, by every typed reader.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| cke_contracts_fuzz::read(text));
