//! Every rule of a circuit and of a configuration, each with a circuit or a model that breaks it.

use std::collections::BTreeMap;

use cke_contracts::circuit::{AttributeType, Circuit, Config, Extent, Fact, Facts};
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::vocabulary::{Phase, TensorStorage};
use serde_json::{Value, json};

const LLAMA: &str = include_str!("../data/circuits/llama.json");

fn edited(edits: &[(&str, Value)]) -> Result<Circuit, Fault> {
    let mut circuit: Value = serde_json::from_str(LLAMA).unwrap();
    for (pointer, value) in edits {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match circuit.pointer_mut(parent).unwrap_or_else(|| panic!("no '{parent}'")) {
            Value::Object(fields) if value.is_null() => drop(fields.remove(key).expect("a field to remove")),
            Value::Object(fields) => drop(fields.insert(key.to_owned(), value.clone())),
            Value::Array(items) if value.is_null() => drop(items.remove(key.parse().unwrap())),
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
            _ => panic!("'{pointer}' is in no container"),
        }
    }
    Circuit::parse("llama.json", &circuit.to_string())
}

fn all(code: Code, cases: &[(&str, Value, &str)]) {
    for (pointer, value, message) in cases {
        let fault = edited(&[(pointer, value.clone())]).expect_err(message);
        assert_eq!((fault.code, fault.message.as_str()), (code, *message));
    }
}

#[test]
fn fields_are_known_and_versions_match() {
    let fault = edited(&[("/kernels", json!({}))]).unwrap_err();
    assert_eq!(fault.code, Code::Schema);
    assert!(fault.message.starts_with("kernels: unknown field `kernels`"), "{fault}");
    all(
        Code::UnsupportedVersion,
        &[
            ("/schema", json!("cke.other"), "schema must be 'cke.circuit', found 'cke.other'"),
            ("/schema_version", json!(2), "schema_version must be 1, found 2"),
        ],
    );
}

#[test]
fn configuration_is_well_formed() {
    let no_value = |name: &str| format!("'{name}' is no configuration value of a fitting type");
    all(
        Code::BadConfig,
        &[
            ("/architectures", json!({}), "at least one architecture and one phase are needed"),
            ("/phases", json!([]), "at least one architecture and one phase are needed"),
            (
                "/architectures/llama",
                json!({"pairing": "x"}),
                "architectures.llama: 'pairing' is no configuration value",
            ),
            ("/config/rows", json!({"type": "integer"}), "config.rows: the name stands for the rows of a call"),
            ("/config/vocab/tensor/name", json!("head"), "config.vocab: the tensor is not declared"),
            ("/config/rope_pairing/default", json!("x"), "config.rope_pairing: default 'x' is none of the values"),
            ("/config/rope_pairing/values", json!([]), "config.rope_pairing: a text needs the values allowed"),
            ("/config/layers/values", json!(["1"]), "config.layers: only a text lists values"),
            (
                "/config/kv_heads/default",
                json!("rms_eps"),
                &format!("config.kv_heads: expression 'rms_eps': {}", no_value("rms_eps")),
            ),
            (
                "/config/kv_heads/default",
                json!("2 *"),
                "config.kv_heads: expression '2 *': expected a number or a name, \
              found the end",
            ),
            ("/checks/0/expression", json!("depth"), &format!("expression 'depth': {}", no_value("depth"))),
            ("/tensors/output_norm/shape/0", json!("depth"), &format!("expression 'depth': {}", no_value("depth"))),
            ("/states/k_cache/shape/0", json!("depth"), &format!("expression 'depth': {}", no_value("depth"))),
            ("/tables/rope_table/shape/0", json!("depth"), &format!("expression 'depth': {}", no_value("depth"))),
            (
                "/tables/rope_table/params/base/value",
                json!("rope_pairing"),
                &format!("expression 'rope_pairing': {}", no_value("rope_pairing")),
            ),
            ("/body/repeat", json!("depth"), &format!("expression 'depth': {}", no_value("depth"))),
            ("/tensors/output/fallback", json!("output"), "tensors.output: the fallback is no other tensor"),
            ("/tensors/output/fallback", json!("head"), "tensors.output: the fallback is no other tensor"),
        ],
    );
}

#[test]
fn dataflow_is_well_formed() {
    let table = json!({"name": "t", "shape": ["1"], "function": "rope_table_fp64_series", "params": {}});
    all(
        Code::BadDataflow,
        &[
            ("/tables/output_norm", table.clone(), "'output_norm' is both a tensor and a table"),
            ("/tables/spare", table, "'spare' is declared but not used"),
            ("/tensors/spare", json!({"name": "t", "shape": ["1"]}), "'spare' is declared but not used"),
            ("/inputs/1/name", json!("tokens"), "value 'tokens' is defined twice"),
            ("/body/ops/1/inputs/x", json!("normed"), "body.attn_q: value 'normed' is undefined"),
            ("/body/ops/1/id", json!("attn_norm"), "body: id 'attn_norm' appears twice"),
            ("/body/ops/1/weights/w", json!("attn_x"), "body.attn_q: 'attn_x' is neither a tensor nor a table"),
            ("/body/ops/1/outputs/y/name", json!("stream"), "body.attn_q: value 'stream' is defined twice"),
            (
                "/body/ops/1/outputs/y/shape/1",
                json!("depth"),
                "body.attn_q: expression 'depth': 'depth' is no \
              configuration value of a fitting type",
            ),
            ("/body/ops/6/states/k_cache", json!("x_cache"), "body.kv_append: 'x_cache' is no state"),
            (
                "/body/ops/4/attributes/pairing/value",
                json!("heads"),
                "body.rope_q: attribute 'heads' is no text of the \
              configuration",
            ),
            (
                "/body/ops/4/attributes/heads/value",
                json!("rope_base"),
                "body.rope_q: expression 'rope_base': \
              'rope_base' is no configuration value of a fitting type",
            ),
            ("/header/0/weights/table", json!("attn_q"), "header.embedding: 'attn_q' belongs to a layer"),
            ("/body/carried/0/initial", json!("x"), "body: carried 'stream' starts with 'x', which is undefined"),
            (
                "/body/carried/0/next",
                json!("embedded"),
                "body: carried 'stream' continues with 'embedded', no value of \
              a layer",
            ),
            ("/footer/0/inputs/x", json!("ffn_stream"), "footer.output_norm: value 'ffn_stream' is undefined"),
            ("/results/0", json!("scores"), "result 'scores' is undefined"),
        ],
    );
}

#[test]
fn every_operation_is_governed() {
    let rope = "/required_contracts/decoder.rope_q";
    let at = |rest: &str| format!("{rope}/0/{rest}");
    all(
        Code::NotGoverned,
        &[
            ("/required_contracts/decoder.attn_q", Value::Null, "operation 'decoder.attn_q' requires no contract"),
            (rope, json!([]), "operation 'decoder.rope_q' requires no contract"),
            (&at("phases/decode"), Value::Null, "required_contracts.decoder.rope_q: phase decode requires no contract"),
        ],
    );
    let phase = json!({"contract_id": "x_y", "validation": "observed"});
    let phases = json!({"prefill": phase, "decode": phase});
    all(
        Code::BadRequirement,
        &[
            (
                "/required_contracts/decoder.x",
                json!([{"phases": phases}]),
                "required_contracts.decoder.x: no operation \
              bears the name",
            ),
            (&at("phases/init"), phase, "required_contracts.decoder.rope_q: phase init is none of the circuit's"),
            (
                &at("phases/decode/evidence"),
                Value::Null,
                "required_contracts.decoder.rope_q: a validated \
              requirement needs evidence",
            ),
            (&at("selector"), json!({}), "required_contracts.decoder.rope_q: a selector needs at least one predicate"),
            (
                &at("selector"),
                json!({"config_equals": {"model": "x"}}),
                "required_contracts.decoder.rope_q: selector: \
              'model' is no configuration value",
            ),
        ],
    );
}

#[test]
fn a_fault_of_a_circuit_has_a_place() {
    let fault = edited(&[("/results/0", json!("scores"))]).unwrap_err();
    assert_eq!(fault.location.unwrap().to_string(), "llama.json:1:1");
}

/// A model with the metadata of a small llama, to be edited.
struct Model {
    metadata: BTreeMap<String, Fact>,
    options: BTreeMap<String, Fact>,
    vocabulary: Option<i64>,
}

impl Model {
    fn new() -> Self {
        let integers = [
            ("block_count", 30),
            ("embedding_length", 576),
            ("feed_forward_length", 1536),
            ("attention.head_count", 9),
            ("attention.head_count_kv", 3),
            ("context_length", 2048),
        ];
        let mut metadata: BTreeMap<_, _> =
            integers.into_iter().map(|(key, value)| (format!("llama.{key}"), Fact::Integer(value))).collect();
        metadata.insert("llama.attention.layer_norm_rms_epsilon".to_owned(), Fact::Float(1e-5));
        Self { metadata, options: BTreeMap::new(), vocabulary: Some(49152) }
    }

    fn with(mut self, key: &str, fact: Fact) -> Self {
        self.metadata.insert(format!("llama.{key}"), fact);
        self
    }

    fn without(mut self, key: &str) -> Self {
        self.metadata.remove(&format!("llama.{key}")).expect("a key to remove");
        self
    }

    fn option(mut self, name: &str, fact: Fact) -> Self {
        self.options.insert(name.to_owned(), fact);
        self
    }

    fn configure(&self) -> Result<Config, Fault> {
        Circuit::native("llama").unwrap().configure("llama", self)
    }
}

impl Facts for Model {
    fn metadata(&self, key: &str) -> Result<Option<Fact>, String> {
        match self.metadata.get(key) {
            Some(Fact::Text(text)) if text == "[array]" => Err("an array".to_owned()),
            found => Ok(found.cloned()),
        }
    }

    fn dimension(&self, tensor: &str, index: usize) -> Option<i64> {
        self.vocabulary.filter(|_| tensor == "token_embd.weight" && index == 0)
    }

    fn option(&self, name: &str) -> Option<Fact> {
        self.options.get(name).cloned()
    }
}

#[test]
fn values_come_from_their_sources() {
    let config = Model::new().configure().unwrap();
    for (name, value) in [("head_dim", 64), ("rotary_dim", 64), ("capacity", 2048), ("vocab", 49152), ("layers", 30)] {
        assert_eq!(config.fact(name), Some(&Fact::Integer(value)), "{name}");
    }
    assert_eq!(config.fact("rope_base"), Some(&Fact::Float(10000.0)));
    assert_eq!(config.fact("rope_pairing"), Some(&Fact::Text("pairwise_interleaved".to_owned())));
    assert_eq!(config.facts().count(), 14);
    let model = Model::new()
        .with("attention.key_length", Fact::Integer(32))
        .with("attention.value_length", Fact::Integer(32))
        .with("rope.freq_base", Fact::Integer(100_000))
        .without("attention.head_count_kv")
        .option("capacity", Fact::Integer(512));
    let config = model.configure().unwrap();
    for (name, value) in [("head_dim", 32), ("rotary_dim", 32), ("capacity", 512), ("kv_heads", 9)] {
        assert_eq!(config.fact(name), Some(&Fact::Integer(value)), "{name}");
    }
    assert_eq!(config.fact("rope_base"), Some(&Fact::Float(100_000.0)));
}

#[test]
fn shapes_and_attributes_have_values() {
    let circuit = Circuit::native("llama").unwrap();
    let config = Model::new().configure().unwrap();
    let op = circuit.body.ops.iter().find(|op| op.id == "attention").unwrap();
    assert_eq!(config.shape(&op.outputs["y"].shape).unwrap(), [Extent::Rows, Extent::Size(576)]);
    assert_eq!(config.attribute(&op.attributes["scale"]).unwrap(), Fact::Float(0.125));
    assert_eq!(config.attribute(&op.attributes["heads"]).unwrap(), Fact::Integer(9));
    let norm = &circuit.body.ops[0].attributes["eps"];
    assert_eq!(norm.kind, AttributeType::F32);
    assert_eq!(config.attribute(norm).unwrap(), Fact::Float(f64::from(1e-5_f32)), "rounded once");
    assert_eq!(config.shape(&["width - width".to_owned()]).unwrap_err().code, Code::BadConfig);
    assert_eq!(circuit.instance(Phase::Decode, Some(7), op), "decode/blk.7/attention");
    assert_eq!(circuit.instance(Phase::Prefill, None, &circuit.header[0]), "prefill/embedding");
}

#[test]
fn values_that_do_not_fit_are_refused() {
    for (model, message) in [
        (Model::new().without("block_count"), "'layers' has no value: metadata 'llama.block_count' is missing"),
        (Model::new().with("block_count", Fact::Integer(0)), "'layers': 0 is less than 1"),
        (Model::new().with("block_count", Fact::Float(2.0)), "'layers': 2.0 is not of type integer"),
        (
            Model::new().with("attention.head_count_kv", Fact::Text("[array]".to_owned())),
            "metadata 'llama.attention.head_count_kv' is an array",
        ),
        (
            Model::new().with("attention.head_count", Fact::Integer(7)),
            "expression 'width / heads': 576 / 7 is not exact",
        ),
        (
            Model::new().with("attention.head_count_kv", Fact::Integer(2)),
            "expression 'heads / kv_heads': 9 / 2 is not \
          exact",
        ),
        (
            Model::new().with("rope.dimension_count", Fact::Integer(63)),
            "expression 'rotary_dim / 2': 63 / 2 is not \
          exact",
        ),
        (
            Model::new().with("rope.dimension_count", Fact::Integer(66)),
            "'min(rotary_dim, head_dim)' is 64, \
          'rotary_dim' is 66: no more elements can be rotated than a head has",
        ),
        (
            Model::new().with("attention.value_length", Fact::Integer(32)),
            "'value_dim' is 32, 'head_dim' is 64: keys \
          and values of a head have one width",
        ),
        (
            Model::new().option("capacity", Fact::Integer(4096)),
            "'min(capacity, context)' is 2048, 'capacity' is 4096: \
          the caches cannot hold more positions than the model was made for",
        ),
        (
            Model::new().option("rope_pairing", Fact::Text("thirds".to_owned())),
            "'rope_pairing': 'thirds' is none of pairwise_interleaved, split_half",
        ),
        (Model::new().with("rope.freq_base", Fact::Float(f64::NAN)), "'rope_base': nan is not of type float"),
        (Model { vocabulary: None, ..Model::new() }, "'vocab' has no value"),
    ] {
        let fault = model.configure().expect_err(message);
        assert_eq!((fault.code, fault.message.as_str()), (Code::BadConfig, message));
    }
}

#[test]
fn models_that_compute_something_else_are_refused() {
    for (key, fact, message) in [
        (
            "expert_count",
            Fact::Integer(8),
            "metadata 'llama.expert_count' is 8: the feed-forward layers are mixtures of \
          experts",
        ),
        (
            "rope.scaling.type",
            Fact::Text("yarn".to_owned()),
            "metadata 'llama.rope.scaling.type' is 'yarn': the angles \
          of the rotation are scaled",
        ),
        (
            "attention.sliding_window",
            Fact::Text("[array]".to_owned()),
            "metadata 'llama.attention.sliding_window' is an \
          array: attention sees a window of positions",
        ),
    ] {
        let fault = Model::new().with(key, fact).configure().unwrap_err();
        assert_eq!((fault.code, fault.message.as_str()), (Code::RefusedModel, message));
    }
    let harmless = Model::new()
        .with("expert_count", Fact::Integer(0))
        .with("rope.scaling.type", Fact::Text("none".to_owned()))
        .with("logit_scale", Fact::Float(1.0));
    assert!(harmless.configure().is_ok());
}

#[test]
fn architectures_are_matched_by_exact_name() {
    assert!(Circuit::native("llama2").is_none());
    let fault = Circuit::native("llama").unwrap().configure("mistral", &Model::new()).unwrap_err();
    assert_eq!(fault.code, Code::UnknownArchitecture);
    assert_eq!(fault.notes, ["described: llama"]);
}

#[test]
fn a_value_may_not_depend_on_itself() {
    let circuit = edited(&[("/config/head_dim/default", json!("value_dim"))]).unwrap();
    let fault = circuit.configure("llama", &Model::new()).unwrap_err();
    assert_eq!(fault.code, Code::BadConfig);
    assert!(fault.message.contains("depends on itself"), "{fault}");
}

#[test]
fn exactly_one_requirement_is_active() {
    let config = Model::new().configure().unwrap();
    let none = [("/required_contracts/decoder.rope_q/0", Value::Null)];
    let fault =
        edited(&none).unwrap().requirement("decoder.rope_q", Phase::Decode, &config, &BTreeMap::new()).unwrap_err();
    assert_eq!(fault.code, Code::BadRequirement);
    assert_eq!(
        fault.message,
        "circuit 'llama': 0 of 1 requirements of operation 'decoder.rope_q' match the configuration, expected one"
    );
    let both = [(
        "/required_contracts/decoder.rope_q/1/selector",
        json!({"config_not_equals": {"rope_pairing": "split_half"}}),
    )];
    let fault =
        edited(&both).unwrap().requirement("decoder.rope_q", Phase::Decode, &config, &BTreeMap::new()).unwrap_err();
    assert!(fault.message.contains("2 of 2 requirements"), "{fault}");
    let circuit = Circuit::native("llama").unwrap();
    for (operation, phase) in [("decoder.gone", Phase::Decode), ("decoder.rope_q", Phase::Init)] {
        let fault = circuit.requirement(operation, phase, &config, &BTreeMap::new()).unwrap_err();
        assert_eq!(fault.code, Code::NotGoverned);
    }
}

/// Layers whose weights are stored differently require what fits each of them, and nothing stands in for the rest.
#[test]
fn regression_22_the_actual_storage_of_a_layer_selects() {
    let alternative = |storage: &str| {
        let phase = json!({"contract_id": format!("linear_{storage}_weight"), "validation": "observed"});
        json!({"selector": {"storage_equals": {"w": storage}}, "phases": {"prefill": phase, "decode": phase}})
    };
    let alternatives = json!([alternative("q5_k"), alternative("q6_k")]);
    let circuit = edited(&[("/required_contracts/decoder.ffn_down", alternatives)]).unwrap();
    let config = Model::new().configure().unwrap();
    let required = |storage: TensorStorage| {
        let storage = [("w".to_owned(), storage)].into();
        circuit.requirement("decoder.ffn_down", Phase::Decode, &config, &storage)
    };
    assert_eq!(required(TensorStorage::Q5K).unwrap().contract_id, "linear_q5_k_weight");
    assert_eq!(required(TensorStorage::Q6K).unwrap().contract_id, "linear_q6_k_weight");
    assert_eq!(required(TensorStorage::Q4K).unwrap_err().code, Code::BadRequirement);

    let mut unknown = alternative("q5_k");
    unknown["selector"] = json!({"storage_equals": {"gate": "q5_k"}});
    let fault = edited(&[("/required_contracts/decoder.ffn_down", json!([unknown]))]).unwrap_err();
    assert_eq!(fault.code, Code::BadRequirement);
    assert!(fault.message.ends_with("selector: 'gate' is no weight of the operation"), "{fault}");
}
