//! The matrix: every claim of a registry and its circuits, held against the records.

use std::collections::BTreeMap;
use std::fmt;

use super::Evidence;
use super::digests::{contract_digest, provider_digest};
use super::needs::{Need, Needs};
use super::record::{EvidenceFile, Level, Record};
use super::verdict::{Cell, Part, Verdict};
use crate::circuit::{Circuit, PhaseRequirement};
use crate::registry::vocabulary::{Phase, Status};
use crate::registry::{Capability, Registry};

/// Makes the code digest of a record's kernels as they would be generated now. This crate generates no code, so
/// whoever does says.
pub type Generator<'g> = &'g dyn Fn(&EvidenceFile, &Record) -> Result<String, String>;

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// A provider fulfils a contract.
    Capability {
        /// The provider.
        provider: String,
        /// The contract.
        contract: String,
    },
    /// A contract says what it should: at least one provider fulfils it, and so do its parts.
    Contract {
        /// The contract.
        contract: String,
    },
    /// An operation of a circuit requires the right contract.
    Requirement {
        /// The circuit.
        circuit: String,
        /// The operation.
        operation: String,
        /// The phase.
        phase: Phase,
        /// The contract.
        contract: String,
    },
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capability { provider, contract } => write!(f, "provider '{provider}' fulfils '{contract}'"),
            Self::Contract { contract } => write!(f, "contract '{contract}'"),
            Self::Requirement { circuit, operation, phase, contract } => {
                write!(f, "circuit '{circuit}': '{operation}' in {phase} requires '{contract}'")
            }
        }
    }
}

/// A claim and what the records say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The claim.
    pub claim: Claim,
    /// How far it says it has been confirmed.
    pub status: Status,
    /// Its needs, by instruction set.
    pub cells: Vec<Cell>,
    /// Whether every need must be met, or one on each instruction set.
    pub all: bool,
    /// Why no record could help; empty for most claims.
    pub flaws: Vec<String>,
}

/// Every claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Capabilities, contracts, requirements, each in the order of their names.
    pub rows: Vec<Row>,
}

impl Row {
    /// Whether the records support the claim.
    pub fn is_supported(&self) -> bool {
        self.flaws.is_empty() && self.unmet().is_empty()
    }

    /// The cells that keep the claim from being supported; of alternatives the one that is nearest to it.
    pub fn unmet(&self) -> Vec<&Cell> {
        if self.all {
            return self.cells.iter().filter(|cell| !cell.verdict.is_supported()).collect();
        }
        let mut nearest: BTreeMap<&str, &Cell> = BTreeMap::new();
        for cell in &self.cells {
            let known = nearest.entry(&cell.isa).or_insert(cell);
            if cell.verdict.nearness() > known.verdict.nearness() {
                *known = cell;
            }
        }
        nearest.into_values().filter(|cell| !cell.verdict.is_supported()).collect()
    }

    /// What is wrong with a claim that says it is validated, one line each; nothing for any other.
    pub fn complaints(&self) -> Vec<String> {
        if self.status != Status::Validated {
            return Vec::new();
        }
        let claim = &self.claim;
        let flaws = self.flaws.iter().map(|flaw| format!("{claim} is validated, but {flaw}"));
        let cells = self.unmet().into_iter().map(|cell| {
            let Cell { isa, need, verdict, .. } = cell;
            let need = format!("{} evidence for shapes '{}' on {isa}", need.level, need.shape_class);
            format!("{claim} is validated, but {need} is {verdict}; run: {}", cell.rerun())
        });
        flaws.chain(cells).collect()
    }
}

impl Matrix {
    /// Judges every claim.
    pub fn new(
        registry: &Registry,
        circuits: &[Circuit],
        evidence: &Evidence,
        needs: &Needs,
        generator: Generator<'_>,
    ) -> Self {
        let judge = Judge { registry, evidence, needs, generator };
        let capabilities = registry.providers.values().flat_map(|provider| {
            provider.numerical_capabilities.iter().map(|claim| judge.capability(&provider.id, claim))
        });
        let contracts = registry.contracts.keys().map(|id| judge.contract(id));
        let requirements = circuits.iter().flat_map(|circuit| {
            let alternatives = circuit.required_contracts.iter().flat_map(|(operation, alternatives)| {
                alternatives
                    .iter()
                    .flat_map(|one| &one.phases)
                    .map(move |(phase, required)| (operation, phase, required))
            });
            alternatives.map(|(operation, phase, required)| judge.requirement(circuit, operation, *phase, required))
        });
        let mut rows: Vec<_> = capabilities.chain(contracts).chain(requirements).collect();
        rows.sort_by(|one, other| one.claim.cmp(&other.claim));
        Self { rows }
    }

    /// What is wrong with claims that say they are validated; empty if the records bear all of them.
    pub fn complaints(&self) -> Vec<String> {
        self.rows.iter().flat_map(Row::complaints).collect()
    }
}

struct Judge<'j> {
    registry: &'j Registry,
    evidence: &'j Evidence,
    needs: &'j Needs,
    generator: Generator<'j>,
}

/// What a record must be about, besides provider, instruction set and need.
struct About<'a> {
    contract: &'a str,
    /// Phases that the kernels must cover.
    phases: &'a [Phase],
    /// The circuit and the operation that must have been run.
    covered: Option<(&'a str, &'a str)>,
}

impl Judge<'_> {
    fn capability(&self, provider: &str, claim: &Capability) -> Row {
        let about = About { contract: &claim.contract_id, phases: &claim.phases, covered: None };
        let claimed = Claim::Capability { provider: provider.to_owned(), contract: claim.contract_id.clone() };
        let cells = self.cells(&self.needs.capability, &[provider], &about);
        Row { claim: claimed, status: claim.status, cells, all: true, flaws: Vec::new() }
    }

    /// A contract is confirmed by the leaves of a validated capability; a composite also needs validated parts.
    fn contract(&self, id: &str) -> Row {
        let contract = &self.registry.contracts[id];
        let mut flaws = Vec::new();
        for (field, part) in contract.parts() {
            let status = self.registry.contracts.get(part).map(|part| part.status());
            if status != Some(Status::Validated) {
                flaws.push(format!("its part '{part}' ({field}) is not validated"));
            }
        }
        let providers: Vec<_> = self.claimants(id).into_iter().filter(|(_, c)| c.status == Status::Validated).collect();
        let best = providers.iter().map(|(provider, claim)| {
            let about = About { contract: id, phases: &claim.phases, covered: None };
            self.cells(&self.needs.contract, &[provider], &about)
        });
        let best = best.max_by_key(|cells| cells.iter().filter(|cell| cell.verdict.is_supported()).count());
        if best.is_none() {
            flaws.push("no provider has a validated capability for it".to_owned());
        }
        let claim = Claim::Contract { contract: id.to_owned() };
        Row { claim, status: contract.status(), cells: best.unwrap_or_default(), all: true, flaws }
    }

    fn requirement(&self, circuit: &Circuit, operation: &str, phase: Phase, required: &PhaseRequirement) -> Row {
        let claimants = self.claimants(&required.contract_id);
        let providers: Vec<_> = claimants.iter().map(|(provider, _)| *provider).collect();
        let phases = [phase];
        let about =
            About { contract: &required.contract_id, phases: &phases, covered: Some((&circuit.name, operation)) };
        let cells = self.cells(&self.needs.requirement, &providers, &about);
        let flaws = if providers.is_empty() { vec!["no provider claims its contract".to_owned()] } else { Vec::new() };
        let claim = Claim::Requirement {
            circuit: circuit.name.clone(),
            operation: operation.to_owned(),
            phase,
            contract: required.contract_id.clone(),
        };
        Row { claim, status: required.validation, cells, all: false, flaws }
    }

    fn claimants(&self, contract: &str) -> Vec<(&str, &Capability)> {
        let providers = self.registry.providers.iter();
        providers.filter_map(|(id, provider)| Some((id.as_str(), provider.capability(contract)?))).collect()
    }

    /// One cell a need, instruction set and provider that could meet it.
    fn cells(&self, needs: &[Need], providers: &[&str], about: &About<'_>) -> Vec<Cell> {
        let mut cells = Vec::new();
        for isa in &self.needs.isas {
            for need in needs {
                for provider in providers {
                    let verdict = self.verdict(provider, isa, need, about);
                    let (isa, need, provider) = (isa.clone(), need.clone(), (*provider).to_owned());
                    cells.push(Cell { isa, need, provider, verdict });
                }
            }
        }
        cells
    }

    fn verdict(&self, provider: &str, isa: &str, need: &Need, about: &About<'_>) -> Verdict {
        let missing = |why: String| Verdict::Missing { why };
        let Some(file) = self.evidence.file(provider, isa) else {
            return missing(format!("no record of provider '{provider}' on {isa}"));
        };
        let key = (need.level, about.contract, need.shape_class.as_str());
        let Some(record) = file.records.iter().find(|record| record.key() == key) else {
            return missing("no such record".to_owned());
        };
        if let Some(why) = record.void().or_else(|| about.uncovered(record)) {
            return missing(why);
        }
        match self.changed(file, record) {
            Err(why) => missing(format!("its kernels cannot be generated any more: {why}")),
            Ok(changed) if changed.is_empty() => Verdict::Supported { comparisons: record.comparisons },
            Ok(changed) => Verdict::Stale { changed },
        }
    }

    /// What is not any more what it was when the record was made.
    fn changed(&self, file: &EvidenceFile, record: &Record) -> Result<Vec<Part>, String> {
        let digests = &record.digests;
        let code = (self.generator)(file, record)?;
        let parts = [
            (Part::Provider, provider_digest(self.registry, &file.provider).as_ref() == Some(&digests.provider)),
            (Part::Contract, contract_digest(self.registry, &record.contract).as_ref() == Some(&digests.contract)),
            (Part::Code, code == digests.code),
        ];
        Ok(parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect())
    }
}

impl About<'_> {
    /// Why a record is not about this.
    fn uncovered(&self, record: &Record) -> Option<String> {
        if let Some((circuit, operation)) = self.covered {
            let covered = record.covered.as_ref().filter(|covered| covered.circuit == circuit);
            let phases = covered.and_then(|covered| covered.operations.get(operation));
            let lacks = self.phases.iter().find(|phase| phases.is_none_or(|phases| !phases.contains(phase)))?;
            return Some(format!("the record does not cover '{operation}' of circuit '{circuit}' in {lacks}"));
        }
        debug_assert!(record.level < Level::Layer, "needs of capabilities are about kernels");
        let lacks = self.phases.iter().find(|phase| !record.kernels.iter().any(|kernel| kernel.phase == **phase))?;
        Some(format!("the record has no kernel of phase {lacks}"))
    }
}
