//! The generated source, whole: `tests/snapshots` holds what is generated from `tests/fixtures`.

use cke_tablegen::{Dialect, Source, generate};
use std::path::Path;

#[test]
fn shapes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shapes.td");
    let source = Source::read(&file).expect("the fixture can be read");
    let dialect = Dialect::read(&source).expect("the fixture is sound");
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("shapes", generate(&dialect, &file));
    });
}
