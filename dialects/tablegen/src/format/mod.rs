//! Assembly formats: from the text of `assemblyFormat` to checked elements.
//!
//! `parse` knows the language, `check` the rules that tie a format to its operation. Both are those of MLIR's
//! operation definitions, less the directives that the interpreter of formats does not have.

mod check;
mod parse;

use crate::error::{Error, Location};
use crate::model::Op;
use crate::text::Text;

/// An element of a format.
#[derive(Clone, Debug)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// Where it stands in the file.
    pub location: Location,
}

/// What an element of a format is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// `` `word` `` or punctuation.
    Literal(String),
    /// `$name`: an operand group, an attribute or a region.
    Variable(String),
    /// `attr-dict`, or `attr-dict-with-keyword`.
    AttrDict {
        /// Whether `attributes` is written before it.
        keyword: bool,
    },
    /// `type($name)`; also of `operands` and `results`.
    Type(String),
    /// `functional-type($ins, $outs)`; also of `operands` and `results`.
    FunctionalType(String, String),
    /// `operands`: all of them in one list.
    Operands,
    /// `(then)?` or `(then) : (otherwise)?`
    Optional {
        /// What is written if the anchor is present.
        then: Vec<Element>,
        /// The name marked with `^`.
        anchor: String,
        /// What is written if it is absent.
        otherwise: Vec<Element>,
    },
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Element {}

/// Parses a format and checks it against its operation.
pub(crate) fn read(text: &Text, op: &Op) -> Result<Vec<Element>, Error> {
    let elements = parse::parse(text)?;
    check::check(&elements, op, text.location())?;
    Ok(elements)
}
