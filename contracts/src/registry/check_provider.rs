//! Checks of a kernel map against the contracts it claims.

use std::collections::BTreeMap;

use super::check_reduction::repeated;
use super::vocabulary::{ReductionOrderEffect, RuntimeValue, SplitStrategy, WeightStorage};
use super::{
    Arithmetic, Capability, Code, Contract, ExecutionSemantics, Fault, NumericalExecution, PortKind, Provider, Storage,
    Threading, check_port, id,
};

/// The version of the kernel map format.
const MAP_VERSION: u32 = 1;
/// The version of the calling convention.
const CALL_VERSION: u32 = 1;

/// Checks a provider; `id` is what the registry calls it.
pub(super) fn check(id: &str, provider: &Provider, contracts: &BTreeMap<String, Contract>) -> Result<(), Fault> {
    id::check_provider_id(id).map_err(|reason| Fault::new(Code::AmbiguousId, format!("its {reason}")))?;
    if provider.id != id {
        return Err(Fault::new(Code::DuplicateId, format!("the definition calls itself '{}'", provider.id)));
    }
    if provider.contract_schema_version != MAP_VERSION {
        let found = provider.contract_schema_version;
        let message = format!("contract_schema_version must be {MAP_VERSION}, found {found}");
        return Err(Fault::new(Code::UnsupportedVersion, message));
    }
    check_port::check(provider)?;
    check_call_abi(provider)?;
    check_provides(provider)?;
    check_selection(provider)?;
    check_claims(provider)?;
    for capability in &provider.numerical_capabilities {
        check_capability(provider, capability, contracts).map_err(|fault| Fault {
            message: format!("capability '{}': {}", capability.contract_id, fault.message),
            ..fault
        })?;
    }
    Ok(())
}

/// Every slot has a source, every port is passed once.
fn check_call_abi(provider: &Provider) -> Result<(), Fault> {
    let fault = |message: String| Err(Fault::new(Code::BadCallAbi, format!("call_abi: {message}")));
    let abi = &provider.call_abi;
    if abi.version != CALL_VERSION {
        return fault(format!("version must be {CALL_VERSION}, found {}", abi.version));
    }
    let names: Vec<_> = abi.params.iter().map(|param| param.name.as_str()).collect();
    if let Some(name) = repeated(&names) {
        return fault(format!("slot '{name}' appears twice"));
    }
    let sources: Vec<_> = abi.params.iter().map(|param| param.source.as_str()).collect();
    if let Some(source) = repeated(&sources) {
        return fault(format!("source '{source}' is passed twice"));
    }
    for param in &abi.params {
        let (slot, source) = (&param.name, &param.source);
        let Some((namespace, name)) = source.split_once(':') else {
            return fault(format!("slot '{slot}': source '{source}' has no namespace"));
        };
        let port = provider.ports().find(|(kind, port)| kind.namespace() == namespace && port.name == name);
        let runtime = RuntimeValue::ALL.iter().any(|value| namespace == "runtime" && value.as_str() == name);
        if port.is_none() && !runtime {
            return fault(format!("slot '{slot}': source '{source}' is neither a declared port nor a run-time value"));
        }
    }
    let passed = |source: String| sources.contains(&source.as_str());
    match provider.ports().find(|(kind, port)| !passed(format!("{}:{}", kind.namespace(), port.name))) {
        None => Ok(()),
        Some((kind, port)) => fault(format!("port '{}:{}' is not passed", kind.namespace(), port.name)),
    }
}

fn check_provides(provider: &Provider) -> Result<(), Fault> {
    let fault = |key: &str, message: String| Err(Fault::new(Code::BadProvides, format!("provides.{key}: {message}")));
    for (key, values) in &provider.provides {
        if values.is_empty() {
            return fault(key, "needs at least one value".to_owned());
        }
        if let Some(value) = repeated(values) {
            return fault(key, format!("'{value}' is given twice"));
        }
        let mut stated: Vec<_> = values.iter().map(String::as_str).collect();
        let mut actual: Vec<_> = match key.as_str() {
            "execution.phase" => provider.phases.iter().map(|phase| phase.as_str()).collect(),
            "numerics.attention_reduction" => {
                provider.numerical_capabilities.iter().map(|capability| capability.contract_id.as_str()).collect()
            }
            _ => continue,
        };
        stated.sort_unstable();
        actual.sort_unstable();
        if stated != actual {
            return fault(key, format!("says {}, the map has {}", stated.join(", "), actual.join(", ")));
        }
    }
    Ok(())
}

fn check_selection(provider: &Provider) -> Result<(), Fault> {
    if provider.selection.as_ref().is_some_and(|selection| selection.equivalence_group.trim().is_empty()) {
        return Err(Fault::new(Code::BadSelection, "selection.equivalence_group is empty"));
    }
    let dims: Vec<_> = provider.constraints.iter().map(|constraint| constraint.dim.as_str()).collect();
    if let Some(dim) = repeated(&dims) {
        return Err(Fault::new(Code::BadSelection, format!("two constraints of '{dim}'")));
    }
    let known = |dim: &str| provider.dims.iter().any(|fact| fact.name() == dim);
    for constraint in &provider.constraints {
        if !known(&constraint.dim) {
            return Err(Fault::new(Code::BadSelection, format!("constraint of '{}', which is no dim", constraint.dim)));
        }
        constraint.check().map_err(|reason| Fault::new(Code::BadSelection, reason))?;
    }
    Ok(())
}

fn check_claims(provider: &Provider) -> Result<(), Fault> {
    let fault = |message: String| Err(Fault::new(Code::BadCapability, message));
    if provider.phases.is_empty() {
        return fault("it serves no phase".to_owned());
    }
    if let Some(phase) = repeated(&provider.phases) {
        return fault(format!("phase {phase} is given twice"));
    }
    let claims: Vec<_> = provider.numerical_capabilities.iter().map(|claim| claim.contract_id.as_str()).collect();
    if claims.is_empty() {
        return fault("it claims no contract".to_owned());
    }
    match repeated(&claims) {
        None => Ok(()),
        Some(contract) => fault(format!("it claims contract '{contract}' twice")),
    }
}

fn check_capability(
    provider: &Provider,
    capability: &Capability,
    contracts: &BTreeMap<String, Contract>,
) -> Result<(), Fault> {
    let Some(contract) = contracts.get(&capability.contract_id) else {
        return Err(Fault::new(Code::ProviderUnknownContract, "the registry does not define the contract"));
    };
    if capability.phases.is_empty() {
        return Err(Fault::new(Code::BadCapability, "it holds for no phase"));
    }
    if let Some(phase) = repeated(&capability.phases) {
        return Err(Fault::new(Code::BadCapability, format!("phase {phase} is given twice")));
    }
    if let Some(phase) = capability.phases.iter().find(|phase| !provider.phases.contains(phase)) {
        return Err(Fault::new(Code::BadCapability, format!("phase {phase} is none of the provider's")));
    }
    let function = &provider.implementation.function;
    if capability.function != *function {
        let message = format!("function '{}' is not '{function}' of impl", capability.function);
        return Err(Fault::new(Code::FunctionDisagreement, message));
    }
    match contract.operations() {
        Some(operations) if !operations.contains(&provider.op) => {
            let message = format!("the contract governs {}, not '{}'", operations.join(", "), provider.op);
            return Err(Fault::new(Code::OperationDisagreement, message));
        }
        None if provider.implementation.generator.is_some() => {
            return Err(Fault::new(
                Code::BadCapability,
                "a generated function needs a contract with explicit semantics",
            ));
        }
        _ => {}
    }
    check_arithmetic(&capability.arithmetic, contract)?;
    check_threading(capability, contract)?;
    match contract {
        Contract::Execution(NumericalExecution { storage, semantics: Some(semantics), .. }) => {
            check_storage(provider, storage, semantics)
        }
        _ => Ok(()),
    }
}

/// The ports must be what the contract reads and writes.
fn check_storage(provider: &Provider, storage: &Storage, semantics: &ExecutionSemantics) -> Result<(), Fault> {
    let fault = |message: String| Err(Fault::new(Code::StorageDisagreement, message));
    for (kind, port) in provider.ports() {
        let stated = match kind {
            PortKind::Input => storage.input.as_str(),
            PortKind::Weight => storage.weight.as_str(),
            PortKind::Output => storage.output.as_str(),
            PortKind::State | PortKind::Scratch => continue,
        };
        if port.dtype.as_str() != stated {
            let (namespace, name, dtype) = (kind.namespace(), &port.name, port.dtype);
            return fault(format!("port '{namespace}:{name}' is {dtype}, the contract stores {stated}"));
        }
    }
    if provider.weights.is_empty() != (storage.weight == WeightStorage::None) {
        let (count, weight) = (provider.weights.len(), storage.weight);
        return fault(format!("{count} weights, the contract's storage.weight is {weight}"));
    }
    let factors = semantics.reduction.iter().flat_map(|reduction| &reduction.factors);
    match factors.into_iter().find(|factor| provider.port(factor).is_none()) {
        None => Ok(()),
        Some(factor) => fault(format!("the contract's factor '{factor}' is no port")),
    }
}

/// The five values must be those of the contract.
fn check_arithmetic(claimed: &Arithmetic, contract: &Contract) -> Result<(), Fault> {
    let Some(stated) = contract.arithmetic() else { return Ok(()) };
    match claimed.values().into_iter().zip(stated.values()).find(|(claimed, stated)| claimed != stated) {
        None => Ok(()),
        Some(((field, claimed), (_, stated))) => {
            let message = format!("arithmetic.{field} is {claimed}, the contract has {stated}");
            Err(Fault::new(Code::ArithmeticDisagreement, message))
        }
    }
}

fn check_threading(capability: &Capability, contract: &Contract) -> Result<(), Fault> {
    let fault = |message: String| Err(Fault::new(Code::ThreadingDisagreement, message));
    let Some(stated) = threading_of(contract) else { return Ok(()) };
    let claimed = &capability.implementation.threading;
    if !claimed.work_partition.contains(&stated.work_partition) {
        let list: Vec<_> = claimed.work_partition.iter().map(ToString::to_string).collect();
        return fault(format!("work_partition {} lacks {}", list.join(", "), stated.work_partition));
    }
    let expected = match stated.split_strategy {
        SplitStrategy::Serial | SplitStrategy::IndependentOutputs => ReductionOrderEffect::None,
        SplitStrategy::SplitK | SplitStrategy::SplitKv => ReductionOrderEffect::ContractDefined,
    };
    let found = claimed.reduction_order_effect;
    match found == expected {
        true => Ok(()),
        false => {
            fault(format!("reduction_order_effect is {found}, the contract's {} has {expected}", stated.split_strategy))
        }
    }
}

fn threading_of(contract: &Contract) -> Option<Threading> {
    match contract {
        Contract::Execution(contract) => Some(contract.threading),
        Contract::Attention(contract) => contract.semantics.as_ref().map(|semantics| semantics.threading),
        Contract::Linear(contract) => contract.semantics.as_ref().map(|semantics| semantics.threading),
    }
}
