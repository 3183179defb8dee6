//! Runs one kernel as a program of one entry, natively and by the scalar oracle, and compares every byte of the state.

#![allow(dead_code, reason = "each test program uses its own part")]

mod data;
mod ports;

pub use data::Kind;
pub use ports::{Port, ports};

use cke_contracts::registry::vocabulary::{Contraction, ReductionUpdate};
use cke_contracts::registry::{Contract, Registry};
use cke_mlir::ir;
use cke_mlir::pass::{PipelineConfig, run_pipeline};
use cke_runtime::Engine;
use cke_runtime::program::{Entry, Io, Program, Region};
use cke_runtime::state::StateBlock;
use cke_target_llvm::TO_LLVM_DIALECT;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::jit::CompiledEngine;
use cke_target_llvm::kernels::{KernelRequest, Phase, synthesize};
use cke_target_llvm::object::Object;
use data::Random;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

/// The most threads of any test.
pub const MAX_THREADS: usize = 8;

/// The name of the one entry.
pub const ENTRY: &str = "run";

/// The kernel under test.
#[derive(Clone)]
pub struct Kernel {
    pub op: &'static str,
    pub function: &'static str,
    pub phase: Phase,
    pub shape: BTreeMap<String, i64>,
    pub params: BTreeMap<String, f64>,
    pub max_rows: usize,
}

impl Kernel {
    pub fn new(op: &'static str, function: &'static str, phase: Phase, shape: &[(&str, i64)]) -> Self {
        let shape = shape.iter().map(|&(key, value)| (key.to_owned(), value)).collect();
        let max_rows = if phase == Phase::Decode { 1 } else { 33 };
        Self { op, function, phase, shape, params: BTreeMap::new(), max_rows }
    }

    pub fn with(mut self, param: &str, value: f64) -> Self {
        self.params.insert(param.to_owned(), value);
        self
    }

    pub fn extent(&self, key: &str) -> usize {
        usize::try_from(self.shape[key]).expect("a positive extent")
    }

    pub fn request<'a>(&self, contract: &'a Contract, isa: &'a Isa) -> KernelRequest<'a> {
        KernelRequest {
            symbol: "kernel",
            function: self.function,
            op: self.op,
            phase: self.phase,
            shape: self.shape.clone(),
            params: self.params.clone(),
            contract,
            isa,
        }
    }
}

/// The contract that the native provider of a function claims for the operation.
pub fn native_contract(op: &str, function: &str) -> Contract {
    let registry = Registry::native().expect("the native registry is consistent");
    let mut providers = registry.providers.values().filter(|provider| provider.implementation.function == function);
    let provider = providers.next().unwrap_or_else(|| panic!("no native provider has the function {function}"));
    assert_eq!(provider.op, op, "the operation of {function}");
    let [claim] = provider.numerical_capabilities.as_slice() else { panic!("{function} claims one contract") };
    registry.contracts[&claim.contract_id].clone()
}

/// Makes a contract over products round each of them before it is added.
pub fn round_products(contract: &mut Contract) {
    let Contract::Execution(execution) = contract else { panic!("an execution contract") };
    let semantics = execution.semantics.as_mut().expect("explicit semantics");
    semantics.reduction.as_mut().expect("a reduction").update = ReductionUpdate::MultiplyThenAdd;
    execution.compute.contraction = Some(Contraction::Disabled);
}

/// A compiled kernel with the program around it.
pub struct Bench {
    pub kernel: Kernel,
    contract: Contract,
    ports: Vec<Port>,
    program: Program,
    runner: Runner,
}

/// Executes the one entry of a program.
pub type Runner = Box<dyn Fn(&mut StateBlock, CallOf)>;

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct CallOf {
    pub rows: usize,
    pub position: usize,
    pub threads: usize,
    pub kind: Kind,
}

impl Bench {
    /// Compiles the kernel for the contract, to run in this process.
    pub fn new(kernel: &Kernel, contract: &Contract, isa: &Isa) -> Self {
        Self::with_runner(kernel, contract, isa, |program, object| {
            let engine = CompiledEngine::new(program, object).unwrap_or_else(|error| panic!("{error:#}"));
            Box::new(move |state, call| {
                let ran = engine.run(ENTRY, state, call.rows, call.position, call.threads);
                ran.unwrap_or_else(|error| panic!("{error:#}"));
            })
        })
    }

    /// Compiles the kernel for the contract; `runner` says how its code is run.
    pub fn with_runner(
        kernel: &Kernel,
        contract: &Contract,
        isa: &Isa,
        runner: impl FnOnce(&Program, &Object) -> Runner,
    ) -> Self {
        let ports = ports(kernel);
        let text = synthesize(&kernel.request(contract, isa)).unwrap_or_else(|error| panic!("{error}"));
        let object = compile(&format!("{text}{}", entry(kernel, &ports)), isa);
        let program = program(kernel, &ports);
        let runner = runner(&program, &object);
        Self { kernel: kernel.clone(), contract: contract.clone(), ports, program, runner }
    }

    /// How many 32-bit words of the state differ between the native run and the oracle's under `contract`.
    pub fn mismatches_under(&self, contract: &Contract, call: CallOf) -> usize {
        let mut random = Random::new(0x5eed ^ (call.rows as u64) << 32 ^ call.position as u64);
        let mut native = StateBlock::new(self.program.state_bytes).expect("memory for a test");
        data::fill(native.bytes_mut(), &self.kernel, &self.ports, call, &mut random);
        let mut expected = native.bytes().to_vec();
        (self.runner)(&mut native, call);
        let ports: Vec<cke_oracle::Port<'_>> = self
            .ports
            .iter()
            .map(|port| cke_oracle::Port {
                name: port.name,
                offset: port.offset,
                layout: port.layout,
                element: cke_oracle::Element::Bits32,
            })
            .collect();
        let oracle = cke_oracle::Call {
            contract,
            op: self.kernel.op,
            shape: &self.kernel.shape,
            params: &self.kernel.params,
            ports: &ports,
            rows: call.rows,
            position: call.position,
            context: cke_oracle::Context::default(),
        };
        cke_oracle::execute(&oracle, &mut expected).unwrap_or_else(|error| panic!("{error}"));
        let scratch = self.ports.iter().find(|port| port.scratch).map_or(0..0, Port::range);
        let words = native.bytes().chunks(4).zip(expected.chunks(4)).enumerate();
        words.filter(|(word, (native, expected))| !scratch.contains(&(word * 4)) && native != expected).count()
    }

    /// The time of the fastest of many runs, in seconds.
    pub fn seconds(&self, call: CallOf) -> f64 {
        let mut state = StateBlock::new(self.program.state_bytes).expect("memory for a test");
        data::fill(state.bytes_mut(), &self.kernel, &self.ports, call, &mut Random::new(1));
        let start = Instant::now();
        let mut best = f64::INFINITY;
        while start.elapsed().as_secs_f64() < 0.5 {
            let run = Instant::now();
            (self.runner)(&mut state, call);
            best = best.min(run.elapsed().as_secs_f64());
        }
        best
    }

    /// Runs and compares; gives the number of compared words and panics at a mismatch.
    pub fn check(&self, call: CallOf) -> usize {
        let mismatches = self.mismatches_under(&self.contract, call);
        assert_eq!(mismatches, 0, "{} {:?} {:?} {call:?}", self.kernel.function, self.kernel.phase, self.kernel.shape);
        usize::try_from(self.program.state_bytes).expect("a small state") / 4
    }
}

/// MLIR text in the dialects of kernels, compiled.
pub fn compile(text: &str, isa: &Isa) -> Object {
    with_llvm_dialect(text, |module| Object::compile(module.op(), isa).unwrap_or_else(|error| panic!("{error}")))
}

/// Lowers MLIR text to the LLVM dialect and hands over the module.
pub fn with_llvm_dialect<R>(text: &str, use_module: impl FnOnce(&ir::Module) -> R) -> R {
    let context = ir::Context::new(&ir::Registry::upstream());
    let mut module =
        ir::Module::parse(&context, text, "kernel.mlir").unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    run_pipeline(&mut module, TO_LLVM_DIALECT, &PipelineConfig::default()).unwrap_or_else(|error| panic!("{error:?}"));
    use_module(&module)
}

/// The entry: builds the argument block and calls the kernel.
fn entry(kernel: &Kernel, ports: &[Port]) -> String {
    let mut text = String::from(
        "func.func @run(%state: !llvm.ptr, %rows: i64, %position: i64, %thread: i64, %threads: i64, %sync: !llvm.ptr) {\n",
    );
    let slots = slots(kernel, ports);
    let _ = writeln!(text, "  %count = llvm.mlir.constant({} : i64) : i64", slots.len());
    text.push_str("  %args = llvm.alloca %count x i64 : (i64) -> !llvm.ptr\n");
    for (index, slot) in slots.iter().enumerate() {
        let _ = writeln!(text, "  %slot{index} = llvm.getelementptr %args[{index}] : (!llvm.ptr) -> !llvm.ptr, i64");
        let value = match slot {
            Slot::Offset(offset) => {
                let _ = writeln!(
                    text,
                    "  %port{index} = llvm.getelementptr %state[{offset}] : (!llvm.ptr) -> !llvm.ptr, i8"
                );
                format!("%port{index}, %slot{index} : !llvm.ptr")
            }
            Slot::Rows => format!("%rows, %slot{index} : i64"),
            Slot::Position => format!("%position, %slot{index} : i64"),
        };
        let _ = writeln!(text, "  llvm.store {value}, !llvm.ptr");
    }
    text.push_str("  func.call @kernel(%args, %thread, %threads) : (!llvm.ptr, i64, i64) -> ()\n  return\n}\n");
    text
}

enum Slot {
    Offset(usize),
    Rows,
    Position,
}

/// The slots of the kernel's call ABI: the ports in order, then the run-time extents the operation has.
fn slots(kernel: &Kernel, ports: &[Port]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = ports.iter().map(|port| Slot::Offset(port.offset)).collect();
    if kernel.op != "argmax" {
        slots.push(Slot::Rows);
    }
    if ["rope", "kv_append", "attention"].contains(&kernel.op) {
        slots.push(Slot::Position);
    }
    slots
}

fn program(kernel: &Kernel, ports: &[Port]) -> Program {
    let bytes = ports.iter().map(|port| port.range().end).max().unwrap_or(0).next_multiple_of(64) + 64;
    let limit = |key| kernel.shape.get(key).map_or(1 << 20, |&extent| u64::try_from(extent).expect("positive"));
    Program {
        state_bytes: bytes as u64,
        max_rows: kernel.max_rows as u64,
        capacity: limit("capacity").min(limit("positions")),
        max_threads: MAX_THREADS as u64,
        vocab: 1,
        io: Io { tokens: 0, logits: 0, next_token: 0 },
        weights: Vec::new(),
        states: Vec::new(),
        arena: Region { offset: 0, bytes: bytes as u64 },
        entries: vec![Entry { name: ENTRY.to_owned(), steps: Vec::new() }],
        contracts: BTreeMap::new(),
        providers: BTreeMap::new(),
        ledger_root: String::new(),
    }
}
