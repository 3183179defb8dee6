//! The native definitions as JSON, ready to be spoilt one field at a time.
#![allow(dead_code, reason = "every test file uses its own part")]

use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::{ContractKind, Registry};
use cke_contracts::resolve::Request;
use serde_json::{Value, json};

/// Definitions of a registry.
#[derive(Clone)]
pub struct Definitions {
    pub contracts: Vec<(String, ContractKind, Value)>,
    pub providers: Vec<(String, Value)>,
}

impl Definitions {
    pub fn native() -> Self {
        let registry = Registry::native().unwrap();
        let contracts = registry.contracts.iter().map(|(id, c)| (id.clone(), c.kind(), c.definition())).collect();
        let providers = registry.providers.iter().map(|(id, p)| (id.clone(), p.definition())).collect();
        Self { contracts, providers }
    }

    /// The native definitions with something done to them: nothing, a provider gone, one twice, a broken contract, two
    /// broken maps; from 5 on nothing again, for a case of the caller.
    pub fn spoilt(case: usize) -> Self {
        let mut definitions = Self::native();
        match case {
            0 => {}
            1 => definitions.providers.retain(|(id, _)| id != "cke_linear_fp32"),
            2 => drop(definitions.derive_provider("cke_linear_fp32", "cke_linear_fp32_twin")),
            3 => set(definitions.contract("residual_add_fp32"), "/rounding/points", json!([])),
            4 => {
                set(definitions.provider("cke_linear_fp32"), "/dims", json!(["rows"]));
                set(definitions.provider("cke_argmax_fp32"), "/priority", json!(1));
            }
            _ => {}
        }
        definitions
    }

    pub fn load(self) -> Result<Registry, Fault> {
        Registry::from_values(self.contracts, self.providers)
    }

    pub fn contract(&mut self, id: &str) -> &mut Value {
        &mut self.contracts.iter_mut().find(|(found, _, _)| found == id).expect("a native contract").2
    }

    pub fn provider(&mut self, id: &str) -> &mut Value {
        &mut self.providers.iter_mut().find(|(found, _)| found == id).expect("a native provider").1
    }

    /// Adds a contract equal to another but for edits.
    pub fn derive_contract(&mut self, from: &str, id: &str, edits: &[(&str, Value)]) {
        let mut definition = self.contract(from).clone();
        edits.iter().for_each(|(pointer, value)| set(&mut definition, pointer, value.clone()));
        let kind = self.contracts.iter().find(|(found, _, _)| found == from).expect("a native contract").1;
        self.contracts.push((id.to_owned(), kind, definition));
    }

    /// Adds a provider equal to another but for its id and function.
    pub fn derive_provider(&mut self, from: &str, id: &str) -> &mut Value {
        let mut definition = self.provider(from).clone();
        for pointer in ["/id", "/impl/function", "/numerical_capabilities/0/function"] {
            set(&mut definition, pointer, json!(id));
        }
        self.providers.push((id.to_owned(), definition));
        self.provider(id)
    }
}

/// Sets the value at a pointer; `null` takes the field away.
pub fn set(definition: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = definition.pointer_mut(parent).unwrap_or_else(|| panic!("no '{parent}'"));
    match (parent, value) {
        (Value::Object(fields), Value::Null) => drop(fields.remove(key).unwrap_or_else(|| panic!("no '{pointer}'"))),
        (Value::Object(fields), value) => drop(fields.insert(key.to_owned(), value)),
        (Value::Array(items), value) => items[key.parse::<usize>().expect("an index")] = value,
        _ => panic!("'{pointer}' is in no container"),
    }
}

/// Loads the native definitions with edits of one contract and compares the fault.
pub fn expect_contract_fault(id: &str, edits: &[(&str, Value)], code: Code, message: &str) {
    let mut definitions = Definitions::native();
    edits.iter().for_each(|(pointer, value)| set(definitions.contract(id), pointer, value.clone()));
    expect_fault(definitions.load(), code, &format!("contract '{id}': {message}"));
}

/// Loads the native definitions with edits of one provider and compares the fault.
pub fn expect_provider_fault(id: &str, edits: &[(&str, Value)], code: Code, message: &str) {
    let mut definitions = Definitions::native();
    edits.iter().for_each(|(pointer, value)| set(definitions.provider(id), pointer, value.clone()));
    expect_fault(definitions.load(), code, &format!("provider '{id}': {message}"));
}

#[track_caller]
pub fn expect_fault<T: std::fmt::Debug>(result: Result<T, Fault>, code: Code, message: &str) {
    let fault = result.expect_err(message);
    assert_eq!((fault.code, fault.message.as_str()), (code, message));
}

/// A request that `cke_linear_fp32` fulfils.
pub fn linear_request() -> Request {
    Request::from_value(&json!({
        "instance": "decode/blk.0/attn_q",
        "op": "linear",
        "operation": "decoder.attn_q",
        "phase": "decode",
        "contract": "linear_fp32_ascending_k_fma",
        "requires": {"tensor.activation.dtype": "fp32"},
        "validation": "observed",
        "storage": {"w": "q4_1"},
    }))
    .unwrap()
}
