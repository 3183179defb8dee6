//! A provider seen from a request: does it fit, and if not, for which reasons. All reasons are given, not the first.

use std::fmt;

use super::Request;
use crate::registry::Provider;
use crate::registry::vocabulary::{Lifecycle, Phase, TensorStorage};

/// A provider that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub provider: String,
    /// Why it was rejected; empty if it fits.
    pub rejections: Vec<Rejection>,
}

/// One reason to reject a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It serves another operation.
    Operation {
        /// The operation it serves.
        serves: String,
    },
    /// It does not serve the phase.
    Phase {
        /// The phases it serves.
        serves: Vec<Phase>,
    },
    /// It does not claim the contract.
    Contract {
        /// The contracts it claims.
        claims: Vec<String>,
    },
    /// It claims the contract, but not for the phase.
    ContractPhase {
        /// The phases it claims the contract for.
        claims: Vec<Phase>,
    },
    /// It does not provide a required value.
    Requires {
        /// The key.
        key: String,
        /// The value required.
        wanted: String,
        /// The values it provides; none if it does not know the key.
        provides: Vec<String>,
    },
    /// It does not accept the storage of a weight.
    Storage {
        /// The port of the weight.
        port: String,
        /// How the model stores it.
        wanted: TensorStorage,
        /// What it accepts.
        accepts: Vec<TensorStorage>,
    },
    /// The request says nothing about the storage of one of its weights.
    StorageMissing {
        /// The port of the weight.
        port: String,
    },
    /// It has no weight of a name the request gives a storage for.
    Weight {
        /// The port named.
        port: String,
    },
    /// It is retired or for diagnosis only.
    Lifecycle {
        /// Its lifecycle.
        status: Lifecycle,
    },
}

impl Candidate {
    /// Looks at a provider.
    pub(super) fn judge(provider: &Provider, request: &Request) -> Self {
        let mut rejections = Vec::new();
        if provider.op != request.op {
            // Its phases, keys and ports speak of another operation: nothing more to compare.
            rejections.push(Rejection::Operation { serves: provider.op.clone() });
        } else {
            judge_claim(provider, request, &mut rejections);
            judge_requires(provider, request, &mut rejections);
            judge_storage(provider, request, &mut rejections);
        }
        Self { provider: provider.id.clone(), rejections }
    }

    /// Whether it was rejected because it serves another operation.
    pub fn serves_other_operation(&self) -> bool {
        matches!(self.rejections.as_slice(), [Rejection::Operation { .. }])
    }

    /// The id and, where it was rejected for its operation, that operation.
    pub(crate) fn short(&self) -> String {
        match self.rejections.as_slice() {
            [Rejection::Operation { serves }] => format!("'{}' ({serves})", self.provider),
            _ => format!("'{}'", self.provider),
        }
    }

    /// Whether nothing speaks against it.
    pub fn fits(&self) -> bool {
        self.rejections.is_empty()
    }
}

fn judge_claim(provider: &Provider, request: &Request, rejections: &mut Vec<Rejection>) {
    if matches!(provider.status, Lifecycle::Diagnostic | Lifecycle::Deprecated) {
        rejections.push(Rejection::Lifecycle { status: provider.status });
    }
    if !provider.phases.contains(&request.phase) {
        rejections.push(Rejection::Phase { serves: provider.phases.clone() });
    }
    match provider.capability(&request.contract) {
        None => {
            let claims = provider.numerical_capabilities.iter().map(|c| c.contract_id.clone()).collect();
            rejections.push(Rejection::Contract { claims });
        }
        Some(capability) if !capability.phases.contains(&request.phase) => {
            rejections.push(Rejection::ContractPhase { claims: capability.phases.clone() });
        }
        Some(_) => {}
    }
}

fn judge_requires(provider: &Provider, request: &Request, rejections: &mut Vec<Rejection>) {
    for (key, wanted) in &request.requires {
        let provides = provider.provides.get(key).cloned().unwrap_or_default();
        if !provides.contains(wanted) {
            rejections.push(Rejection::Requires { key: key.clone(), wanted: wanted.clone(), provides });
        }
    }
}

fn judge_storage(provider: &Provider, request: &Request, rejections: &mut Vec<Rejection>) {
    for port in &provider.weights {
        match request.storage.get(&port.name) {
            None => rejections.push(Rejection::StorageMissing { port: port.name.clone() }),
            Some(wanted) if !port.storage.contains(wanted) => rejections.push(Rejection::Storage {
                port: port.name.clone(),
                wanted: *wanted,
                accepts: port.storage.clone(),
            }),
            Some(_) => {}
        }
    }
    for name in request.storage.keys() {
        if !provider.weights.iter().any(|port| port.name == *name) {
            rejections.push(Rejection::Weight { port: name.clone() });
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fits() {
            return write!(f, "'{}' fits", self.provider);
        }
        let reasons: Vec<_> = self.rejections.iter().map(Rejection::to_string).collect();
        write!(f, "'{}' rejected: {}", self.provider, reasons.join("; "))
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation { serves } => write!(f, "serves operation '{serves}'"),
            Self::Phase { serves } => write!(f, "serves {}", list(serves, "no phase")),
            Self::Contract { claims } => write!(f, "claims {}", list(claims, "no contract")),
            Self::ContractPhase { claims } => write!(f, "claims the contract for {} only", list(claims, "no phase")),
            Self::Requires { key, wanted, provides } => {
                write!(f, "'{key}' must be '{wanted}', it provides {}", list(provides, "nothing"))
            }
            Self::Storage { port, wanted, accepts } => {
                write!(f, "weight '{port}' is stored as {wanted}, it accepts {}", list(accepts, "nothing"))
            }
            Self::StorageMissing { port } => write!(f, "the request does not say how weight '{port}' is stored"),
            Self::Weight { port } => write!(f, "has no weight '{port}'"),
            Self::Lifecycle { status } => write!(f, "is {status}"),
        }
    }
}

fn list<T: fmt::Display>(items: &[T], none: &str) -> String {
    match items {
        [] => none.to_owned(),
        _ => items.iter().map(T::to_string).collect::<Vec<_>>().join(", "),
    }
}
