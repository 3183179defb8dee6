//! The policy over our own sources (`contracts/policy/policy.json`, docs/policy.md), and proof that it bites.

mod data;
mod samples;
mod scan;
mod strings;
mod token;

use std::path::{Path, PathBuf};

use data::Policy;
use token::Found;

const POLICY: &str = include_str!("../../policy/policy.json");

fn policy() -> Policy {
    Policy::parse("policy.json", POLICY).unwrap_or_else(|error| panic!("{error}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder above").to_owned()
}

/// Every file below a path with one of these endings, as (path from the root, text); folders of tests are left out.
fn read(path: &Path, ending: &str, files: &mut Vec<(String, String)>) {
    if path.is_file() {
        let name = path.strip_prefix(root()).expect("below the root").to_str().expect("a name in UTF-8");
        // A file of unit tests bears this name; its module is for tests only.
        if path.extension().is_some_and(|found| found == ending) && !name.ends_with("/tests.rs") {
            files.push((name.to_owned(), std::fs::read_to_string(path).expect("a source in UTF-8")));
        }
        return;
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if !name.starts_with('.') && !["tests", "target", "fuzz"].contains(&name.as_str()) {
            read(&path, ending, files);
        }
    }
}

fn sources(policy: &Policy, ending: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for path in policy.rooms.values().flatten() {
        read(&root().join(path), ending, &mut files);
    }
    files.sort();
    files.dedup();
    files
}

#[test]
fn our_sources_keep_the_policy() {
    let policy = policy();
    let rust = sources(&policy, "rs");
    let json = sources(&policy, "json");
    assert!(rust.len() > 100 && json.len() > 10, "{} and {} files were found", rust.len(), json.len());
    let mut found: Vec<Found> = scan::rust(&rust).unwrap_or_else(|error| panic!("{error}"));
    for (path, text) in &json {
        let document = cke_contracts::json::Document::parse(path, text).unwrap_or_else(|fault| panic!("{fault}"));
        found.extend(scan::json(path, document.value()));
    }
    let lines = policy.judge(&found);
    assert!(lines.is_empty(), "{} breaches of contracts/policy/policy.json:\n{}", lines.len(), lines.join("\n"));
}
