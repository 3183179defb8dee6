//! `cke evidence`: the committed records are those of the code as it is, and a run gives them again byte by byte.

use cke_contracts::evidence::{EvidenceFile, Level};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A small provider, so that its levels are run in seconds.
const PROVIDER: &str = "cke_residual_add_fp32";
const ISA: &str = "x86-64-v3";

fn cke(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cke")).arg("evidence").args(arguments).output().expect("the program starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/evidence")
}

/// A folder with the records of the provider on the instruction set, changed.
fn doctored(change: impl FnOnce(&mut EvidenceFile)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = Path::new(PROVIDER).join(format!("{ISA}.json"));
    let text = fs::read_to_string(committed().join(&path)).expect("there are records of the provider");
    let mut file = EvidenceFile::parse("records", &text).expect("well-formed records");
    change(&mut file);
    fs::create_dir(folder.path().join(PROVIDER)).expect("a new folder");
    fs::write(folder.path().join(&path), file.text()).expect("a writable folder");
    folder
}

fn shown(folder: &Path) -> String {
    let output = cke(&["show", "--records", folder.to_str().expect("a plain path")]);
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

/// The lines of a listing that name a claim of the provider on the instruction set.
fn lines(listing: &str) -> Vec<&str> {
    let named = |line: &&str| line.contains(&format!("'{PROVIDER}' fulfils")) && line.contains(&format!("on {ISA}:"));
    listing.lines().filter(named).collect()
}

/// Every kernel of every record is generated anew here: a changed generator makes the check fail.
#[test]
fn every_validated_claim_has_records_of_the_code_as_it_is() {
    let output = cke(&["check"]);
    assert!(output.status.success(), "{}", text(&output));
    let output = cke(&["check", "--records", committed().to_str().expect("a plain path")]);
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn records_as_committed_support_the_claim() {
    let folder = doctored(|_| {});
    assert_eq!(lines(&shown(folder.path())), Vec::<&str>::new());
}

#[test]
fn regression_33_an_edited_digest_of_code_is_stale_and_says_what_to_rerun() {
    let folder = doctored(|file| {
        for record in file.records.iter_mut().filter(|record| record.level == Level::Leaf) {
            record.digests.code = format!("sha256:{}", "0".repeat(64));
            *record = record.clone().sealed();
        }
    });
    let listing = shown(folder.path());
    let found = lines(&listing);
    assert_eq!(found.len(), 2, "{listing}");
    assert!(found.iter().all(|line| line.ends_with("leaf on x86-64-v3: stale: changed since: generated code")));
    assert!(listing.contains("cke evidence run --provider cke_residual_add_fp32 --isa x86-64-v3 --level leaf"));
}

#[test]
fn an_edited_kernel_or_a_removed_record_is_noticed() {
    let folder = doctored(|file| {
        file.records.retain(|record| record.level != Level::PublicRoute);
        let leaf = &mut file.records[0];
        leaf.kernels.pop();
        *leaf = leaf.clone().sealed();
    });
    let listing = shown(folder.path());
    assert!(listing.contains("public_route on x86-64-v3: missing: no such record"), "{listing}");
    assert!(lines(&listing).iter().any(|line| line.contains("stale: changed since: generated code")), "{listing}");
}

/// Records of one instruction set under the name of another.
#[test]
fn records_of_another_instruction_set_are_stale() {
    let folder = doctored(|_| {});
    let path = folder.path().join(PROVIDER);
    let renamed = fs::read_to_string(path.join(format!("{ISA}.json"))).unwrap().replace("x86-64-v3", "x86-64-v4");
    fs::write(path.join("x86-64-v4.json"), renamed).unwrap();
    let listing = shown(folder.path());
    let claim = format!("'{PROVIDER}' fulfils");
    let stale = listing.lines().filter(|line| line.contains(&claim) && line.contains("on x86-64-v4: stale"));
    assert_eq!(stale.count(), 3, "{listing}");
}

#[test]
fn an_edited_count_is_refused() {
    let folder = doctored(|file| file.records[0].mismatches = 1);
    let output = cke(&["check", "--records", folder.path().to_str().expect("a plain path")]);
    assert!(!output.status.success());
    assert!(text(&output).contains("its fields were edited: the seal does not fit them"), "{}", text(&output));
}

/// The same run gives the same bytes, and those are the committed ones: the oracle says what it said.
#[test]
fn a_run_repeats_the_committed_records() {
    let folder = doctored(|file| file.records.clear());
    let out = folder.path().to_str().expect("a plain path");
    for level in ["leaf", "public_route"] {
        let output = cke(&["run", "--provider", PROVIDER, "--isa", ISA, "--level", level, "--out", out]);
        assert!(output.status.success(), "{}", text(&output));
        if text(&output).contains("skipped") {
            eprintln!("skipped: this machine does not execute {ISA}");
            return;
        }
    }
    let read = |folder: &Path| {
        let text = fs::read_to_string(folder.join(PROVIDER).join(format!("{ISA}.json"))).expect("records");
        EvidenceFile::parse("records", &text).expect("well-formed records")
    };
    let (found, mut expected) = (read(folder.path()), read(&committed()));
    expected.records.retain(|record| record.level < Level::Layer);
    assert_eq!(found.records, expected.records);
}

#[test]
fn what_this_machine_cannot_execute_gives_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().expect("a plain path");
    let foreign = if cfg!(target_arch = "aarch64") { "x86-64-v3" } else { "aarch64" };
    let output = cke(&["run", "--provider", PROVIDER, "--isa", foreign, "--out", out]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("skipped: this machine cannot execute it; no record is written"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn names_that_do_not_exist_are_refused() {
    for (arguments, expected) in [
        (["run", "--provider", "nobody"], "unknown provider 'nobody'"),
        (["run", "--level", "leave"], "unknown level 'leave'; known are leaf, public_route, layer"),
        (["run", "--isa", "avx"], "unknown instruction set 'avx'"),
    ] {
        let output = cke(&arguments);
        assert!(!output.status.success() && text(&output).contains(expected), "{}", text(&output));
    }
}

#[test]
fn the_page_needs_no_script_and_nothing_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evidence.html");
    let output = cke(&["show", "--html", path.to_str().expect("a plain path")]);
    assert!(output.status.success(), "{}", text(&output));
    let page = fs::read_to_string(&path).unwrap();
    for absent in ["<script", "http:", "https:", " src=", "@import"] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert!(page.contains(PROVIDER) && page.contains("sha256:") && page.ends_with("</html>\n"));
}
