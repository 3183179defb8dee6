//! Faults of this crate: stable codes, where the fault was found, and what was expected and found there.
//!
//! `CKE-W` faults are about a model file and what is made of it, `CKE-R` faults about running a program. A fault is a
//! value: bad input never panics.

mod code;

pub use code::Code;
use std::fmt;

/// What went wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The stable code.
    pub code: Code,
    /// One rule: what was expected and what was found, in lower case.
    pub message: String,
    /// The file it was found in, if it was found in one.
    pub file: Option<String>,
    /// The byte of that file, if it was found at one.
    pub byte: Option<u64>,
}

/// Outcome of everything in this crate that reads input.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// A fault without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Fault { code, message: message.into(), file: None, byte: None }
    }

    /// The same fault, found at `byte` of a file which the caller knows.
    #[must_use]
    pub fn at(mut self, byte: u64) -> Self {
        self.byte.get_or_insert(byte);
        self
    }

    /// The same fault, found in the file called `name`.
    #[must_use]
    pub fn in_file(mut self, name: &str) -> Self {
        self.file.get_or_insert_with(|| name.to_owned());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        if let Some(byte) = self.byte {
            write!(f, "byte {byte}: ")?;
        }
        write!(f, "error: {} [{}]", self.message, self.code)
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_file_byte_and_code() {
        let fault = Fault::new(Code::CountTooLarge, "9 tensors cannot fit").at(8).in_file("m.gguf");
        assert_eq!(fault.to_string(), "m.gguf: byte 8: error: 9 tensors cannot fit [CKE-W003]");
        assert_eq!(Fault::new(Code::TokenOutOfRange, "token 9").to_string(), "error: token 9 [CKE-R002]");
    }

    #[test]
    fn the_first_place_stays() {
        let fault = Fault::new(Code::FileTooShort, "x").at(3).in_file("a").at(4).in_file("b");
        assert_eq!((fault.byte, fault.file.as_deref()), (Some(3), Some("a")));
    }
}
