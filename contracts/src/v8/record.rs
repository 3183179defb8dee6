//! How the types of files are written down, and the few shapes that many files share.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Defines a struct of a file: required fields, optional ones that may be absent but not null, and nullable ones that
/// may be absent or null, which are different things.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $name:ident {
            $(required { $($(#[$required_meta:meta])* $required:ident: $required_type:ty,)* })?
            $(optional { $($(#[$optional_meta:meta])* $optional:ident: $optional_type:ty,)* })?
            $(nullable { $($(#[$nullable_meta:meta])* $nullable:ident: $nullable_type:ty,)* })?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(
                $(#[$required_meta])*
                pub $required: $required_type,
            )*)?
            $($(
                $(#[$optional_meta])*
                #[serde(
                    default,
                    deserialize_with = "crate::v8::record::given",
                    skip_serializing_if = "Option::is_none"
                )]
                pub $optional: Option<$optional_type>,
            )*)?
            $($(
                $(#[$nullable_meta])*
                #[serde(
                    default,
                    deserialize_with = "crate::v8::record::given",
                    skip_serializing_if = "Option::is_none"
                )]
                pub $nullable: Option<Option<$nullable_type>>,
            )*)?
        }
    };
}
pub(super) use record;

/// A field that is there: null is not its absence.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A value whose keys no schema lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FreeForm {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<FreeForm>),
    /// Values by key.
    Object(BTreeMap<String, FreeForm>),
    /// Nothing, said.
    Null,
}

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
pub enum OneOrMany {
    /// One.
    One(String),
    /// A list.
    Many(Vec<String>),
}

/// A number of bytes, or how it is computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number of bytes or an expression")]
pub enum Size {
    /// The number.
    Bytes(u64),
    /// An expression over the map's dims.
    Expression(String),
}

/// An extent of a shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name of an extent or its size")]
pub enum Extent {
    /// Fixed.
    Size(u64),
    /// Named, or computed from names.
    Symbol(String),
}
