//! From records to the model. Whatever a record asks for that the tables cannot say is an error here: nothing is dropped
//! in silence.

use super::constraint::{self, display};
use super::traits::{self, Said};
use super::{Attribute, Cardinality, Dialect, Op, Region, Trait, Values};
use crate::error::{Error, Location};
use crate::format;
use crate::prelude;
use crate::record::{DagArgument, Record, Records, Value};
use crate::source::Source;
use std::collections::BTreeMap;

/// Fields of an operation that must keep their defaults: there is nothing in the tables for them.
const UNSUPPORTED_OP_FIELDS: &[&str] = &[
    "builders",
    "skipDefaultBuilders",
    "hasCustomAssemblyFormat",
    "hasRegionVerifier",
    "hasCanonicalizer",
    "hasCanonicalizeMethod",
    "hasFolder",
    "useCustomPropertiesEncoding",
    "extraClassDeclaration",
    "extraClassDefinition",
];

/// The same of a dialect.
const UNSUPPORTED_DIALECT_FIELDS: &[&str] = &[
    "dependentDialects",
    "extraClassDeclaration",
    "hasConstantMaterializer",
    "hasNonDefaultDestructor",
    "hasRegionArgAttrVerify",
    "hasRegionResultAttrVerify",
    "hasOperationInterfaceFallback",
    "useDefaultAttributePrinterParser",
    "useDefaultTypePrinterParser",
    "hasCanonicalizer",
    "isExtensible",
];

/// The most groups of operands, or of results, that the tables may have, and the most attributes, counting that of the
/// sizes of operand groups.
const MAX_GROUPS: usize = 16;
const MAX_ATTRIBUTES: usize = 16;

/// Names that the generated types use themselves.
const RESERVED: &[&str] = &["build", "cast", "operands", "results"];

/// Words that Rust does not take as a name, not even as `r#word`.
const NOT_A_NAME: &[&str] = &["_", "crate", "self", "super"];

impl Dialect {
    /// The one dialect that a file defines, with its operations. All errors are reported at once.
    pub fn read(source: &Source) -> Result<Self, Vec<Error>> {
        let dialects: Vec<&Record> = source.own_records().filter(|record| record.is_a("Dialect")).collect();
        let record = match dialects.as_slice() {
            [one] => one,
            [] => return Err(vec![Error::new(&Location::start(&source.name), "this file defines no dialect")]),
            [first, second, ..] => {
                let error = Error::new(&second.location, "a file can define one dialect only");
                return Err(vec![error.note(&first.location, "the other one is defined here")]);
            }
        };
        let mut reader = Reader { records: &source.records, errors: Vec::new() };
        let dialect = reader.dialect(record);
        if reader.errors.is_empty() { Ok(dialect) } else { Err(reader.errors) }
    }
}

struct Reader<'r> {
    records: &'r Records,
    errors: Vec<Error>,
}

impl<'r> Reader<'r> {
    fn error(&mut self, location: &Location, message: impl Into<String>) {
        self.errors.push(Error::new(location, message));
    }

    fn dialect(&mut self, record: &Record) -> Dialect {
        let name = record.string("name");
        if !is_word(name) {
            self.error(place(record, "name"), format!("expected a word as the name of the dialect, found '{name}'"));
        }
        self.refuse(record, UNSUPPORTED_DIALECT_FIELDS);
        if !record.dag("discardableAttrs").is_empty() {
            self.error(place(record, "discardableAttrs"), "'discardableAttrs' is not supported");
        }
        let is_ours = |op: &&Record| {
            op.is_a("Op") && self.records.of(op.value("opDialect")).is_some_and(|owner| owner.name == record.name)
        };
        let records: Vec<&Record> = self.records.iter().filter(is_ours).collect();
        let ops: Vec<Op> = records.into_iter().map(|op| self.op(op, name)).collect();
        self.unique(ops.iter().map(|op| (op.name.as_str(), &op.location)), "operation");
        self.unique(ops.iter().map(|op| (op.type_name.as_str(), &op.location)), "type of an operation");
        Dialect {
            name: name.to_string(),
            summary: record.string("summary").to_string(),
            description: record.string("description").to_string(),
            verifies_attributes: record.flag("hasOperationAttrVerify"),
            ops,
            location: record.location.clone(),
        }
    }

    /// Reports fields that are set although nothing obeys them.
    fn refuse(&mut self, record: &Record, fields: &[&str]) {
        for field in fields {
            let is_default = match record.value(field) {
                Value::Unset | Value::Int(0) => true,
                Value::String(text) => text.as_str().is_empty(),
                Value::List(elements) => elements.is_empty(),
                _ => false,
            };
            if !is_default {
                self.error(place(record, field), format!("'{field}' is not supported"));
            }
        }
    }

    fn unique<'n>(&mut self, names: impl Iterator<Item = (&'n str, &'n Location)>, what: &str) {
        let mut known: BTreeMap<&str, &Location> = BTreeMap::new();
        for (name, location) in names {
            if let Some(first) = known.insert(name, location) {
                let error = Error::new(location, format!("the {what} '{name}' is defined twice"));
                self.errors.push(error.note(first, "first defined here"));
            }
        }
    }

    fn op(&mut self, record: &Record, dialect: &str) -> Op {
        let mnemonic = record.string("opName");
        if mnemonic.is_empty() || !mnemonic.split('.').all(is_word) {
            self.error(&record.location, format!("expected words as the name of an operation, found '{mnemonic}'"));
        } else if NOT_A_NAME.contains(&mnemonic) {
            self.error(&record.location, format!("'{mnemonic}' cannot be a name in Rust"));
        }
        let type_name = type_name(&record.name);
        if !is_type_name(type_name) {
            let message = format!("expected a name like '{}_SomethingOp', found '{}'", dialect, record.name);
            self.error(&record.location, message);
        }
        self.refuse(record, UNSUPPORTED_OP_FIELDS);
        if !record.dag("successors").is_empty() {
            self.error(place(record, "successors"), "'successors' is not supported");
        }
        let mut op = Op {
            name: format!("{dialect}.{mnemonic}"),
            mnemonic: mnemonic.to_string(),
            type_name: type_name.to_string(),
            summary: record.string("summary").to_string(),
            description: record.string("description").to_string(),
            traits: Vec::new(),
            effects: Vec::new(),
            operands: Vec::new(),
            results: Vec::new(),
            attributes: Vec::new(),
            regions: Vec::new(),
            same_types: Vec::new(),
            sized_operands: false,
            format: None,
            has_verifier: record.flag("hasVerifier"),
            is_symbol_user: false,
            location: record.location.clone(),
        };
        self.arguments(&mut op, record);
        for value in record.list("traits") {
            self.said(&mut op, place(record, "traits"), value);
        }
        self.consistent(&mut op, record);
        if let Some(text) = record.text("assemblyFormat") {
            match format::read(text, &op) {
                Ok(format) => op.format = Some(format),
                Err(error) => self.errors.push(error),
            }
        }
        op
    }

    fn arguments(&mut self, op: &mut Op, record: &Record) {
        for argument in record.dag("arguments") {
            let Some((constraint, description)) = self.constraint(argument) else { continue };
            if constraint.is_a("Attr") {
                match constraint::attribute(self.records, constraint) {
                    Ok((kind, optional)) => op.attributes.push(Attribute {
                        name: argument.name.clone().unwrap_or_default(),
                        kind,
                        optional,
                        summary: constraint.string("summary").to_string(),
                        description,
                        location: argument.location.clone(),
                    }),
                    Err(message) => self.error(&argument.location, message),
                }
            } else {
                let group = self.values(argument, constraint, description);
                op.operands.extend(group);
            }
        }
        for result in record.dag("results") {
            let Some((constraint, description)) = self.constraint(result) else { continue };
            let group = self.values(result, constraint, description);
            op.results.extend(group);
        }
        for region in record.dag("regions") {
            match self.constraint(region) {
                Some((constraint, _)) if constraint.name == "AnyRegion" => op
                    .regions
                    .push(Region { name: region.name.clone().unwrap_or_default(), location: region.location.clone() }),
                Some((constraint, _)) => {
                    let message = format!("the region constraint '{}' is not supported", display(constraint));
                    self.error(&region.location, message);
                }
                None => {}
            }
        }
    }

    /// The constraint of an argument, result or region and what is said about it. Reports a missing or useless name.
    fn constraint(&mut self, argument: &DagArgument) -> Option<(&'r Record, String)> {
        let name = argument.name.as_deref().unwrap_or_default();
        if argument.name.is_none() {
            self.error(&argument.location, "expected a $name");
        } else if !is_snake_case(name) {
            self.error(&argument.location, format!("expected a name in snake case, found '{name}'"));
        } else if NOT_A_NAME.contains(&name) {
            self.error(&argument.location, format!("'{name}' cannot be a name in Rust"));
        } else if RESERVED.contains(&name) {
            self.error(&argument.location, format!("the name '{name}' is taken by the generated code"));
        }
        let Some(record) = self.records.of(&argument.value) else {
            self.error(&argument.location, format!("expected a constraint, found {}", argument.value.kind()));
            return None;
        };
        let Some(inner) = record.is_a("OpVariable").then(|| self.records.of(record.value("constraint"))) else {
            return Some((record, String::new()));
        };
        inner.map(|inner| (inner, record.string("summary").to_string()))
    }

    fn values(&mut self, argument: &DagArgument, constraint: &Record, description: String) -> Option<Values> {
        match constraint::values(self.records, constraint) {
            Ok((cardinality, ty)) => Some(Values {
                name: argument.name.clone().unwrap_or_default(),
                cardinality,
                constraint: ty,
                summary: constraint.string("summary").to_string(),
                description,
                location: argument.location.clone(),
            }),
            Err(message) => {
                self.error(&argument.location, message);
                None
            }
        }
    }

    fn said(&mut self, op: &mut Op, place: &Location, value: &Value) {
        let Some(record) = self.records.of(value) else { return };
        match traits::said(record) {
            Said::Plain(plain) => {
                if !op.has(plain) {
                    op.traits.push(plain);
                }
            }
            Said::SizedOperands => op.sized_operands = true,
            Said::SymbolUser => op.is_symbol_user = true,
            Said::SameOperandsAndResultType => {
                op.same_types.push(op.operands.iter().chain(&op.results).map(|group| group.name.clone()).collect());
            }
            Said::AllTypesMatch(record) => {
                let names = record.list("values").iter().filter_map(|value| match value {
                    Value::String(text) => Some(text.as_str().to_string()),
                    _ => None,
                });
                op.same_types.push(names.collect());
            }
            Said::Effects(record) => match traits::effects(self.records, record) {
                Some(effects) => op.effects.extend(effects),
                None => self.error(place, "unknown effect in 'MemoryEffects'"),
            },
            Said::List(list) => list.list("traits").iter().for_each(|value| self.said(op, place, value)),
            Said::Unknown => {
                self.error(place, format!("the trait '{}' of '{}' is not supported", display(record), op.name));
            }
        }
    }

    /// What the parts of an operation demand of each other.
    fn consistent(&mut self, op: &mut Op, record: &Record) {
        let groups = op.operands.iter().chain(&op.results).map(|group| (group.name.as_str(), &group.location));
        let attributes = op.attributes.iter().map(|attribute| (attribute.name.as_str(), &attribute.location));
        let regions = op.regions.iter().map(|region| (region.name.as_str(), &region.location));
        self.unique(groups.chain(attributes).chain(regions), "name");

        if op.operands.len() > MAX_GROUPS {
            let message = format!("'{}' has more than {MAX_GROUPS} groups of operands", op.name);
            self.error(place(record, "arguments"), message);
        }
        if op.results.len() > MAX_GROUPS {
            self.error(place(record, "results"), format!("'{}' has more than {MAX_GROUPS} groups of results", op.name));
        }
        if op.attributes.len() + usize::from(op.sized_operands) > MAX_ATTRIBUTES {
            let message = format!("'{}' has more than {MAX_ATTRIBUTES} attributes", op.name);
            self.error(place(record, "arguments"), message);
        }
        let unsized_groups = |groups: &[Values]| groups.iter().filter(|g| g.cardinality != Cardinality::One).count();
        if unsized_groups(&op.operands) > 1 && !op.sized_operands {
            self.error(
                place(record, "arguments"),
                format!("'{}' has several variadic or optional operands and needs 'AttrSizedOperandSegments'", op.name),
            );
        }
        if unsized_groups(&op.results) > 1 {
            let message = format!("'{}' can have one variadic or optional result only", op.name);
            self.error(place(record, "results"), message);
        }
        let place = place(record, "traits");
        if op.has(Trait::Symbol)
            && !op.attribute("sym_name").is_some_and(|name| name.kind == super::AttributeKind::SymbolName)
        {
            self.error(place, format!("'{}' is a symbol and needs 'SymbolNameAttr:$sym_name'", op.name));
        }
        if op.has(Trait::Pure) && !op.effects.is_empty() {
            self.error(place, format!("'{}' cannot be pure and have effects", op.name));
        }
        for name in op.same_types.iter().flatten() {
            if op.operand(name).is_none() && op.result(name).is_none() && op.attribute(name).is_none() {
                let message = format!("'{}' has no operand, result or attribute '{name}' to match types with", op.name);
                self.error(place, message);
            }
        }
    }
}

/// Where a field got its value; the record itself if that was in the prelude, for instance from a template argument.
fn place<'r>(record: &'r Record, field: &str) -> &'r Location {
    match record.fields.get(field) {
        Some(field) if prelude::find(&field.location.file).is_none() => &field.location,
        _ => &record.location,
    }
}

/// The name of a definition without its prefix: `Graph_LinearOp` is `LinearOp`.
fn type_name(definition: &str) -> &str {
    match definition.split_once('_') {
        Some((prefix, name)) if !prefix.is_empty() && !name.is_empty() => name,
        _ => definition,
    }
}

/// Whether a name is a type's in Rust. The `Op` keeps it apart from the structs of parts.
fn is_type_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.ends_with("Op")
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
