//! JSON as this project reads it: strict, located, typed, bounded.
//!
//! A key said twice is refused in every object, also where the object is a map; unknown fields are refused by the types
//! (`deny_unknown_fields`). Every error names file, line, column and the path to the value. Nothing is read leniently,
//! and whatever a text holds, reading it takes bounded memory and time (see the limits).

mod locate;
mod reader;
mod source;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::fault::{Code, Fault, Location};
pub use reader::{MAX_BYTES, MAX_DEPTH, MAX_NUMBER, MAX_STRING, MAX_VALUES};
pub use source::read_text;

/// Characters of a text from outside that a message repeats.
const MAX_QUOTED: usize = 400;

/// A JSON text that has been read.
#[derive(Clone, Debug)]
pub struct Document {
    name: String,
    text: String,
    value: Value,
}

impl Document {
    /// Reads a text; `name` stands for the file in errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Fault> {
        let value = reader::read(name, text)?;
        Ok(Self { name: name.to_owned(), text: text.to_owned(), value })
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
        self.locate(&segments(path))
    }

    /// Where the keys of the object at a path stand. One walk for all of them.
    pub fn locations(&self, path: &[&str]) -> BTreeMap<String, Location> {
        let mut lines = locate::Lines::new(&self.name, &self.text);
        let keys = locate::keys(&self.text, &segments(path));
        keys.into_iter().map(|(key, at)| (key, lines.location(at))).collect()
    }

    /// Where the value at a path of keys and indices joined by `/` stands, or the nearest value around it.
    pub fn find(&self, path: &str) -> Location {
        let segment = |part: &str| match part.parse() {
            Ok(index) => Segment::Seq { index },
            Err(_) => Segment::Map { key: part.to_owned() },
        };
        self.locate(&path.split('/').map(segment).collect::<Vec<_>>())
    }

    fn locate<'a>(&self, path: impl IntoIterator<Item = &'a Segment>) -> Location {
        location(&self.name, &self.text, locate::offset(&self.text, path))
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
    let message = error.inner().to_string();
    let message = quoted(&message);
    let message = match error.path().iter().next() {
        None => message,
        Some(_) => format!("{}: {message}", quoted(&error.path().to_string())),
    };
    Fault::new(Code::Schema, message)
}

fn segments(path: &[&str]) -> Vec<Segment> {
    path.iter().map(|key| Segment::Map { key: (*key).to_owned() }).collect()
}

fn location(name: &str, text: &str, at: usize) -> Location {
    locate::Lines::new(name, text).location(at)
}

/// A text from outside as a message repeats it: whole, or its beginning and how long it is.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
    }
}
