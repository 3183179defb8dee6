//! The real v8 files, from `$CKE_CORPUS` or `../shared/corpus`: imported, exported, compared. A test says when it skips.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn corpus(folders: &[&str]) -> Option<Vec<PathBuf>> {
    let fallback = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("CKE_CORPUS").map_or_else(fallback, PathBuf::from).join("cke-v8");
    if !root.is_dir() {
        eprintln!("skipped: no corpus at {}", root.display());
        return None;
    }
    Some(folders.iter().map(|folder| root.join(folder)).collect())
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn translate() -> Command {
    Command::new(env!("CARGO_BIN_EXE_cke-translate"))
}

/// Canonical text by name of file.
fn canonical(folders: &[PathBuf]) -> BTreeMap<String, String> {
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    files
        .map(|path| {
            let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, serde_json_canonicalizer::to_string(&value).unwrap())
        })
        .collect()
}

/// Imports folders and exports them again: (module, remarks).
fn round_trip(folders: &[PathBuf]) -> (String, String) {
    let directory = tempfile::tempdir().unwrap();
    let (module, exported) = (directory.path().join("module.mlir"), directory.path().join("exported"));
    let imported = run(translate().arg("--import-contracts").args(folders).arg("-o").arg(&module));
    run(translate().arg("--export-contracts").arg(&module).arg("-o").arg(&exported).arg("--canonical"));
    let expected = canonical(folders);
    for (name, text) in &expected {
        assert_eq!(std::fs::read_to_string(exported.join(name)).unwrap(), *text, "{name}");
    }
    assert_eq!(std::fs::read_dir(&exported).unwrap().count(), expected.len());
    (std::fs::read_to_string(module).unwrap(), String::from_utf8(imported.stderr).unwrap())
}

fn count(module: &str, operation: &str) -> usize {
    module.lines().filter(|line| line.trim_start().starts_with(operation)).count()
}

#[test]
fn the_contracts_are_translated_and_back() {
    let Some(folders) = corpus(&["contracts"]) else { return };
    let (module, remarks) = round_trip(&folders);
    let kinds = ["contract.attention ", "contract.linear ", "contract.execution ", "contract.file "];
    assert_eq!(kinds.map(|kind| count(&module, kind)), [9, 4, 118, 3]);
    assert_eq!(module.matches(" unspecified [").count(), 131);
    let pair = |one, other| {
        format!("warning: contracts '{one}' and '{other}' have equal fields: only prose tells them apart\n")
    };
    let positions = ["position_embeddings_add_offset_token_major_fp32", "position_embeddings_add_token_major_fp32"];
    let expected =
        [pair("f16_online_single_range", "f16_online_single_range_noscale"), pair(positions[0], positions[1])];
    assert_eq!(remarks, expected.concat());
}

#[test]
fn both_generations_are_translated_and_back() {
    let Some(folders) = corpus(&["contracts", "kernel_maps", "circuits", "manifests"]) else { return };
    let (module, remarks) = round_trip(&folders);
    let kinds = ["contract.kernel_map ", "contract.circuit ", "contract.manifest "];
    assert_eq!(kinds.map(|kind| count(&module, kind)), [4, 2, 1]);
    assert!(!remarks.contains("ungoverned"), "{remarks}");

    let (module, remarks) = round_trip(&corpus(&["kernel_maps_april", "templates_april"]).unwrap());
    let kinds = ["contract.kernel_map ", "contract.circuit ", "contract.bindings "];
    assert_eq!(kinds.map(|kind| count(&module, kind)), [22, 3, 2]);
    assert!(remarks.starts_with("warning: 22 of 22 kernel maps declare no contract (ungoverned)\n"), "{remarks}");
}

#[test]
fn two_maps_of_one_id_are_refused() {
    let Some(folders) = corpus(&["kernel_maps", "kernel_maps_april"]) else { return };
    let output = translate().arg("--import-contracts").args(&folders).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(errors.contains("error: 'gemm_nt_q4_k_q8_k' is defined twice [CKE-C023]"), "{errors}");
}

#[test]
fn fixtures_of_other_kinds_are_refused_with_their_place() {
    let Some(folders) = corpus(&["fixtures"]) else { return };
    let output = translate().arg("--import-contracts").args(&folders).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert_eq!(errors.matches(".json:1:1: error: ").count(), 2, "{errors}");
}
