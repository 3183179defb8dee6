//! Constraints on types and attributes: the definitions of the prelude by name and by field.

use super::{AttributeKind, Cardinality, Constraint, Scalar};
use crate::record::{Record, Records, Value};

/// The constraint of an operand or result, with how many values it stands for.
pub(super) fn values(records: &Records, record: &Record) -> Result<(Cardinality, Constraint), String> {
    let cardinality = match () {
        () if record.is_a("Variadic") => Cardinality::Variadic,
        () if record.is_a("Optional") => Cardinality::Optional,
        () => return ty(records, record).map(|constraint| (Cardinality::One, constraint)),
    };
    let base = records.of(record.value("baseType")).ok_or("a group needs a type")?;
    ty(records, base).map(|constraint| (cardinality, constraint))
}

fn ty(records: &Records, record: &Record) -> Result<Constraint, String> {
    if record.is_a("ShapedContainerType") {
        return container(records, record);
    }
    match record.name.as_str() {
        "AnyType" => Ok(Constraint::Any),
        "AnyFloat" => Ok(Constraint::AnyFloat),
        "AnyInteger" => Ok(Constraint::AnyInteger),
        _ => scalar(record)
            .map(Constraint::Scalar)
            .ok_or_else(|| format!("the type constraint '{}' is not supported", display(record))),
    }
}

fn container(records: &Records, record: &Record) -> Result<Constraint, String> {
    let mut elements = Vec::new();
    for element in record.list("elementTypes").iter().filter_map(|value| records.of(value)) {
        elements.push(match element.name.as_str() {
            "AnyType" => Scalar::Any,
            _ => scalar(element).ok_or_else(|| format!("the element type '{}' is not supported", display(element)))?,
        });
    }
    if elements.is_empty() {
        return Err("a tensor or memref needs an element type".into());
    }
    if record.string("containerKind") == "memref" {
        return Ok(Constraint::MemRef(elements));
    }
    match record.list("allowedRanks") {
        [] => Ok(Constraint::Tensor(elements, None)),
        [Value::Int(rank)] if u32::try_from(*rank).is_ok() => {
            Ok(Constraint::Tensor(elements, u32::try_from(*rank).ok()))
        }
        _ => Err("a tensor can be constrained to one rank only".into()),
    }
}

fn scalar(record: &Record) -> Option<Scalar> {
    Some(match record.name.as_str() {
        "F32" => Scalar::F32,
        "F64" => Scalar::F64,
        "F16" => Scalar::F16,
        "BF16" => Scalar::BF16,
        "I1" => Scalar::I1,
        "I8" => Scalar::I8,
        "I32" => Scalar::I32,
        "I64" => Scalar::I64,
        "Index" => Scalar::Index,
        _ => return None,
    })
}

/// What an attribute is and whether it may be absent.
pub(super) fn attribute(records: &Records, record: &Record) -> Result<(AttributeKind, bool), String> {
    let kind = match record.name.as_str() {
        "AnyAttr" => AttributeKind::Any,
        "ArrayAttr" => AttributeKind::Array,
        "BoolAttr" => AttributeKind::Bool,
        "DictionaryAttr" => AttributeKind::Dictionary,
        "F32Attr" => AttributeKind::F32,
        "F64Attr" => AttributeKind::F64,
        "FlatSymbolRefAttr" => AttributeKind::FlatSymbolRef,
        "I64Attr" => AttributeKind::I64,
        "StrAttr" => AttributeKind::Str,
        "SymbolNameAttr" => AttributeKind::SymbolName,
        "SymbolRefAttr" => AttributeKind::SymbolRef,
        "TypeAttr" => AttributeKind::Type,
        "UnitAttr" => AttributeKind::Unit,
        _ if record.is_a("OptionalAttr") => {
            let base = records.of(record.value("baseAttr")).ok_or("an optional attribute needs an attribute")?;
            return match attribute(records, base)? {
                (kind, false) => Ok((kind, true)),
                _ => Err(format!("'{}' may be absent anyway", display(base))),
            };
        }
        _ => return Err(format!("the attribute constraint '{}' is not supported", display(record))),
    };
    Ok((kind, kind == AttributeKind::Unit))
}

/// The name of a record, or of its class if it has none.
pub(super) fn display(record: &Record) -> &str {
    let class = record.anonymous.then(|| record.classes.last()).flatten();
    class.unwrap_or(&record.name)
}
