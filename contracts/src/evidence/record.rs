//! Records: what was run on what, compared with whom, and with what outcome.
//!
//! A record holds no date, no name of a machine and no timing: the same run gives the same bytes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::digest;
use crate::fault::{Code, Fault};
use crate::json::Document;
use crate::registry::vocabulary::{Phase, vocabulary};

/// The name of the file format.
const SCHEMA: &str = "cke.evidence";
/// Its version.
const SCHEMA_VERSION: u32 = 1;

vocabulary! {
    /// The rungs of the ladder, from a kernel alone to tokens.
    Level {
        /// One generated kernel, called directly.
        Leaf = "leaf",
        /// A program of one operation, through the whole compiler.
        PublicRoute = "public_route",
        /// A model of one layer.
        Layer = "layer",
        /// A whole model.
        Stitched = "stitched",
        /// The tokens a whole model selects.
        TokenReplay = "token_replay",
    }
}

vocabulary! {
    /// What inputs hold.
    InputClass {
        /// Numbers of magnitude about 1, and some beyond the linear range of an exponential.
        Ordinary = "ordinary",
        /// Zeros of both signs and subnormals among ordinary numbers.
        ZerosAndSubnormals = "zeros_and_subnormals",
        /// Numbers of every magnitude a product can be finite with.
        Wide = "wide",
        /// Infinities, NaNs with payloads and the ends of the range among ordinary numbers.
        InfinitiesAndNans = "infinities_and_nans",
        /// Few distinct values, so that maxima are equal and sums fall half-way between two numbers.
        Ties = "ties",
        /// The weights of a seeded model and the tokens of a prompt.
        Model = "model",
    }
}

vocabulary! {
    /// What the outcome was compared with.
    Oracle {
        /// The scalar reference interpreter of the contracts.
        Scalar = "scalar",
    }
}

/// The evidence of one provider on one instruction set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvidenceFile {
    /// `cke.evidence`.
    pub schema: String,
    /// The version of the format: 1.
    pub schema_version: u32,
    /// The provider.
    pub provider: String,
    /// The instruction set the code was made for and ran on.
    pub isa: String,
    /// The version of LLVM that made machine code of it; for information.
    pub llvm: String,
    /// The records, in the order of [`Record::key`].
    pub records: Vec<Record>,
}

/// One rung for one contract and one class of shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The rung.
    pub level: Level,
    /// The contract that was checked.
    pub contract: String,
    /// The name of the class of shapes.
    pub shape_class: String,
    /// What of a circuit was run; absent below the level of layers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<Covered>,
    /// The kernels that were run.
    pub kernels: Vec<Kernel>,
    /// The thread plan: every number of threads that was used.
    pub threads: Vec<u32>,
    /// What the inputs held.
    pub inputs: Vec<InputClass>,
    /// What the inputs were made from.
    pub seed: u64,
    /// What the outcome was compared with.
    pub oracle: Oracle,
    /// How many runs were compared; each had first repeated itself bit for bit.
    pub cases: u64,
    /// How many elements were compared.
    pub comparisons: u64,
    /// How many of them differed in a bit.
    pub mismatches: u64,
    /// What the record is bound to.
    pub digests: Digests,
    /// The digest of all fields above: an edited record is no record.
    pub seal: String,
}

/// What of a circuit was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Covered {
    /// The circuit.
    pub circuit: String,
    /// The digest of the model file that was run.
    pub model: String,
    /// The operations of the circuit that the provider computed, and in which phases.
    pub operations: BTreeMap<String, Vec<Phase>>,
}

/// What a kernel was made from, next to contract and provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The phase.
    pub phase: Phase,
    /// The extents.
    pub shape: BTreeMap<String, i64>,
    /// The numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, f64>,
}

/// Digests of what was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Digests {
    /// The provider's definition.
    pub provider: String,
    /// The contract's definition; that of a composite covers its parts.
    pub contract: String,
    /// The generated code and the flags it was compiled with.
    pub code: String,
    /// What the oracle answered.
    pub results: String,
}

impl Record {
    /// What tells records of a file apart.
    pub fn key(&self) -> (Level, &str, &str) {
        (self.level, &self.contract, &self.shape_class)
    }

    /// The record with the seal of its other fields.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.seal = self.seal_of_fields();
        self
    }

    fn seal_of_fields(&self) -> String {
        let mut fields = serde_json::to_value(self).expect("a record holds names, numbers and text only");
        fields.as_object_mut().expect("a record is an object").remove("seal");
        digest(&fields)
    }

    /// Why the record says nothing, whatever it is bound to; `None` if it does.
    pub fn void(&self) -> Option<String> {
        if self.mismatches > 0 {
            return Some(format!("it counts {} mismatches in {} comparisons", self.mismatches, self.comparisons));
        }
        if self.cases == 0 || self.comparisons == 0 || self.kernels.is_empty() {
            return Some("nothing was compared".to_owned());
        }
        None
    }

    fn check(&self) -> Result<(), String> {
        if self.seal != self.seal_of_fields() {
            return Err("its fields were edited: the seal does not fit them".to_owned());
        }
        if self.mismatches > self.comparisons {
            return Err(format!("{} mismatches in {} comparisons", self.mismatches, self.comparisons));
        }
        if self.level >= Level::Layer && self.covered.is_none() {
            return Err("it does not say what of a circuit was run".to_owned());
        }
        Ok(())
    }
}

impl EvidenceFile {
    /// A file without records.
    pub fn new(provider: &str, isa: &str, llvm: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            provider: provider.to_owned(),
            isa: isa.to_owned(),
            llvm: llvm.to_owned(),
            records: Vec::new(),
        }
    }

    /// Reads and checks a file; `name` stands for it in errors.
    ///
    /// Faults: those of [`crate::json`], `UnsupportedVersion`, and `Schema` for a record that contradicts itself, was
    /// edited, or stands where another of its key should.
    pub fn parse(name: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(name, text)?;
        let file: Self = document.decode()?;
        let version = |field, message| Fault::new(Code::UnsupportedVersion, message).at(document.location(&[field]));
        if file.schema != SCHEMA {
            return Err(version("schema", format!("schema must be '{SCHEMA}', found '{}'", file.schema)));
        }
        if file.schema_version != SCHEMA_VERSION {
            let found = file.schema_version;
            return Err(version("schema_version", format!("schema_version must be {SCHEMA_VERSION}, found {found}")));
        }
        let refuse = |message| Fault::new(Code::Schema, message).at(document.location(&["records"]));
        for record in &file.records {
            record.check().map_err(|rule| refuse(format!("{}: {rule}", record.name())))?;
        }
        if let Some(pair) = file.records.windows(2).find(|pair| pair[0].key() >= pair[1].key()) {
            return Err(refuse(format!("{} is given twice or before {}", pair[1].name(), pair[0].name())));
        }
        Ok(file)
    }

    /// Puts a record in the place of the one with its key.
    pub fn insert(&mut self, record: Record) {
        match self.records.binary_search_by(|known| known.key().cmp(&record.key())) {
            Ok(index) => self.records[index] = record,
            Err(index) => self.records.insert(index, record),
        }
    }

    /// The file's text: two spaces of indentation, and on one line what fits there.
    pub fn text(&self) -> String {
        let value = serde_json::to_value(self).expect("a file holds names, numbers and text only");
        let mut text = String::new();
        write_json(&mut text, &value, 0);
        text.push('\n');
        text
    }
}

impl Record {
    fn name(&self) -> String {
        format!("record {} of '{}' for shapes '{}'", self.level, self.contract, self.shape_class)
    }
}

/// No line of a file is longer, unless a single word is.
const LINE: usize = 118;

/// Writes JSON so that a person can read it and a difference shows what changed.
fn write_json(text: &mut String, value: &Value, depth: usize) {
    let flat = value.to_string();
    let lines: Vec<(String, &Value)> = match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().map(|(key, value)| (format!("{}: ", Value::from(key.as_str())), value)).collect()
        }
        Value::Array(items) if !items.is_empty() => items.iter().map(|item| (String::new(), item)).collect(),
        _ => return text.push_str(&flat),
    };
    if 2 * depth + flat.len() + 40 <= LINE {
        return text.push_str(&spaced(&flat));
    }
    let (open, close) = if value.is_object() { ('{', '}') } else { ('[', ']') };
    text.push(open);
    for (index, (label, value)) in lines.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        text.push_str(label);
        write_json(text, value, depth + 1);
    }
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(close);
}

/// Compact JSON with a space after each colon and comma that is not inside a string.
fn spaced(flat: &str) -> String {
    let mut out = String::new();
    let (mut inside, mut escaped) = (false, false);
    for character in flat.chars() {
        out.push(character);
        match character {
            '"' if !escaped => inside = !inside,
            ',' | ':' if !inside => out.push(' '),
            _ => {}
        }
        escaped = inside && character == '\\' && !escaped;
    }
    out
}
