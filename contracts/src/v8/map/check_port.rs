//! Ports: names, aliases, and what an interface demands.

use std::collections::BTreeSet;

use super::{KernelMap, Port};
use crate::fault::Code;
use crate::v8::flaw::Flaw;

impl KernelMap {
    /// The ports by what they are: how a call names them, how the file does, and the ports.
    pub(super) fn port_lists(&self) -> impl Iterator<Item = (&'static str, &'static str, &Port)> {
        [
            ("input", "inputs", &self.inputs),
            ("weight", "weights", &self.weights),
            ("activation", "activations", &self.activations),
            ("runtime", "runtime_buffers", &self.runtime_buffers),
            ("output", "outputs", &self.outputs),
        ]
        .into_iter()
        .flat_map(|(kind, field, ports)| ports.iter().flatten().map(move |port| (kind, field, port)))
    }
}

pub(super) fn check(map: &KernelMap) -> Result<(), Flaw> {
    let mut seen = BTreeSet::new();
    for (_, field, port) in map.port_lists() {
        if port.name.trim().is_empty() {
            return Err(Flaw::new(Code::BadPort, field, "a port has no name"));
        }
        if !seen.insert((field, port.name.as_str())) {
            return Err(Flaw::new(Code::BadPort, field, format!("port '{}' is given twice", port.name)));
        }
    }
    let mut scratch = BTreeSet::new();
    for part in map.scratch.iter().flatten() {
        if !scratch.insert(part.name.as_str()) {
            return Err(Flaw::new(Code::BadPort, "scratch", format!("'{}' is given twice", part.name)));
        }
    }
    for (kind, field, port) in map.port_lists() {
        let fault = |message: String| Err(Flaw::new(Code::BadInterface, field, message));
        let name = &port.name;
        // Shared memory is arithmetic when it is not declared, so a hardened map declares how everything lies.
        let hardened = map.operation_interface.is_some();
        if hardened && port.layout.as_ref().is_none_or(|layout| layout.trim().is_empty()) {
            return fault(format!("port '{name}' of an operation interface states no layout"));
        }
        let Some(alias) = &port.alias_of else { continue };
        let of_input = |(other, _, target): &(&str, &str, &Port)| *other == "input" && target.name == *alias;
        let Some((_, _, target)) = map.port_lists().find(of_input) else {
            return fault(format!("port '{name}' is an alias of '{alias}', which is no input"));
        };
        if kind != "output" {
            return fault(format!("port '{name}' is an alias of '{alias}', but no output"));
        }
        if target.dtype != port.dtype || target.shape != port.shape || target.layout != port.layout {
            return fault(format!("port '{name}' has not the type, shape and layout of '{alias}', whose alias it is"));
        }
    }
    Ok(())
}
