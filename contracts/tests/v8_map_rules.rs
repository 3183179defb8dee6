//! Routes, calls, memory and selections of kernel maps of the v8 generation, with every rule broken once.

mod v8_support;

use cke_contracts::fault::Code;
use cke_contracts::v8::read_maps;
use serde_json::{Value, json};
use v8_support::contracts::registry;
use v8_support::faults::{case, check, gone};
use v8_support::maps::{attention, edited, execution};

#[test]
fn choices_inside_a_provider_cover_every_call_once() {
    let route = |min: u64, max: Value, function: &str| json!({"min_tokens": min, "max_tokens": max, "query_tile_size": 64, "function": function});
    let tiling = |routes: Value| json!({"selection": "token_threshold", "numerical_effect": "none", "key_tile_size": 64, "routes": routes});
    let tiled = edited(
        &attention(),
        &[("/implementation/query_tiling", tiling(json!([route(1, json!(63), "a"), route(64, Value::Null, "b")])))],
    );
    let at = "/implementation/query_tiling/routes";
    check(
        &tiled,
        vec![
            case(
                [(at, json!([route(1, json!(62), "a"), route(64, Value::Null, "b")]))],
                Code::BadQueryTiling,
                "gap: expected min_tokens 63, found 64",
                "{",
            ),
            case(
                [(at, json!([route(1, json!(64), "a"), route(64, Value::Null, "b")]))],
                Code::BadQueryTiling,
                "overlap: expected min_tokens 65, found 64",
                "{",
            ),
            case(
                [(at, json!([route(2, json!(63), "a"), route(64, Value::Null, "b")]))],
                Code::BadQueryTiling,
                "gap: expected min_tokens 1, found 2",
                "{",
            ),
            case(
                [(at, json!([route(1, Value::Null, "a"), route(64, Value::Null, "b")]))],
                Code::BadQueryTiling,
                "has no end, but is not the last",
                "{",
            ),
            case(
                [(at, json!([route(1, json!(0), "a"), route(1, Value::Null, "b")]))],
                Code::BadQueryTiling,
                "max_tokens 0 is less than min_tokens 1",
                "{",
            ),
            case(
                [(at, json!([route(1, json!(63), "a"), route(64, Value::Null, "a")]))],
                Code::BadQueryTiling,
                "function 'a' has a route already",
                "{",
            ),
            case(
                [(at, json!([route(1, json!(63), "a"), route(64, json!(99), "b")]))],
                Code::BadQueryTiling,
                "the last route ends at 99",
                "{",
            ),
            case(
                [(at, json!([route(1, Value::Null, "a")]))],
                Code::BadQueryTiling,
                "expected at least two routes, found 1",
                "\"routes\"",
            ),
        ],
    );
}

#[test]
fn routes_end_in_a_fallback_and_agree_with_the_call() {
    let at = "/implementation/work_partition_routing";
    let routed = edited(
        &attention(),
        &[
            (
                at,
                json!({
                    "selection": "shape_threshold",
                    "numerical_effect": "none",
                    "dispatch_function": "attend",
                    "routes": [
                        {"id": "many", "work_partition": "kv_chunks_by_workers", "predicate": {"heads": 8, "min_rows": 512}},
                        {"id": "rest", "work_partition": "kv_chunks_by_workers", "predicate": {"fallback": true}},
                    ],
                }),
            ),
            (
                "/call_abi/params",
                json!([
                    {"name": "route_heads", "source": "const:8"},
                    {"name": "route_min_rows", "source": "const:512"},
                ]),
            ),
        ],
    );
    let path = |rest: &str| -> &'static str { Box::leak(format!("{at}{rest}").into_boxed_str()) };
    check(
        &routed,
        vec![
            case(
                [(path("/routes/1/predicate"), json!({"rows": 1}))],
                Code::BadRoute,
                "the last route is no fallback",
                "\"routes\"",
            ),
            case(
                [(path("/routes/0/predicate"), json!({"fallback": true}))],
                Code::BadRoute,
                "is the fallback, but not the last",
                "\"predicate\"",
            ),
            case(
                [(path("/routes/0/predicate/rows"), json!(9))],
                Code::BadRoute,
                "'rows' is bounded exactly and by a range",
                "\"predicate\"",
            ),
            case(
                [(path("/routes/0/predicate/max_rows"), json!(9))],
                Code::BadRoute,
                "min_rows 512 is greater than max_rows 9",
                "\"predicate\"",
            ),
            case(
                [(path("/routes/0/predicate/heads"), json!("8"))],
                Code::BadRoute,
                "'heads' must be an integer",
                "\"predicate\"",
            ),
            case(
                [(path("/routes/0/work_partition"), json!("output_tiles"))],
                Code::BadRoute,
                "does not have output_tiles",
                "{",
            ),
            case([(path("/routes/0/id"), json!("rest"))], Code::BadRoute, "route 'rest' is given twice", "{"),
            case(
                [(path("/dispatch_function"), json!("other"))],
                Code::BadRoute,
                "'other' is not 'attend' of impl",
                "\"dispatch_function\"",
            ),
            case(
                [("/call_abi/params/0/source", json!("const:9"))],
                Code::BadRoute,
                "argument 'route_heads' is 9, the route has 8",
                "\"source\"",
            ),
            case(
                [("/call_abi/params/0/name", json!("route_colour"))],
                Code::BadRoute,
                "repeats 'colour', which no route states",
                "\"source\"",
            ),
            case(
                [("/call_abi/params/1/source", json!("dim:rows"))],
                Code::BadRoute,
                "no argument repeats 'min_rows' of the route",
                "\"call_abi\"",
            ),
        ],
    );
    let policy =
        json!({"schema_version": 1, "policies": {"p": {"status": "candidate", "routes": [{"m": 4, "min_m": 2}]}}});
    check(
        &attention(),
        vec![case(
            [("/implementation/runtime_dispatch", policy)],
            Code::BadRoute,
            "'m' is bounded exactly and by a range",
            "{",
        )],
    );
}

#[test]
fn calls_pass_every_port_of_an_interface_once() {
    check(
        &execution(),
        vec![
            case([("/call_abi/version", json!(2))], Code::BadCallAbi, "must be 1, found 2", "\"version\""),
            case([("/call_abi/params/1/name", json!("x"))], Code::BadCallAbi, "argument 'x' is given twice", "{"),
            case(
                [("/call_abi/params/0/source", json!("ether:x"))],
                Code::BadCallAbi,
                "has an unknown namespace",
                "\"source\"",
            ),
            case([("/call_abi/params/0/source", json!("activation:"))], Code::BadCallAbi, "has no name", "\"source\""),
            case(
                [("/call_abi/params/0/source", json!("scratch_size:t"))],
                Code::BadCallAbi,
                "size of no declared scratch",
                "\"source\"",
            ),
            case(
                [("/call_abi/params/0/ports", json!(["input:z"]))],
                Code::BadInterface,
                "'input:z' is no port of the map",
                "\"ports\"",
            ),
            case(
                [("/call_abi/params/1/ports", json!(["input:x"]))],
                Code::BadInterface,
                "port 'input:x' is passed twice",
                "\"ports\"",
            ),
            case(
                [("/call_abi/params/0/source", json!("null"))],
                Code::BadInterface,
                "port 'input:x' is needed, but null",
                "\"ports\"",
            ),
            case(
                [("/call_abi/params/0/ports", gone())],
                Code::BadInterface,
                "port 'input:x' is passed by no argument",
                "\"inputs\"",
            ),
            case(
                [("/inputs/0/layout", gone())],
                Code::BadInterface,
                "port 'x' of an operation interface states no layout",
                "\"inputs\"",
            ),
            case(
                [("/outputs/0/alias_of", json!("z"))],
                Code::BadInterface,
                "is an alias of 'z', which is no input",
                "\"outputs\"",
            ),
            case(
                [("/outputs/0/alias_of", json!("x")), ("/outputs/0/dtype", json!("fp16"))],
                Code::BadInterface,
                "has not the type, shape and layout of 'x'",
                "\"outputs\"",
            ),
            case(
                [("/outputs/0/alias_of", json!("x"))],
                Code::BadInterface,
                "but another argument passes it",
                "\"outputs\"",
            ),
            case(
                [("/inputs/1", json!({"name": "x", "layout": "row_major"}))],
                Code::BadPort,
                "port 'x' is given twice",
                "\"inputs\"",
            ),
        ],
    );
}

#[test]
fn memory_can_be_had() {
    let preparation = json!({"function": "pack", "arguments": ["w"], "prepared_bytes": "E * 4", "max_total_bytes": 1024, "fallback": "norm_rows"});
    let prepared = edited(
        &execution(),
        &[
            ("/weight_preparation", preparation),
            ("/scratch", json!([{"name": "t", "alignment": 64, "size_bytes": "T * 4"}])),
        ],
    );
    check(
        &prepared,
        vec![
            case([("/scratch/0/alignment", json!(96))], Code::BadMemory, "96 is no power of two", "\"alignment\""),
            case(
                [("/scratch/0/alignment", json!(32))],
                Code::BadMemory,
                "32 is no power of two of at least 64",
                "\"alignment\"",
            ),
            case([("/scratch/0/size_bytes", json!("T; 4"))], Code::BadMemory, "';' has no place", "\"size_bytes\""),
            case(
                [("/weight_preparation/prepared_bytes", json!("Z * 4"))],
                Code::BadMemory,
                "'Z' is none of the map's dims",
                "\"prepared_bytes\"",
            ),
            case(
                [("/weight_preparation/prepared_bytes", json!("__import__[0]"))],
                Code::BadMemory,
                "'[' has no place",
                "\"prepared_bytes\"",
            ),
            case(
                [("/weight_preparation/max_total_bytes", json!(0))],
                Code::BadMemory,
                "between 1 and 2147483648, found 0",
                "\"max_total_bytes\"",
            ),
        ],
    );
}

#[test]
fn selections_name_a_group_and_an_order() {
    let selected = edited(
        &execution(),
        &[(
            "/selection",
            json!({"status": "production", "priority": 1, "equivalence_group": "norm.v1", "phases": ["decode"]}),
        )],
    );
    check(
        &selected,
        vec![
            case(
                [("/selection/equivalence_group", gone())],
                Code::BadSelection,
                "expected an equivalence_group",
                "\"selection\"",
            ),
            case([("/selection/phases", json!([]))], Code::BadSelection, "expected at least one phase", "\"phases\""),
            case([("/selection/phases", json!(["decode", "decode"]))], Code::BadSelection, "given twice", "\"phases\""),
            case([("/selection/status", json!("best"))], Code::Schema, "unknown variant `best`", "\"status\""),
            case([("/mode", json!("prefill"))], Code::BadSelection, "mode prefill is not among them", "\"phases\""),
        ],
    );
    let pair = |edits: &[(&'static str, Value)]| {
        let other = edited(&edited(&selected, &[("/id", json!("other_norm"))]), edits);
        let texts = [selected.to_string(), other.to_string()];
        read_maps(&[("one.json", &texts[0]), ("two.json", &texts[1])], &registry().contracts).map(drop)
    };
    let fault = pair(&[]).unwrap_err();
    assert_eq!(fault.code, Code::BadSelection);
    assert!(fault.message.ends_with("priority 1 is also that of 'norm_rows' in the group"), "{fault}");
    assert_eq!(fault.location.unwrap().file, "two.json");
    assert_eq!(pair(&[("/selection/priority", json!(2))]), Ok(()));
    assert_eq!(pair(&[("/selection/phases", json!(["prefill"]))]), Ok(()));
    assert_eq!(pair(&[("/selection/status", json!("deprecated"))]), Ok(()));
    let fault = pair(&[("/op", json!("layernorm"))]).unwrap_err();
    assert!(fault.message.contains("operation and contracts are not those of 'norm_rows'"), "{fault}");
}

#[test]
fn maps_of_one_interface_have_the_same_ports() {
    let other = edited(&execution(), &[("/id", json!("other_norm")), ("/inputs/0/dtype", json!("bf16"))]);
    let texts = [execution().to_string(), other.to_string()];
    let fault = read_maps(&[("one.json", &texts[0]), ("two.json", &texts[1])], &registry().contracts).unwrap_err();
    assert_eq!(fault.code, Code::BadInterface);
    assert!(fault.message.contains("is not the same in 'norm_rows', which implements it too"), "{fault}");
}

#[test]
fn ids_are_defined_once() {
    let text = execution().to_string();
    let fault = read_maps(&[("b.json", &text), ("a.json", &text)], &registry().contracts).unwrap_err();
    assert_eq!((fault.code, fault.notes), (Code::DuplicateId, vec!["also defined in a.json".to_owned()]));
    assert_eq!(fault.location.unwrap().file, "b.json");
}
