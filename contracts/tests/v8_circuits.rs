//! Circuits of the v8 generation: the rules of the files, and what their plans ask for.

mod v8_support;

use cke_contracts::circuit::Fact;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::vocabulary::{Phase, TensorStorage};
use cke_contracts::resolve::{Mode, Rejection};
use cke_contracts::v8::{Circuit, Facts, FreeForm, Manifest, Plan, classify, facts, plan, read_maps};
use serde_json::{Value, json};
use v8_support::contracts;
use v8_support::maps::{attention, edited, map};

/// Two layers' worth of operations; the product down is governed layer by layer.
fn circuit() -> Value {
    let down = |contract: &str, dtype: &str| {
        json!({
            "op": "gemm",
            "template_ops": ["mlp_down"],
            "phases": {"decode": {"contract_id": contract, "validation": "validated", "evidence": "t"}},
            "selector": {"config_equals": {"quant_summary.layer.{layer}.w2": dtype}},
        })
    };
    json!({
        "version": 1,
        "name": "small",
        "required_contracts": {
            "decoder.attention": {
                "op": "attention",
                "template_ops": ["attn"],
                "phases": {"decode": {
                    "requires": {
                        "execution.phase": "decode",
                        "tensor.q.dtype": "fp32",
                        "tensor.kv.dtype": "fp32",
                        "tensor.layout": "head_major",
                        "numerics.attention_reduction": "rows_in_chunks_fp32",
                    },
                    "validation": "observed",
                    "evidence": "t",
                }},
            },
        },
        "required_numerical_contracts": {
            "decoder.down.q4": down("down_product_q4", "q4_k"),
            "decoder.down.q6": down("down_product_q6", "q6_k"),
        },
        "weight_policy": {"op_bindings": [
            {"section": "body", "op": "mlp_down", "weights": ["w2", "b2"], "required": false},
        ]},
        "sequence": ["decoder"],
        "block_types": {"decoder": {
            "sequence": ["header", "body", "footer"],
            "header": ["embedding"],
            "body": {"type": "dense", "ops": ["attn", {"id": "down", "op": "mlp_down"}]},
            "footer": ["logits"],
        }},
    })
}

/// A model of 40 layers, of which three store the weight of the product down as `odd`.
fn manifest(odd: &str) -> Manifest {
    let entry = |layer: u64| {
        let dtype = if layer >= 37 { odd } else { "q4_k" };
        [
            json!({"name": format!("layer.{layer}.w2"), "dtype": dtype, "file_offset": layer * 20, "size": 10}),
            json!({"name": format!("layer.{layer}.b2"), "dtype": "fp32", "file_offset": layer * 20 + 10, "size": 10}),
        ]
    };
    let manifest = json!({"entries": (0..40).flat_map(entry).collect::<Vec<_>>()});
    Manifest::read("manifest.json", &manifest.to_string()).unwrap()
}

fn maps() -> Vec<Value> {
    vec![
        attention(),
        map("product_q4", "gemm", "down_product_q4", "q4_k"),
        map("product_q6", "gemm", "down_product_q6", "q6_k"),
    ]
}

fn plan_with(circuit: &Value, maps: &[Value], config: &Facts, manifest: Option<&Manifest>) -> Result<Plan, Fault> {
    let circuit = Circuit::read("circuit.json", &circuit.to_string())?;
    let registry = contracts::registry();
    let texts: Vec<_> = maps.iter().map(|map| (format!("{}.json", map["id"]), map.to_string())).collect();
    let files: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let maps = read_maps(&files, &registry.contracts)?;
    plan(&circuit, &registry.with_maps(maps)?, config, manifest)
}

fn refused(edits: &[(&'static str, Value)]) -> Fault {
    plan_with(&edited(&circuit(), edits), &maps(), &Facts::new(), Some(&manifest("q6_k"))).unwrap_err()
}

#[test]
fn regression_22_layers_stored_otherwise_have_their_own_provider_or_none() {
    let manifest_q6 = manifest("q6_k");
    let plan = plan_with(&circuit(), &maps(), &Facts::new(), Some(&manifest_q6)).unwrap();
    let of = |operation: &str| {
        let entries = plan.entries_of(operation, Phase::Decode).unwrap();
        assert_eq!(entries.len(), 1);
        (entries[0].layers.iter().copied().collect::<Vec<_>>(), entries[0].outcome.as_ref().unwrap().provider.clone())
    };
    assert_eq!(of("decoder.down.q4"), ((0..37).collect(), "product_q4".to_owned()));
    assert_eq!(of("decoder.down.q6"), (vec![37, 38, 39], "product_q6".to_owned()));

    // Governed by one contract for all layers, the three do not get the provider of the others.
    let everywhere = edited(
        &circuit(),
        &[
            ("/required_numerical_contracts/decoder.down.q6", Value::Null),
            ("/required_numerical_contracts/decoder.down.q4/selector", Value::Null),
        ],
    );
    let plan = plan_with(&everywhere, &maps(), &Facts::new(), Some(&manifest_q6)).unwrap();
    let entries = plan.entries_of("decoder.down.q4", Phase::Decode).unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].request.instance, "decode/decoder.down.q4/weight=q4_k");
    assert_eq!(entries[0].outcome.as_ref().unwrap().provider, "product_q4");
    assert_eq!(entries[1].layers.iter().copied().collect::<Vec<_>>(), [37, 38, 39]);
    let fault = entries[1].outcome.as_ref().unwrap_err();
    assert_eq!(fault.code, Code::NoProvider);
    let candidate = fault.candidates.iter().find(|candidate| candidate.provider == "product_q4").unwrap();
    assert!(matches!(candidate.rejections.as_slice(), [Rejection::Storage { wanted: TensorStorage::Q6K, .. }]));

    // A storage no requirement speaks of leaves its layers ungoverned, which is seen.
    let plan = plan_with(&circuit(), &maps(), &Facts::new(), Some(&manifest("q5_k"))).unwrap();
    assert!(plan.ungoverned.iter().any(|op| op.op == "mlp_down"));
    assert!(plan.entries_of("decoder.down.q6", Phase::Decode).is_err());
}

#[test]
fn regression_22_the_tuple_of_several_weights_counts() {
    let circuit = edited(
        &circuit(),
        &[
            ("/required_numerical_contracts/decoder.down.q6", Value::Null),
            ("/required_numerical_contracts/decoder.down.q4/selector", Value::Null),
            ("/weight_policy/op_bindings/0/weights", json!(["gate", "down"])),
        ],
    );
    let fused = |id: &str, down: &str| {
        let weights = json!([{"name": "gate", "dtype": "q4_k"}, {"name": "down", "dtype": down}]);
        edited(&map(id, "gemm", "down_product_q4", "q4_k"), &[("/weights", weights)])
    };
    let entry = |layer: u64, down: &str| {
        [
            json!({"name": format!("layer.{layer}.gate"), "dtype": "q4_k", "file_offset": layer * 20, "size": 10}),
            json!({"name": format!("layer.{layer}.down"), "dtype": down, "file_offset": layer * 20 + 10, "size": 10}),
        ]
    };
    let entries: Vec<_> = [entry(0, "q4_k"), entry(1, "q6_k"), entry(2, "q5_k")].into_iter().flatten().collect();
    let manifest = Manifest::read("m.json", &json!({"entries": entries}).to_string()).unwrap();
    let maps = [attention(), fused("fused_q4_q4", "q4_k"), fused("fused_q4_q6", "q6_k")];
    let plan = plan_with(&circuit, &maps, &Facts::new(), Some(&manifest)).unwrap();
    let answer = |layer: u32| {
        let entry =
            plan.entries.iter().find(|e| e.operation == "decoder.down.q4" && e.layers.contains(&layer)).unwrap();
        entry.outcome.as_ref().map(|decision| decision.provider.as_str()).map_err(|fault| fault.code)
    };
    assert_eq!(answer(0), Ok("fused_q4_q4"));
    assert_eq!(answer(1), Ok("fused_q4_q6"));
    assert_eq!(answer(2), Err(Code::NoProvider));
}

#[test]
fn regression_21_a_provider_serves_its_phases_only() {
    let select = |phases: Value, priority: i64| json!({"status": "production", "priority": priority, "equivalence_group": "product.v1", "phases": phases});
    // The tiled provider goes first wherever it may serve.
    let tiled = edited(
        &map("product_tiled", "gemm", "down_product_q4", "q4_k"),
        &[("/selection", select(json!(["prefill"]), 9))],
    );
    let row = edited(
        &map("product_row", "gemm", "down_product_q4", "q4_k"),
        &[("/selection", select(json!(["prefill", "decode"]), 1))],
    );
    let demand = json!({"contract_id": "down_product_q4", "validation": "validated", "evidence": "t"});
    let circuit = edited(
        &circuit(),
        &[
            ("/required_numerical_contracts/decoder.down.q6", Value::Null),
            ("/required_numerical_contracts/decoder.down.q4/selector", Value::Null),
            ("/required_numerical_contracts/decoder.down.q4/phases", json!({"prefill": demand, "decode": demand})),
        ],
    );
    let answer = |maps: &[Value], phase: Phase| {
        let plan = plan_with(&circuit, maps, &Facts::new(), None).unwrap();
        let entries = plan.entries_of("decoder.down.q4", phase).unwrap();
        entries[0].outcome.as_ref().map(|decision| decision.provider.clone()).map_err(|fault| fault.code)
    };
    let both = [attention(), tiled.clone(), row];
    assert_eq!(answer(&both, Phase::Prefill), Ok("product_tiled".to_owned()));
    assert_eq!(answer(&both, Phase::Decode), Ok("product_row".to_owned()));
    assert_eq!(answer(&[attention(), tiled], Phase::Decode), Err(Code::NoProvider));
}

#[test]
fn regression_24_a_new_map_of_another_group_takes_no_route() {
    let gelu = |id: &str, contract: &str, group: &str, status: &str, priority: i64| {
        let selection = json!({"status": status, "priority": priority, "equivalence_group": group});
        edited(&map(id, "gelu", contract, "none"), &[("/selection", selection)])
    };
    let circuit = edited(
        &circuit(),
        &[(
            "/required_numerical_contracts",
            json!({"decoder.gelu": {
                "op": "gelu",
                "template_ops": ["mlp_down"],
                "phases": {"decode": {"contract_id": "gelu_table_lookup", "validation": "validated", "evidence": "t"}},
            }}),
        )],
    );
    let answer = |new: Value| {
        let old = gelu("gelu_table", "gelu_table_lookup", "gelu.table.v1", "production", 1);
        let plan = plan_with(&circuit, &[attention(), old, new], &Facts::new(), None).unwrap();
        let entries = plan.entries_of("decoder.gelu", Phase::Decode).unwrap();
        entries[0].outcome.as_ref().map(|decision| decision.provider.clone()).map_err(|fault| fault.code)
    };
    let kept = Ok("gelu_table".to_owned());
    // Another meaning, in production and with the greatest priority: not even looked at.
    assert_eq!(answer(gelu("gelu_new", "gelu_tanh_formula", "gelu.tanh.v1", "production", 99)), kept);
    // The same meaning as a candidate of the group: ranked after what is in production.
    assert_eq!(answer(gelu("gelu_new", "gelu_table_lookup", "gelu.table.v1", "candidate", 99)), kept);
    // The same claim in another group: nothing ranks them, so nothing is taken.
    assert_eq!(
        answer(gelu("gelu_new", "gelu_table_lookup", "gelu.other.v1", "production", 99)),
        Err(Code::SeveralProviders)
    );
}

#[test]
fn rules_of_circuits() {
    let read = |edits: &[(&'static str, Value)]| {
        let text = serde_json::to_string_pretty(&edited(&circuit(), edits)).unwrap();
        let fault = Circuit::read("circuit.json", &text).unwrap_err();
        let place = fault.location.clone().unwrap();
        (fault.code, fault.message, text.lines().nth(place.line as usize - 1).unwrap().trim().to_owned())
    };
    let q4 = "/required_numerical_contracts/decoder.down.q4";
    let at = |rest: &str| -> &'static str { Box::leak(format!("{q4}{rest}").into_boxed_str()) };
    let checkpoint = |id: &str, producer: &str| json!({"id": id, "producer": producer, "logical_layout": "token_major", "axis_names": ["token"]});
    for (edits, code, message, line) in [
        (vec![(at("/selector"), json!({}))], Code::EmptySelector, "expected at least one predicate", "\"selector\""),
        (
            vec![(at("/selector"), json!({"model_equals": {"a": 1}}))],
            Code::Schema,
            "unknown field `model_equals`",
            "\"model_equals\"",
        ),
        (
            vec![(at("/template_ops"), json!(["mlp_up"]))],
            Code::RequirementUnused,
            "template_ops (mlp_up) is in a block",
            "\"decoder.down.q4\"",
        ),
        (vec![(at("/phases"), json!({}))], Code::BadRequirement, "expected at least one phase", "\"phases\""),
        (
            vec![(at("/phases/backward"), json!({"contract_id": "a_b", "validation": "observed", "evidence": ""}))],
            Code::BadRequirement,
            "'backward' is none of",
            "\"backward\"",
        ),
        (
            vec![(at("/phases/decode/contract_id"), json!("Fast"))],
            Code::AmbiguousId,
            "'Fast' is ambiguous",
            "\"contract_id\"",
        ),
        (vec![(at("/phases/decode/validation"), json!("sure"))], Code::Schema, "unknown variant `sure`", "\"phases\""),
        (
            vec![(at("/checkpoint"), checkpoint("x.{L}.y", "mlp_down"))],
            Code::BadCheckpoint,
            "another placeholder",
            "\"id\"",
        ),
        (
            vec![(at("/checkpoint"), checkpoint("x.{layer}.y", "attn"))],
            Code::BadCheckpoint,
            "'attn' is none of the requirement's mlp_down",
            "\"producer\"",
        ),
        (
            vec![("/required_contracts/decoder.attention/phases/decode/requires/execution.phase", json!("prefill"))],
            Code::BadRequirement,
            "execution.phase is prefill",
            "\"requires\"",
        ),
        (
            vec![(
                "/required_contracts/decoder.attention/phases/decode/requires/numerics.attention_reduction",
                json!("f32"),
            )],
            Code::AmbiguousId,
            "'f32' is ambiguous",
            "\"numerics.attention_reduction\"",
        ),
        (vec![("/sequence", json!(["encoder"]))], Code::BadBlock, "block 'encoder' is not defined", "\"sequence\""),
        (vec![("/block_types/decoder/footer", Value::Null)], Code::BadBlock, "the block has no footer", "\"sequence\""),
        (
            vec![("/block_types/decoder/sequence", json!(["header", "body"]))],
            Code::BadBlock,
            "leaves out the block's footer",
            "\"sequence\"",
        ),
        (
            vec![("/block_types/decoder/body/ops", Value::Null)],
            Code::BadBlock,
            "expected either ops or ops_by_kind",
            "\"body\"",
        ),
    ] {
        let found = read(&edits);
        assert!(found.0 == code && found.1.contains(message) && found.2.contains(line), "{found:?}");
    }
}

#[test]
fn rules_of_plans() {
    let both = "/required_numerical_contracts/decoder.down.q6/selector/config_equals";
    let fault = refused(&[(both, json!({"quant_summary.layer.{layer}.w2": "q4_k"}))]);
    assert_eq!(fault.code, Code::BadRequirement);
    assert_eq!(
        fault.message,
        "circuit 'small': template op 'mlp_down' at decoder.body.1 in layer 0 is governed by two active requirements, \
         'decoder.down.q4' and 'decoder.down.q6'"
    );
    let checkpoint = json!({"id": "x", "producer": "mlp_down", "logical_layout": "l", "axis_names": []});
    let fault = refused(&[
        ("/required_numerical_contracts/decoder.down.q4/checkpoint", checkpoint.clone()),
        ("/required_numerical_contracts/decoder.down.q6/checkpoint", checkpoint),
    ]);
    assert_eq!(fault.code, Code::BadCheckpoint);
    let fault = refused(&[
        ("/weight_policy/op_bindings/0/required", json!(true)),
        ("/weight_policy/op_bindings/0/weights", json!(["w3"])),
    ]);
    assert_eq!(fault.code, Code::BadManifest);
    assert!(fault.message.contains("tensor 'layer.0.w3', which operation 'mlp_down' needs"), "{fault}");
    let fault = refused(&[("/extends", json!("other"))]);
    assert_eq!(fault.code, Code::BadBlock);
    let fault = refused(&[("/required_contracts", json!({})), ("/required_numerical_contracts", json!({}))]);
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (Code::NoRequirement, "circuit 'small': circuit has no requirement")
    );
    let fault = plan_with(&circuit(), &maps(), &Facts::new(), None).unwrap_err();
    assert_eq!(fault.code, Code::BadConfig);
    let config = Facts::from([("quant_summary.layer.0.w2".to_owned(), Fact::Text("q6_k".to_owned()))]);
    let fault = plan_with(&circuit(), &maps(), &config, Some(&manifest("q6_k"))).unwrap_err();
    assert!(fault.message.contains("'q6_k' by the configuration and 'q4_k' by the manifest"), "{fault}");

    let plan = plan_with(&circuit(), &maps(), &Facts::new(), Some(&manifest("q6_k"))).unwrap();
    let fault = plan.entries_of("decoder.rope", Phase::Decode).unwrap_err();
    assert_eq!((fault.code, fault.notes.len()), (Code::NotDeclared, 1));
    let fault = plan.entries_of("decoder.attention", Phase::Prefill).unwrap_err();
    assert_eq!((fault.code, fault.notes), (Code::NotDeclared, vec!["declared: decode".to_owned()]));
    assert_eq!(plan.refusal(Mode::Bringup), None);
    let refusal = plan.refusal(Mode::Production).unwrap();
    assert_eq!(refusal.code, Code::NotValidated);
    assert!(refusal.notes.iter().any(|note| note.contains("operation 'embedding' at decoder.header.0 is ungoverned")));
}

#[test]
fn plans_do_not_depend_on_the_order_of_maps() {
    let manifest = manifest("q6_k");
    let one = plan_with(&circuit(), &maps(), &Facts::new(), Some(&manifest)).unwrap();
    let mut reversed = maps();
    reversed.reverse();
    assert_eq!(plan_with(&circuit(), &reversed, &Facts::new(), Some(&manifest)).unwrap(), one);
}

#[test]
fn layers_have_kinds() {
    let body = json!({
        "type": "hybrid_recurrent",
        "kind_config_key": "layer_kinds",
        "ops_by_kind": {"full": ["attn"], "recurrent": ["mlp_down"]},
        "default_kind": "recurrent",
        "interval_config_key": "full_interval",
        "periodic_kind": "full",
    });
    let circuit = edited(&circuit(), &[("/block_types/decoder/body", body)]);
    let layers_of_attention = |config: Value| -> Result<Vec<u32>, Fault> {
        let config: std::collections::BTreeMap<String, FreeForm> = serde_json::from_value(config).unwrap();
        let plan = plan_with(&circuit, &maps(), &facts(&config), None)?;
        Ok(plan.entries_of("decoder.attention", Phase::Decode)?[0].layers.iter().copied().collect())
    };
    let listed = json!({"num_layers": 3, "layer_kinds": ["full", "recurrent", "full"]});
    assert_eq!(layers_of_attention(listed).unwrap(), [0, 2]);
    let periodic = json!({"num_layers": 8, "full_interval": 4});
    assert_eq!(layers_of_attention(periodic).unwrap(), [3, 7]);
    let unknown = json!({"num_layers": 1, "layer_kinds": ["other"]});
    assert_eq!(layers_of_attention(unknown).unwrap_err().code, Code::BadConfig);
}

#[test]
fn a_missing_fact_satisfies_not_equals_only() {
    let select = |selector: Value| edited(&circuit(), &[("/required_contracts/decoder.attention/selector", selector)]);
    let governed = |selector: Value, config: &Facts| {
        let plan = plan_with(&select(selector), &maps(), config, Some(&manifest("q6_k"))).unwrap();
        plan.entries_of("decoder.attention", Phase::Decode).is_ok()
    };
    let cache = |value: &str| Facts::from([("cache.dtype".to_owned(), Fact::Text(value.to_owned()))]);
    let equals = json!({"config_equals": {"cache.dtype": "fp16"}});
    let differs = json!({"config_not_equals": {"cache.dtype": "fp16"}});
    assert!(!governed(equals.clone(), &Facts::new()) && governed(differs.clone(), &Facts::new()));
    assert!(governed(equals.clone(), &cache("fp16")) && !governed(differs.clone(), &cache("fp16")));
    assert!(!governed(equals, &cache("bf16")) && governed(differs, &cache("bf16")));
}

#[test]
fn manifests_list_tensors_once() {
    let read = |entries: Value| Manifest::read("m.json", &json!({"entries": entries}).to_string());
    let entry = |name: &str, offset: u64| json!({"name": name, "dtype": "fp32", "file_offset": offset, "size": 8});
    assert!(read(json!([entry("a", 0), entry("b", 8)])).is_ok());
    for (entries, message) in [
        (json!([]), "entries: expected at least one tensor"),
        (json!([entry("a", 0), entry("a", 8)]), "entries.1: tensor 'a' is listed twice"),
        (json!([entry("b", 4), entry("a", 0)]), "entries: tensor 'b' begins at 4, inside tensor 'a'"),
    ] {
        let fault = read(entries).unwrap_err();
        assert_eq!((fault.code, fault.message.as_str()), (Code::BadManifest, message));
    }
}

#[test]
fn files_are_told_apart_by_their_keys() {
    for text in ["{}", "[]", "7", "{\"schema\": \"cke.other\"}"] {
        let fault = classify("x.json", text).unwrap_err();
        assert_eq!((fault.code, fault.location.unwrap().file.as_str()), (Code::UnknownFile, "x.json"));
    }
}
