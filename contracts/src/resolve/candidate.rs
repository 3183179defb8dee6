//! A provider seen from a request: does it fit, and if not, for which reasons. All reasons are given, not the first.

use std::fmt;

use super::{Offer, Request};
use crate::registry::Constraint;
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
    /// It claims no contract at all.
    Ungoverned,
    /// It implements other ports of the operation.
    Interface {
        /// The interface required.
        wanted: String,
        /// The one it implements, if it says.
        implements: Option<String>,
    },
    /// It is not made for an extent of the call.
    Extent {
        /// What it demands.
        demands: Constraint,
        /// The extent, if the request states it.
        found: Option<i64>,
    },
    /// It fits, but another of its equivalence group goes before it.
    Outranked {
        /// The one that goes before it.
        by: String,
        /// The group.
        group: String,
    },
    /// It is retired or for diagnosis only.
    Lifecycle {
        /// Its lifecycle.
        status: Lifecycle,
    },
}

impl Candidate {
    /// Looks at a provider.
    pub(super) fn judge(offer: &Offer, request: &Request) -> Self {
        let mut rejections = Vec::new();
        if offer.op != request.op {
            // Its phases, keys and ports speak of another operation: nothing more to compare.
            rejections.push(Rejection::Operation { serves: offer.op.clone() });
        } else if offer.claims.is_empty() {
            rejections.push(Rejection::Ungoverned);
        } else {
            judge_claim(offer, request, &mut rejections);
            judge_requires(offer, request, &mut rejections);
            let mut unstated = Vec::new();
            judge_storage(offer, request, &mut rejections, &mut unstated);
            judge_extents(offer, request, &mut rejections, &mut unstated);
            if offer.needs_facts {
                rejections.append(&mut unstated);
            }
        }
        Self { provider: offer.provider.clone(), rejections }
    }

    /// What an offer that fits would have to know of the request and does not.
    pub(super) fn unstated(offer: &Offer, request: &Request) -> Vec<Rejection> {
        let (mut rejections, mut unstated) = (Vec::new(), Vec::new());
        judge_storage(offer, request, &mut rejections, &mut unstated);
        judge_extents(offer, request, &mut rejections, &mut unstated);
        unstated
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

fn judge_claim(offer: &Offer, request: &Request, rejections: &mut Vec<Rejection>) {
    if matches!(offer.lifecycle, Lifecycle::Diagnostic | Lifecycle::Deprecated) {
        rejections.push(Rejection::Lifecycle { status: offer.lifecycle });
    }
    if !offer.phases.contains(&request.phase) {
        rejections.push(Rejection::Phase { serves: offer.phases.clone() });
    }
    match offer.claim(&request.contract) {
        None => {
            let claims = offer.claims.iter().map(|claim| claim.contract.clone()).collect();
            rejections.push(Rejection::Contract { claims });
        }
        Some(claim) if !claim.phases.contains(&request.phase) => {
            rejections.push(Rejection::ContractPhase { claims: claim.phases.clone() });
        }
        Some(_) => {}
    }
}

fn judge_requires(offer: &Offer, request: &Request, rejections: &mut Vec<Rejection>) {
    if let Some(wanted) =
        request.operation_interface.as_ref().filter(|wanted| offer.operation_interface.as_ref() != Some(wanted))
    {
        let (wanted, implements) = (wanted.clone(), offer.operation_interface.clone());
        rejections.push(Rejection::Interface { wanted, implements });
    }
    for (key, wanted) in &request.requires {
        let provides = offer.provides.get(key).cloned().unwrap_or_default();
        if !provides.contains(wanted) {
            rejections.push(Rejection::Requires { key: key.clone(), wanted: wanted.clone(), provides });
        }
    }
}

fn judge_storage(offer: &Offer, request: &Request, rejections: &mut Vec<Rejection>, unstated: &mut Vec<Rejection>) {
    for (port, accepts) in &offer.weights {
        match request.storage.get(port) {
            None => unstated.push(Rejection::StorageMissing { port: port.clone() }),
            Some(wanted) if !accepts.contains(wanted) => {
                let (port, accepts) = (port.clone(), accepts.clone());
                rejections.push(Rejection::Storage { port, wanted: *wanted, accepts });
            }
            Some(_) => {}
        }
    }
    for port in request.storage.keys().filter(|port| !offer.weights.contains_key(*port)) {
        rejections.push(Rejection::Weight { port: port.clone() });
    }
}

fn judge_extents(offer: &Offer, request: &Request, rejections: &mut Vec<Rejection>, unstated: &mut Vec<Rejection>) {
    for demands in &offer.constraints {
        let found = request.shape.get(&demands.dim).copied();
        match found {
            None => unstated.push(Rejection::Extent { demands: demands.clone(), found }),
            Some(extent) if !demands.admits(extent) => {
                rejections.push(Rejection::Extent { demands: demands.clone(), found });
            }
            Some(_) => {}
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
            Self::Ungoverned => f.write_str("declares no contract (ungoverned)"),
            Self::Interface { wanted, implements } => {
                let implements =
                    implements.as_ref().map_or("none that it names".to_owned(), |name| format!("'{name}'"));
                write!(f, "the interface must be '{wanted}', it implements {implements}")
            }
            Self::Extent { demands, found: Some(extent) } => write!(f, "{demands}, it is {extent}"),
            Self::Extent { demands, found: None } => write!(f, "{demands}, the request does not state it"),
            Self::Outranked { by, group } => write!(f, "fits, '{by}' goes before it in group '{group}'"),
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
