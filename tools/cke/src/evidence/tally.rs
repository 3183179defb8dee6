//! What the cases of one record add up to.

use cke_contracts::digest::{digest, digest_bytes};
use serde_json::json;

/// Cases, elements, and the digests of what the oracle answered.
#[derive(Debug, Default)]
pub struct Tally {
    /// Cases compared.
    pub cases: u64,
    /// Elements compared, all of them equal: a difference ends a run.
    pub comparisons: u64,
    answers: Vec<String>,
}

impl Tally {
    /// Adds a case with the bytes of the oracle's results.
    pub fn case(&mut self, results: Vec<&[u8]>) {
        self.cases += 1;
        for bytes in results {
            self.comparisons += bytes.len() as u64 / 4;
            self.answers.push(digest_bytes(bytes));
        }
    }

    /// The digest of all answers.
    pub fn results(&self) -> String {
        digest(&json!(self.answers))
    }
}
