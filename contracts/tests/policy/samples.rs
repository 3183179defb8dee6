//! For every rule small sources that break it, and some that do not.

use std::collections::BTreeSet;

use serde_json::json;

use crate::data::Policy;
use crate::{policy, scan};

/// The names of the rules that a source breaks when it stands in a room of the compiler.
fn broken(source: &str) -> Vec<String> {
    broken_by(&[("passes/src/sample.rs", source)])
}

fn broken_by(sources: &[(&str, &str)]) -> Vec<String> {
    let policy = Policy { allowed: Vec::new(), ..policy() };
    let sources: Vec<_> = sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    rules_of(&policy.judge(&scan::rust(&sources).unwrap()))
}

fn rules_of(lines: &[String]) -> Vec<String> {
    let rule = |line: &String| line.split_once('[').unwrap().1.split_once(']').unwrap().0.to_owned();
    lines.iter().map(rule).collect::<BTreeSet<_>>().into_iter().collect()
}

#[track_caller]
fn breaks(rule: &str, sources: &[&str]) {
    for source in sources {
        assert_eq!(broken(source), [rule], "{source}");
    }
}

#[test]
fn model_names() {
    breaks(
        "model_names",
        &[
            r#"fn f(name: &str) -> bool { name == "qwen3vl" }"#,
            r#"fn f(name: &str) -> bool { name.starts_with("Gemma") }"#,
            r#"fn f() { println!("for whisper only"); }"#,
            r##"const A: &str = r#"a kimi"#;"##,
            r#"const A: &[u8] = b"deepseek2";"#,
            "fn nanbeige_scale() {}",
            "enum Kind { GlmFour, Other }",
            r#"#[serde(rename = "llama")] struct S;"#,
            r#"fn f(n: &str) -> u8 { match n { "minicpm" => 1, _ => 2 } }"#,
            r#"fn f(n: &str) -> bool { matches!(n, "mixtral" | "other") }"#,
            "table! { Qwen = 3; }",
        ],
    );
}

#[test]
fn a_name_in_parts_is_still_a_name() {
    breaks(
        "model_names",
        &[
            r#"const A: &str = "qw"; const B: &str = "en"; fn f(n: &str) -> bool { n == format!("{A}{B}") }"#,
            r#"fn f(n: &str) -> bool { let a = "lla"; let b = "ma"; n == [a, b].concat() }"#,
            r#"fn f(n: &str) -> bool { let a = "ki"; n == ["x", a].join("") + &[a, "mi"].join("") }"#,
            r#"fn f(n: &str) -> bool { n == concat!("gem", "ma") }"#,
            r#"fn f(n: &str) -> bool { let a = String::from("whis"); n == a + "per" }"#,
            r#"const A: &str = "gl"; fn f() { let alias = A; let other = alias; g(other.to_owned() + "m"); }"#,
            r#"fn f(x: u8) { let a = if x > 1 { "phi" } else { "psi" }; g(format!("{}{}-mini", a, 3)); }"#,
            r#"fn f() { g(format!("{head}{:>1}", "wen", head = "q")); }"#,
            r#"fn f(x: &str) { g(format!("{x}{0}{1}", "smol", "lm")); }"#,
            r#"impl S { const A: &'static str = "mis"; } fn f() { g(S::A.to_owned() + "tral"); }"#,
        ],
    );
    // The parts may be constants of different files.
    let parts = [
        ("contracts/src/one.rs", r#"pub const HEAD: &str = "qw";"#),
        ("dialects/two.rs", r#"pub static TAIL: &str = "en";"#),
        ("targets/llvm/src/three.rs", r#"fn f(n: &str) -> bool { n == format!("{}{}", one::HEAD, two::TAIL) }"#),
    ];
    assert_eq!(broken_by(&parts), ["model_names"]);
    assert!(broken_by(&parts[..2]).is_empty());
}

#[test]
fn dispatch_keys() {
    breaks(
        "dispatch_keys",
        &[
            r#"fn f(c: &Config) { c.get("model_type"); }"#,
            r#"const KEY: &str = "family";"#,
            r#"const A: &str = "model"; const B: &str = "_type"; fn f(c: &C) { c.get(&format!("{A}{B}")); }"#,
            "struct Selector { arch: String }",
            "fn f(model: &str) {}",
            "fn f(x: &X) { if x.architecture == y {} }",
        ],
    );
}

#[test]
fn fallbacks() {
    breaks(
        "fallbacks",
        &[
            "fn fallback() {}",
            "fn use_fallbacks() {}",
            "struct KernelFallback;",
            "fn f() { let fell_back = true; }",
            "fn find_kernel_for(op: &str) {}",
            r#"fn f() { g("similar-provider"); }"#,
            "use other::best_effort as rank;",
        ],
    );
}

#[test]
fn bypasses() {
    breaks(
        "bypasses",
        &[
            "struct Options { skip_verify: bool }",
            "fn f(bypass: bool) {}",
            r#"#[arg(long = "allow-unvalidated")] struct Options;"#,
            "fn ignore_digests() {}",
            r#"const FLAG: &str = "no-verify";"#,
        ],
    );
}

#[test]
fn environment() {
    breaks(
        "environment",
        &[
            r#"fn f() { std::env::var("CKE_X"); }"#,
            r#"use std::env::var_os as look; fn f() { look("CKE_X"); }"#,
            r#"use std::env::{self, vars}; fn f() { vars(); }"#,
            r#"use std::env; fn f() { env::var("A"); }"#,
            "fn f() { std::thread::available_parallelism(); }",
        ],
    );
}

#[test]
fn tolerances() {
    breaks(
        "tolerances",
        &[
            "const TOLERANCE: f32 = 1e-5;",
            "fn f(rtol: f64) {}",
            "fn f() { assert!(is_close_enough(a, b)); }",
            "fn f(a: &[f32]) -> bool { a.allclose(b) }",
            "struct Profile { cosine_min: f64 }",
            "use approx::Equal;",
        ],
    );
    breaks(
        "difference_gates",
        &[
            "fn f(a: f32, b: f32) -> bool { (a - b).abs() < 1e-5 }",
            "fn f(a: f32, b: f32) -> bool { LIMIT >= ((a - b)).abs() }",
            "fn f(a: u32, b: u32) -> bool { a.abs_diff(b) <= 1 }",
            "fn f() { assert!((a - b).abs() <= limit, \"far\"); }",
        ],
    );
}

#[test]
fn every_rule_has_samples() {
    for rule in policy().rules {
        assert!(include_str!("samples.rs").contains(&format!("\"{}\",", rule.name)), "rule '{}' has none", rule.name);
    }
}

#[test]
fn what_is_no_breach() {
    for source in [
        "// qwen has no fallback\nfn f() {}",
        "/// The tolerance of gemma.\nfn f() {}",
        "/* bypass */ fn f() {}",
        "#[cfg(test)] mod tests { fn fallback() {} }",
        "#[test] fn fallback() {}",
        r#"fn f() { fault("there is no fallback"); }"#,
        r#"fn f() { fault("the model of the family has no tolerance"); }"#,
        "fn f(x: f32) -> bool { x.abs() < 4.0 }",
        "fn models() {}",
        "fn f(n: &str, m: &str) -> String { format!(\"{n}{m}\") }",
    ] {
        assert!(broken(source).is_empty(), "{source}");
    }
    let elsewhere = [("runtime/src/a.rs", "fn f(model: &str) { std::env::var(\"X\"); }")];
    assert!(broken_by(&elsewhere).is_empty(), "a program is given a model and an environment");
}

#[test]
fn data_is_looked_at_too() {
    let policy = Policy { allowed: Vec::new(), ..policy() };
    let broken = |value| rules_of(&policy.judge(&scan::json("contracts/data/kernel_maps/sample.json", &value)));
    assert_eq!(broken(json!({"provides": {"model_type": ["x"]}})), ["dispatch_keys"]);
    assert_eq!(broken(json!({"when": [{"config_equals": {"arch": 1}}]})), ["dispatch_keys"]);
    assert_eq!(broken(json!({"notes": "made for Qwen"})), ["model_names"]);
    assert_eq!(broken(json!({"qwen": 1})), ["model_names"]);
    assert_eq!(broken(json!({"fallback": "q4_k"})), ["fallbacks"]);
    assert_eq!(broken(json!({"atol": 1e-5})), ["tolerances"]);
    assert_eq!(broken(json!({"lenient": true})), ["bypasses"]);
    assert!(broken(json!({"op": "linear", "notes": "no fallback, no tolerance"})).is_empty());
}

/// A policy with one rule and one exception.
fn small(tokens: serde_json::Value, reason: &str) -> Result<Policy, String> {
    let policy = json!({
        "schema": "cke.source_policy", "schema_version": 1, "rooms": {"all": ["src"]},
        "rules": [{"name": "r", "why": "w", "rooms": ["all"], "looks_at": ["identifier"], "match": "word", "words": ["bad"]}],
        "allowed": [{"rule": "r", "path": "src/a.rs", "tokens": tokens, "reason": reason}],
    });
    Policy::parse("policy.json", &policy.to_string())
}

#[test]
fn an_exception_covers_its_place_only() {
    let judge = |policy: &Policy, path: &str| {
        policy.judge(&scan::rust(&[(path.to_owned(), "fn bad_one() {}".to_owned())]).unwrap())
    };
    assert!(judge(&small(json!([]), "because").unwrap(), "src/a.rs").is_empty());
    assert!(judge(&small(json!(["bad_one"]), "because").unwrap(), "src/a.rs").is_empty());
    // Elsewhere it excuses nothing: the breach is reported, and so is the exception.
    assert_eq!(judge(&small(json!([]), "because").unwrap(), "src/b.rs").len(), 2);
    assert_eq!(
        judge(&small(json!(["bad_one", "bad_two"]), "because").unwrap(), "src/a.rs"),
        ["allowed[0]: 'src/a.rs' does not break rule 'r' with 'bad_two': remove the entry"]
    );
    assert!(small(json!([]), " ").unwrap_err().contains("for no reason"));
}
