//! The call: its arguments, where they come from, and the ports they pass.

use std::collections::{BTreeMap, BTreeSet};

use super::KernelMap;
use crate::fault::Code;
use crate::v8::flaw::Flaw;

/// The version of the calling convention.
const CALL_VERSION: u32 = 1;
/// Where an argument may come from. `null` alone has no name after it.
const NAMESPACES: [&str; 12] = [
    "activation",
    "const",
    "dim",
    "dtype",
    "dtype_weight",
    "output",
    "resolved",
    "runtime",
    "scratch",
    "scratch_size",
    "weight",
    "weight_f",
];

pub(super) fn check(map: &KernelMap) -> Result<(), Flaw> {
    let Some(abi) = &map.call_abi else {
        return match map.is_governed() {
            false => Ok(()),
            true => Err(Flaw::new(
                Code::BadCallAbi,
                "",
                "expected call_abi: a map that claims contracts says how it is called",
            )),
        };
    };
    let fault = |path: &str, message: String| Err(Flaw::new(Code::BadCallAbi, path, message));
    if abi.version != CALL_VERSION {
        return fault("call_abi/version", format!("must be {CALL_VERSION}, found {}", abi.version));
    }
    let mut names = BTreeSet::new();
    for (n, param) in abi.params.iter().enumerate() {
        let path = format!("call_abi/params/{n}");
        let name = &param.name;
        if !names.insert(name) {
            return fault(&path, format!("argument '{name}' is given twice"));
        }
        check_source(map, &param.source).map_err(|reason| {
            Flaw::new(Code::BadCallAbi, format!("{path}/source"), format!("argument '{name}': {reason}"))
        })?;
    }
    check_ports(map)?;
    check_route(map)
}

/// The error is the end of a sentence.
fn check_source(map: &KernelMap, source: &str) -> Result<(), String> {
    if source == "null" {
        return Ok(());
    }
    let (namespace, name) = source.split_once(':').unwrap_or((source, ""));
    if !NAMESPACES.contains(&namespace) {
        return Err(format!(
            "source '{source}' has an unknown namespace; known are {} and null",
            NAMESPACES.join(", ")
        ));
    }
    if name.trim().is_empty() {
        return Err(format!("source '{source}' has no name"));
    }
    let declared = || map.scratch.iter().flatten().any(|scratch| scratch.name == name);
    match namespace == "scratch_size" && !declared() {
        false => Ok(()),
        true => Err(format!("source '{source}' is the size of no declared scratch")),
    }
}

/// Ports that arguments say they pass, and ports that must be passed.
fn check_ports(map: &KernelMap) -> Result<(), Flaw> {
    let fault = |path: &str, message: String| Err(Flaw::new(Code::BadInterface, path, message));
    let mut passed_by: BTreeMap<&str, usize> = BTreeMap::new();
    let params = map.call_abi.iter().flat_map(|abi| &abi.params);
    for (n, param) in params.clone().enumerate() {
        for port in param.ports.iter().flatten() {
            let path = format!("call_abi/params/{n}/ports");
            let (kind, name) = port.split_once(':').unwrap_or(("", port));
            let scratch = || kind == "scratch" && map.scratch.iter().flatten().any(|scratch| scratch.name == name);
            let declared = map.port_lists().find(|(known, _, port)| *known == kind && port.name == name);
            if declared.is_none() && !scratch() {
                return fault(&path, format!("'{port}' is no port of the map"));
            }
            if passed_by.insert(port, n).is_some() {
                return fault(&path, format!("port '{port}' is passed twice"));
            }
            if param.source == "null" && declared.is_some_and(|(_, _, port)| port.optional != Some(true)) {
                return fault(&path, format!("port '{port}' is needed, but null is passed"));
            }
        }
    }
    // Only maps of an operation interface state the ports of their arguments throughout.
    if map.operation_interface.is_none() {
        return Ok(());
    }
    for (kind, field, port) in map.port_lists().filter(|(kind, ..)| matches!(*kind, "input" | "weight" | "output")) {
        let name = format!("{kind}:{}", port.name);
        let passed = passed_by.get(name.as_str());
        if passed.is_none() && port.optional != Some(true) {
            return fault(field, format!("port '{name}' is passed by no argument"));
        }
        let shared = port.alias_of.as_ref().map(|alias| format!("input:{alias}"));
        if let Some(shared) = shared.filter(|shared| passed_by.get(shared.as_str()) != passed) {
            return fault(
                field,
                format!("port '{name}' shares the memory of '{shared}', but another argument passes it"),
            );
        }
    }
    Ok(())
}

/// Constants that repeat a route must agree with it, or the function would take another route than the map says.
fn check_route(map: &KernelMap) -> Result<(), Flaw> {
    let implementation = map.implementation.as_ref();
    let routing = implementation.and_then(|implementation| implementation.work_partition_routing.as_ref());
    let routes: Vec<_> =
        routing.iter().flat_map(|routing| &routing.routes).filter(|route| !route.is_fallback()).collect();
    let mut repeated = BTreeSet::new();
    let fault = |path: String, message: String| Err(Flaw::new(Code::BadRoute, path, message));
    for (n, param) in map.call_abi.iter().flat_map(|abi| &abi.params).enumerate() {
        let Some(key) = param.name.strip_prefix("route_") else { continue };
        let Some(value) = param.source.strip_prefix("const:") else { continue };
        let path = format!("call_abi/params/{n}/source");
        let stated: Vec<_> = routes.iter().filter_map(|route| route.value(key)).map(ToString::to_string).collect();
        if stated.is_empty() {
            return fault(path, format!("argument '{}' repeats '{key}', which no route states", param.name));
        }
        if !stated.iter().any(|stated| stated == value) {
            let message = format!("argument '{}' is {value}, the route has {}", param.name, stated.join(" or "));
            return fault(path, message);
        }
        repeated.insert(key);
    }
    if repeated.is_empty() {
        return Ok(());
    }
    let keys = routes.iter().flat_map(|route| route.keys());
    match keys.into_iter().find(|key| !repeated.contains(key)) {
        None => Ok(()),
        Some(key) => fault("call_abi".to_owned(), format!("no argument repeats '{key}' of the route")),
    }
}
