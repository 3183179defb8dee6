//! Reading many maps at once.

use std::collections::BTreeMap;

use super::{KernelMap, check_set};
use crate::fault::{Code, Fault};
use crate::json::Document;
use crate::registry::Contract;

/// Reads maps, each given as (file name, text), and compares them with the contracts they claim and with each other.
///
/// Faults: those of [`KernelMap::read`], `DuplicateId` naming both files, and those of claims, interfaces and groups,
/// each with its place; the same whatever the order of the files.
pub fn read_maps(
    files: &[(&str, &str)],
    contracts: &BTreeMap<String, Contract>,
) -> Result<Vec<(String, KernelMap)>, Fault> {
    let mut files = files.to_vec();
    files.sort_unstable();
    let mut maps = BTreeMap::new();
    let mut sources: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for (name, text) in files {
        let document = Document::parse(name, text)?;
        let map = KernelMap::from_document(&document)?;
        if let Some((first, _)) = sources.get(&map.id) {
            let fault = Fault::new(Code::DuplicateId, format!("kernel map '{}' is defined twice", map.id));
            return Err(fault.note(format!("also defined in {first}")).at(document.location(&["id"])));
        }
        map.check(contracts).map_err(|flaw| {
            let fault = flaw.fault_in(&document);
            Fault { message: format!("kernel map '{}': {}", map.id, fault.message), ..fault }
        })?;
        sources.insert(map.id.clone(), (name, text));
        maps.insert(map.id.clone(), map);
    }
    check_set::check_maps(&maps).map_err(|(id, flaw)| {
        let (name, text) = sources[&id];
        let fault = match Document::parse(name, text) {
            Ok(document) => flaw.fault_in(&document),
            Err(fault) => fault,
        };
        Fault { message: format!("kernel map '{id}': {}", fault.message), ..fault }
    })?;
    Ok(maps.into_iter().map(|(id, map)| (sources[&id].0.to_owned(), map)).collect())
}
