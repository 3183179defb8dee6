//! Metadata values: the thirteen types of the format, read without conversion.

use super::stream::Stream;
use crate::fault::{Code, Fault, Result};
use std::io::Read;

/// Number of the text type in the file.
pub(super) const TEXT: u32 = 8;
/// Number of the array type in the file.
pub(super) const ARRAY: u32 = 9;

macro_rules! scalars {
    ($($variant:ident $type:ty, $number:literal, $name:literal, $width:literal;)*) => {
        /// A metadata value.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Value {
            $(#[doc = concat!("One ", $name, ".")] $variant($type),)*
            /// A text.
            Text(String),
            /// A list of values of one type.
            Array(Array),
        }

        /// A list of metadata values of one type.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Array {
            $(#[doc = concat!("Values of type ", $name, ".")] $variant(Vec<$type>),)*
            /// Texts.
            Text(Texts),
        }

        impl Value {
            /// The type's name, such as `u32`, `text` or `array of text`.
            pub fn type_name(&self) -> &'static str {
                match self {
                    $(Value::$variant(_) => $name,)*
                    Value::Text(_) => "text",
                    $(Value::Array(Array::$variant(_)) => concat!("array of ", $name),)*
                    Value::Array(Array::Text(_)) => "array of text",
                }
            }

            pub(super) fn type_number(&self) -> u32 {
                match self {
                    $(Value::$variant(_) => $number,)*
                    Value::Text(_) => TEXT,
                    Value::Array(_) => ARRAY,
                }
            }

            pub(super) fn read<R: Read>(stream: &mut Stream<R>) -> Result<Self> {
                let start = stream.position();
                match stream.u32()? {
                    $($number => <$type>::scalar(stream).map(Value::$variant),)*
                    TEXT => read_text(stream).map(Value::Text),
                    ARRAY => Array::read(stream).map(Value::Array),
                    number => Err(unknown(format!("value type {number} is unknown")).at(start)),
                }
            }

            pub(super) fn write(&self, bytes: &mut Vec<u8>) {
                match self {
                    $(Value::$variant(value) => value.put(bytes),)*
                    Value::Text(text) => put_text(text, bytes),
                    Value::Array(array) => array.write(bytes),
                }
            }
        }

        impl Array {
            /// The number of values.
            pub fn len(&self) -> usize {
                match self {
                    $(Array::$variant(values) => values.len(),)*
                    Array::Text(texts) => texts.len(),
                }
            }

            fn read<R: Read>(stream: &mut Stream<R>) -> Result<Self> {
                let start = stream.position();
                match stream.u32()? {
                    $($number => read_scalars(stream, $width).map(Array::$variant),)*
                    TEXT => Texts::read(stream).map(Array::Text),
                    ARRAY => Err(unknown("arrays of arrays are not read".to_owned()).at(start)),
                    number => Err(unknown(format!("element type {number} is unknown")).at(start)),
                }
            }

            fn write(&self, bytes: &mut Vec<u8>) {
                match self {
                    $(Array::$variant(values) => {
                        put_array_head($number, values.len(), bytes);
                        values.iter().for_each(|value| value.put(bytes));
                    })*
                    Array::Text(texts) => {
                        put_array_head(TEXT, texts.len(), bytes);
                        texts.iter().for_each(|text| put_text(text, bytes));
                    }
                }
            }
        }
    };
}

scalars! {
    U8 u8, 0, "u8", 1;
    I8 i8, 1, "i8", 1;
    U16 u16, 2, "u16", 2;
    I16 i16, 3, "i16", 2;
    U32 u32, 4, "u32", 4;
    I32 i32, 5, "i32", 4;
    F32 f32, 6, "f32", 4;
    Bool bool, 7, "bool", 1;
    U64 u64, 10, "u64", 8;
    I64 i64, 11, "i64", 8;
    F64 f64, 12, "f64", 8;
}

impl Array {
    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A list of texts in one piece of memory: a vocabulary has hundreds of thousands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at `index`, counted from 0.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..end])
    }

    /// The texts in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.ends.iter().zip(starts).map(|(&end, start)| &self.text[start..end])
    }

    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    fn read<R: Read>(stream: &mut Stream<R>) -> Result<Self> {
        let mut texts = Texts::default();
        for _ in 0..stream.count("texts", 8)? {
            texts.push(&read_text(stream)?);
        }
        Ok(texts)
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(items: I) -> Self {
        let mut texts = Texts::default();
        items.into_iter().for_each(|text| texts.push(text));
        texts
    }
}

/// A text: its length in bytes, then the bytes.
pub(super) fn read_text<R: Read>(stream: &mut Stream<R>) -> Result<String> {
    let length = stream.u64()?;
    stream.text(length)
}

/// The counterpart of [`read_text`].
pub(super) fn put_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn put_array_head(number: u32, count: usize, bytes: &mut Vec<u8>) {
    bytes.extend(number.to_le_bytes());
    bytes.extend((count as u64).to_le_bytes());
}

fn read_scalars<T: Scalar, R: Read>(stream: &mut Stream<R>, width: u64) -> Result<Vec<T>> {
    let mut values = Vec::new();
    for _ in 0..stream.count("values", width)? {
        values.push(T::scalar(stream)?);
    }
    Ok(values)
}

fn unknown(message: String) -> Fault {
    Fault::new(Code::UnknownValue, message)
}

/// A fixed-width type of the format.
trait Scalar: Sized {
    fn scalar<R: Read>(stream: &mut Stream<R>) -> Result<Self>;
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($type:ty),*) => {
        $(impl Scalar for $type {
            fn scalar<R: Read>(stream: &mut Stream<R>) -> Result<Self> {
                stream.array().map(<$type>::from_le_bytes)
            }

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        })*
    };
}

numbers!(u8, i8, u16, i16, u32, i32, f32, u64, i64, f64);

impl Scalar for bool {
    fn scalar<R: Read>(stream: &mut Stream<R>) -> Result<Self> {
        let start = stream.position();
        match stream.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [byte] => Err(unknown(format!("a boolean is {byte}, expected 0 or 1")).at(start)),
        }
    }

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
}
