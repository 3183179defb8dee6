//! What a rule looks at: a piece of a source with its place.

use std::fmt;

use serde::Deserialize;

/// What a piece of a source is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A name in Rust.
    Identifier,
    /// The last two names of a path in Rust, such as `env::var`.
    Path,
    /// A string in Rust without white space, written there or put together from parts.
    Key,
    /// A string in Rust with white space.
    Text,
    /// A comparison by order in Rust; `difference` where a side is the size of a difference.
    Comparison,
    /// A key of a JSON object.
    DataKey,
    /// A string in JSON.
    DataText,
}

/// A piece of a source and where it was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The file, from the root of the project.
    pub path: String,
    /// The line, from 1; 0 for JSON.
    pub line: usize,
    pub kind: Kind,
    pub text: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, kind, text } = self;
        write!(f, "{path}:{line}: {kind:?} '{}'", text.escape_debug())
    }
}
