//! The evaluator: runs statements in order and resolves each definition to a [`Record`](crate::record::Record).
//!
//! * `define` runs statements: classes, definitions, multiclasses.
//! * `draft` assembles a record from its classes and lets, then resolves its fields.
//! * `expr` evaluates expressions, `bang` the operators, `coerce` fits values to declared types.

mod bang;
mod coerce;
mod define;
mod draft;
mod expr;

use crate::error::{Error, Location};
use crate::record::{RecordId, Records, Value};
use crate::syntax::{Assignment, Class, Multiclass, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How deep evaluation may recurse: classes that name themselves would never end.
const MAX_DEPTH: usize = 400;

/// How many steps an evaluation may take: nested loops multiply.
const MAX_STEPS: usize = 1_000_000;

/// The greatest length of a string in bytes and of a list in elements: pasting can double at every step.
const MAX_LENGTH: usize = 1 << 16;

/// Resolves every definition.
pub(crate) fn evaluate(statements: &[Statement]) -> Result<Records, Error> {
    let mut evaluator = Evaluator::default();
    evaluator.run(statements, &Surroundings::default())?;
    Ok(evaluator.records)
}

#[derive(Default)]
struct Evaluator<'t> {
    classes: BTreeMap<&'t str, KnownClass<'t>>,
    multiclasses: BTreeMap<&'t str, &'t Multiclass>,
    records: Records,
    names: BTreeMap<String, RecordId>,
    /// Records made by naming a class with arguments: the same arguments give the same record.
    instances: Vec<(&'t str, Vec<Value>, RecordId)>,
    anonymous: usize,
    depth: usize,
    steps: usize,
}

/// A class with what surrounds its definition.
struct KnownClass<'t> {
    class: &'t Class,
    lets: Vec<Binding<'t>>,
    /// The fields of its records, inherited ones included.
    fields: BTreeSet<&'t str>,
}

/// A let and the scope its value is evaluated in.
#[derive(Clone)]
struct Binding<'t> {
    assignment: &'t Assignment,
    scope: Rc<Scope>,
}

/// What surrounds a statement: names it sees and lets that apply to its records.
#[derive(Clone, Default)]
struct Surroundings<'t> {
    scope: Rc<Scope>,
    lets: Vec<Binding<'t>>,
    /// The name of the `defm` being run.
    prefix: Option<String>,
}

/// Values by name.
#[derive(Default)]
struct Scope {
    values: Vec<(String, Value)>,
    /// Whether these are variables of an operator, which come before fields, or template parameters, which come after.
    variables: bool,
    parent: Option<Rc<Scope>>,
}

impl Scope {
    fn parameters(values: Vec<(String, Value)>) -> Rc<Self> {
        Rc::new(Self { values, variables: false, parent: None })
    }

    fn variable(name: &str, value: Value, parent: &Rc<Scope>) -> Rc<Self> {
        Rc::new(Self { values: vec![(name.to_string(), value)], variables: true, parent: Some(parent.clone()) })
    }

    fn find(&self, name: &str, variables: bool) -> Option<&Value> {
        let here = || self.values.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        (self.variables == variables)
            .then(here)
            .flatten()
            .or_else(|| self.parent.as_ref().and_then(|parent| parent.find(name, variables)))
    }
}

impl<'t> Evaluator<'t> {
    /// Runs one level of recursion.
    fn deeper<T>(&mut self, location: &Location, run: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == MAX_DEPTH {
            return Err(Error::new(location, format!("evaluation nests deeper than {MAX_DEPTH}")));
        }
        if self.steps == MAX_STEPS {
            return Err(Error::new(location, format!("evaluation takes more than {MAX_STEPS} steps")));
        }
        self.steps += 1;
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }
}
