//! The tools as processes. Called with `TOY_TOOL`, this program is one of them; otherwise it runs the cases below, each of
//! which starts it again.

mod toy;

use std::{
    env,
    io::Write,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
};

use cke_mlir::tools;
use libtest_mimic::{Arguments, Failed, Trial};

const FUNCTION: &str = "func.func @f(%a: f32) -> f32 {\n  %0 = toy.add %a, %a : f32\n  return %0 : f32\n}\n";

/// What is wrong is the error.
type Case = fn() -> Result<(), String>;

fn main() -> ExitCode {
    let Ok(tool) = env::var("TOY_TOOL") else {
        let cases: &[(&str, Case)] = &[
            ("forms_are_equal", forms_are_equal),
            ("passes_are_flags_and_pipelines", passes_are_flags_and_pipelines),
            ("help_lists_passes_with_options", help_lists_passes_with_options),
            ("diagnostics_are_verified", diagnostics_are_verified),
            ("failures_have_exit_code_one", failures_have_exit_code_one),
            ("deep_nesting_is_an_error", deep_nesting_is_an_error),
            ("deep_bytecode_is_read", deep_bytecode_is_read),
            ("statistics_are_printed", statistics_are_printed),
            ("output_is_written_on_success_only", output_is_written_on_success_only),
            ("the_language_server_answers", the_language_server_answers),
        ];
        let trials = cases.iter().map(|(name, case)| Trial::test(*name, move || case().map_err(Failed::from)));
        return libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code();
    };
    toy::passes::register();
    let code = match tool.as_str() {
        "opt" => tools::opt_main("toy-opt", &toy::registry()),
        _ => tools::lsp_main(&toy::registry()),
    };
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}

/// What a tool did.
struct Run {
    code: Option<i32>,
    out: Vec<u8>,
    err: String,
}

impl Run {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// The output of a run that must succeed.
    fn good(self) -> Result<Vec<u8>, String> {
        if self.code == Some(0) {
            Ok(self.out)
        } else {
            Err(format!("exit {:?}\n{}{}", self.code, self.text(), self.err))
        }
    }

    /// The errors of a run that must fail in an orderly way.
    fn bad(self) -> Result<String, String> {
        if self.code == Some(1) {
            Ok(self.err)
        } else {
            Err(format!("exit {:?}\n{}{}", self.code, self.text(), self.err))
        }
    }
}

fn tool(name: &str, args: &[&str], input: impl AsRef<[u8]>) -> Result<Run, String> {
    let mut child = Command::new(env::current_exe().map_err(|error| error.to_string())?)
        .env("TOY_TOOL", name)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    // A tool that fails before it has read everything closes the pipe.
    let _ = stdin.write_all(input.as_ref());
    drop(stdin);
    let done = child.wait_with_output().map_err(|error| error.to_string())?;
    Ok(Run { code: done.status.code(), out: done.stdout, err: String::from_utf8_lossy(&done.stderr).into_owned() })
}

fn opt(args: &[&str], input: impl AsRef<[u8]>) -> Result<Run, String> {
    tool("opt", args, input)
}

fn contains(text: &str, parts: &[&str]) -> Result<(), String> {
    parts.iter().try_for_each(|part| if text.contains(part) { Ok(()) } else { Err(format!("no {part} in:\n{text}")) })
}

fn equal(left: &[u8], right: &[u8]) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{}\nis not\n{}", left.escape_ascii(), right.escape_ascii())) }
}

fn forms_are_equal() -> Result<(), String> {
    let custom = opt(&["--verify-roundtrip"], FUNCTION)?.good()?;
    let generic = opt(&["--mlir-print-op-generic"], FUNCTION)?.good()?;
    contains(&String::from_utf8_lossy(&generic), &["\"toy.add\"(%arg0, %arg0) : (f32, f32) -> f32"])?;
    equal(&opt(&[], generic)?.good()?, &custom)?;
    let bytecode = opt(&["--emit-bytecode"], FUNCTION)?.good()?;
    equal(&opt(&[], bytecode)?.good()?, &custom)
}

fn passes_are_flags_and_pipelines() -> Result<(), String> {
    let flag = opt(&["--toy-mark=mode=rtz", "--dump-pass-pipeline"], FUNCTION)?;
    contains(&flag.err, &["toy-mark{", "mode=rtz"])?;
    // After a line with the number of passes.
    let dumped: String = flag.err.lines().skip(1).map(str::trim).collect();
    let dump = flag.err.clone().into_bytes();
    let marked = flag.good()?;
    contains(&String::from_utf8_lossy(&marked), &["mode \"rtz\""])?;
    let again = opt(&[&format!("--pass-pipeline={dumped}"), "--dump-pass-pipeline"], FUNCTION)?;
    equal(again.err.as_bytes(), &dump)?;
    equal(&again.good()?, &marked)?;
    contains(&opt(&["--toy-all=mode=rtz"], FUNCTION)?.text(), &["arith.addf"])?;
    contains(
        &opt(&["--toy-lower", "--mlir-print-ir-after-all"], FUNCTION)?.err,
        &["IR Dump After toy-lower (toy-lower)"],
    )?;
    contains(&opt(&["--show-dialects"], "")?.text(), &["toy", "arith"])
}

fn help_lists_passes_with_options() -> Result<(), String> {
    let help = opt(&["--help"], "")?.text();
    contains(
        &help,
        &["toy-opt", "--toy-mark ", "gives every toy.add a mode", "--levels=", "--toy-all", "marks and lowers"],
    )
}

fn diagnostics_are_verified() -> Result<(), String> {
    let source = "\
func.func @f(%a: f32) {
  // expected-error @+1 {{'toy.add' op has the unknown mode 'up'}}
  %0 = toy.add %a, %a mode \"up\" : f32
  return
}

// -----

// expected-note @+1 {{at depth 4}}
module {
  func.func @f(%a: f32) {
    // expected-error @+2 {{has no mode}}
    // expected-note @+1 {{with [\"a\"] and []}}
    %0 = toy.add %a, %a : f32
    return
  }
}
";
    let args = ["--split-input-file", "--verify-diagnostics", "--toy-mark=strict=true"];
    opt(&args, source)?.good()?;
    contains(&opt(&args, source.replace("depth 4", "depth 5"))?.bad()?, &["unexpected note"])
}

fn failures_have_exit_code_one() -> Result<(), String> {
    contains(&opt(&["--toy-panic"], FUNCTION)?.bad()?, &["error: internal error: pass toy-panic panicked: oops"])?;
    contains(&opt(&["--toy-stale"], FUNCTION)?.bad()?, &["'toy.add' was erased but 'func.return' still uses it"])?;
    contains(&opt(&["--toy-mark=mode=up"], FUNCTION)?.bad()?, &["toy-mark: unknown mode 'up'"])?;
    contains(&opt(&["--toy-all=mode=none"], FUNCTION)?.bad()?, &["toy-all: the mode 'none' marks nothing"])?;
    contains(&opt(&[], "toy.panics")?.bad()?, &["<stdin>:1:1: error: internal error", "panicked: oops"])?;
    contains(
        &opt(&[], "toy.weight w")?.bad()?,
        &["<stdin>:1:12: error: custom op 'toy.weight' expected a symbol name"],
    )?;
    contains(&opt(&["no-such-file.mlir"], "")?.bad()?, &["cannot open input file 'no-such-file.mlir'"])
}

fn deep_nesting_is_an_error() -> Result<(), String> {
    let deep = "module {\n".repeat(100_000);
    contains(&opt(&[], deep)?.bad()?, &["<stdin>:257:8: error: nesting is deeper than 256 levels"])?;
    let fits = "module {\n".repeat(250) + &"}\n".repeat(250);
    opt(&["--verify-roundtrip", "--canonicalize"], fits)?.good().map(|_| ())
}

fn deep_bytecode_is_read() -> Result<(), String> {
    let fits = "module {\n".repeat(250) + &"}\n".repeat(250);
    let bytecode = opt(&["--emit-bytecode"], fits)?.good()?;
    opt(&[], bytecode)?.good().map(|_| ())
}

fn statistics_are_printed() -> Result<(), String> {
    let run = opt(&["--toy-mark", "--cke-pass-statistics"], FUNCTION)?;
    contains(&run.err, &["toy-mark", "1 num-marked", "operations given a mode"])?;
    run.good().map(|_| ())
}

fn output_is_written_on_success_only() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path: PathBuf = folder.path().join("out.mlir");
    let to = path.to_string_lossy().into_owned();
    opt(&["--toy-panic", "-o", &to], FUNCTION)?.bad()?;
    if path.exists() {
        return Err("a failure left its output".into());
    }
    opt(&["-o", &to], FUNCTION)?.good()?;
    contains(&std::fs::read_to_string(&path).map_err(|error| error.to_string())?, &["toy.add"])
}

fn the_language_server_answers() -> Result<(), String> {
    let requests = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1,"rootPath":"toy","capabilities":{},"trace":"off"}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"test:///a.mlir","languageId":"mlir","version":1,"text":"func.func @f(%a: i32) {\n%0 = toy.add %a, %a : i32\nreturn }"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ];
    let answers = tool("lsp", &["--lit-test"], requests.join("\n// -----\n") + "\n")?;
    let text = answers.text();
    answers.good()?;
    contains(&text, &["publishDiagnostics", "'toy.add' op operand #0 ('lhs') must be floating-point, but got 'i32'"])
}
