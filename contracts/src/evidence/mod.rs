//! Evidence: what was run, with what outcome, and what that lets a claim say.
//!
//! A claim (a capability, a contract or a requirement marked `validated`) is as good as the records behind it. A
//! [`Record`] names what was run and the digests of what it was run with; a [`Matrix`] holds every claim against the
//! records and answers `supported`, `missing` or `stale`. Which claim needs which levels is data: [`Needs`].
//!
//! Nothing here runs anything; `cke evidence run` does.

mod digests;
mod matrix;
mod native;
mod needs;
mod promotion;
mod record;
mod verdict;

pub use digests::{CodeFlags, code_digest, contract_digest, provider_digest};
pub use matrix::{Claim, Generator, Matrix, Row};
pub use needs::{Need, Needs};
pub use promotion::check_promotion;
pub use record::{Covered, Digests, EvidenceFile, InputClass, Kernel, Level, Oracle, Record};
pub use verdict::{Cell, Part, Verdict};

use std::collections::BTreeMap;

use crate::fault::{Code, Fault};

/// Files of evidence, one a provider and instruction set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    files: BTreeMap<(String, String), EvidenceFile>,
}

impl Evidence {
    /// The evidence of this project, as the files under `evidence/` say it.
    ///
    /// Faults: those of [`EvidenceFile::parse`].
    pub fn native() -> Result<Self, Fault> {
        Self::parse(native::FILES)
    }

    /// The evidence of texts, each given as (file name, text).
    ///
    /// Faults: those of [`EvidenceFile::parse`], and `DuplicateId` for two files of one provider and instruction set.
    pub fn parse(files: &[(&str, &str)]) -> Result<Self, Fault> {
        let mut evidence = Self::default();
        for (name, text) in files {
            let file = EvidenceFile::parse(name, text)?;
            let key = (file.provider.clone(), file.isa.clone());
            if evidence.files.contains_key(&key) {
                let message = format!("{name}: evidence of provider '{}' on '{}' is given twice", key.0, key.1);
                return Err(Fault::new(Code::DuplicateId, message));
            }
            evidence.files.insert(key, file);
        }
        Ok(evidence)
    }

    /// The files in the order of provider and instruction set.
    pub fn files(&self) -> impl Iterator<Item = &EvidenceFile> {
        self.files.values()
    }

    /// The file of a provider and an instruction set.
    pub fn file(&self, provider: &str, isa: &str) -> Option<&EvidenceFile> {
        self.files.get(&(provider.to_owned(), isa.to_owned()))
    }

    /// Puts a file in the place of the one of its provider and instruction set.
    pub fn insert(&mut self, file: EvidenceFile) {
        self.files.insert((file.provider.clone(), file.isa.clone()), file);
    }
}
