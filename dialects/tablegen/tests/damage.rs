//! Damaged definitions: whatever is missing, doubled or out of place is an error or a smaller dialect, never a panic.

use cke_tablegen::{Dialect, Source, generate};
use std::path::Path;

const STRAY: &[&str] =
    &["\"", "[{", "}]", "(", ")", "<", ">", "{", "}", "`", "$", "^", "#", "!", "?", ";", "é", "0", "\r"];

/// Reads as far as the text lets it.
fn read(text: &str) {
    if let Ok(dialect) = Source::from_text("a.td", text).map_err(|error| vec![error]).and_then(|it| Dialect::read(&it))
    {
        generate(&dialect, Path::new("a.td"));
    }
}

#[test]
fn damage_is_no_reason_to_panic() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let shapes = std::fs::read_to_string(fixtures.join("shapes.td")).expect("the fixture can be read");
    let shared = std::fs::read_to_string(fixtures.join("shared.inc")).expect("the fixture can be read");
    let text = shapes.replace("include \"shared.inc\"", &shared);
    for (round, place) in (0..text.len()).step_by(29).enumerate() {
        let (before, after) = text.split_at(place);
        let stray = STRAY[round % STRAY.len()];
        read(before);
        read(&format!("{before}{stray}{after}"));
        read(&format!("{before}{}", after.get(round % 9 + 1..).unwrap_or_default()));
    }
}
