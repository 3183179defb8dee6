//! Every code of the contract system is provoked by some test.

use std::path::{Path, PathBuf};

use cke_contracts::fault::Code;

/// The texts of all tests: files in folders of tests, lit tests, and what sources keep under `#[cfg(test)]`.
fn tests(path: &Path, inside: bool, texts: &mut Vec<String>) {
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            let passed_over = name.starts_with('.') || ["target", "build", "fuzz", "Output"].contains(&name.as_str());
            if !passed_over {
                tests(&path, inside || ["tests", "lit-tests"].contains(&name.as_str()), texts);
            }
        } else if [".rs", ".mlir", ".test"].iter().any(|ending| name.ends_with(ending)) && name != "fault_codes.rs" {
            let text = std::fs::read_to_string(&path).expect("a source in UTF-8");
            let start = if inside || name == "tests.rs" { Some(0) } else { text.find("#[cfg(test)]") };
            texts.extend(start.map(|start| without_comments(&text[start..], name.ends_with(".rs"))));
        }
    }
}

/// Rust without whole lines of comment; expectations of lit tests are comments.
fn without_comments(text: &str, is_rust: bool) -> String {
    let lines = text.lines().filter(|line| !is_rust || !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a text has a name that does not go on.
fn has(text: &str, name: &str) -> bool {
    text.match_indices(name)
        .any(|(at, _)| !text[at + name.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

#[test]
fn every_code_has_a_test() {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder above").to_owned();
    let mut texts = Vec::new();
    tests(&root, false, &mut texts);
    assert!(texts.len() > 100, "{} files with tests", texts.len());
    let is_tested = |code: &Code| {
        let names = [format!("Code::{code:?}"), code.as_str().to_owned()];
        texts.iter().any(|text| names.iter().any(|name| has(text, name)))
    };
    let untested: Vec<_> = Code::ALL.iter().filter(|code| !is_tested(code)).map(|code| code.as_str()).collect();
    assert!(untested.is_empty(), "no test provokes {}", untested.join(", "));
}

#[test]
fn a_name_is_found_whole() {
    assert!(has("Code::Schema, Code::BadJson)", "Code::Schema"));
    assert!(!has("Code::SchemaOther", "Code::Schema"));
    assert!(!without_comments("// Code::Schema\n", true).contains("Schema"));
}
