//! The checks that need all maps: one meaning for an interface, one meaning and one order for a group.

use std::collections::{BTreeMap, BTreeSet};

use super::{KernelMap, MapSelection};
use crate::fault::Code;
use crate::registry::vocabulary::Lifecycle;
use crate::v8::flaw::Flaw;

/// Compares maps with each other; a flaw comes with the id of the map that has it.
pub fn check_maps(maps: &BTreeMap<String, KernelMap>) -> Result<(), (String, Flaw)> {
    let mut interfaces: BTreeMap<&str, &KernelMap> = BTreeMap::new();
    let mut groups: BTreeMap<&str, Vec<&KernelMap>> = BTreeMap::new();
    for (id, map) in maps {
        let flawed = |flaw: Flaw| (id.clone(), flaw);
        if let Some(interface) = &map.operation_interface {
            let first = *interfaces.entry(interface).or_insert(map);
            check_interface(map, first).map_err(flawed)?;
        }
        if let Some(group) = map.selection.as_ref().and_then(|selection| selection.equivalence_group.as_ref()) {
            let members = groups.entry(group).or_default();
            members.iter().try_for_each(|other| check_pair(map, other)).map_err(flawed)?;
            members.push(map);
        }
    }
    Ok(())
}

/// Maps of one interface have the same ports.
fn check_interface(map: &KernelMap, first: &KernelMap) -> Result<(), Flaw> {
    let ports = |map: &KernelMap| -> BTreeSet<(String, String)> {
        let called = map.port_lists().filter(|(kind, ..)| matches!(*kind, "input" | "weight" | "output"));
        called
            .map(|(kind, _, port)| (format!("{kind}:{}", port.name), port.dtype.clone().unwrap_or_default()))
            .collect()
    };
    let (found, expected) = (ports(map), ports(first));
    match found.symmetric_difference(&expected).next() {
        None => Ok(()),
        Some((port, dtype)) => {
            let message = format!("port '{port}' ({dtype}) is not the same in '{}', which implements it too", first.id);
            Err(Flaw::new(Code::BadInterface, "operation_interface", message))
        }
    }
}

/// Members of a group mean the same, and no two can share the first place.
fn check_pair(map: &KernelMap, other: &KernelMap) -> Result<(), Flaw> {
    let fault = |message: String| Err(Flaw::new(Code::BadSelection, "selection", message));
    let claims = |map: &KernelMap| map.claims().map(str::to_owned).collect::<BTreeSet<_>>();
    if map.op != other.op || claims(map) != claims(other) {
        return fault(format!("operation and contracts are not those of '{}', a member of the group too", other.id));
    }
    let (Some(one), Some(two)) = (&map.selection, &other.selection) else { return Ok(()) };
    let ties = one.status == two.status
        && one.priority == two.priority
        && matches!(one.status, Lifecycle::Production | Lifecycle::Candidate)
        && share_a_phase(one, two)
        && share_a_weight(map, other);
    match ties {
        false => Ok(()),
        true => fault(format!("priority {} is also that of '{}' in the group", one.priority, other.id)),
    }
}

fn share_a_phase(one: &MapSelection, two: &MapSelection) -> bool {
    match (&one.phases, &two.phases) {
        (Some(one), Some(two)) => one.iter().any(|phase| two.contains(phase)),
        _ => true,
    }
}

fn share_a_weight(one: &KernelMap, two: &KernelMap) -> bool {
    let words = |map: &KernelMap| -> Option<BTreeSet<String>> {
        let words = map.quant.as_ref()?.weight.clone()??;
        Some(words.split('|').map(|word| word.trim().to_owned()).collect())
    };
    match (words(one), words(two)) {
        (Some(one), Some(two)) => !one.is_disjoint(&two),
        _ => true,
    }
}
