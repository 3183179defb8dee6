//! The code a record is bound to: kernels as the generator makes them, and the flags they are compiled with.

use cke_contracts::evidence::{CodeFlags, EvidenceFile, Kernel, Record, code_digest};
use cke_contracts::registry::{Provider, Registry};
use cke_target_llvm::TO_LLVM_DIALECT;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::kernels::{KernelRequest, Phase, synthesize};
use cke_target_llvm::object::OPTIMISER;

/// The symbol of every kernel here: what it is called in a program is no part of it.
pub const SYMBOL: &str = "kernel";

/// The text of a kernel.
pub fn kernel_text(
    registry: &Registry,
    provider: &Provider,
    contract: &str,
    kernel: &Kernel,
    isa: &Isa,
) -> Result<String, String> {
    let capability = provider.capability(contract);
    let capability = capability.ok_or_else(|| format!("'{}' does not claim '{contract}'", provider.id))?;
    let definition = registry.contracts.get(contract);
    synthesize(&KernelRequest {
        symbol: SYMBOL,
        function: &capability.function,
        op: &provider.op,
        phase: Phase::parse(kernel.phase.as_str())?,
        shape: kernel.shape.clone(),
        params: kernel.params.clone(),
        contract: definition.ok_or_else(|| format!("contract '{contract}' is not defined"))?,
        isa,
    })
}

/// The digest of kernels on an instruction set.
pub fn digest_of(
    registry: &Registry,
    provider: &Provider,
    contract: &str,
    kernels: &[Kernel],
    isa: &Isa,
) -> Result<String, String> {
    let texts = kernels.iter().map(|kernel| kernel_text(registry, provider, contract, kernel, isa));
    let flags = CodeFlags {
        triple: isa.triple.clone(),
        cpu: isa.cpu.clone(),
        features: isa.features.clone(),
        lowering: TO_LLVM_DIALECT.to_owned(),
        optimiser: OPTIMISER.to_owned(),
    };
    Ok(code_digest(&texts.collect::<Result<Vec<_>, _>>()?, &flags))
}

/// The digest that a record's kernels have today.
pub fn of_record(registry: &Registry, file: &EvidenceFile, record: &Record) -> Result<String, String> {
    let provider = registry.providers.get(&file.provider);
    let provider = provider.ok_or_else(|| format!("provider '{}' is not defined", file.provider))?;
    digest_of(registry, provider, &record.contract, &record.kernels, &Isa::parse(&file.isa)?)
}
