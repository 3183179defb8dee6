//! The circuits of the v8 corpus against its registries and maps.

mod v8_support;

use std::collections::BTreeSet;
use std::time::Instant;

use cke_contracts::fault::Code;
use cke_contracts::registry::Registry;
use cke_contracts::registry::vocabulary::Phase;
use cke_contracts::resolve::{Mode, Rejection};
use cke_contracts::v8::{Circuit, Facts, Manifest, Plan, plan, read_maps};
use v8_support::{Text, folder};

/// The contracts and maps of the corpus. One id has a map in both generations; the later one is taken.
fn registry() -> Option<Registry> {
    let contracts = folder("contracts")?;
    let contracts: Vec<_> = contracts.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect();
    let registry = Registry::from_files(&contracts, &[]).unwrap();
    let maps = maps()?;
    let maps: Vec<_> = maps
        .iter()
        .filter(|file| file.name != "kernel_maps_april/gemm_nt_q4_k_q8_k.json")
        .map(|file| (file.name.as_str(), file.text.as_str()))
        .collect();
    let maps = read_maps(&maps, &registry.contracts).unwrap_or_else(|fault| panic!("{fault}"));
    Some(registry.with_maps(maps).unwrap())
}

fn maps() -> Option<Vec<Text>> {
    let mut maps = folder("kernel_maps_april")?;
    maps.retain(|file| !file.name.contains("kernel_bindings"));
    maps.extend(folder("kernel_maps")?);
    Some(maps)
}

fn circuit(folder_name: &str, name: &str) -> Option<Circuit> {
    let texts = folder(folder_name)?;
    let text = texts.iter().find(|file| file.name.ends_with(name)).expect("the corpus has the circuit");
    Some(Circuit::read(&text.name, &text.text).unwrap())
}

fn plan_of(name: &str) -> Option<Plan> {
    let (circuit, registry) = (circuit("circuits", name)?, registry()?);
    Some(plan(&circuit, &registry, &Facts::new(), None).unwrap())
}

#[test]
fn maps_of_april_are_ungoverned() {
    let Some(registry) = registry() else { return };
    let governed: Vec<_> = registry.maps.values().filter(|map| map.is_governed()).map(|map| map.id.as_str()).collect();
    assert_eq!(
        governed,
        [
            "attention_forward_causal_head_major_gqa_prefill_append_f16cache_flash_auto_qtile64",
            "attention_forward_decode_head_major_gqa_flash_f16cache_contract",
            "gemm_nt_q4_k_q8_k",
            "rmsnorm_forward_llama_production",
        ]
    );
    assert_eq!(registry.maps.len() - governed.len(), 21);
}

#[test]
fn an_id_with_two_maps_is_refused_with_both_files() {
    let (Some(maps), Some(contracts)) = (maps(), folder("contracts")) else { return };
    let contracts: Vec<_> = contracts.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect();
    let registry = Registry::from_files(&contracts, &[]).unwrap();
    let mut files: Vec<_> = maps.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect();
    let fault = read_maps(&files, &registry.contracts).unwrap_err();
    assert_eq!(fault.code, Code::DuplicateId);
    assert_eq!(fault.message, "kernel map 'gemm_nt_q4_k_q8_k' is defined twice");
    assert_eq!(fault.location.clone().unwrap().file, "kernel_maps_april/gemm_nt_q4_k_q8_k.json");
    assert_eq!(fault.notes, ["also defined in kernel_maps/gemm_nt_q4_k_q8_k.json"]);
    files.reverse();
    assert_eq!(read_maps(&files, &registry.contracts).unwrap_err(), fault);
}

#[test]
fn qwen3vl_resolves_where_a_provider_exists() {
    let Some(plan) = plan_of("qwen3vl.json") else { return };
    let provider = |operation: &str, phase: Phase| {
        let entries = plan.entries_of(operation, phase).unwrap();
        assert_eq!(entries.len(), 1, "{operation}");
        entries[0].outcome.as_ref().map(|decision| decision.provider.clone()).map_err(Clone::clone)
    };
    let (prefill, decode) = (Phase::Prefill, Phase::Decode);
    assert_eq!(
        provider("decoder.attention", prefill).unwrap(),
        "attention_forward_causal_head_major_gqa_prefill_append_f16cache_flash_auto_qtile64"
    );
    assert_eq!(
        provider("decoder.attention", decode).unwrap(),
        "attention_forward_decode_head_major_gqa_flash_f16cache_contract"
    );
    for phase in [prefill, decode] {
        assert_eq!(provider("decoder.rmsnorm", phase).unwrap(), "rmsnorm_forward_llama_production");
        for (operation, expected) in [
            ("decoder.qk_norm", &["qk_norm_forward"][..]),
            ("decoder.mrope", &["mrope_qk_vision", "rope_forward_qk_split"]),
            ("decoder.swiglu", &["swiglu_forward_exact"]),
        ] {
            let fault = provider(operation, phase).unwrap_err();
            assert_eq!(fault.code, Code::NoProvider, "{operation}");
            let ungoverned: Vec<_> = fault
                .candidates
                .iter()
                .filter(|candidate| candidate.rejections == [Rejection::Ungoverned])
                .map(|candidate| candidate.provider.as_str())
                .collect();
            assert_eq!(ungoverned, expected, "{operation}");
        }
    }
    assert_eq!(plan.entries.len(), 10);
    let rmsnorm = &plan.entries_of("decoder.rmsnorm", prefill).unwrap()[0].places;
    assert_eq!(rmsnorm.iter().collect::<Vec<_>>(), ["decoder.body.0", "decoder.body.7", "decoder.footer.0"]);
}

#[test]
fn what_no_requirement_governs_is_counted() {
    let Some(plan) = plan_of("qwen3vl.json") else { return };
    let ops: BTreeSet<_> = plan.ungoverned.iter().map(|op| op.op.as_str()).collect();
    assert_eq!(plan.ungoverned.len(), 10);
    assert_eq!(
        ops.into_iter().collect::<Vec<_>>(),
        [
            "bpe_tokenizer",
            "dense_embedding_lookup",
            "lm_head",
            "logits",
            "mlp_down",
            "mlp_gate_up",
            "out_proj",
            "qkv_proj",
            "residual_add",
        ]
    );
}

#[test]
fn production_lists_every_blocker_of_qwen3vl() {
    let Some(plan) = plan_of("qwen3vl.json") else { return };
    let blockers = plan.blockers();
    for blocker in [
        "'decode/decoder.attention': the request for 'decoder.attention' is observed, not validated",
        "operation 'rope_qk' requires a contract, but the circuit names a function",
        "operation 'qkv_proj' at decoder.body.1 is ungoverned",
    ] {
        assert!(blockers.iter().any(|found| found == blocker), "{blocker} is not in {blockers:#?}");
    }
    let unspecified = |blocker: &&String| blocker.contains("leaves unspecified");
    assert_eq!(blockers.iter().filter(unspecified).count(), 4);
    let refusal = plan.refusal(Mode::Production).unwrap();
    assert!(blockers.iter().all(|blocker| refusal.notes.contains(blocker)));
    let in_bringup = plan.refusal(Mode::Bringup).unwrap();
    assert_eq!((in_bringup.code, in_bringup.notes.len()), (Code::NoProvider, 5));
}

#[test]
fn llama_attention_has_no_provider() {
    let Some(plan) = plan_of("llama.json") else { return };
    for phase in [Phase::Prefill, Phase::Decode] {
        let entries = plan.entries_of("decoder.attention", phase).unwrap();
        let fault = entries[0].outcome.as_ref().unwrap_err();
        assert_eq!(fault.code, Code::NoProvider);
        let of_op = fault.candidates.iter().filter(|candidate| !candidate.serves_other_operation());
        assert!(of_op.clone().count() >= 4 && of_op.clone().all(|candidate| !candidate.fits()));
    }
}

#[test]
fn templates_of_april_have_no_requirement() {
    let Some(registry) = registry() else { return };
    for name in ["qwen2.json", "qwen3_vl_vision.json", "qwen3vl.json"] {
        let Some(circuit) = circuit("templates_april", name) else { return };
        let fault = plan(&circuit, &registry, &Facts::new(), None).unwrap_err();
        assert_eq!(fault.code, Code::NoRequirement);
        assert_eq!(fault.message, format!("circuit '{}': circuit has no requirement", circuit.name));
    }
}

#[test]
fn a_stale_contract_id_is_unknown() {
    let (Some(registry), Some(mut circuit)) = (registry(), circuit("circuits", "qwen3vl.json")) else { return };
    let stale = "fp16_weight_fp16_input_llamafile_avx_fp32_output";
    let requirements = circuit.required_numerical_contracts.as_mut().unwrap();
    requirements.get_mut("decoder.swiglu").unwrap().phases.values_mut().for_each(|p| p.contract_id = stale.to_owned());
    let plan = plan(&circuit, &registry, &Facts::new(), None).unwrap();
    let fault = plan.entries_of("decoder.swiglu", Phase::Prefill).unwrap()[0].outcome.as_ref().unwrap_err();
    assert_eq!(fault.code, Code::UnknownContract);
    assert!(fault.message.contains(stale), "{fault}");
}

#[test]
fn the_manifest_tells_layers_and_storages() {
    let (Some(registry), Some(circuit)) = (registry(), circuit("circuits", "qwen3vl.json")) else { return };
    let texts = folder("manifests").unwrap();
    let manifest = Manifest::read(&texts[0].name, &texts[0].text).unwrap();
    assert_eq!(manifest.entries.len(), 269);
    let plan = plan(&circuit, &registry, &Facts::new(), Some(&manifest)).unwrap();
    let attention = &plan.entries_of("decoder.attention", Phase::Decode).unwrap()[0];
    assert_eq!(attention.layers, (0..24).collect());
}

/// Prints how long reading everything takes; the machine decides, so nothing is asserted.
#[test]
fn reading_the_corpus_is_quick() {
    let Some(files) = ["kernel_maps_april", "kernel_maps", "circuits", "templates_april", "manifests", "contracts"]
        .into_iter()
        .map(folder)
        .collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let start = Instant::now();
    for file in files.iter().flatten() {
        cke_contracts::v8::classify(&file.name, &file.text).unwrap();
    }
    let read = start.elapsed();
    let registry = registry().unwrap();
    println!("read {} files in {read:?}, a registry of {} maps", files.iter().flatten().count(), registry.maps.len());
}
