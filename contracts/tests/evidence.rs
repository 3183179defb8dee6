//! Evidence: every validated claim of this project has matching records, and doctored records are seen through.

mod evidence_support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cke_contracts::circuit::Circuit;
use cke_contracts::evidence::{
    Claim, Evidence, EvidenceFile, Kernel, Level, Matrix, Needs, Part, Record, Verdict, check_promotion,
};
use cke_contracts::registry::vocabulary::{Phase, Status};
use cke_contracts::registry::{Contract, Registry};
use evidence_support::{ISAS, PROVIDER, World, kernel_digest};

/// Generated code is held against its digest where there is a generator: in the tests of `cke`. Here it is as recorded.
fn as_recorded(_: &EvidenceFile, record: &Record) -> Result<String, String> {
    Ok(record.digests.code.clone())
}

#[test]
fn every_validated_claim_has_matching_records() {
    let circuits: Vec<_> = Circuit::native("llama").into_iter().collect();
    let matrix = Matrix::new(
        &Registry::native().unwrap(),
        &circuits,
        &Evidence::native().unwrap(),
        &Needs::native().unwrap(),
        &as_recorded,
    );
    let complaints = matrix.complaints();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Whatever a provider says of itself: the records there are fit the definitions there are.
#[test]
fn every_capability_has_records_of_the_definitions_as_they_are() {
    let (registry, evidence, needs) =
        (Registry::native().unwrap(), Evidence::native().unwrap(), Needs::native().unwrap());
    let matrix = Matrix::new(&registry, &[], &evidence, &needs, &as_recorded);
    let capabilities = matrix.rows.iter().filter(|row| matches!(row.claim, Claim::Capability { .. }));
    for row in capabilities {
        let unmet: Vec<_> = row.unmet().iter().map(|cell| format!("{}; run: {}", cell.verdict, cell.rerun())).collect();
        assert!(unmet.is_empty(), "{}: {}", row.claim, unmet.join("\n"));
    }
}

/// The list of embedded files is written by hand; a file that is not in it would count for nothing.
#[test]
fn every_file_of_the_folder_is_embedded_as_it_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("evidence");
    let mut found = BTreeMap::new();
    for provider in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|p| p.is_dir()) {
        for file in std::fs::read_dir(provider).unwrap() {
            let path = file.unwrap().path();
            found.insert(path.strip_prefix(&folder).unwrap().to_owned(), std::fs::read_to_string(&path).unwrap());
        }
    }
    let evidence = Evidence::native().unwrap();
    let embedded = evidence.files().map(|file| (format!("{}/{}.json", file.provider, file.isa).into(), file.text()));
    assert_eq!(
        found,
        embedded.collect(),
        "contracts/src/evidence/native.rs lists other files, or they were reformatted"
    );
}

#[test]
fn a_full_set_of_records_supports_every_claim() {
    let world = World::new();
    assert_eq!(world.complaints(), Vec::<String>::new());
    let matrix = world.matrix();
    let supported: BTreeSet<_> = matrix.rows.iter().filter(|row| row.is_supported()).map(|row| &row.claim).collect();
    let capability = Claim::Capability { provider: PROVIDER.to_owned(), contract: "residual_add_fp32".to_owned() };
    assert!(supported.contains(&capability));
    assert_eq!(supported.len(), 1 + 1 + 2 * 2, "a capability, a contract, two operations in two phases");
}

/// A capability that nobody has ever run cannot be validated, however well the rest is proven.
#[test]
fn regression_06_a_capability_without_record_is_refused() {
    let mut world = World::new();
    let provider = world.registry.providers.get_mut("cke_linear_fp32").unwrap();
    provider.numerical_capabilities[0].status = Status::Validated;
    let complaints = world.complaints();
    assert_eq!(complaints.len(), 6, "three needs on two instruction sets");
    assert_eq!(
        complaints[0],
        "provider 'cke_linear_fp32' fulfils 'linear_fp32_ascending_k_fma' is validated, but leaf evidence for shapes \
         'edges' on x86-64-v3 is missing: no record of provider 'cke_linear_fp32' on x86-64-v3; run: cke evidence run \
         --provider cke_linear_fp32 --isa x86-64-v3 --level leaf"
    );
    // The same claim of a contract the records are not about.
    let mut world = World::new();
    let provider = world.registry.providers.get_mut(PROVIDER).unwrap();
    provider.numerical_capabilities[0].contract_id = "swiglu_fp32_exp_e0_sigmoid_e1".to_owned();
    assert!(world.complaints().iter().any(|line| line.contains("no such record")), "{:?}", world.complaints());
}

#[test]
fn claims_that_are_not_validated_need_nothing() {
    let mut world = World::new();
    world.evidence = Evidence::default();
    world.set_status(Status::Observed);
    assert_eq!(world.complaints(), Vec::<String>::new());
    assert!(world.matrix().rows.iter().all(|row| !row.is_supported()));
}

#[test]
fn an_edited_provider_makes_its_records_stale() {
    let mut world = World::new();
    let provider = world.registry.providers.get_mut(PROVIDER).unwrap();
    provider.call_abi.params[0].name = "first".to_owned();
    world.expect_stale(&[Part::Provider]);
    assert!(world.complaints()[0].contains(
        "is stale: changed since: provider; run: cke evidence run --provider cke_residual_add_fp32 --isa x86-64-v3"
    ));
}

#[test]
fn confirmation_and_prose_are_no_part_of_what_records_are_bound_to() {
    let mut world = World::new();
    let provider = world.registry.providers.get_mut(PROVIDER).unwrap();
    provider.notes = Some("something else".to_owned());
    provider.status = cke_contracts::registry::vocabulary::Lifecycle::Deprecated;
    assert_eq!(world.complaints(), Vec::<String>::new());
}

#[test]
fn an_edited_contract_makes_its_records_stale() {
    let mut world = World::new();
    let contract = world.registry.contracts.get_mut("residual_add_fp32").unwrap();
    let cke_contracts::registry::Contract::Execution(contract) = contract else { panic!("an execution contract") };
    contract.threading.deterministic = false;
    world.expect_stale(&[Part::Contract]);
}

/// What is compiled is part of what was proven: the text of the kernels and every flag of the compiler.
#[test]
fn regression_33_other_code_or_flags_make_records_stale() {
    let mut world = World::new();
    world.generated = |_, record| Ok(kernel_digest(&record.kernels, "arith.addf // changed", "default<O3>"));
    world.expect_stale(&[Part::Code]);
    world.generated = |_, record| Ok(kernel_digest(&record.kernels, "arith.addf", "default<O2>"));
    world.expect_stale(&[Part::Code]);
    world.generated = |_, _| Err("no generator".to_owned());
    let lines = world.complaints();
    assert!(lines[0].contains("missing: its kernels cannot be generated any more: no generator"), "{lines:?}");
}

#[test]
fn a_removed_record_is_missed() {
    for level in [Level::Leaf, Level::PublicRoute, Level::Stitched] {
        let mut world = World::new();
        world.edit(ISAS[1], |file| file.records.retain(|record| record.level != level));
        let lines = world.complaints();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(ISAS[1])), "{lines:?}");
        assert!(lines[0].contains("is missing: no such record; run: cke evidence run --provider"), "{lines:?}");
    }
}

#[test]
fn token_replay_may_stand_for_the_stitched_model() {
    let mut world = World::new();
    world.edit(ISAS[0], |file| {
        let mut record = file.records.iter().find(|record| record.level == Level::Stitched).unwrap().clone();
        file.records.retain(|record| record.level != Level::Stitched);
        record.level = Level::TokenReplay;
        file.insert(record.sealed());
    });
    assert_eq!(world.complaints(), Vec::<String>::new());
}

/// A record that admits a difference supports nothing; one whose count was edited is not even read.
#[test]
fn a_lying_count_of_mismatches_is_refused() {
    let mut world = World::new();
    world.edit(ISAS[0], |file| {
        file.records[0].mismatches = 3;
        file.records[0] = file.records[0].clone().sealed();
    });
    assert!(world.complaints()[0].contains("missing: it counts 3 mismatches in 64 comparisons"));
    let honest = world.evidence.file(PROVIDER, ISAS[0]).unwrap().text();
    let lying = honest.replacen("\"mismatches\": 3", "\"mismatches\": 0", 1);
    assert_ne!(honest, lying);
    let fault = EvidenceFile::parse("lying.json", &lying).unwrap_err();
    assert!(fault.to_string().contains("its fields were edited: the seal does not fit them"), "{fault}");
}

/// Evidence of one instruction set says nothing of another: the kernels are not the same.
#[test]
fn a_record_of_another_instruction_set_does_not_count() {
    let mut world = World::new();
    let mut copy = world.evidence.file(PROVIDER, ISAS[0]).unwrap().clone();
    copy.isa = ISAS[1].to_owned();
    world.evidence.insert(copy);
    world.generated = |file, record| {
        Ok(kernel_digest(
            &record.kernels,
            if file.isa == ISAS[0] { "arith.addf" } else { "arith.addf wide" },
            "default<O3>",
        ))
    };
    let lines = world.complaints();
    assert!(!lines.is_empty(), "the copy passes for evidence");
    assert!(
        lines.iter().all(|line| line.contains("on x86-64-v4 is stale: changed since: generated code")),
        "{lines:?}"
    );
}

#[test]
fn a_record_without_a_phase_does_not_cover_it() {
    let mut world = World::new();
    world.edit(ISAS[0], |file| {
        for record in &mut file.records {
            record.kernels.retain(|kernel| kernel.phase == Phase::Decode);
            record.digests.code = kernel_digest(&record.kernels, "arith.addf", "default<O3>");
            *record = record.clone().sealed();
        }
    });
    assert!(world.complaints()[0].contains("the record has no kernel of phase prefill"), "{:?}", world.complaints());
}

/// A record of nothing is none: a case that was not run is unresolved and leaves no trace.
#[test]
fn a_record_of_no_comparison_is_missing() {
    let mut world = World::new();
    world.edit(ISAS[0], |file| {
        file.records[0].comparisons = 0;
        file.records[0] = file.records[0].clone().sealed();
    });
    assert!(world.complaints()[0].contains("missing: nothing was compared"));
}

/// The leaf is exact, the model gets worse: 16 of 16 tokens before, 15 of 16 after.
#[test]
fn regression_08_a_promotion_that_makes_the_model_worse_is_refused() {
    let world = World::new();
    let before = world.evidence.file(PROVIDER, ISAS[0]).unwrap();
    let stitched = before.records.iter().position(|record| record.level == Level::Stitched).unwrap();
    let with = |change: fn(&mut Record)| {
        let mut after = before.clone();
        change(&mut after.records[stitched]);
        check_promotion(before, &after)
    };
    assert_eq!(with(|_| {}), Ok(()));
    assert_eq!(with(|record| record.comparisons += 8), Ok(()));
    assert_eq!(
        with(|record| record.mismatches = 1).unwrap_err(),
        "stitched of 'residual_add_fp32' for shapes 'tiny' gets worse: 1 of 64 elements differ, before it were 0 of 64"
    );
    assert!(with(|record| record.comparisons = 60).unwrap_err().contains("covers less: 4 cases with 60 elements"));
    assert!(with(|record| record.cases = 3).unwrap_err().contains("covers less"));
    let mut gone = before.clone();
    gone.records.remove(stitched);
    assert!(check_promotion(before, &gone).unwrap_err().ends_with("is no longer there"));
    // Below whole models a smaller record may take the place of a greater one.
    let mut leaf = before.clone();
    leaf.records[0].cases = 1;
    assert_eq!(check_promotion(before, &leaf), Ok(()));
}

#[test]
fn a_composite_is_no_stronger_than_its_parts() {
    let registry = Registry::native().unwrap();
    let composites: Vec<_> = registry.contracts.iter().filter(|(_, contract)| !contract.parts().is_empty()).collect();
    for (id, contract) in composites {
        let mut world = World::new();
        world.registry.contracts.clone_from(&registry.contracts);
        let (_, part) = contract.parts()[0];
        let before = cke_contracts::evidence::contract_digest(&world.registry, id).unwrap();
        match world.registry.contracts.get_mut(part).unwrap() {
            Contract::Attention(part) => part.partition.threshold = Some(17),
            Contract::Linear(part) => part.weight.block_size = 17,
            Contract::Execution(_) => panic!("no execution contract is a part"),
        }
        assert_ne!(cke_contracts::evidence::contract_digest(&world.registry, id).unwrap(), before, "{id}");
    }
}

#[test]
fn malformed_files_are_refused_with_their_place() {
    let text = World::new().evidence.file(PROVIDER, ISAS[0]).unwrap().text();
    for (from, to, expected) in [
        ("\"cke.evidence\"", "\"cke.evidense\"", "schema must be 'cke.evidence'"),
        ("\"schema_version\": 1", "\"schema_version\": 2", "schema_version must be 1, found 2"),
        ("\"provider\": \"cke", "\"host\": \"x\", \"provider\": \"cke", "unknown field `host`"),
        ("\"leaf\"", "\"leave\"", "unknown variant `leave`"),
    ] {
        let doctored = text.replacen(from, to, 1);
        assert_ne!(doctored, text, "{from}");
        let fault = EvidenceFile::parse("file.json", &doctored).unwrap_err().to_string();
        assert!(fault.starts_with("file.json:") && fault.contains(expected), "{fault}");
    }
}

#[test]
fn text_and_file_are_the_same_thing() {
    let world = World::new();
    let file = world.evidence.file(PROVIDER, ISAS[0]).unwrap();
    let again = EvidenceFile::parse("file.json", &file.text()).unwrap();
    assert_eq!(&again, file);
    assert_eq!(again.text(), file.text());
    assert!(matches!(world.matrix().rows[0].cells[0].verdict, Verdict::Supported { .. } | Verdict::Missing { .. }));
    let kernel = Kernel { phase: Phase::Decode, shape: BTreeMap::new(), params: BTreeMap::new() };
    assert_eq!(serde_json::to_value(kernel).unwrap(), serde_json::json!({"phase": "decode", "shape": {}}));
}
