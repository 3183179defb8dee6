//! The command line: what is written where, and the exit status.

use std::path::Path;
use std::process::{Command, Output};

const DIALECT: &str = r#"include "mlir/IR/OpBase.td"
def Tiny_Dialect : Dialect { let name = "tiny"; }
def Tiny_NopOp : Op<Tiny_Dialect, "nop"> { let assemblyFormat = "attr-dict"; }
"#;

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cke-tblgen"));
    let Output { status, stdout, stderr } = command.current_dir(folder).args(arguments).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    (status.code().expect("it is not killed"), text(stdout), text(stderr))
}

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("Tiny.td"), text).expect("the definition can be written");
    folder
}

#[test]
fn rust_is_written_by_default() {
    let folder = folder_with(DIALECT);
    let (status, out, errors) = run(folder.path(), &["Tiny.td"]);
    assert_eq!((status, errors.as_str()), (0, ""));
    assert!(out.starts_with("// Made from Tiny.td by cke-tablegen."), "{out}");
    assert!(out.contains("pub struct NopOp<'a>(ir::Op<'a>);"), "{out}");
    let (status, to_stdout, _) = run(folder.path(), &["Tiny.td", "--emit=rust", "-o", "tiny.rs"]);
    assert_eq!((status, to_stdout.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(folder.path().join("tiny.rs")).expect("the output exists"), out);
}

#[test]
fn records_are_json() {
    let folder = folder_with(DIALECT);
    let (status, out, errors) = run(folder.path(), &["Tiny.td", "--emit=records"]);
    assert_eq!((status, errors.as_str()), (0, ""));
    let records: serde_json::Value = serde_json::from_str(&out).expect("the output is JSON");
    assert_eq!(records["Tiny_NopOp"]["opName"], "nop");
    assert_eq!(records["!instanceof"]["Op"], serde_json::json!(["Tiny_NopOp"]));
}

#[test]
fn a_sound_definition_passes_the_check_in_silence() {
    assert_eq!(run(folder_with(DIALECT).path(), &["Tiny.td", "--emit=check"]), (0, String::new(), String::new()));
}

#[test]
fn errors_of_the_definition_exit_with_one() {
    let folder = folder_with(&DIALECT.replace("attr-dict", "$x"));
    let error = "Tiny.td:3:66: error: 'tiny.nop' has no operand, attribute or region 'x'\n";
    for emit in ["--emit=rust", "--emit=check"] {
        assert_eq!(run(folder.path(), &["Tiny.td", emit]), (1, String::new(), error.into()));
    }
}

#[test]
fn what_cannot_be_read_or_understood_exits_with_two() {
    let folder = folder_with(DIALECT);
    let (status, _, errors) = run(folder.path(), &["Missing.td"]);
    assert_eq!(status, 2);
    assert!(errors.starts_with("Missing.td: error: "), "{errors}");
    assert_eq!(run(folder.path(), &["Tiny.td", "--emit=nothing"]).0, 2);
    assert_eq!(run(folder.path(), &["Tiny.td", "-o", "missing/tiny.rs"]).0, 2);
}
