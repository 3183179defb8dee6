//! A registry with one validated claim, and made-up records that prove it.

use std::collections::BTreeMap;

use cke_contracts::circuit::Circuit;
use cke_contracts::evidence::{
    CodeFlags, Covered, Digests, Evidence, EvidenceFile, InputClass, Kernel, Level, Matrix, Needs, Oracle, Part,
    Record, Verdict, code_digest, contract_digest, provider_digest,
};
use cke_contracts::registry::vocabulary::{Phase, Status};
use cke_contracts::registry::{Contract, Registry};

/// The provider whose claim is validated.
pub const PROVIDER: &str = "cke_residual_add_fp32";
/// The contract it claims.
const CONTRACT: &str = "residual_add_fp32";
/// The instruction sets of the claim.
pub const ISAS: [&str; 2] = ["x86-64-v3", "x86-64-v4"];

/// All that a matrix is made from.
pub struct World {
    pub registry: Registry,
    pub circuit: Circuit,
    pub evidence: Evidence,
    pub needs: Needs,
    /// The code digest of a record's kernels today.
    pub generated: fn(&EvidenceFile, &Record) -> Result<String, String>,
}

/// The digest of kernels that a generator would make of `text`.
pub fn kernel_digest(kernels: &[Kernel], text: &str, optimiser: &str) -> String {
    let texts: Vec<_> = kernels.iter().map(|kernel| format!("{text} {kernel:?}")).collect();
    let word = |word: &str| word.to_owned();
    let flags = CodeFlags {
        triple: word("t"),
        cpu: word("c"),
        features: word("f"),
        lowering: word("l"),
        optimiser: word(optimiser),
    };
    code_digest(&texts, &flags)
}

impl World {
    /// Everything proven, nothing else claimed.
    pub fn new() -> Self {
        let mut world = Self {
            registry: Registry::native().unwrap(),
            circuit: Circuit::native("llama").unwrap(),
            evidence: Evidence::default(),
            needs: Needs::native().unwrap(),
            generated: |_, record| Ok(kernel_digest(&record.kernels, "arith.addf", "default<O3>")),
        };
        world.set_all(Status::Observed);
        world.set_status(Status::Validated);
        for isa in ISAS {
            let file = world.file(isa);
            world.evidence.insert(file);
        }
        world
    }

    /// Sets the status of the one claim, its contract and the requirements of it.
    pub fn set_status(&mut self, status: Status) {
        self.registry.providers.get_mut(PROVIDER).unwrap().numerical_capabilities[0].status = status;
        set(self.registry.contracts.get_mut(CONTRACT).unwrap(), status);
        let alternatives = self.circuit.required_contracts.values_mut().flatten();
        alternatives.flat_map(|one| one.phases.values_mut()).filter(|r| r.contract_id == CONTRACT).for_each(
            |required| {
                required.validation = status;
            },
        );
    }

    fn set_all(&mut self, status: Status) {
        self.registry.contracts.values_mut().for_each(|contract| set(contract, status));
        let providers = self.registry.providers.values_mut();
        providers.flat_map(|p| &mut p.numerical_capabilities).for_each(|claim| claim.status = status);
        let alternatives = self.circuit.required_contracts.values_mut().flatten();
        alternatives.flat_map(|one| one.phases.values_mut()).for_each(|required| required.validation = status);
    }

    fn file(&self, isa: &str) -> EvidenceFile {
        let mut file = EvidenceFile::new(PROVIDER, isa, "22.1.0");
        for (level, shape_class) in [
            (Level::Leaf, "edges"),
            (Level::Leaf, "model"),
            (Level::PublicRoute, "one_operation"),
            (Level::Stitched, "tiny"),
        ] {
            file.insert(self.record(level, shape_class));
        }
        file
    }

    fn record(&self, level: Level, shape_class: &str) -> Record {
        let kernel = |phase| Kernel { phase, shape: BTreeMap::from([("dim".to_owned(), 16)]), params: BTreeMap::new() };
        let kernels = [Phase::Prefill, Phase::Decode].map(kernel).to_vec();
        let operations = ["decoder.attn_residual", "decoder.ffn_residual"]
            .map(|operation| (operation.to_owned(), vec![Phase::Prefill, Phase::Decode]));
        let covered =
            Covered { circuit: "llama".to_owned(), model: "sha256:0".to_owned(), operations: operations.into() };
        let digests = Digests {
            provider: provider_digest(&self.registry, PROVIDER).unwrap(),
            contract: contract_digest(&self.registry, CONTRACT).unwrap(),
            code: kernel_digest(&kernels, "arith.addf", "default<O3>"),
            results: "sha256:0".to_owned(),
        };
        let record = Record {
            level,
            contract: CONTRACT.to_owned(),
            shape_class: shape_class.to_owned(),
            covered: (level >= Level::Layer).then_some(covered),
            kernels,
            threads: vec![1, 2],
            inputs: vec![InputClass::Ordinary],
            seed: 1,
            oracle: Oracle::Scalar,
            cases: 4,
            comparisons: 64,
            mismatches: 0,
            digests,
            seal: String::new(),
        };
        record.sealed()
    }

    /// Edits the evidence on an instruction set.
    pub fn edit(&mut self, isa: &str, change: impl FnOnce(&mut EvidenceFile)) {
        let mut file = self.evidence.file(PROVIDER, isa).unwrap().clone();
        change(&mut file);
        self.evidence.insert(file);
    }

    pub fn matrix(&self) -> Matrix {
        let circuits = std::slice::from_ref(&self.circuit);
        Matrix::new(&self.registry, circuits, &self.evidence, &self.needs, &self.generated)
    }

    pub fn complaints(&self) -> Vec<String> {
        self.matrix().complaints()
    }

    /// Every record is stale, and for these reasons.
    pub fn expect_stale(&self, expected: &[Part]) {
        let matrix = self.matrix();
        let rows = matrix.rows.iter().filter(|row| row.status == Status::Validated);
        let verdicts: Vec<_> = rows.flat_map(|row| &row.cells).map(|cell| &cell.verdict).collect();
        let stale = Verdict::Stale { changed: expected.to_vec() };
        assert!(verdicts.contains(&&stale), "{verdicts:?}");
        assert!(!verdicts.iter().any(|verdict| verdict.is_supported()), "{verdicts:?}");
        assert!(!matrix.complaints().is_empty());
    }
}

fn set(contract: &mut Contract, status: Status) {
    match contract {
        Contract::Execution(contract) => contract.status = status,
        Contract::Attention(contract) => contract.status = status,
        Contract::Linear(contract) => contract.status = status,
    }
}
