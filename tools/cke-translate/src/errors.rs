//! Everything that is wrong, collected.

use cke_contracts::fault::Fault;
use cke_mlir::ir::Diagnostic;
use std::fmt;
use std::path::Path;

/// Errors, one text each, in the order they were found.
#[derive(Debug, Default)]
pub struct Errors(Vec<String>);

impl Errors {
    /// Adds an error.
    pub fn add(&mut self, error: impl fmt::Display) {
        self.0.push(error.to_string());
    }

    /// Adds what another part found.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// `value`, if there is no error.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// One error of the system.
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        Self(vec![format!("{}: error: {error}", path.display())])
    }

    /// One error at an operation.
    pub fn at(location: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self(vec![format!("{location}: error: {message}")])
    }
}

impl From<Fault> for Errors {
    fn from(fault: Fault) -> Self {
        Self(vec![fault.to_string()])
    }
}

impl From<Vec<Diagnostic>> for Errors {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self(diagnostics.iter().map(ToString::to_string).collect())
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|error| writeln!(f, "{error}"))
    }
}
