//! Programs survive JSON, and malformed ones are refused with the rule they break.

use crate::support::{add_rope_table, add_weight, program};
use cke_runtime::fault::Code;
use cke_runtime::program::{Arg, ArgValue, ContractDefinition, Invoke, Program, Step};
use std::collections::BTreeMap;

fn arg(name: &str, offset: u64, bytes: u64) -> Arg {
    Arg { name: name.to_owned(), value: ArgValue::Offset(offset), layout: "row_major".to_owned(), bytes }
}

fn extent(name: &str, value: ArgValue) -> Arg {
    Arg { name: name.to_owned(), value, layout: String::new(), bytes: 0 }
}

/// A valid program with one weight, one table and one step.
fn full() -> Program {
    let mut program = program();
    add_weight(&mut program, "w", "q8_0", "expand_fp32_panels_n32", &[40, 32]);
    add_rope_table(&mut program, 1.0e5, 4, 20);
    let args = vec![
        arg("x", 2048, 1024),
        Arg { layout: "panels_n32".to_owned(), ..arg("w", 4096, 64 * 32 * 4) },
        arg("y", 64, 160),
        Arg { layout: "k_blocks_t16".to_owned(), ..arg("k_cache", 320, 768) },
        extent("rows", ArgValue::Rows),
        extent("position", ArgValue::Position),
    ];
    program.contracts.insert("c".to_owned(), ContractDefinition::Execution(serde_json::json!({})));
    program.providers.insert("p".to_owned(), serde_json::json!({}));
    let invoke = Invoke {
        instance: "decode/output".to_owned(),
        symbol: "cke_logits_fp32.0".to_owned(),
        op: "logits".to_owned(),
        contract: "c".to_owned(),
        provider: "p".to_owned(),
        function: "cke_logits_fp32".to_owned(),
        shape: BTreeMap::from([("k".to_owned(), 32), ("n".to_owned(), 40)]),
        params: BTreeMap::from([("eps".to_owned(), 1.0e-5)]),
        args,
    };
    program.entries[1].steps = vec![Step::Barrier, Step::Invoke(Box::new(invoke))];
    program
}

fn invoke(program: &mut Program) -> &mut Invoke {
    match &mut program.entries[1].steps[1] {
        Step::Invoke(invoke) => invoke,
        Step::Barrier => unreachable!("the second step is the call"),
    }
}

#[test]
fn a_program_survives_json() {
    let program = full();
    program.validate().unwrap();
    let text = serde_json::to_string_pretty(&program).unwrap();
    assert_eq!(serde_json::from_str::<Program>(&text).unwrap(), program);
    for part in ["\"barrier\"", "\"invoke\": {", "\"offset\": 2048", "\"value\": \"rows\"", "\"kind\": \"execution\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let origin = serde_json::to_value(&program.weights[1].origin).unwrap();
    let expected = serde_json::json!(
        {"function": "rope_table_fp64_series", "base": 1.0e5, "rotary_dim": 4, "positions": 20}
    );
    assert_eq!(origin, expected);
}

#[test]
fn unknown_fields_are_refused() {
    let mut value = serde_json::to_value(full()).unwrap();
    value["weights"][1]["origin"]["more"] = 1.into();
    assert!(serde_json::from_value::<Program>(value).unwrap_err().to_string().contains("unknown field `more`"));
    let mut value = serde_json::to_value(full()).unwrap();
    value["more"] = 1.into();
    assert!(serde_json::from_value::<Program>(value).unwrap_err().to_string().contains("unknown field `more`"));
}

type Damage = (&'static str, fn(&mut Program));

#[test]
fn malformed_programs_are_refused_with_the_rule() {
    let cases: [Damage; 24] = [
        ("max_rows is 0, expected 1 to 2147483647", |p| p.max_rows = 0),
        ("vocab is 18446744073709551615", |p| p.vocab = u64::MAX),
        ("'io.logits' starts at 68, expected a multiple of 64", |p| p.io.logits = 68),
        ("'arena' takes 2048 bytes from 18446744073709551552 on", |p| p.arena.offset = u64::MAX - 63),
        ("'rope_table' takes 320 bytes from 12288 on, the state block has 12600", |p| p.state_bytes = 12_600),
        ("'cache' and 'w' share bytes from 1024", |p| p.weights[0].offset = 1024),
        ("'w' and 'rope_table' both start at 4096", |p| p.weights[1].offset = 4096),
        ("'io.logits' and 'io.next_token' share bytes from 256", |p| p.vocab = 50),
        ("'w' takes 8192 bytes, expected 12288 for [65, 32] in panels_n32", |p| p.weights[0].dims[0] = 65),
        ("'w': unknown layout 'columns'", |p| p.weights[0].layout = "columns".to_owned()),
        ("'w': layout panels_n32 takes 2 dimensions, found 1", |p| p.weights[0].dims = vec![2048]),
        ("'cache': dimensions [4294967296, 4294967296, 3] have too many elements", |p| {
            p.states[0].dims = vec![1 << 32, 1 << 32, 3];
        }),
        ("two buffers are called 'cache'", |p| p.weights[0].name = "cache".to_owned()),
        ("two entries are called 'prefill'", |p| p.entries[1].name = "prefill".to_owned()),
        ("entry 'decode' step 1 ('decode/output'): contract 'c' is not defined", |p| p.contracts.clear()),
        ("provider 'q' is not defined", |p| invoke(p).provider = "q".to_owned()),
        ("argument 'x' takes 1024 bytes from 1024 on, which lie in no one buffer", |p| {
            invoke(p).args[0] = arg("x", 1024, 1024);
        }),
        ("argument 'x' takes 2049 bytes from 2048 on, which lie in no one buffer", |p| invoke(p).args[0].bytes = 2049),
        ("argument 'x' takes 18446744073709551615 bytes from 2048 on", |p| invoke(p).args[0].bytes = u64::MAX),
        ("argument 'x' takes 0 bytes from 2048 on, expected at least 1", |p| invoke(p).args[0].bytes = 0),
        ("argument 'x' takes 4 bytes from 2052 on, expected at least 1 from a multiple of 64", |p| {
            invoke(p).args[0] = arg("x", 2052, 4);
        }),
        ("argument 'w' takes 'w' at 4096 as row_major, expected the whole of it at 4096 as panels_n32", |p| {
            invoke(p).args[1].layout = "row_major".to_owned();
        }),
        ("argument 'y' takes 'io.logits' at 128 as row_major, expected the whole of it at 64", |p| {
            invoke(p).args[2] = arg("y", 128, 4);
        }),
        ("argument 'rows' is a run-time extent with a layout or bytes", |p| invoke(p).args[4].bytes = 8),
    ];
    for (rule, damage) in cases {
        let mut program = full();
        damage(&mut program);
        let fault = program.validate().unwrap_err();
        assert_eq!(fault.code, Code::ProgramMalformed);
        assert!(fault.message.contains(rule), "expected '{rule}', found '{fault}'");
    }
}

#[test]
fn runs_beyond_the_limits_are_refused() {
    let program = program();
    let state = cke_runtime::state::StateBlock::new(program.state_bytes).unwrap();
    let small = cke_runtime::state::StateBlock::new(program.state_bytes - 1).unwrap();
    assert!(program.check_run("decode", &state, 8, 12, 4).is_ok());
    let text = |outcome: Result<_, cke_runtime::fault::Fault>| outcome.map(drop).unwrap_err().message;
    assert_eq!(text(program.check_run("encode", &state, 1, 0, 1)), "the program has no entry 'encode'");
    assert_eq!(text(program.check_run("decode", &state, 0, 0, 1)), "0 rows, expected 1 to 8");
    assert_eq!(text(program.check_run("decode", &state, 9, 0, 1)), "9 rows, expected 1 to 8");
    assert_eq!(text(program.check_run("decode", &state, 8, 13, 1)), "21 positions, expected 1 to 20");
    assert!(text(program.check_run("decode", &state, 1, usize::MAX, 1)).ends_with("positions, expected 1 to 20"));
    assert_eq!(text(program.check_run("decode", &state, 1, 0, 5)), "5 threads, expected 1 to 4");
    assert_eq!(text(program.check_run("decode", &small, 1, 0, 1)), "a state block of 4095 bytes, expected 4096");
}
