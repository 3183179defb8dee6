//! What the records say of one need of a claim.

use std::fmt;

use super::needs::Need;

/// Part of what a record is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The provider's definition.
    Provider,
    /// The contract's definition.
    Contract,
    /// The generated code or its flags.
    Code,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Provider => "provider",
            Self::Contract => "contract",
            Self::Code => "generated code",
        })
    }
}

/// What the records say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A record matches.
    Supported {
        /// How many elements were compared, all equal.
        comparisons: u64,
    },
    /// There is no record, or none that says it.
    Missing {
        /// Why not.
        why: String,
    },
    /// There is a record, but of something else than there is now.
    Stale {
        /// What has changed since.
        changed: Vec<Part>,
    },
}

impl Verdict {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Supported { .. } => "supported",
            Self::Missing { .. } => "missing",
            Self::Stale { .. } => "stale",
        }
    }

    /// How little is lacking: old evidence is nearer to a match than none.
    pub(super) fn nearness(&self) -> u8 {
        match self {
            Self::Missing { .. } => 0,
            Self::Stale { .. } => 1,
            Self::Supported { .. } => 2,
        }
    }

    /// Whether a record matches.
    pub fn is_supported(&self) -> bool {
        matches!(self, Self::Supported { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Supported { comparisons } => write!(f, "supported by {comparisons} equal elements"),
            Self::Missing { why } => write!(f, "missing: {why}"),
            Self::Stale { changed } => {
                let changed: Vec<_> = changed.iter().map(ToString::to_string).collect();
                write!(f, "stale: changed since: {}", changed.join(", "))
            }
        }
    }
}

/// One need of a claim on one instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The instruction set.
    pub isa: String,
    /// The record needed.
    pub need: Need,
    /// The provider it must come from.
    pub provider: String,
    /// What the records say.
    pub verdict: Verdict,
}

impl Cell {
    /// The command that makes the record anew.
    pub fn rerun(&self) -> String {
        let Self { isa, need, provider, .. } = self;
        format!("cke evidence run --provider {provider} --isa {isa} --level {}", need.level)
    }
}
