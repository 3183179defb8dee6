//! The command line: what it prints, and how it refuses.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

fn cke(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cke")).args(arguments).output().expect("the tool runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Exit 1 with a message that holds every part, and neither a panic nor output.
fn refuses(arguments: &[&str], parts: &[&str]) {
    let output = cke(arguments);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: expected '{part}' in: {error}");
    }
    assert!(!error.contains("panicked"), "{error}");
}

#[test]
fn the_same_tokens_for_any_number_of_threads() {
    let Some(model) = common::model_path() else { return };
    let model = model.to_str().expect("a plain path");
    let run = |threads: &str| {
        let output = cke(&[
            "run",
            model,
            "-p",
            "The capital of France is",
            "-n",
            "24",
            "--greedy",
            "--ids",
            "--threads",
            threads,
        ]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let (one, summary) = run("1");
    let (two, _) = run("2");
    assert_eq!(one, two);
    assert!(one.starts_with("504 3575 282 4649 314 -> 7042 30 198 198 504 2988 "), "{one}");
    for part in ["linear_fp32_ascending_k_fma", "cke_attention_fp32", "tokens/s", "ledger sha256:"] {
        assert!(summary.contains(part), "{summary}");
    }
}

#[test]
fn the_sampler_is_a_function_of_its_seed() {
    let Some(model) = common::model_path() else { return };
    let model = model.to_str().expect("a plain path");
    let run = |seed: &str| {
        let output = cke(&["run", model, "-p", "Once", "-n", "8", "--temperature", "0.9", "--seed", seed, "--ids"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn production_accepts_what_has_records_and_nothing_else() {
    let Some(model) = common::model_path() else { return };
    let model = model.to_str().expect("a plain path");
    let object = tempfile::NamedTempFile::new().expect("a temporary file");
    let object = object.path().to_str().expect("a plain path");
    let compile = |isa| ["compile", model, "-o", object, "--context", "64", "--mode", "production", "--isa", isa];
    let compiled = cke(&compile("x86-64-v3"));
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    refuses(&compile("aarch64"), &["[CKE-C008]", "instruction set aarch64", "x86-64-v3, x86-64-v4"]);
}

#[test]
fn bad_requests_are_refused_with_a_reason() {
    refuses(&["run", "no/such/file.gguf", "-p", "x"], &["no/such/file.gguf", "CKE-W001"]);
    refuses(&["explain", "CKE-Z999"], &["'CKE-Z999' is no fault code"]);
    let mut file = tempfile::Builder::new().suffix(".gguf").tempfile().expect("a temporary file");
    file.write_all(b"GGUF\x03\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0\0\0\0\0").expect("written");
    refuses(&["run", file.path().to_str().expect("a plain path"), "-p", "x"], &["byte 8", "CKE-W003"]);
    let Some(model) = common::model_path() else { return };
    let model = model.to_str().expect("a plain path");
    refuses(&["run", model, "-p", "x", "--context", "9000"], &["CKE-C042", "more positions than the model"]);
    refuses(&["run", model, "-p", "x", "--isa", "riscv"], &["unknown instruction set 'riscv'"]);
    refuses(&["run", model, "-p", "x", "--threads", "1000"], &["CKE-R005"]);
    refuses(&["run", model, "-p", ""], &["CKE-R004"]);
}

#[test]
fn usage_errors_exit_with_two() {
    assert_eq!(cke(&["run"]).status.code(), Some(2));
    assert_eq!(cke(&["fly"]).status.code(), Some(2));
}

#[test]
fn every_code_has_a_page() {
    let list = text(&cke(&["explain"]).stdout);
    for code in ["CKE-C002", "CKE-L001", "CKE-R001", "CKE-W001"] {
        assert!(list.contains(code), "{list}");
        let page = cke(&["explain", code]);
        assert!(page.status.success() && text(&page.stdout).starts_with(code));
    }
}

#[test]
fn a_module_that_does_not_parse_is_located() {
    let mut file = tempfile::Builder::new().suffix(".mlir").tempfile().expect("a temporary file");
    file.write_all(b"module {\n  graph.nope\n}\n").expect("written");
    let path = file.path().to_str().expect("a plain path");
    refuses(&["compile", path, "-o", "unused.o"], &[&format!("{path}:2:3: error:"), "graph.nope"]);
    assert!(!Path::new("unused.o").exists());
}

#[test]
fn an_operation_is_explained_in_a_file_only() {
    refuses(&["explain", "--in", "absent.mlir"], &["--in needs the name of an operation"]);
    refuses(&["explain", "x", "--in", "absent.mlir"], &["absent.mlir: error: cannot be read"]);
}
