//! The corpus of v8 files, read where it lies: from `$CKE_CORPUS` or `../shared/corpus`.
#![allow(dead_code, reason = "every test file uses a part")]

pub mod contracts;
pub mod faults;
pub mod maps;

use std::path::PathBuf;

/// A text of the corpus with its path below the corpus, which stands for it in errors.
pub struct Text {
    pub name: String,
    pub text: String,
}

impl Text {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text).expect("the corpus is JSON")
    }
}

/// The JSON texts of a folder by name, or `None` with a word when there is no corpus.
pub fn folder(name: &str) -> Option<Vec<Text>> {
    let fallback = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let path = std::env::var_os("CKE_CORPUS").map_or_else(fallback, PathBuf::from).join("cke-v8").join(name);
    let Ok(entries) = std::fs::read_dir(&path) else {
        eprintln!("skipped: no corpus folder {}", path.display());
        return None;
    };
    let mut texts: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("the folder can be listed");
            let text = std::fs::read_to_string(entry.path()).expect("a file of the corpus can be read");
            Text { name: format!("{name}/{}", entry.file_name().to_string_lossy()), text }
        })
        .collect();
    texts.sort_by(|one, other| one.name.cmp(&other.name));
    Some(texts)
}
