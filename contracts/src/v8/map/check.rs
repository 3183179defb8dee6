//! The checks a map can be given alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::KernelMap;
use super::{check_call, check_claim, check_memory, check_port, check_routing};
use crate::fault::{Code, Fault};
use crate::json::Document;
use crate::registry::Contract;
use crate::v8::flaw::Flaw;

/// The version of the claims.
const CONTRACT_VERSION: u32 = 1;

impl KernelMap {
    /// Reads a map; `name` stands for the file in errors.
    ///
    /// Faults: those of [`json`](crate::json), `IncompleteIdentity`, and those of the checks a map can be given alone.
    pub fn read(name: &str, text: &str) -> Result<Self, Fault> {
        Self::from_document(&Document::parse(name, text)?)
    }

    pub(in crate::v8) fn from_document(document: &Document) -> Result<Self, Fault> {
        check_identity(document.value()).map_err(|flaw| flaw.fault_in(document))?;
        let map: Self = document.decode()?;
        map.check_alone().map_err(|flaw| flaw.fault_in(document))?;
        Ok(map)
    }

    /// What needs nothing but the map.
    fn check_alone(&self) -> Result<(), Flaw> {
        if let Some(version) = self.contract_schema_version.filter(|version| *version != CONTRACT_VERSION) {
            let message = format!("must be {CONTRACT_VERSION}, found {version}");
            return Err(Flaw::new(Code::UnsupportedVersion, "contract_schema_version", message));
        }
        check_claim::check_alone(self)?;
        check_port::check(self)?;
        check_routing::check(self)?;
        check_call::check(self)?;
        check_memory::check(self)?;
        check_selection(self)
    }

    /// Checks the map alone and against the contracts it claims.
    pub fn check(&self, contracts: &BTreeMap<String, Contract>) -> Result<(), Flaw> {
        self.check_alone()?;
        check_claim::check(self, contracts)
    }
}

/// Id, operation and function must be there before anything else makes sense.
fn check_identity(value: &Value) -> Result<(), Flaw> {
    let said = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let parts = [
        ("id", value.get("id")),
        ("op", value.get("op")),
        ("impl/function", value.get("impl").and_then(|entry| entry.get("function"))),
    ];
    match parts.into_iter().find(|(_, value)| !said(*value)) {
        None => Ok(()),
        Some((path, _)) => Err(Flaw::new(Code::IncompleteIdentity, path, "expected a name, found none")),
    }
}

fn check_selection(map: &KernelMap) -> Result<(), Flaw> {
    let Some(selection) = &map.selection else { return Ok(()) };
    let fault = |path: &str, message: String| Err(Flaw::new(Code::BadSelection, path, message));
    if selection.equivalence_group.as_ref().is_none_or(|group| group.trim().is_empty()) {
        return fault("selection", "expected an equivalence_group, found none: nothing else may be ranked".to_owned());
    }
    if let Some(phases) = &selection.phases {
        if phases.is_empty() {
            return fault("selection/phases", "expected at least one phase".to_owned());
        }
        if phases.iter().collect::<BTreeSet<_>>().len() < phases.len() {
            return fault("selection/phases", "a phase is given twice".to_owned());
        }
        if let Some(mode) = map.mode.filter(|mode| !phases.contains(mode)) {
            return fault("selection/phases", format!("the map's mode {mode} is not among them"));
        }
    }
    Ok(())
}
