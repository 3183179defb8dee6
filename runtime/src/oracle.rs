//! The engine that executes a program by the scalar oracle of the contracts: slow, exact, the judge of all others.
//!
//! It runs the very steps of the program, so it judges kernels and not the compiler above them.

use crate::engine::Engine;
use crate::fault::{Code, Fault, Result};
use crate::program::{ArgValue, ContractDefinition, Invoke, Program, Step};
use crate::state::StateBlock;
use anyhow::{Context, anyhow};
use cke_contracts::layout::Layout;
use cke_contracts::registry::{Contract, ContractKind, Registry};
use cke_oracle::{Call, Element, Port, execute};
use std::collections::BTreeMap;

/// Executes the steps of a program one after the other, in one thread.
pub struct OracleEngine<'a> {
    program: &'a Program,
    contracts: BTreeMap<String, Contract>,
}

impl<'a> OracleEngine<'a> {
    /// An engine for `program`, following the contracts as the program defines them.
    ///
    /// # Errors
    ///
    /// `CKE-R001`: the program is malformed, or defines a contract which cannot be understood.
    pub fn new(program: &'a Program) -> Result<Self> {
        program.validate()?;
        Ok(OracleEngine { program, contracts: contracts(program)? })
    }

    fn invoke(&self, invoke: &Invoke, state: &mut [u8], rows: usize, position: usize) -> anyhow::Result<()> {
        let contract = self.contracts.get(&invoke.contract).context("the contract is not defined")?;
        let mut ports = Vec::with_capacity(invoke.args.len());
        for arg in &invoke.args {
            if let ArgValue::Offset(offset) = arg.value {
                let layout = Layout::parse(&arg.layout)?;
                ports.push(Port {
                    name: &arg.name,
                    offset: usize::try_from(offset)?,
                    layout,
                    element: Element::Bits32,
                });
            }
        }
        let Invoke { op, shape, params, .. } = invoke;
        let context = cke_oracle::Context::default();
        let call = Call { contract, op, shape, params, ports: &ports, rows, position, context };
        execute(&call, state).map_err(|rule| anyhow!(rule))
    }
}

fn contracts(program: &Program) -> Result<BTreeMap<String, Contract>> {
    let definitions = program.contracts.iter().map(|(id, definition)| match definition {
        ContractDefinition::Execution(value) => (id.clone(), ContractKind::Execution, value.clone()),
        ContractDefinition::Attention(value) => (id.clone(), ContractKind::Attention, value.clone()),
        ContractDefinition::Linear(value) => (id.clone(), ContractKind::Linear, value.clone()),
    });
    let registry = Registry::from_values(definitions, [])
        .map_err(|fault| Fault::new(Code::ProgramMalformed, format!("a contract cannot be understood: {fault}")))?;
    Ok(registry.contracts)
}

impl Engine for OracleEngine<'_> {
    fn run(
        &self,
        entry: &str,
        state: &mut StateBlock,
        rows: usize,
        position: usize,
        threads: usize,
    ) -> anyhow::Result<()> {
        let steps = &self.program.check_run(entry, state, rows, position, threads)?.steps;
        for (number, step) in steps.iter().enumerate() {
            if let Step::Invoke(invoke) = step {
                self.invoke(invoke, state.bytes_mut(), rows, position)
                    .with_context(|| format!("entry '{entry}' step {number} ('{}')", invoke.instance))?;
            }
        }
        Ok(())
    }
}
