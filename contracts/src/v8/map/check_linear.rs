//! The claim of a quantized linear contract: oracle, functions, formats and blocks.

use super::KernelMap;
use crate::fault::Code;
use crate::registry::QuantizedLinear;
use crate::registry::vocabulary::Status;
use crate::v8::flaw::Flaw;
use crate::v8::words::{ComparisonRequirement, OracleKind, PoolRuntime};

/// Bytes of a block, by format and elements.
const BLOCKS: [(&str, u32, u32); 3] = [("q4_k", 256, 144), ("q6_k", 256, 210), ("q8_0", 32, 34)];

/// What needs nothing but the map.
pub(super) fn check_alone(map: &KernelMap) -> Result<(), Flaw> {
    if map.numerical_contract.is_none() {
        return match map.reference.is_some() || map.production.is_some() {
            false => Ok(()),
            true => {
                let message = "reference and production belong to a numerical_contract, which is not there";
                Err(Flaw::new(Code::BadCapability, "", message))
            }
        };
    }
    let (Some(reference), Some(production)) = (&map.reference, &map.production) else {
        let message = "expected reference and production: a linear contract is claimed by comparison with an oracle";
        return Err(Flaw::new(Code::BadCapability, "numerical_contract", message));
    };
    let comparison = &production.reference_comparison;
    let exact = comparison.requirement == ComparisonRequirement::BitExact;
    let unproven = |path: &str, message: String| Err(Flaw::new(Code::UnprovenOracle, path, message));
    if exact && (comparison.absolute_tolerance != 0.0 || comparison.relative_tolerance != 0.0) {
        return unproven("production/reference_comparison", "bit_exact allows no tolerance".to_owned());
    }
    match reference.kind {
        OracleKind::ScalarContractOracle if !reference.function.ends_with("_ref") => {
            let message = format!("'{}' is no scalar oracle: its name does not end in '_ref'", reference.function);
            return unproven("reference/function", message);
        }
        OracleKind::ScalarContractOracle => {}
        OracleKind::LlamaRepackedGraphOracle => {
            let graph = reference.validation.external_oracles.iter().any(|oracle| {
                oracle.backend.to_ascii_lowercase().starts_with("llama") && oracle.status == Status::Validated
            });
            if !graph || reference.validation.status != Status::Validated {
                let message = "the graph oracle is unproven: no comparison with llama's graph is validated";
                return unproven("reference/validation", message.to_owned());
            }
            if !exact {
                let message = "the graph oracle is unproven: the provider is not compared bit for bit";
                return unproven("production/reference_comparison", message.to_owned());
            }
        }
    }
    let threading = map.implementation.as_ref().map(|implementation| &implementation.threading);
    let pooled = threading.is_some_and(|threading| threading.runtime == PoolRuntime::CkThreadpool);
    if pooled && production.threaded_function.is_none() {
        let message = "runtime is ck_threadpool, but threaded_function is not there";
        return Err(Flaw::new(Code::NoThreadedEntry, "production", message));
    }
    Ok(())
}

/// Compares formats and blocks with the contract.
pub(super) fn check(map: &KernelMap, contract: &QuantizedLinear) -> Result<(), Flaw> {
    let fault = |path: &str, message: String| Err(Flaw::new(Code::StorageDisagreement, path, message));
    let Some(implementation) = &map.implementation else { return Ok(()) };
    let (Some(weight), Some(activation)) = (&implementation.weight_storage, &implementation.activation_storage) else {
        let message = "expected weight_storage and activation_storage: a linear provider says what it reads";
        return fault("implementation", message.to_owned());
    };
    let Some(diagnostic) = &implementation.diagnostic_providers else {
        return fault("implementation", "expected diagnostic_providers".to_owned());
    };
    if map.op == "gemm" && diagnostic.row_quantized.is_none() {
        let message = "expected row_quantized: a gemm is compared with the product of single rows";
        return fault("implementation/diagnostic_providers", message.to_owned());
    }
    let values = [
        ("weight_storage/format", weight.format.clone(), contract.weight.format.to_string()),
        ("weight_storage/block_elements", weight.block_elements.to_string(), contract.weight.block_size.to_string()),
        ("activation_storage/format", activation.format.clone(), contract.activation.format.to_string()),
        (
            "activation_storage/block_elements",
            activation.block_elements.to_string(),
            contract.activation.block_size.to_string(),
        ),
    ];
    if let Some((path, found, stated)) = values.into_iter().find(|(_, found, stated)| found != stated) {
        return fault(&format!("implementation/{path}"), format!("{found}, the contract has {stated}"));
    }
    let block =
        BLOCKS.iter().find(|(format, elements, _)| *format == weight.format && *elements == weight.block_elements);
    if let Some((format, _, bytes)) = block.filter(|(_, _, bytes)| *bytes != weight.block_bytes) {
        let message = format!("{}, a block of {format} has {bytes}", weight.block_bytes);
        return fault("implementation/weight_storage/block_bytes", message);
    }
    let Some(quant) = &map.quant else { return Ok(()) };
    let said = quant.weight.iter().flatten();
    if let Some(said) = said.into_iter().find(|said| !said.split('|').any(|format| format.trim() == weight.format)) {
        return fault("quant/weight", format!("{said}, the contract has {}", weight.format));
    }
    match quant.activation.iter().flatten().find(|said| **said != activation.format) {
        None => Ok(()),
        Some(said) => fault("quant/activation", format!("{said}, the contract has {}", activation.format)),
    }
}
