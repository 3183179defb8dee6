//! The ledger of a program: which decision was made for which instance, by digest, under one root.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::digest::digest;
use crate::fault::{Code, Fault};
use crate::resolve::Request;

/// The digest of one decision: over the request, which names its instance, and the digests of both definitions.
pub fn entry_digest(request: &Request, contract: &str, provider: &str) -> String {
    digest(&json!({
        "request": request.to_value(),
        "contract": contract,
        "provider": provider,
    }))
}

/// The decisions of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// The digest over the entries.
    pub root: String,
    /// The digest of each decision, by instance.
    pub entries: BTreeMap<String, String>,
}

impl Ledger {
    /// The ledger of decisions given as (instance, digest). Fault: `DuplicateInstance`.
    pub fn new(decisions: impl IntoIterator<Item = (String, String)>) -> Result<Self, Fault> {
        let mut entries = BTreeMap::new();
        for (instance, digest) in decisions {
            if entries.contains_key(&instance) {
                return Err(duplicate(&instance));
            }
            entries.insert(instance, digest);
        }
        Ok(Self { root: root_of(&entries), entries })
    }

    /// Whether the root fits the entries. Fault: `LedgerEdited`.
    pub fn check(&self) -> Result<(), Fault> {
        let root = root_of(&self.entries);
        if self.root == root {
            return Ok(());
        }
        let message = format!("the ledger has root {}, but its entries give {root}", self.root);
        Err(Fault::new(Code::LedgerEdited, message))
    }

    /// Compares the ledger with the decisions found in a program, given as (instance, digest).
    ///
    /// Faults: `LedgerEdited`, `DuplicateInstance`, `UnrecordedOperation`, `DefinitionEdited`, `MissingOperation`.
    pub fn verify<'a>(&self, decisions: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), Fault> {
        self.check()?;
        let mut seen = BTreeSet::new();
        for (instance, digest) in decisions {
            if !seen.insert(instance) {
                return Err(duplicate(instance));
            }
            match self.entries.get(instance) {
                None => {
                    let message = format!("'{instance}' has a decision that the ledger does not record");
                    return Err(Fault::new(Code::UnrecordedOperation, message));
                }
                Some(recorded) if recorded != digest => {
                    let message = format!("'{instance}' has a decision other than the recorded one");
                    return Err(Fault::new(Code::DefinitionEdited, message)
                        .note(format!("recorded {recorded}"))
                        .note(format!("found {digest}")));
                }
                Some(_) => {}
            }
        }
        match self.entries.keys().find(|instance| !seen.contains(instance.as_str())) {
            None => Ok(()),
            Some(gone) => {
                let message = format!("the ledger records '{gone}', which the program does not contain");
                Err(Fault::new(Code::MissingOperation, message))
            }
        }
    }
}

fn root_of(entries: &BTreeMap<String, String>) -> String {
    digest(&json!(entries))
}

fn duplicate(instance: &str) -> Fault {
    Fault::new(Code::DuplicateInstance, format!("instance '{instance}' appears twice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> Ledger {
        Ledger::new([("a".to_owned(), "sha256:1".to_owned()), ("b".to_owned(), "sha256:2".to_owned())]).unwrap()
    }

    fn code(result: Result<(), Fault>) -> Option<Code> {
        result.err().map(|fault| fault.code)
    }

    #[test]
    fn order_does_not_matter() {
        let reversed = [("b".to_owned(), "sha256:2".to_owned()), ("a".to_owned(), "sha256:1".to_owned())];
        assert_eq!(Ledger::new(reversed).unwrap(), ledger());
        assert_eq!(code(ledger().verify([("b", "sha256:2"), ("a", "sha256:1")])), None);
    }

    #[test]
    fn every_difference_is_a_fault() {
        let twice = [("a".to_owned(), "sha256:1".to_owned()), ("a".to_owned(), "sha256:1".to_owned())];
        assert_eq!(Ledger::new(twice).unwrap_err().code, Code::DuplicateInstance);
        let cases: [(&[(&str, &str)], Code); 4] = [
            (&[("a", "sha256:1"), ("a", "sha256:1")], Code::DuplicateInstance),
            (&[("a", "sha256:1"), ("c", "sha256:2")], Code::UnrecordedOperation),
            (&[("a", "sha256:1"), ("b", "sha256:3")], Code::DefinitionEdited),
            (&[("a", "sha256:1")], Code::MissingOperation),
        ];
        for (decisions, expected) in cases {
            assert_eq!(code(ledger().verify(decisions.iter().copied())), Some(expected));
        }
        let mut edited = ledger();
        edited.entries.insert("b".to_owned(), "sha256:3".to_owned());
        assert_eq!(code(edited.verify([])), Some(Code::LedgerEdited));
    }
}
