//! The metadata of a model file: typed access to values by key.

use super::stream::Stream;
use super::value::{Array, Texts, Value, read_text};
use crate::fault::{Code, Fault, Result};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;

/// Bytes of the smallest entry: an empty key, a type, a value of one byte.
pub(super) const LEAST_ENTRY: u64 = 8 + 4 + 1;

/// All metadata of a file, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// The file's name, for faults.
    file: String,
    entries: BTreeMap<String, Stored>,
}

/// A value and the byte of the file where its entry starts.
#[derive(Clone, Debug, PartialEq)]
struct Stored {
    value: Value,
    byte: u64,
}

/// A type that metadata values can be taken as, without conversion.
pub trait FromValue<'a>: Sized {
    /// The type's name, as in [`Value::type_name`].
    const NAME: &'static str;

    /// The value, if it is of this type.
    fn from_value(value: &'a Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($type:ty, $name:literal, $pattern:pat => $taken:expr;)*) => {
        $(impl<'a> FromValue<'a> for $type {
            const NAME: &'static str = $name;

            fn from_value(value: &'a Value) -> Option<Self> {
                match value {
                    $pattern => Some($taken),
                    _ => None,
                }
            }
        })*
    };
}

from_value! {
    u32, "u32", Value::U32(value) => *value;
    u64, "u64", Value::U64(value) => *value;
    i32, "i32", Value::I32(value) => *value;
    f32, "f32", Value::F32(value) => *value;
    bool, "bool", Value::Bool(value) => *value;
    &'a str, "text", Value::Text(text) => text;
    &'a Texts, "array of text", Value::Array(Array::Text(texts)) => texts;
    &'a [i32], "array of i32", Value::Array(Array::I32(values)) => values;
    &'a [u32], "array of u32", Value::Array(Array::U32(values)) => values;
    &'a [f32], "array of f32", Value::Array(Array::F32(values)) => values;
}

impl Metadata {
    /// The value at `key`, if there is one.
    ///
    /// # Errors
    ///
    /// `CKE-W013`: it is of another type.
    pub fn find<'a, T: FromValue<'a>>(&'a self, key: &str) -> Result<Option<T>> {
        let Some(stored) = self.entries.get(key) else { return Ok(None) };
        let other = || {
            let message = format!("metadata '{key}' is {}, expected {}", stored.value.type_name(), T::NAME);
            self.fault(Code::MetadataMismatch, key, message)
        };
        T::from_value(&stored.value).map(Some).ok_or_else(other)
    }

    /// The value at `key`.
    ///
    /// # Errors
    ///
    /// `CKE-W013`: there is none, or it is of another type.
    pub fn get<'a, T: FromValue<'a>>(&'a self, key: &str) -> Result<T> {
        let missing =
            || self.fault(Code::MetadataMismatch, key, format!("metadata '{key}' is missing, expected {}", T::NAME));
        self.find(key)?.ok_or_else(missing)
    }

    /// Keys and values in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, stored)| (&**key, &stored.value))
    }

    /// A fault about the entry at `key`, located if the entry exists.
    pub fn fault(&self, code: Code, key: &str, message: impl Into<String>) -> Fault {
        let fault = Fault::new(code, message).in_file(&self.file);
        match self.entries.get(key) {
            Some(stored) => fault.at(stored.byte),
            None => fault,
        }
    }

    /// Reads `count` entries of the file called `file`.
    pub(super) fn read<R: Read>(file: &str, stream: &mut Stream<R>, count: u64) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for _ in 0..count {
            let start = stream.position();
            match entries.entry(read_text(stream)?) {
                Entry::Occupied(entry) => {
                    let message = format!("metadata '{}' occurs twice", entry.key());
                    return Err(Fault::new(Code::DuplicateName, message).at(start));
                }
                Entry::Vacant(entry) => entry.insert(Stored { value: Value::read(stream)?, byte: start }),
            };
        }
        Ok(Metadata { file: file.to_owned(), entries })
    }
}
