//! The levels of one kernel: which cases are run, and the record they give.

use super::bench::{Bench, Call, SEED};
use super::shapes::{Class, Family};
use super::tally::Tally;
use super::{code, leaf, route};
use anyhow::{Context as _, Result, anyhow};
use cke_contracts::evidence::{
    Covered, Digests, InputClass, Kernel, Level, Oracle, Record, contract_digest, provider_digest,
};
use cke_contracts::registry::vocabulary::Phase;
use cke_contracts::registry::{Provider, Registry};
use cke_mlir::ir::Context;
use cke_runtime::Engine;
use cke_runtime::program::Program;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::jit::CompiledEngine;

/// The most rows of a call.
pub const MAX_ROWS: usize = 33;
/// The most threads of a call.
pub const MAX_THREADS: usize = 8;
/// Even, odd, and more than some shapes have work for.
const THREADS: [usize; 4] = [1, 2, 3, 7];
/// The same for whole models.
pub const MODEL_THREADS: [usize; 3] = [1, 2, 3];
/// What the inputs of a kernel hold.
const INPUTS: [InputClass; 5] = [
    InputClass::Ordinary,
    InputClass::ZerosAndSubnormals,
    InputClass::Wide,
    InputClass::InfinitiesAndNans,
    InputClass::Ties,
];

/// What one kernel is checked with.
pub struct Subject<'s> {
    /// Where modules are made.
    pub context: &'s Context,
    /// The definitions.
    pub registry: &'s Registry,
    /// The provider.
    pub provider: &'s Provider,
    /// The contract it claims.
    pub contract: &'s str,
    /// The instruction set.
    pub isa: &'s Isa,
}

impl Subject<'_> {
    /// The record of a class of shapes on one of the levels of a kernel.
    pub fn check(&self, level: Level, family: &Family, shape_class: &str) -> Result<Record> {
        let class = family.class(shape_class)?;
        let contract = self.registry.contracts.get(self.contract).context("error: no such contract")?;
        let (mut tally, mut kernels) = (Tally::default(), Vec::new());
        for facts in &class.shapes {
            for &phase in &self.provider.phases {
                let (program, object) = match level {
                    Level::Leaf => {
                        let kernel = leaf::kernel(self.provider, facts, &family.params, phase)?;
                        leaf::compile(self, facts, &kernel)?
                    }
                    _ => route::compile(self, facts, &family.params)?,
                };
                let engine = |program: &Program| -> Result<Box<dyn Engine>> {
                    Ok(Box::new(CompiledEngine::new(program, &object)?))
                };
                let bench = Bench::new(self.provider, contract, facts, phase, &program, engine)?;
                self.cases(&bench, phase, class, &mut tally)?;
                kernels.push(bench.kernel()?);
            }
        }
        record(self, level, shape_class, kernels, None, &tally)
    }

    fn cases(&self, bench: &Bench<'_>, phase: Phase, class: &Class, tally: &mut Tally) -> Result<()> {
        let rows = if phase == Phase::Decode { &[1][..] } else { &class.rows };
        for (number, &rows) in rows.iter().enumerate() {
            for &position in &class.positions {
                for (index, inputs) in INPUTS.into_iter().enumerate() {
                    // Over rows, positions and inputs every number of threads meets every class of inputs.
                    let mut threads = vec![THREADS[0], THREADS[(index + number + position) % THREADS.len()]];
                    threads.dedup();
                    let call = Call { rows, position, inputs };
                    if bench.has_room(&call) {
                        bench.check(&call, &threads, tally)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The record of what was compared.
pub fn record(
    subject: &Subject<'_>,
    level: Level,
    shape_class: &str,
    kernels: Vec<Kernel>,
    covered: Option<Covered>,
    tally: &Tally,
) -> Result<Record> {
    let Subject { registry, provider, contract, isa, .. } = subject;
    let code = code::digest_of(registry, provider, contract, &kernels, isa).map_err(|rule| anyhow!("error: {rule}"))?;
    let digests = Digests {
        provider: provider_digest(registry, &provider.id).context("error: no such provider")?,
        contract: contract_digest(registry, contract).context("error: no such contract")?,
        code,
        results: tally.results(),
    };
    let (inputs, threads): (&[InputClass], &[usize]) = match covered {
        Some(_) => (&[InputClass::Model], &MODEL_THREADS),
        None => (&INPUTS, &THREADS),
    };
    let record = Record {
        level,
        contract: (*contract).to_owned(),
        shape_class: shape_class.to_owned(),
        covered,
        kernels,
        threads: threads.iter().map(|&count| u32::try_from(count)).collect::<Result<_, _>>()?,
        inputs: inputs.to_vec(),
        seed: SEED,
        oracle: Oracle::Scalar,
        cases: tally.cases,
        comparisons: tally.comparisons,
        mismatches: 0,
        digests,
        seal: String::new(),
    };
    Ok(record.sealed())
}
