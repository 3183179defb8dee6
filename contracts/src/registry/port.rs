//! Ports of a kernel map: what a provider reads and writes, with shape, type, layout and storage.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::vocabulary::{DType, Preparation, TensorStorage};
use crate::layout::Layout;

/// A port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// The name, the same as in the graph dialect.
    pub name: String,
    /// The type of an element at the time of the call.
    pub dtype: DType,
    /// The logical shape.
    pub shape: Vec<Dim>,
    /// The order of the elements.
    #[serde(with = "layout_name")]
    #[schemars(schema_with = "layout_name::schema")]
    pub layout: Layout,
    /// For a weight: how the model file may store it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub storage: Vec<TensorStorage>,
    /// For a weight: how it is made ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<Preparation>,
    /// For scratch: the bytes it needs, an [expression](crate::expression) over shape keys and `max_threads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<String>,
    /// For an output: the input whose memory it may share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_of: Option<String>,
}

/// One dimension of a shape.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub enum Dim {
    /// A name; equal names are equal sizes.
    Name(String),
    /// A fixed size.
    Size(u32),
}

impl Serialize for Dim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serializer.serialize_str(name),
            Self::Size(size) => serializer.serialize_u32(*size),
        }
    }
}

impl<'de> Deserialize<'de> for Dim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DimVisitor)
    }
}

struct DimVisitor;

impl Visitor<'_> for DimVisitor {
    type Value = Dim;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a dimension or its size")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Dim, E> {
        Ok(Dim::Name(name.to_owned()))
    }

    fn visit_u64<E: Error>(self, size: u64) -> Result<Dim, E> {
        u32::try_from(size).map(Dim::Size).map_err(|_| E::custom(format!("size {size} does not fit 32 bits")))
    }

    fn visit_i64<E: Error>(self, size: i64) -> Result<Dim, E> {
        u32::try_from(size).map(Dim::Size).map_err(|_| E::custom(format!("size {size} is not between 0 and 2^32 - 1")))
    }
}

/// A compile-time fact a function needs.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub enum DimFact {
    /// Found by matching port shapes with the operation's types, or an integer attribute of the operation.
    Found(String),
    /// Computed from found ones.
    Derived(DerivedDim),
}

/// A computed compile-time fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DerivedDim {
    /// The name.
    pub name: String,
    /// An integer [expression](crate::expression) over found facts.
    pub expression: String,
}

impl DimFact {
    /// The name of the fact.
    pub fn name(&self) -> &str {
        match self {
            Self::Found(name) => name,
            Self::Derived(derived) => &derived.name,
        }
    }
}

impl Serialize for DimFact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Found(name) => serializer.serialize_str(name),
            Self::Derived(derived) => derived.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for DimFact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DimFactVisitor)
    }
}

struct DimFactVisitor;

impl<'de> Visitor<'de> for DimFactVisitor {
    type Value = DimFact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a dimension or an object with `name` and `expression`")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<DimFact, E> {
        Ok(DimFact::Found(name.to_owned()))
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<DimFact, A::Error> {
        DerivedDim::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(DimFact::Derived)
    }
}

/// Layouts in JSON, by name.
mod layout_name {
    use schemars::{Schema, SchemaGenerator, json_schema};

    use super::{Deserialize, Deserializer, Error, Layout, Serializer};

    pub fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Layout::ALL.map(Layout::name) })
    }

    pub fn serialize<S: Serializer>(layout: &Layout, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(layout.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Layout, D::Error> {
        Layout::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
