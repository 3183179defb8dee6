//! What is wrong with a file, and where in it.

use crate::fault::{Code, Fault};
use crate::json::Document;

/// A rule that a file breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Which rule.
    pub code: Code,
    /// The path to the value at fault: keys and indices joined by `/`.
    pub path: String,
    /// What was found and what was expected.
    pub message: String,
}

impl Flaw {
    pub(super) fn new(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, path: path.into(), message: message.into() }
    }

    /// The fault, with the path in words.
    pub fn fault(&self) -> Fault {
        let message = match self.path.as_str() {
            "" => self.message.clone(),
            path => format!("{}: {}", path.replace('/', "."), self.message),
        };
        Fault::new(self.code, message)
    }

    /// The fault, with its place in the text.
    pub fn fault_in(&self, document: &Document) -> Fault {
        self.fault().at(document.find(&self.path))
    }
}
