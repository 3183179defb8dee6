//! Checks of the ports, dimensions and parameters of a kernel map.

use std::collections::BTreeSet;

use super::check_reduction::repeated;
use super::vocabulary::{DType, Preparation, RuntimeValue, TensorStorage};
use super::{Code, Dim, DimFact, Fault, Port, PortKind, Provider};
use crate::expression::Expression;
use crate::layout::Layout;

/// Names an expression for the size of scratch memory may use beside the shape keys.
const BUILD_NAMES: &[&str] = &["max_rows", "max_threads"];

/// Checks all ports, then dimensions and parameters.
pub(super) fn check(provider: &Provider) -> Result<(), Fault> {
    let names: Vec<_> = provider.ports().map(|(_, port)| port.name.as_str()).collect();
    if let Some(name) = repeated(&names) {
        return Err(Fault::new(Code::BadPort, format!("port '{name}' is declared twice")));
    }
    for (kind, port) in provider.ports() {
        check_port(kind, port, provider).map_err(|reason| {
            Fault::new(Code::BadPort, format!("port '{}:{}': {reason}", kind.namespace(), port.name))
        })?;
    }
    check_dims(provider).map_err(|reason| Fault::new(Code::BadDims, reason))
}

fn check_port(kind: PortKind, port: &Port, provider: &Provider) -> Result<(), String> {
    if port.name.is_empty() {
        return Err("has no name".to_owned());
    }
    if port.shape.contains(&Dim::Size(0)) || port.shape.contains(&Dim::Name(String::new())) {
        return Err("has an empty dimension".to_owned());
    }
    port.layout.elements(&vec![1; port.shape.len()]).map_err(|error| error.to_string())?;
    check_weight(kind, port)?;
    check_scratch(kind, port, provider)?;
    check_alias(kind, port, provider)
}

/// Weights, and only they, say how they may be stored and how they are made ready.
fn check_weight(kind: PortKind, port: &Port) -> Result<(), String> {
    let Some(preparation) = port.preparation else {
        return match (kind, port.storage.is_empty()) {
            (PortKind::Weight, _) => Err("a weight needs a preparation".to_owned()),
            (_, false) => Err("only a weight has storage".to_owned()),
            (_, true) => Ok(()),
        };
    };
    if kind != PortKind::Weight {
        return Err("only a weight has a preparation".to_owned());
    }
    if port.storage.is_empty() {
        return Err("a weight needs at least one storage".to_owned());
    }
    if let Some(storage) = repeated(&port.storage) {
        return Err(format!("storage {storage} is given twice"));
    }
    let layout = match preparation {
        Preparation::ExpandFp32 | Preparation::RopeTableFp64Series => Layout::RowMajor,
        Preparation::ExpandFp32PanelsN32 => Layout::PanelsN32,
    };
    if port.layout != layout || port.dtype != DType::Fp32 {
        let (found, expected) = (port.layout.name(), layout.name());
        return Err(format!(
            "preparation {preparation} gives fp32 in {expected}, the port has {} in {found}",
            port.dtype
        ));
    }
    let generated = preparation == Preparation::RopeTableFp64Series;
    match port.storage.iter().find(|storage| (**storage == TensorStorage::Generated) != generated) {
        None => Ok(()),
        Some(storage) => Err(format!("preparation {preparation} does not read storage {storage}")),
    }
}

fn check_scratch(kind: PortKind, port: &Port, provider: &Provider) -> Result<(), String> {
    match (kind, &port.size_bytes) {
        (PortKind::Scratch, None) => Err("scratch needs size_bytes".to_owned()),
        (PortKind::Scratch, Some(size)) => {
            let expression = Expression::parse(size).map_err(|error| error.to_string())?;
            let keys: BTreeSet<_> = provider.dims.iter().map(DimFact::name).collect();
            match expression.names().into_iter().find(|name| !keys.contains(name) && !BUILD_NAMES.contains(name)) {
                None => Ok(()),
                Some(name) => Err(format!("size_bytes uses '{name}', which is none of dims")),
            }
        }
        (_, Some(_)) => Err("only scratch has size_bytes".to_owned()),
        (_, None) => Ok(()),
    }
}

fn check_alias(kind: PortKind, port: &Port, provider: &Provider) -> Result<(), String> {
    let Some(alias) = &port.alias_of else { return Ok(()) };
    if kind != PortKind::Output {
        return Err("only an output has an alias".to_owned());
    }
    let Some(input) = provider.inputs.iter().find(|input| input.name == *alias) else {
        return Err(format!("alias_of '{alias}' is no input"));
    };
    match (input.dtype, &input.shape, input.layout) == (port.dtype, &port.shape, port.layout) {
        true => Ok(()),
        false => Err(format!("alias_of '{alias}' has another type, shape or layout")),
    }
}

fn check_dims(provider: &Provider) -> Result<(), String> {
    let dims: Vec<_> = provider.dims.iter().map(DimFact::name).collect();
    if let Some(name) = repeated(&dims) {
        return Err(format!("dims: '{name}' appears twice"));
    }
    if let Some(name) = dims.iter().find(|name| RuntimeValue::ALL.iter().any(|value| value.as_str() == **name)) {
        return Err(format!("dims: '{name}' is known at the time of the call only"));
    }
    let params: Vec<_> = provider.params.iter().map(|param| param.name.as_str()).collect();
    if let Some(name) = repeated(&params) {
        return Err(format!("params: '{name}' appears twice"));
    }
    if let Some(param) = provider.params.iter().find(|param| param.dtype != DType::Fp32) {
        return Err(format!("params: '{}' must be fp32, found {}", param.name, param.dtype));
    }
    let known = found_names(provider);
    for derived in provider.dims.iter().filter_map(|dim| match dim {
        DimFact::Derived(derived) => Some(derived),
        DimFact::Found(_) => None,
    }) {
        let expression = Expression::parse(&derived.expression).map_err(|error| format!("dims: {error}"))?;
        if let Some(name) = expression.names().into_iter().find(|name| !known.contains(name)) {
            return Err(format!("dims: '{}' uses '{name}', which is neither found nor in a shape", derived.name));
        }
    }
    Ok(())
}

/// Names known at compile time before any derivation.
fn found_names(provider: &Provider) -> BTreeSet<&str> {
    let found = provider.dims.iter().filter_map(|dim| match dim {
        DimFact::Found(name) => Some(name.as_str()),
        DimFact::Derived(_) => None,
    });
    let shapes = provider.ports().flat_map(|(_, port)| &port.shape).filter_map(|dim| match dim {
        Dim::Name(name) if name != RuntimeValue::Rows.as_str() => Some(name.as_str()),
        _ => None,
    });
    found.chain(shapes).collect()
}
