//! What LLVM's own tools make of every definition file: the fixtures here and the dialects of the project.
//!
//! Tests say that they skip, and why, if a tool is not installed.

mod compare;

use cke_tablegen::{Dialect, Source, to_json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool of LLVM, or `None` after saying that it is missing.
fn tool(name: &str) -> Option<PathBuf> {
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let path = Path::new(&prefix).join("bin").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not installed", path.display());
    None
}

/// Runs a tool that looks for includes beside the file and in MLIR's headers; its standard output.
fn run(tool: &Path, flag: &str, file: &Path) -> Vec<u8> {
    let include = tool.ancestors().nth(2).expect("a tool lies in a folder of its prefix").join("include");
    let beside = file.parent().expect("a file lies in a folder");
    let mut command = Command::new(tool);
    command.arg(flag).arg("-I").arg(beside).arg("-I").arg(include).arg(file);
    let output = command.output().expect("the tool starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {flag} {}:\n{errors}", tool.display(), file.display());
    output.stdout
}

fn definition_files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "td"));
    files.sort();
    files
}

/// The dialects of the project: `dialects/*/*.td`.
fn dialects() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the folder of dialects");
    let entries = std::fs::read_dir(root).expect("the folder of dialects can be read");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders.iter().flat_map(|folder| definition_files_in(folder)).collect()
}

fn fixtures() -> Vec<PathBuf> {
    definition_files_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"))
}

#[test]
fn records_are_those_of_llvm_tblgen() {
    let Some(tblgen) = tool("llvm-tblgen") else { return };
    for file in fixtures().into_iter().chain(dialects()) {
        let source = Source::read(&file).unwrap_or_else(|error| panic!("{error}"));
        let ours = to_json(&source.records);
        let theirs = serde_json::from_slice(&run(&tblgen, "--dump-json", &file)).expect("the tool writes JSON");
        let own: Vec<&str> = source.own_records().map(|record| record.name.as_str()).collect();
        let differences = compare::differences(&ours, &theirs, &own);
        assert!(differences.is_empty(), "{}:\n{}", file.display(), differences.join("\n"));
    }
}

#[test]
fn dialects_are_accepted_by_mlir_tblgen() {
    let Some(tblgen) = tool("mlir-tblgen") else { return };
    for file in fixtures().into_iter().chain(dialects()) {
        let source = Source::read(&file).unwrap_or_else(|error| panic!("{error}"));
        if !source.own_records().any(|record| record.is_a("Dialect")) {
            continue;
        }
        let dialect = Dialect::read(&source).unwrap_or_else(|errors| panic!("{errors:#?}"));
        let page = String::from_utf8(run(&tblgen, "-gen-dialect-doc", &file)).expect("the page is UTF-8");
        for op in &dialect.ops {
            assert!(page.contains(&format!("### `{}`", op.name)), "{}: no {} in the page", file.display(), op.name);
        }
        // This one also judges the assembly formats.
        run(&tblgen, "-gen-op-defs", &file);
    }
}
