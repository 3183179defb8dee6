//! Claims: whole, of known contracts, and not contradicting them.

use std::collections::{BTreeMap, BTreeSet};

use super::{KernelMap, QuantizationContract, check_linear};
use crate::fault::Code;
use crate::registry::vocabulary::{
    MergeOrder, ParallelReductionKind, PartitionKind, Phase, ReductionOrderEffect, SplitStrategy,
};
use crate::registry::{Arithmetic, Contract};
use crate::v8::flaw::Flaw;
use crate::v8::map::Threading;
use crate::v8::words::{PoolDispatch, PoolRuntime, WorkPiece};

/// Labels of a type or a policy, which mean no contract, whatever their case.
const LABELS: [&str; 9] = ["auto", "bf16", "default", "f16", "f32", "fast", "fp16", "fp32", "strict"];

/// Refuses an id that is a label.
pub(in crate::v8) fn check_id(path: &str, id: &str) -> Result<(), Flaw> {
    match LABELS.contains(&id.trim().to_ascii_lowercase().as_str()) || id.trim().is_empty() {
        false => Ok(()),
        true => {
            let message = format!("'{id}' is ambiguous: it names a type or a policy, not a contract");
            Err(Flaw::new(Code::AmbiguousId, path, message))
        }
    }
}

/// What needs nothing but the map.
pub(super) fn check_alone(map: &KernelMap) -> Result<(), Flaw> {
    check_provides(map)?;
    let function = &map.entry.function;
    let same_function = |path: String, found: &str| match found == function {
        true => Ok(()),
        false => {
            let message = format!("function '{found}' is not '{function}' of impl");
            Err(Flaw::new(Code::FunctionDisagreement, path, message))
        }
    };
    for (id, claim) in map.supported_reductions.iter().flatten() {
        check_id(&format!("supported_reductions/{id}"), id)?;
        same_function(format!("supported_reductions/{id}/function"), &claim.function)?;
    }
    let mut claimed = BTreeSet::new();
    for (n, claim) in map.numerical_capabilities.iter().flatten().enumerate() {
        let path = format!("numerical_capabilities/{n}");
        check_id(&format!("{path}/contract_id"), &claim.contract_id)?;
        same_function(format!("{path}/function"), &claim.function)?;
        let fault = |message: String| Err(Flaw::new(Code::BadCapability, &path, message));
        if !claim.explicit_selector {
            return fault("explicit_selector must be true".to_owned());
        }
        if claim.phases.is_empty() {
            return fault("it holds for no phase".to_owned());
        }
        if let Some(phase) = claim.phases.iter().find(|p| matches!(p, Phase::Training | Phase::Backward)) {
            return fault(format!("phase {phase} is none of init, prefill and decode"));
        }
        if !claimed.insert(&claim.contract_id) {
            return fault(format!("contract '{}' is claimed twice", claim.contract_id));
        }
        check_threads(&format!("{path}/implementation/threading"), &claim.implementation.threading)?;
    }
    if let Some(implementation) = &map.implementation {
        check_threads("implementation/threading", &implementation.threading)?;
    } else if map.supported_reductions.is_some() || map.numerical_contract.is_some() {
        let message = "expected implementation: a claim says how its function runs";
        return Err(Flaw::new(Code::BadCapability, "", message));
    }
    if let Some(production) = &map.production {
        same_function("production/function".to_owned(), &production.function)?;
    }
    check_quantization(map)?;
    check_linear::check_alone(map)
}

fn check_provides(map: &KernelMap) -> Result<(), Flaw> {
    let fault = |path: String, message: String| Err(Flaw::new(Code::BadProvides, path, message));
    let provided = map.provides();
    for (key, values) in &provided {
        if values.is_empty() {
            return fault(format!("provides/{key}"), "expected at least one value".to_owned());
        }
        if values.iter().collect::<BTreeSet<_>>().len() < values.len() {
            return fault(format!("provides/{key}"), "a value is given twice".to_owned());
        }
    }
    let advertised = provided.get("numerics.attention_reduction").map_or(&[][..], Vec::as_slice);
    let supported = map.supported_reductions.iter().flatten().map(|(id, _)| id);
    if let Some(id) = supported.clone().find(|id| !advertised.contains(id)) {
        return fault(format!("supported_reductions/{id}"), "provides does not advertise it".to_owned());
    }
    if let Some(id) = advertised.iter().find(|id| !supported.clone().any(|known| known == *id)) {
        let message = format!("advertises '{id}', which is no supported reduction");
        return fault("provides/numerics.attention_reduction".to_owned(), message);
    }
    match (map.mode, provided.get("execution.phase")) {
        (Some(mode), Some(phases)) if !phases.iter().any(|phase| phase == mode.as_str()) => {
            fault("provides/execution.phase".to_owned(), format!("the map's mode {mode} is not among them"))
        }
        _ => Ok(()),
    }
}

/// The pool needs something that hands it work.
fn check_threads(path: &str, threading: &Threading) -> Result<(), Flaw> {
    if threading.work_partition.is_empty() {
        return Err(Flaw::new(Code::ThreadingDisagreement, path, "work_partition is empty"));
    }
    let threaded = threading.dispatch.iter().any(|dispatch| *dispatch != PoolDispatch::Inline);
    match threading.runtime == PoolRuntime::CkThreadpool && !threaded {
        false => Ok(()),
        true => {
            let message = "runtime is ck_threadpool, but no dispatch hands work to threads";
            Err(Flaw::new(Code::NoThreadedEntry, path, message))
        }
    }
}

/// A claimed provider that reads quantised activations says how they are rounded.
fn check_quantization(map: &KernelMap) -> Result<(), Flaw> {
    let Some(quant) = map.quant.as_ref().filter(|_| map.is_governed()) else { return Ok(()) };
    let Some(format) = quant.activation.iter().flatten().find(|format| format.starts_with("q8_")) else {
        return Ok(());
    };
    let fault = |message: String| Err(Flaw::new(Code::NoQuantizationContract, "quant", message));
    match &quant.activation_quantization_contract {
        None => fault(format!("activation is {format}, but activation_quantization_contract is not there")),
        Some(QuantizationContract::All(_)) => Ok(()),
        Some(QuantizationContract::PerPhase(phases)) => {
            let said = |phase: Phase| match phase {
                Phase::Decode => phases.decode.is_some(),
                Phase::Prefill => phases.prefill.is_some(),
                _ => false,
            };
            let served = map.selection.iter().filter_map(|selection| selection.phases.as_ref()).flatten();
            match served.chain(&map.mode).find(|phase| !said(**phase)) {
                None if phases.decode.is_none() && phases.prefill.is_none() => {
                    fault("activation_quantization_contract is said for no phase".to_owned())
                }
                None => Ok(()),
                Some(phase) => fault(format!("activation_quantization_contract says nothing for phase {phase}")),
            }
        }
    }
}

/// Compares claims with their contracts.
pub(super) fn check(map: &KernelMap, contracts: &BTreeMap<String, Contract>) -> Result<(), Flaw> {
    let known = |path: &str, id: &str| {
        let missing = || Flaw::new(Code::ProviderUnknownContract, path, format!("contract '{id}' is not defined"));
        contracts.get(id).ok_or_else(missing)
    };
    let of_another_kind = |path: &str, id: &str, kind: &str| {
        Flaw::new(Code::ProviderUnknownContract, path, format!("contract '{id}' is no {kind} contract"))
    };
    for id in map.supported_reductions.iter().flat_map(BTreeMap::keys) {
        let path = format!("supported_reductions/{id}");
        let Contract::Attention(contract) = known(&path, id)? else {
            return Err(of_another_kind(&path, id, "attention"));
        };
        if let Some(implementation) = &map.implementation {
            check_attention_threads(contract.partition.kind, &implementation.threading)?;
        }
    }
    for (n, claim) in map.numerical_capabilities.iter().flatten().enumerate() {
        let path = format!("numerical_capabilities/{n}");
        let contract = known(&format!("{path}/contract_id"), &claim.contract_id)?;
        let Contract::Execution(execution) = contract else {
            return Err(of_another_kind(&path, &claim.contract_id, "execution"));
        };
        if let Some(stated) = contract.arithmetic() {
            check_arithmetic(&format!("{path}/arithmetic"), &claim.arithmetic, &stated)?;
        }
        let path = format!("{path}/implementation/threading");
        let threading = &claim.implementation.threading;
        let partition = execution.threading.work_partition.as_str();
        if !threading.work_partition.iter().any(|piece| piece.as_str() == partition) {
            let message = format!("work_partition does not have the contract's {partition}");
            return Err(Flaw::new(Code::ThreadingDisagreement, path, message));
        }
        let expected = match execution.threading.split_strategy {
            SplitStrategy::Serial | SplitStrategy::IndependentOutputs => ReductionOrderEffect::None,
            _ if execution.reduction.merge_order == MergeOrder::ImplementationDefined => {
                ReductionOrderEffect::ImplementationDefined
            }
            SplitStrategy::SplitK | SplitStrategy::SplitKv => ReductionOrderEffect::ContractDefined,
        };
        check_effect(&path, threading.reduction_order_effect, expected)?;
    }
    if let Some(id) = &map.numerical_contract {
        check_id("numerical_contract", id)?;
        let Contract::Linear(contract) = known("numerical_contract", id)? else {
            return Err(of_another_kind("numerical_contract", id, "quantized linear"));
        };
        check_linear::check(map, contract)?;
        let expected = match contract.parallel_reduction.kind {
            ParallelReductionKind::IndependentOutputs => ReductionOrderEffect::None,
            ParallelReductionKind::SplitK => ReductionOrderEffect::ContractDefined,
        };
        let threading = map.implementation.as_ref().map(|implementation| &implementation.threading);
        if let Some(threading) = threading {
            check_effect("implementation/threading", threading.reduction_order_effect, expected)?;
        }
    }
    Ok(())
}

/// Cutting keys among workers is what only some attention contracts allow.
fn check_attention_threads(kind: PartitionKind, threading: &Threading) -> Result<(), Flaw> {
    let path = "implementation/threading";
    let cuts_keys = threading.work_partition.contains(&WorkPiece::KvChunksByWorkers);
    let fault = |message: &str| Err(Flaw::new(Code::ThreadingDisagreement, path, message));
    match kind {
        PartitionKind::KvChunksByWorkers if !cuts_keys => {
            return fault("work_partition does not have the contract's kv_chunks_by_workers");
        }
        PartitionKind::KvChunksByWorkers => {}
        _ if cuts_keys => return fault("work_partition has kv_chunks_by_workers, which the contract does not allow"),
        _ => {}
    }
    match (kind, threading.reduction_order_effect) {
        (_, ReductionOrderEffect::ImplementationDefined) => {
            fault("reduction_order_effect is implementation_defined, the contract fixes the order")
        }
        (PartitionKind::KvChunksByWorkers, ReductionOrderEffect::None) => {
            fault("reduction_order_effect is none, the contract cuts the reduction")
        }
        _ => Ok(()),
    }
}

fn check_effect(path: &str, found: ReductionOrderEffect, expected: ReductionOrderEffect) -> Result<(), Flaw> {
    match found == expected {
        true => Ok(()),
        false => {
            let message = format!("reduction_order_effect is {found}, the contract has {expected}");
            Err(Flaw::new(Code::ThreadingDisagreement, path, message))
        }
    }
}

fn check_arithmetic(path: &str, claimed: &Arithmetic, stated: &Arithmetic) -> Result<(), Flaw> {
    match claimed.values().into_iter().zip(stated.values()).find(|(claimed, stated)| claimed != stated) {
        None => Ok(()),
        Some(((field, claimed), (_, stated))) => {
            let message = format!("{field} is {claimed}, the contract has {stated}");
            Err(Flaw::new(Code::ArithmeticDisagreement, path, message))
        }
    }
}
