//! Faults: what was wrong, where, which candidates were looked at, and the three places where it may be repaired.
//!
//! A fault is a value. Nothing in this crate prints one, recovers from one or turns one into a warning.

mod code;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

pub use code::Code;

use crate::resolve::Candidate;

/// The repairs the policy allows, as help text.
pub const HELP: &str =
    "repair the circuit, the contract registry or the kernel map; nothing else may change a decision";

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which rule was broken.
    pub code: Code,
    /// What was found and what was expected, in one line.
    pub message: String,
    /// Where it stands, if it came from a text.
    pub location: Option<Location>,
    /// The id of the contract or provider whose definition is at fault, if it is one.
    pub definition: Option<String>,
    /// Every provider that was looked at, with the reasons why it was rejected; none for the providers that fit.
    pub candidates: Vec<Candidate>,
    /// Further facts, one line each.
    pub notes: Vec<String>,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file, or what stands for it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Fault {
    /// A fault without place, candidates and notes.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            location: None,
            definition: None,
            candidates: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The fault with a place, unless it has one already.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location.get_or_insert(location);
        self
    }

    /// The fault with one more note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The lines below the first: candidates of the operation, then the providers of other operations in one line, then
    /// notes.
    pub fn details(&self) -> Vec<String> {
        let (elsewhere, here): (Vec<_>, Vec<_>) = self.candidates.iter().partition(|c| c.serves_other_operation());
        let mut lines: Vec<_> = here.iter().map(|candidate| candidate.to_string()).collect();
        if !elsewhere.is_empty() {
            let list: Vec<_> = elsewhere.iter().map(|candidate| candidate.short()).collect();
            lines.push(format!("rejected for their operation: {}", list.join(", ")));
        }
        lines.extend(self.notes.iter().cloned());
        lines
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "error: {} [{}]", self.message, self.code)?;
        for line in self.details() {
            write!(f, "\n  note: {line}")?;
        }
        write!(f, "\n  help: {HELP}")
    }
}

impl std::error::Error for Fault {}

impl Location {
    /// The first character of a file.
    pub fn start_of(file: &str) -> Self {
        Self { file: file.to_owned(), line: 1, column: 1 }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
