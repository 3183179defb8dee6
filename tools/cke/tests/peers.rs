//! llama.cpp as an outside witness: the same weights expanded to F32, F32 caches, greedy, five prompts.
//!
//! `make peers` makes its streams; without them the test says so and passes. At the first token that differs, the
//! peer's gap between its two best logits must be below 1e-3, so that rounding can explain it.

mod common;

use serde_json::Value;
use std::process::Command;

const GAP: f64 = 1e-3;

#[test]
fn greedy_tokens_equal_those_of_llama_cpp() {
    let streams = common::root().join("build/peers/llama_f32.jsonl");
    let (Some(model), Ok(lines)) = (common::model_path(), std::fs::read_to_string(&streams)) else {
        eprintln!("skipped: `make peers` makes the streams of llama.cpp");
        return;
    };
    let mut compared = 0;
    for line in lines.lines() {
        let peer: Value = serde_json::from_str(line).expect("a line of the peer");
        let ids =
            |key: &str| -> Vec<u64> { peer[key].as_array().into_iter().flatten().filter_map(Value::as_u64).collect() };
        let prompt = peer["prompt"].as_str().expect("a prompt");
        let output = Command::new(env!("CARGO_BIN_EXE_cke"))
            .arg("run")
            .arg(&model)
            .args(["-p", prompt, "-n", "24", "--greedy", "--ids"])
            .output()
            .expect("the tool runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("digits");
        let (before, after) = text.split_once("->").expect("prompt -> tokens");
        let numbers = |text: &str| text.split_whitespace().map(|id| id.parse().expect("an id")).collect::<Vec<u64>>();
        assert_eq!(numbers(before), ids("prompt_ids"), "{prompt}");
        let (ours, theirs) = (numbers(after), ids("ids"));
        assert_eq!(ours.len(), theirs.len(), "{prompt}");
        if let Some(step) = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs) {
            let gap = peer["gaps"][step].as_f64().expect("a gap for every step");
            assert!(gap < GAP, "{prompt}: step {step}: {} is not {}, gap {gap}", ours[step], theirs[step]);
        }
        compared += 1;
    }
    assert_eq!(compared, 5, "the peer ran five prompts");
}
