//! The published JSON Schemas, by a validator that knows nothing of the types they are made from: they accept the files
//! of this project and of the corpus, and refuse what the readers refuse.

use cke_contracts::registry::Registry;
use cke_contracts::schema::published;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn validator(file: &str) -> Validator {
    let schema = published().into_iter().find(|schema| schema.file == file).expect("a schema of that name");
    jsonschema::draft202012::new(schema.schema.as_value()).expect("a schema is valid itself")
}

/// The files of a folder of this project's data.
fn data(folder: &str) -> Vec<(PathBuf, Value)> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/data").join(folder))
}

fn read(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    let value = |path: &PathBuf| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    paths.into_iter().map(|path| (path.clone(), value(&path))).collect()
}

/// The schema of a file of contracts.
fn schema_of(file: &Value) -> &'static str {
    match file["schema"].as_str() {
        Some("cke.attention_reduction_contracts") => "attention_reductions.schema.json",
        Some("cke.quantized_linear_contracts") => "quantized_linear.schema.json",
        _ => "numerical_execution.schema.json",
    }
}

fn accept(validator: &Validator, path: &Path, file: &Value) {
    let errors: Vec<_> =
        validator.iter_errors(file).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
}

#[test]
fn our_files_are_accepted() {
    for (path, file) in data("contracts") {
        accept(&validator(schema_of(&file)), &path, &file);
    }
    for (folder, schema) in [("kernel_maps", "kernel_map.schema.json"), ("circuits", "circuit.schema.json")] {
        let validator = validator(schema);
        data(folder).iter().for_each(|(path, file)| accept(&validator, path, file));
    }
}

#[test]
fn the_corpus_is_accepted() {
    let fallback = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("CKE_CORPUS").map_or_else(fallback, PathBuf::from).join("cke-v8");
    if !root.is_dir() {
        eprintln!("skipped: no corpus at {}", root.display());
        return;
    }
    for (path, file) in read(&root.join("contracts")) {
        accept(&validator(schema_of(&file)), &path, &file);
    }
    let by_folder = [
        ("kernel_maps", "v8_kernel_map.schema.json"),
        ("circuits", "v8_circuit.schema.json"),
        ("templates_april", "v8_circuit.schema.json"),
        ("manifests", "v8_manifest.schema.json"),
    ];
    for (folder, schema) in by_folder {
        let validator = validator(schema);
        read(&root.join(folder)).iter().for_each(|(path, file)| accept(&validator, path, file));
    }
    let (map, bindings) = (validator("v8_kernel_map.schema.json"), validator("v8_bindings.schema.json"));
    for (path, file) in read(&root.join("kernel_maps_april")) {
        accept(if file.get("bindings").is_some() { &bindings } else { &map }, &path, &file);
    }
}

/// Whether the typed reader accepts a file of contracts.
fn reader_accepts(file: &Value) -> bool {
    Registry::from_files(&[("file.json", &file.to_string())], &[]).is_ok()
}

#[test]
fn an_unknown_field_is_refused_by_schema_and_reader_alike() {
    for (path, file) in data("contracts") {
        let validator = validator(schema_of(&file));
        let id = file["contracts"].as_object().unwrap().keys().next().unwrap().clone();
        let places = [String::new(), format!("/contracts/{id}"), format!("/contracts/{id}/semantics")];
        for place in places {
            let mut edited = file.clone();
            edited.pointer_mut(&place).unwrap()["colour"] = json!("red");
            assert!(!validator.is_valid(&edited), "{}: {place}", path.display());
            assert!(!reader_accepts(&edited), "{}: {place}", path.display());
        }
    }
    for (path, file) in data("kernel_maps") {
        let mut edited = file.clone();
        edited["impl"]["colour"] = json!("red");
        assert!(!validator("kernel_map.schema.json").is_valid(&edited), "{}", path.display());
    }
}

#[test]
fn the_envelope_belongs_to_the_schema() {
    let (_, file) = data("contracts").swap_remove(0);
    let validator = validator(schema_of(&file));
    let edits = [
        ("schema", json!("cke.other")),
        ("schema_version", json!(2)),
        ("engine_contract_version", json!("7")),
        // A file of v8 states no semantics.
        ("engine_contract_version", json!("8")),
        ("contracts", json!({})),
        ("required_semantic_fields", json!(["q_compute"])),
    ];
    for (field, value) in edits {
        let mut edited = file.clone();
        edited[field] = value;
        assert!(!validator.is_valid(&edited), "{field}");
        assert!(!reader_accepts(&edited), "{field}");
    }
}
