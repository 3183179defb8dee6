//! Which claim needs which records: data, in `evidence/needs.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Level;
use crate::fault::{Code, Fault};
use crate::json::Document;

/// The name of the file format.
const SCHEMA: &str = "cke.evidence_needs";
/// Its version.
const SCHEMA_VERSION: u32 = 1;

/// What `validated` needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Needs {
    /// `cke.evidence_needs`.
    pub schema: String,
    /// The version of the format: 1.
    pub schema_version: u32,
    /// The instruction sets every claim is made for.
    pub isas: Vec<String>,
    /// What a capability needs on each of them: all of these.
    pub capability: Vec<Need>,
    /// What a contract needs of at least one validated capability, on each of them: all of these.
    pub contract: Vec<Need>,
    /// What a requirement of a circuit needs on each of them: at least one of these.
    pub requirement: Vec<Need>,
}

/// A record that is needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// The rung.
    pub level: Level,
    /// The class of shapes.
    pub shape_class: String,
}

impl Needs {
    /// The needs of this project.
    pub fn native() -> Result<Self, Fault> {
        Self::parse("evidence/needs.json", include_str!("../../evidence/needs.json"))
    }

    /// Reads needs; `name` stands for the file in errors.
    ///
    /// Faults: those of [`crate::json`], and `UnsupportedVersion`.
    pub fn parse(name: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(name, text)?;
        let needs: Self = document.decode()?;
        if (needs.schema.as_str(), needs.schema_version) != (SCHEMA, SCHEMA_VERSION) {
            let message = format!(
                "expected schema '{SCHEMA}' version {SCHEMA_VERSION}, found '{}' version {}",
                needs.schema, needs.schema_version
            );
            return Err(Fault::new(Code::UnsupportedVersion, message).at(document.location(&["schema"])));
        }
        Ok(needs)
    }
}
