//! The configuration of one model: every value of a circuit, found or computed, once.

use std::collections::BTreeMap;

use super::{Attribute, AttributeType, Circuit, ConfigEntry, ConfigType, Fact};
use crate::expression::Expression;
use crate::fault::{Code, Fault};

/// The name that stands for the number of rows of a call in shapes.
const ROWS: &str = "rows";

/// What an importer knows of a model.
pub trait Facts {
    /// A scalar of the metadata; `None` if the key is absent. The error says why a present value is no scalar.
    fn metadata(&self, key: &str) -> Result<Option<Fact>, String>;

    /// A dimension of a tensor by its name in the file, in the logical shape, slowest first; `None` if there is none.
    fn dimension(&self, tensor: &str, index: usize) -> Option<i64>;

    /// An option of the user.
    fn option(&self, name: &str) -> Option<Fact>;
}

/// The configuration of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    values: BTreeMap<String, Fact>,
}

/// A dimension of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The rows of the call: 1 in decode, known at the time of the call in prefill.
    Rows,
    /// A size.
    Size(i64),
}

impl Circuit {
    /// The configuration of a model.
    ///
    /// Faults: `UnknownArchitecture`, `RefusedModel`, `BadConfig`.
    pub fn configure(&self, architecture: &str, facts: &dyn Facts) -> Result<Config, Fault> {
        let Some(fixed) = self.architectures.get(architecture) else {
            let known: Vec<_> = self.architectures.keys().map(String::as_str).collect();
            let message = format!("circuit '{}' does not describe architecture '{architecture}'", self.name);
            return Err(Fault::new(Code::UnknownArchitecture, message).note(format!("described: {}", known.join(", "))));
        };
        self.refuse(architecture, facts)?;
        let mut finder = Finder { circuit: self, architecture, fixed, facts, found: BTreeMap::new(), open: Vec::new() };
        for name in self.config.keys() {
            finder.find(name)?;
        }
        let config = Config { values: finder.found };
        self.check_values(&config)?;
        Ok(config)
    }

    fn refuse(&self, architecture: &str, facts: &dyn Facts) -> Result<(), Fault> {
        for refusal in &self.refusals {
            let key = of_architecture(&refusal.key, architecture);
            let found = match facts.metadata(&key) {
                Ok(None) => continue,
                Ok(Some(fact)) if refusal.allowed.iter().any(|allowed| same(allowed, &fact)) => continue,
                Ok(Some(fact)) => fact.to_string(),
                Err(reason) => reason,
            };
            return Err(Fault::new(Code::RefusedModel, format!("metadata '{key}' is {found}: {}", refusal.reason)));
        }
        Ok(())
    }

    fn check_values(&self, config: &Config) -> Result<(), Fault> {
        for check in &self.checks {
            let value = config.integer(&check.expression).map_err(|fault| fault.note(check.reason.clone()))?;
            let Some(equals) = &check.equals else { continue };
            let expected = config.integer(equals)?;
            if value != expected {
                let message = format!("'{}' is {value}, '{equals}' is {expected}: {}", check.expression, check.reason);
                return Err(Fault::new(Code::BadConfig, message));
            }
        }
        Ok(())
    }
}

impl Config {
    /// A value by name.
    pub fn fact(&self, name: &str) -> Option<&Fact> {
        self.values.get(name)
    }

    /// Every value by name.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &Fact)> {
        self.values.iter().map(|(name, fact)| (name.as_str(), fact))
    }

    /// The value of an integer expression. Fault: `BadConfig`.
    pub fn integer(&self, expression: &str) -> Result<i64, Fault> {
        integer(expression, &self.values)
    }

    /// The value of an expression over 64-bit floats. Fault: `BadConfig`.
    pub fn float(&self, expression: &str) -> Result<f64, Fault> {
        float(expression, &self.values)
    }

    /// A shape: `rows` stays open, everything else is a size of at least 1. Fault: `BadConfig`.
    pub fn shape(&self, shape: &[String]) -> Result<Vec<Extent>, Fault> {
        let extent = |expression: &String| match expression == ROWS {
            true => Ok(Extent::Rows),
            false => match self.integer(expression)? {
                size @ 1.. => Ok(Extent::Size(size)),
                size => Err(bad(format!("dimension '{expression}' is {size}"))),
            },
        };
        shape.iter().map(extent).collect()
    }

    /// The value of an attribute: a float for `f32` (already rounded once) and `f64`, an integer, a text.
    pub fn attribute(&self, attribute: &Attribute) -> Result<Fact, Fault> {
        match attribute.kind {
            AttributeType::F32 => {
                let value = self.float(&attribute.value)? as f32;
                match value.is_finite() {
                    true => Ok(Fact::Float(f64::from(value))),
                    false => Err(bad(format!("'{}' does not fit 32 bits", attribute.value))),
                }
            }
            AttributeType::F64 => self.float(&attribute.value).map(Fact::Float),
            AttributeType::I64 => self.integer(&attribute.value).map(Fact::Integer),
            AttributeType::Text => match self.fact(&attribute.value) {
                Some(Fact::Text(text)) => Ok(Fact::Text(text.clone())),
                _ => Err(bad(format!("'{}' is no text of the configuration", attribute.value))),
            },
        }
    }
}

/// Finds values one by one; a default may need others first.
struct Finder<'a> {
    circuit: &'a Circuit,
    architecture: &'a str,
    fixed: &'a BTreeMap<String, Fact>,
    facts: &'a dyn Facts,
    found: BTreeMap<String, Fact>,
    open: Vec<String>,
}

impl Finder<'_> {
    fn find(&mut self, name: &str) -> Result<(), Fault> {
        if self.found.contains_key(name) {
            return Ok(());
        }
        let Some(entry) = self.circuit.config.get(name) else {
            return Err(bad(format!("'{name}' is no configuration value")));
        };
        if self.open.iter().any(|open| open == name) {
            return Err(bad(format!("'{name}' depends on itself: {}", self.open.join(", "))));
        }
        self.open.push(name.to_owned());
        let fact = self.source(name, entry)?;
        let fact = typed(entry, fact).map_err(|reason| bad(format!("'{name}': {reason}")))?;
        self.open.pop();
        self.found.insert(name.to_owned(), fact);
        Ok(())
    }

    /// The value of the first source that has one.
    fn source(&mut self, name: &str, entry: &ConfigEntry) -> Result<Fact, Fault> {
        if let Some(fact) = entry.option.as_ref().and_then(|option| self.facts.option(option)) {
            return Ok(fact);
        }
        if let Some(key) = &entry.key {
            let key = of_architecture(key, self.architecture);
            let found = self.facts.metadata(&key).map_err(|reason| bad(format!("metadata '{key}' is {reason}")))?;
            if let Some(fact) = found {
                return Ok(fact);
            }
        }
        if let Some(dimension) = &entry.tensor {
            let tensor = self.circuit.tensors.get(&dimension.name);
            let size = tensor.and_then(|tensor| self.facts.dimension(&tensor.name, dimension.dimension));
            if let Some(size) = size {
                return Ok(Fact::Integer(size));
            }
        }
        if let Some(fact) = self.fixed.get(name) {
            return Ok(fact.clone());
        }
        let Some(default) = &entry.default else {
            let key = entry.key.as_deref().map(|key| of_architecture(key, self.architecture));
            let missing = key.map_or_else(String::new, |key| format!(": metadata '{key}' is missing"));
            return Err(bad(format!("'{name}' has no value{missing}")));
        };
        match entry.kind {
            ConfigType::Text => Ok(Fact::Text(default.clone())),
            ConfigType::Integer => {
                self.find_names(default)?;
                integer(default, &self.found).map(Fact::Integer)
            }
            ConfigType::Float => {
                self.find_names(default)?;
                float(default, &self.found).map(Fact::Float)
            }
        }
    }

    fn find_names(&mut self, text: &str) -> Result<(), Fault> {
        let expression = parse(text)?;
        expression.names().into_iter().try_for_each(|name| self.find(name))
    }
}

/// The fact as the entry's type; an integer is a float too, nothing else converts.
fn typed(entry: &ConfigEntry, fact: Fact) -> Result<Fact, String> {
    match (entry.kind, fact) {
        (ConfigType::Integer, Fact::Integer(value @ 1..)) => Ok(Fact::Integer(value)),
        (ConfigType::Integer, Fact::Integer(value)) => Err(format!("{value} is less than 1")),
        (ConfigType::Float, Fact::Float(value)) if value.is_finite() => Ok(Fact::Float(value)),
        (ConfigType::Float, Fact::Integer(value)) => Ok(Fact::Float(value as f64)),
        (ConfigType::Text, Fact::Text(text)) if entry.values.is_empty() || entry.values.contains(&text) => {
            Ok(Fact::Text(text))
        }
        (ConfigType::Text, Fact::Text(text)) => Err(format!("'{text}' is none of {}", entry.values.join(", "))),
        (kind, fact) => Err(format!("{fact} is not of type {kind:?}").to_lowercase()),
    }
}

fn same(allowed: &Fact, found: &Fact) -> bool {
    match (allowed, found) {
        (Fact::Integer(one), Fact::Float(other)) | (Fact::Float(other), Fact::Integer(one)) => *one as f64 == *other,
        _ => allowed == found,
    }
}

fn of_architecture(key: &str, architecture: &str) -> String {
    key.replace("{arch}", architecture)
}

fn integer(text: &str, values: &BTreeMap<String, Fact>) -> Result<i64, Fault> {
    let value_of = |name: &str| match values.get(name) {
        Some(Fact::Integer(value)) => Some(*value),
        _ => None,
    };
    parse(text)?.integer(value_of).map_err(|error| bad(error.to_string()))
}

fn float(text: &str, values: &BTreeMap<String, Fact>) -> Result<f64, Fault> {
    let value_of = |name: &str| match values.get(name) {
        Some(Fact::Integer(value)) => Some(*value as f64),
        Some(Fact::Float(value)) => Some(*value),
        _ => None,
    };
    parse(text)?.float(value_of).map_err(|error| bad(error.to_string()))
}

fn parse(text: &str) -> Result<Expression, Fault> {
    Expression::parse(text).map_err(|error| bad(error.to_string()))
}

fn bad(message: String) -> Fault {
    Fault::new(Code::BadConfig, message)
}
