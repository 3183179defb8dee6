//! What the families ask of a call: extents, numbers, tensors and the parts of the contract's semantics.

use super::tensor::Tensor;
use super::{Call, Element};
use cke_contracts::registry::{Contract, ExecutionSemantics, NumericalExecution, Threading};

impl<'a> Call<'a> {
    /// What holds for a call of any family.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.rows == 0 {
            return Err(format!("{}: a call has at least 1 row, found 0", self.op));
        }
        match self.contract.operations() {
            None => Err(format!("{}: the contract has no explicit semantics to execute", self.op)),
            Some(operations) if operations.iter().any(|operation| operation == self.op) => Ok(()),
            Some(operations) => {
                Err(format!("{}: semantics.operations are {}, without this one", self.op, operations.join(", ")))
            }
        }
    }

    /// The extent of the shape key `name`, at least 1.
    pub(super) fn extent(&self, name: &str) -> Result<usize, String> {
        self.extent_from(1, name)
    }

    /// The extent of the shape key `name`, which may be 0: a reduction over nothing.
    pub(super) fn extent_or_zero(&self, name: &str) -> Result<usize, String> {
        self.extent_from(0, name)
    }

    fn extent_from(&self, least: usize, name: &str) -> Result<usize, String> {
        let value = *self.shape.get(name).ok_or_else(|| format!("the shape has no '{name}'"))?;
        match usize::try_from(value) {
            Ok(extent) if extent >= least => Ok(extent),
            _ => Err(format!("shape key '{name}' is {value}, expected at least {least}")),
        }
    }

    /// The parameter `name`, rounded to f32.
    pub(super) fn param(&self, name: &str) -> Result<f32, String> {
        self.params.get(name).map(|value| *value as f32).ok_or_else(|| format!("there is no parameter '{name}'"))
    }

    /// The tensor of 32-bit elements at the port `name`, checked to lie inside `state`.
    pub(super) fn tensor(&self, name: &str, dims: &[usize], state: &[u8]) -> Result<Tensor<'a>, String> {
        let tensor = self.tensor_of_any(name, dims, state)?;
        match tensor.element() {
            Element::Bits32 => Ok(tensor),
            found => Err(format!("port '{name}' holds {}, expected elements of 32 bits", found.name())),
        }
    }

    /// The tensor at the port `name`, whatever its elements are, checked to lie inside `state`.
    pub(super) fn tensor_of_any(&self, name: &str, dims: &[usize], state: &[u8]) -> Result<Tensor<'a>, String> {
        let mut ports = self.ports.iter().filter(|port| port.name == name);
        match (ports.next(), ports.next()) {
            (Some(port), None) => Tensor::new(port, dims, state),
            (None, _) => Err(format!("there is no port '{name}'")),
            (Some(_), Some(_)) => Err(format!("there are two ports '{name}'")),
        }
    }

    /// The position after the last row, at most `limit`, the extent of the shape key `name`.
    pub(super) fn end_position(&self, name: &str, limit: usize) -> Result<usize, String> {
        self.position.checked_add(self.rows).filter(|end| *end <= limit).ok_or_else(|| {
            format!("position {} with {} rows goes beyond '{name}', which is {limit}", self.position, self.rows)
        })
    }

    /// The execution contract and its semantics, of which exactly the parts named are present.
    pub(super) fn execution(&self, parts: &[&str]) -> Result<(&'a NumericalExecution, &'a ExecutionSemantics), String> {
        let Contract::Execution(contract) = self.contract else {
            return Err("expected a numerical execution contract, found an attention reduction".to_owned());
        };
        let semantics = contract.semantics.as_ref().ok_or("the contract has no explicit semantics")?;
        for (part, present) in semantics.parts() {
            match (parts.contains(&part), present) {
                (true, false) => return Err(format!("semantics has no '{part}'")),
                (false, true) => return Err(format!("semantics has a '{part}', which this operation does not have")),
                (true, true) | (false, false) => {}
            }
        }
        check_threads(contract.threading, semantics.thread_pin, None)?;
        Ok((contract, semantics))
    }
}

/// The oracle has one thread and one order. A contract whose bits depend on threads it can execute only where the number
/// of workers is a fact of the call: `workers` is then `Some`.
pub(super) fn check_threads(
    threading: Threading,
    pin: Option<u32>,
    workers: Option<Option<u32>>,
) -> Result<(), String> {
    expect("threading.deterministic", threading.deterministic, true)?;
    let changes = threading.thread_count_changes_arithmetic_order;
    expect("threading.thread_count_changes_arithmetic_order", changes, workers.is_some())?;
    match (pin, workers) {
        (None, _) => Ok(()),
        (Some(threads), None) => {
            Err(format!("semantics.thread_pin is {threads}: bits that depend on threads are not implemented"))
        }
        (Some(threads), Some(workers)) if workers == Some(threads) => Ok(()),
        (Some(threads), Some(workers)) => {
            let found = workers.map_or("no number of workers".to_owned(), |workers| format!("{workers} workers"));
            Err(format!("semantics.thread_pin is {threads}, the call has {found}"))
        }
    }
}

/// Refuses a value of a field that is not implemented.
pub(super) fn expect<T: PartialEq + std::fmt::Display>(field: &str, found: T, implemented: T) -> Result<(), String> {
    if found == implemented {
        return Ok(());
    }
    Err(format!("{field} is '{found}', of which only '{implemented}' is implemented"))
}
