//! The plan of a circuit: which requests it makes of a registry for a configuration and a weight file, the answer to
//! each, and what no requirement governs.

mod facts;
mod requirement;
mod site;
mod storage;

use std::collections::{BTreeMap, BTreeSet};

pub use facts::{Facts, facts};

use self::requirement::Requirement;
use self::site::Site;
use self::storage::Stored;
use super::circuit::Circuit;
use super::manifest::Manifest;
use crate::fault::{Code, Fault};
use crate::registry::Registry;
use crate::registry::vocabulary::{Phase, TensorStorage};
use crate::resolve::{Decision, Mode, Request, Resolver};

/// The plan of a circuit.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The circuit.
    pub circuit: String,
    /// The requests, by operation, phase and storage.
    pub entries: Vec<PlanEntry>,
    /// The operations no requirement governs, by place.
    pub ungoverned: Vec<Ungoverned>,
    /// Operations that require a contract, but for which the circuit names a function too. Resolution does not look at
    /// it; production refuses it.
    pub overridden: Vec<String>,
}

/// A request, and the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanEntry {
    /// The operation, as the circuit names its requirement.
    pub operation: String,
    /// The phase.
    pub phase: Phase,
    /// Where it is asked, such as `decoder.body.3`.
    pub places: BTreeSet<String>,
    /// The layers it is asked for; none outside the layers, or where their number is not known.
    pub layers: BTreeSet<u32>,
    /// The request.
    pub request: Request,
    /// The answer, which no mode changes.
    pub outcome: Result<Decision, Fault>,
    /// Why production refuses the answer.
    pub blockers: Vec<String>,
}

/// An operation that no requirement governs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ungoverned {
    /// Where it stands.
    pub place: String,
    /// The operation.
    pub op: String,
    /// The phases it would run in.
    pub phases: BTreeSet<Phase>,
}

/// Makes the plan of a circuit against a registry. `config` and the manifest's configuration are the facts its selectors
/// look at; the manifest also tells how weights are stored.
///
/// Faults: `NoRequirement`, `BadBlock`, `BadConfig`, `BadRequirement`, `BadCheckpoint` and `BadManifest`. A request that
/// cannot be fulfilled is an entry of the plan with its fault, so that all of them are seen at once.
pub fn plan(
    circuit: &Circuit,
    registry: &Registry,
    config: &Facts,
    manifest: Option<&Manifest>,
) -> Result<Plan, Fault> {
    plan_with(circuit, &Resolver::new(registry), config, manifest)
        .map_err(|fault| Fault { message: format!("circuit '{}': {}", circuit.name, fault.message), ..fault })
}

/// What makes two requests of an operation one.
type Key = (String, Phase, Vec<(String, TensorStorage)>);

fn plan_with(
    circuit: &Circuit,
    resolver: &Resolver<'_>,
    config: &Facts,
    manifest: Option<&Manifest>,
) -> Result<Plan, Fault> {
    if !circuit.is_whole() {
        let message = "it changes or joins other circuits; only one that is written out can be resolved";
        return Err(Fault::new(Code::BadBlock, message));
    }
    let requirements = requirement::all(circuit);
    if requirements.is_empty() {
        return Err(Fault::new(Code::NoRequirement, "circuit has no requirement"));
    }
    let facts = facts::gather(config, manifest)?;
    let layers = site::layer_count(&facts, manifest)?;
    if layers.is_none() && requirements.iter().any(Requirement::depends_on_layer) {
        let message = "a selector looks at layers, but neither 'num_layers' nor a manifest tells how many there are";
        return Err(Fault::new(Code::BadConfig, message));
    }
    let stored = manifest.map(Stored::new);
    let mut groups: BTreeMap<Key, (BTreeSet<String>, BTreeSet<u32>)> = BTreeMap::new();
    let mut ungoverned = Vec::new();
    let mut active: BTreeSet<&str> = BTreeSet::new();
    let phases: BTreeSet<Phase> =
        requirements.iter().flat_map(|r| r.phases.keys()).copied().filter(|phase| *phase != Phase::Init).collect();
    for site in site::sites(circuit, &facts, layers)? {
        let mut uncovered = BTreeSet::new();
        for layer in site.each_layer() {
            let Some(requirement) = governing(&requirements, &site, &facts, layer)? else {
                uncovered.extend(phases.iter().copied());
                continue;
            };
            active.insert(&requirement.operation);
            uncovered.extend(phases.iter().filter(|phase| !requirement.phases.contains_key(phase)));
            let storage =
                stored.as_ref().map_or(Ok(BTreeMap::new()), |stored| stored.request(circuit, &site, layer))?;
            for phase in requirement.phases.keys() {
                let key = (requirement.operation.clone(), *phase, storage.clone().into_iter().collect());
                let (places, layers) = groups.entry(key).or_default();
                places.insert(site.place.clone());
                layers.extend(layer);
            }
        }
        if !uncovered.is_empty() {
            ungoverned.push(Ungoverned { place: site.place, op: site.op.op().to_owned(), phases: uncovered });
        }
    }
    let active: Vec<_> = requirements.iter().filter(|r| active.contains(r.operation.as_str())).collect();
    check_checkpoints(&active)?;
    let overridden = active.iter().flat_map(|requirement| &requirement.template_ops);
    let overridden: BTreeSet<_> =
        overridden.filter(|op| circuit.kernels.as_ref().is_some_and(|kernels| kernels.contains_key(**op))).collect();
    Ok(Plan {
        circuit: circuit.name.clone(),
        entries: entries(&requirements, groups, resolver),
        ungoverned,
        overridden: overridden.into_iter().map(ToString::to_string).collect(),
    })
}

/// The one requirement of an operation, if it has any.
fn governing<'r, 'c>(
    requirements: &'r [Requirement<'c>],
    site: &Site<'_>,
    facts: &Facts,
    layer: Option<u32>,
) -> Result<Option<&'r Requirement<'c>>, Fault> {
    let governs = |requirement: &&Requirement<'_>| {
        requirement.template_ops.contains(&site.op.op()) && requirement.applies(facts, layer)
    };
    let mut governing = requirements.iter().filter(governs);
    let first = governing.next();
    match (first, governing.next()) {
        (Some(first), Some(second)) => {
            let layer = layer.map(|layer| format!(" in layer {layer}")).unwrap_or_default();
            let message = format!(
                "template op '{}' at {}{layer} is governed by two active requirements, '{}' and '{}'",
                site.op.op(),
                site.place,
                first.operation,
                second.operation
            );
            Err(Fault::new(Code::BadRequirement, message))
        }
        _ => Ok(first),
    }
}

fn check_checkpoints(active: &[&Requirement<'_>]) -> Result<(), Fault> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for requirement in active {
        let Some(checkpoint) = requirement.checkpoint else { continue };
        if let Some(owner) = owners.insert(&checkpoint.id, &requirement.operation) {
            let message =
                format!("checkpoint '{}' is that of '{owner}' and of '{}'", checkpoint.id, requirement.operation);
            return Err(Fault::new(Code::BadCheckpoint, message));
        }
    }
    Ok(())
}

fn entries(
    requirements: &[Requirement<'_>],
    groups: BTreeMap<Key, (BTreeSet<String>, BTreeSet<u32>)>,
    resolver: &Resolver<'_>,
) -> Vec<PlanEntry> {
    let mut storages: BTreeMap<(&str, Phase), usize> = BTreeMap::new();
    for (operation, phase, _) in groups.keys() {
        *storages.entry((operation, *phase)).or_default() += 1;
    }
    let entry = |(key, (places, layers)): (&Key, &(BTreeSet<String>, BTreeSet<u32>))| {
        let (operation, phase, storage) = key;
        let requirement = requirements.iter().find(|requirement| requirement.operation == *operation)?;
        // Requests of one operation are told apart by what they differ in.
        let suffix = match storages.get(&(operation.as_str(), *phase)) {
            Some(1) => String::new(),
            _ => storage.iter().map(|(port, stored)| format!("/{port}={stored}")).collect(),
        };
        let request = requirement.request(*phase, &suffix, storage.iter().cloned().collect())?;
        let outcome = resolver.resolve(&request, Mode::Bringup);
        let blockers = match resolver.resolve(&request, Mode::Production) {
            Err(fault) if fault.code == Code::NotValidated => fault.notes,
            _ => Vec::new(),
        };
        Some(PlanEntry {
            operation: operation.clone(),
            phase: *phase,
            places: places.clone(),
            layers: layers.clone(),
            request,
            outcome,
            blockers,
        })
    };
    groups.iter().filter_map(entry).collect()
}

impl Plan {
    /// Why the plan cannot be used in a mode: every request without an answer, and in production every blocker too.
    ///
    /// Faults: that of the first request without an answer with the others as notes, or `NotValidated`.
    pub fn refusal(&self, mode: Mode) -> Option<Fault> {
        let mut unanswered = self.entries.iter().filter_map(|entry| entry.outcome.as_ref().err());
        let first = unanswered.next().cloned();
        let others = unanswered.map(|fault| format!("also: {} [{}]", fault.message, fault.code));
        let blockers = match mode {
            Mode::Bringup => Vec::new(),
            Mode::Production => self.blockers(),
        };
        match first {
            Some(mut fault) => {
                fault.notes.extend(others.chain(blockers));
                Some(fault)
            }
            None if blockers.is_empty() => None,
            None => {
                let message =
                    format!("production mode refuses circuit '{}': {} blockers", self.circuit, blockers.len());
                Some(Fault { notes: blockers, ..Fault::new(Code::NotValidated, message) })
            }
        }
    }

    /// Everything that production refuses, requests without an answer aside.
    pub fn blockers(&self) -> Vec<String> {
        let of_entry = |entry: &PlanEntry| -> Vec<String> {
            entry.blockers.iter().map(|blocker| format!("'{}': {blocker}", entry.request.instance)).collect()
        };
        let overridden =
            |op: &String| format!("operation '{op}' requires a contract, but the circuit names a function");
        let ungoverned = |op: &Ungoverned| format!("operation '{}' at {} is ungoverned", op.op, op.place);
        let entries = self.entries.iter().flat_map(of_entry);
        let circuit = self.overridden.iter().map(overridden).chain(self.ungoverned.iter().map(ungoverned));
        entries.chain(circuit).collect()
    }

    /// The entries of an operation in a phase.
    ///
    /// Faults: `NotDeclared`, listing what is declared.
    pub fn entries_of(&self, operation: &str, phase: Phase) -> Result<Vec<&PlanEntry>, Fault> {
        let of_operation: Vec<_> = self.entries.iter().filter(|entry| entry.operation == operation).collect();
        if of_operation.is_empty() {
            let known: BTreeSet<_> = self.entries.iter().map(|entry| entry.operation.as_str()).collect();
            let message = format!("circuit '{}' has no active requirement of operation '{operation}'", self.circuit);
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Fault::new(Code::NotDeclared, message).note(format!("declared: {known}")));
        }
        let entries: Vec<_> = of_operation.iter().copied().filter(|entry| entry.phase == phase).collect();
        if entries.is_empty() {
            let known: BTreeSet<_> = of_operation.iter().map(|entry| entry.phase.as_str()).collect();
            let message = format!("circuit '{}' does not declare phase {phase} of '{operation}'", self.circuit);
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Fault::new(Code::NotDeclared, message).note(format!("declared: {known}")));
        }
        Ok(entries)
    }
}
