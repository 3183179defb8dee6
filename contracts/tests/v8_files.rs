//! The files of the v8 corpus are read whole: what is written again is what was read.

mod v8_support;

use cke_contracts::v8::{File, classify};
use serde::Serialize;
use v8_support::{Text, folder};

fn canonical(value: &impl Serialize) -> String {
    serde_json_canonicalizer::to_string(value).unwrap()
}

/// The kind of a file, after a round trip.
fn kind(text: &Text) -> &'static str {
    let file = classify(&text.name, &text.text).unwrap_or_else(|fault| panic!("{fault}"));
    let (kind, again) = match &file {
        File::Contracts(_) => return "contracts",
        File::KernelMap(map) => ("kernel map", canonical(map)),
        File::Bindings(bindings) => ("bindings", canonical(bindings)),
        File::Circuit(circuit) => ("circuit", canonical(circuit)),
        File::Manifest(manifest) => ("manifest", canonical(manifest)),
    };
    assert_eq!(again, canonical(&text.json()), "{}", text.name);
    kind
}

fn kinds(name: &str) -> Option<Vec<&'static str>> {
    Some(folder(name)?.iter().map(kind).collect())
}

#[test]
fn files_of_the_corpus_are_read_whole() {
    let Some(of_april) = kinds("kernel_maps_april") else { return };
    assert_eq!(of_april.iter().filter(|kind| **kind == "kernel map").count(), 22);
    assert_eq!(of_april.iter().filter(|kind| **kind == "bindings").count(), 2);
    assert_eq!(kinds("kernel_maps").unwrap(), ["kernel map"; 4]);
    assert_eq!(kinds("circuits").unwrap(), ["circuit"; 2]);
    assert_eq!(kinds("templates_april").unwrap(), ["circuit"; 3]);
    assert_eq!(kinds("manifests").unwrap(), ["manifest"]);
    assert_eq!(kinds("contracts").unwrap(), ["contracts"; 3]);
}
