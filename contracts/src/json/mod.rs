//! JSON as this project reads it: strict, located, typed.
//!
//! A key said twice is refused in every object, also where the object is a map; unknown fields are refused by the types
//! (`deny_unknown_fields`). Every error names file, line, column and the path to the value. Nothing is read leniently.

mod reader;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::fault::{Code, Fault, Location};
pub use reader::{MAX_BYTES, MAX_DEPTH};

/// A JSON text with the place of each of its values.
#[derive(Clone, Debug)]
pub struct Document {
    name: String,
    text: String,
    value: Value,
    root: Place,
}

/// A value's place, as bytes from the start, and those of its parts.
#[derive(Clone, Debug)]
struct Place {
    at: usize,
    inner: Inner,
}

/// The places of the parts of a value.
#[derive(Clone, Debug)]
enum Inner {
    Leaf,
    Array(Vec<Place>),
    /// By key: the place of the key and of its value.
    Object(BTreeMap<String, (usize, Place)>),
}

impl Document {
    /// Reads a text; `name` stands for the file in errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Fault> {
        let (value, root) = reader::read(name, text)?;
        Ok(Self { name: name.to_owned(), text: text.to_owned(), value, root })
    }

    /// The value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value as a type; an error has the path and the place of the value at fault.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        serde_path_to_error::deserialize(&self.value)
            .map_err(|error| schema_fault(&error).at(self.locate(error.path().iter())))
    }

    /// Where the value at a path of keys stands; where a key is missing, the object that lacks it.
    pub fn location(&self, path: &[&str]) -> Location {
        let path: Vec<_> = path.iter().map(|key| Segment::Map { key: (*key).to_owned() }).collect();
        self.locate(&path)
    }

    fn locate<'a>(&self, path: impl IntoIterator<Item = &'a Segment>) -> Location {
        let mut place = &self.root;
        let mut at = place.at;
        for segment in path {
            let next = match (segment, &place.inner) {
                (Segment::Map { key }, Inner::Object(fields)) => {
                    fields.get(key).map(|(key_at, inner)| (*key_at, inner))
                }
                (Segment::Seq { index }, Inner::Array(items)) => items.get(*index).map(|item| (item.at, item)),
                _ => None,
            };
            let Some((next_at, inner)) = next else { break };
            (at, place) = (next_at, inner);
        }
        location(&self.name, &self.text, at)
    }
}

/// A value of a type from a JSON text; `name` stands for the file in errors.
pub fn from_str<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Fault> {
    Document::parse(name, text)?.decode()
}

/// A value of a type from JSON that has no text (it came from IR); an error has the path.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Fault> {
    serde_path_to_error::deserialize(value).map_err(|error| schema_fault(&error))
}

/// The fault of a value that is not of its type, with the path to it.
fn schema_fault(error: &serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let message = match error.path().iter().next() {
        None => error.inner().to_string(),
        Some(_) => format!("{}: {}", error.path(), error.inner()),
    };
    Fault::new(Code::Schema, message)
}

/// Line and column, counted in characters from 1.
fn location(name: &str, text: &str, at: usize) -> Location {
    // An offset inside a character cannot be the start of a token, but a file may end inside an escape.
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Location {
        file: name.to_owned(),
        line: count(before.matches('\n').count() + 1),
        column: count(before[line_start..].chars().count() + 1),
    }
}
