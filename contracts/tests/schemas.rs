//! The committed JSON Schemas are those of the types.

use std::collections::BTreeSet;
use std::path::Path;

use cke_contracts::schema::published;

#[test]
fn the_files_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for schema in published() {
        let committed = std::fs::read_to_string(folder.join(schema.file)).unwrap_or_default();
        assert!(committed == schema.text(), "{} is stale: run `make docs` and commit the result", schema.file);
    }
    let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let expected: BTreeSet<_> = published().iter().map(|schema| schema.file.to_owned()).collect();
    assert_eq!(files.collect::<BTreeSet<_>>(), expected);
}
