//! The seed corpus of the fuzz target: kept equal to what the builder and the list of hostile files make, and run.
//!
//! `CKE_BLESS=1` writes it anew. Files of other names (findings of a fuzzer) stay and are run too.

use crate::{hostile, valid};
use cke_runtime::gguf::Header;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/gguf")
}

fn seeds() -> BTreeMap<String, Vec<u8>> {
    let valid = valid::all()
        .into_iter()
        .map(|(name, builder)| (format!("valid-{name}"), builder.finish().expect("the valid files are valid")));
    // Two of the files are large on purpose; the fuzzer is quicker without them.
    let hostile = hostile::all().into_iter().filter(|hostile| hostile.bytes.len() < 4096);
    valid.chain(hostile.map(|hostile| (format!("hostile-{}", hostile.name), hostile.bytes))).collect()
}

#[test]
fn the_corpus_is_up_to_date() {
    if std::env::var_os("CKE_BLESS").is_some() {
        fs::create_dir_all(folder()).unwrap();
        for (name, bytes) in seeds() {
            fs::write(folder().join(name), bytes).unwrap();
        }
    }
    for (name, bytes) in seeds() {
        let found = fs::read(folder().join(&name)).unwrap_or_default();
        assert!(found == bytes, "{name} differs from its generator; run the test again with CKE_BLESS=1");
    }
}

#[test]
fn every_file_of_the_corpus_is_read_or_refused() {
    let mut count = 0;
    for file in fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let outcome = Header::read(&name, &*bytes, bytes.len() as u64);
        assert!(outcome.is_ok() || !name.starts_with("valid-"), "{outcome:?}");
        assert!(outcome.is_err() || !name.starts_with("hostile-"), "{name} was accepted");
        count += 1;
    }
    assert!(count >= seeds().len());
}
