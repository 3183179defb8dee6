//! Words and scalars of circuits.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The type of a configuration value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigType {
    /// An integer of at least 1.
    Integer,
    /// A finite 64-bit float.
    Float,
    /// One of the listed texts.
    Text,
}

/// The type of the elements of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// 32-bit float.
    Fp32,
    /// 32-bit integer.
    Int32,
    /// A position or a size; always a scalar.
    Index,
}

/// The type of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttributeType {
    /// 32-bit float, rounded once from the expression's 64-bit value.
    F32,
    /// 64-bit float.
    F64,
    /// 64-bit integer.
    I64,
    /// Text.
    Text,
}

/// A scalar of the metadata, an option or a configuration value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a boolean, a number or a text")]
pub enum Fact {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
    /// A text.
    Text(String),
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "'{value}'"),
        }
    }
}
