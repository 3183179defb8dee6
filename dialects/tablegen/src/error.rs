//! Places in definition files, and the errors that point at them.

use std::fmt;
use std::sync::Arc;

/// A place in a file: what `file:line:col` says. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file as the reader was asked for it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Location {
    /// The first character of a file.
    pub fn start(file: &str) -> Self {
        Self { file: file.into(), line: 1, column: 1 }
    }

    /// The place after `text`, when `text` begins here.
    pub fn after(&self, text: &str) -> Self {
        let mut place = self.clone();
        for c in text.chars() {
            place.step(c);
        }
        place
    }

    /// Moves past one character.
    pub(crate) fn step(&mut self, c: char) {
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One thing that is wrong with a definition file; displays as `file:line:col: error: ...`, a line for each note after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where it is wrong.
    pub location: Location,
    /// What was expected and what was found, in lower case.
    pub message: String,
    /// Other places that matter, each with the reason.
    pub notes: Vec<(Location, String)>,
}

impl Error {
    /// An error without notes.
    pub fn new(location: &Location, message: impl Into<String>) -> Self {
        Self { location: location.clone(), message: message.into(), notes: Vec::new() }
    }

    /// The same error with one more note.
    #[must_use]
    pub fn note(mut self, location: &Location, message: impl Into<String>) -> Self {
        self.notes.push((location.clone(), message.into()));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: error: {}", self.location, self.message)?;
        self.notes.iter().try_for_each(|(location, message)| write!(f, "\n{location}: note: {message}"))
    }
}

impl std::error::Error for Error {}
