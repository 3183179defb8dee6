//! Resolved records: what the definitions of a file mean once every class, let and operator was applied.

use crate::error::Location;
use indexmap::IndexMap;

pub use crate::syntax::Type;
pub use crate::text::Text;

/// The place of a record in [`Records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordId(pub(crate) usize);

/// A resolved value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `?`: no value.
    Unset,
    /// A bit or an integer.
    Int(i64),
    /// Bits, the least significant one first.
    Bits(Vec<bool>),
    /// A string or a code block.
    String(Text),
    /// A list.
    List(Vec<Value>),
    /// An operator with arguments.
    Dag(Dag),
    /// A record, named or made by naming a class with arguments.
    Record(RecordId),
}

impl Value {
    /// What kind of value this is, for errors.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Unset => "no value",
            Value::Int(_) => "an integer",
            Value::Bits(_) => "bits",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Dag(_) => "a dag",
            Value::Record(_) => "a record",
        }
    }
}

/// An operator with arguments, like `(ins F32:$x)`.
#[derive(Clone, Debug)]
pub struct Dag {
    /// The operator, a record.
    pub operator: RecordId,
    /// The arguments in order.
    pub arguments: Vec<DagArgument>,
}

impl PartialEq for Dag {
    fn eq(&self, other: &Self) -> bool {
        self.operator == other.operator
            && self.arguments.len() == other.arguments.len()
            && self.arguments.iter().zip(&other.arguments).all(|(a, b)| a.value == b.value && a.name == b.name)
    }
}

/// An argument of a dag.
#[derive(Clone, Debug)]
pub struct DagArgument {
    /// The value, perhaps unset.
    pub value: Value,
    /// The name after `$`.
    pub name: Option<String>,
    /// Where the name stands, or the value if there is no name.
    pub location: Location,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// The type it was declared with.
    pub ty: Type,
    /// Its value, of that type or unset.
    pub value: Value,
    /// Where the value was given, or where the field was declared if it was not.
    pub location: Location,
}

/// A record: the classes it derives from and its fields.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name; `anonymous_N` if it has none of its own.
    pub name: String,
    /// Whether the name was made up.
    pub anonymous: bool,
    /// Where it was defined, or where the class was first named with these arguments.
    pub location: Location,
    /// Every class it derives from: bases before the classes that derive from them, once for each way to them.
    pub classes: Vec<String>,
    /// The fields in the order of their declaration.
    pub fields: IndexMap<String, Field>,
}

impl Record {
    /// Whether the record derives from a class.
    pub fn is_a(&self, class: &str) -> bool {
        self.classes.iter().any(|name| name == class)
    }

    /// The value of a field; unset if there is no such field.
    pub fn value(&self, field: &str) -> &Value {
        self.fields.get(field).map_or(&Value::Unset, |field| &field.value)
    }

    /// The text of a string field that is set.
    pub fn text(&self, field: &str) -> Option<&Text> {
        match self.value(field) {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The characters of a string field; empty if it is unset.
    pub fn string(&self, field: &str) -> &str {
        self.text(field).map_or("", Text::as_str)
    }

    /// Whether a bit field is 1.
    pub fn flag(&self, field: &str) -> bool {
        *self.value(field) == Value::Int(1)
    }

    /// The elements of a list field; none if it is unset.
    pub fn list(&self, field: &str) -> &[Value] {
        match self.value(field) {
            Value::List(elements) => elements,
            _ => &[],
        }
    }

    /// The arguments of a dag field; none if it is unset.
    pub fn dag(&self, field: &str) -> &[DagArgument] {
        match self.value(field) {
            Value::Dag(dag) => &dag.arguments,
            _ => &[],
        }
    }
}

/// Every record of a file and of what it includes, in the order of their definition.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub(crate) records: Vec<Record>,
}

impl Records {
    /// The records in the order of their definition.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// A record by its place.
    pub fn get(&self, id: RecordId) -> &Record {
        &self.records[id.0]
    }

    /// A named record.
    pub fn find(&self, name: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.name == name)
    }

    /// The record that a value is.
    pub fn of<'a>(&'a self, value: &Value) -> Option<&'a Record> {
        match value {
            Value::Record(id) => Some(self.get(*id)),
            _ => None,
        }
    }
}
