//! The leaf: one generated kernel in a program that does nothing but call it.

use super::code::{SYMBOL, kernel_text};
use super::levels::{MAX_ROWS, MAX_THREADS, Subject};
use super::shapes::{Facts, evaluate, kernel_shape, port_dims};
use anyhow::{Context as _, Result, anyhow};
use cke_contracts::evidence::Kernel;
use cke_contracts::registry::vocabulary::Phase;
use cke_contracts::registry::{PortKind, Provider};
use cke_mlir::ir::Module;
use cke_mlir::pass::{PipelineConfig, run_pipeline};
use cke_runtime::program::{Arg, ArgValue, Entry, Invoke, Io, Program, Region, Step};
use cke_target_llvm::TO_LLVM_DIALECT;
use cke_target_llvm::object::Object;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The program and the code of a kernel alone.
pub fn compile(subject: &Subject<'_>, facts: &Facts, kernel: &Kernel) -> Result<(Program, Object)> {
    let Subject { context, registry, provider, contract, isa } = subject;
    let text = kernel_text(registry, provider, contract, kernel, isa).map_err(|rule| anyhow!("error: {rule}"))?;
    let program = program(provider, contract, facts, kernel)?;
    let text = format!("{text}{}", entry_text(kernel.phase, &program)?);
    let mut module = Module::parse(context, &text, "kernel.mlir").map_err(|errors| anyhow!("{errors:?}"))?;
    run_pipeline(&mut module, TO_LLVM_DIALECT, &PipelineConfig::default()).map_err(|errors| anyhow!("{errors:?}"))?;
    let object = Object::compile(module.op(), isa).map_err(|rule| anyhow!("error: {rule}"))?;
    Ok((program, object))
}

/// The kernel of a provider for a shape.
pub fn kernel(provider: &Provider, facts: &Facts, params: &BTreeMap<String, f64>, phase: Phase) -> Result<Kernel> {
    let number = |name: &String| params.get(name).copied().with_context(|| format!("error: no number '{name}'"));
    let params = provider.params.iter().map(|param| Ok((param.name.clone(), number(&param.name)?)));
    Ok(Kernel { phase, shape: kernel_shape(provider, facts)?, params: params.collect::<Result<_>>()? })
}

/// A program of one call, with a gap around each buffer that nobody may write to.
pub fn program(provider: &Provider, contract: &str, facts: &Facts, kernel: &Kernel) -> Result<Program> {
    let rows = if kernel.phase == Phase::Decode { 1 } else { MAX_ROWS };
    let mut next = 64;
    let mut args = Vec::new();
    for param in &provider.call_abi.params {
        let (space, name) = param.source.split_once(':').context("error: a source without name space")?;
        if space == "runtime" {
            let value = if name == "rows" { ArgValue::Rows } else { ArgValue::Position };
            args.push(Arg { name: name.to_owned(), value, layout: String::new(), bytes: 0 });
            continue;
        }
        let (kind, port) = provider.port(name).with_context(|| format!("error: no port '{name}'"))?;
        let bytes = match (&port.size_bytes, kind) {
            (Some(size), PortKind::Scratch) => {
                let mut facts = facts.clone();
                facts.insert("max_threads".to_owned(), i64::try_from(MAX_THREADS)?);
                u64::try_from(evaluate(size, &facts)?)?
            }
            _ => 4 * port.layout.elements(&port_dims(port, facts, rows)?)? as u64,
        };
        let layout = port.layout.name().to_owned();
        args.push(Arg { name: name.to_owned(), value: ArgValue::Offset(next), layout, bytes });
        next = (next + bytes).next_multiple_of(64) + 64;
    }
    let invoke = Invoke {
        instance: format!("{}/{}", kernel.phase, provider.op),
        symbol: SYMBOL.to_owned(),
        op: provider.op.clone(),
        contract: contract.to_owned(),
        provider: provider.id.clone(),
        function: provider.implementation.function.clone(),
        shape: kernel.shape.clone(),
        params: kernel.params.clone(),
        args,
    };
    Ok(Program {
        state_bytes: next,
        max_rows: rows as u64,
        capacity: rows as u64,
        max_threads: MAX_THREADS as u64,
        vocab: 1,
        io: Io { tokens: 0, logits: 0, next_token: 0 },
        weights: Vec::new(),
        states: Vec::new(),
        arena: Region { offset: 0, bytes: next },
        entries: vec![Entry { name: kernel.phase.to_string(), steps: vec![Step::Invoke(Box::new(invoke))] }],
        contracts: BTreeMap::new(),
        providers: BTreeMap::new(),
        ledger_root: String::new(),
    })
}

/// The entry: builds the argument block and calls the kernel.
fn entry_text(phase: Phase, program: &Program) -> Result<String> {
    let Some(Step::Invoke(invoke)) = program.entries.first().and_then(|entry| entry.steps.first()) else {
        anyhow::bail!("error: a program without call");
    };
    let mut text = format!(
        "func.func @{phase}(%state: !llvm.ptr, %rows: i64, %position: i64, %thread: i64, %threads: i64, \
         %sync: !llvm.ptr) {{\n  %count = llvm.mlir.constant({} : i64) : i64\n  \
         %args = llvm.alloca %count x i64 : (i64) -> !llvm.ptr\n",
        invoke.args.len()
    );
    for (index, arg) in invoke.args.iter().enumerate() {
        writeln!(text, "  %slot{index} = llvm.getelementptr %args[{index}] : (!llvm.ptr) -> !llvm.ptr, i64")?;
        let value = match arg.value {
            ArgValue::Offset(offset) => {
                writeln!(text, "  %p{index} = llvm.getelementptr %state[{offset}] : (!llvm.ptr) -> !llvm.ptr, i8")?;
                format!("%p{index}, %slot{index} : !llvm.ptr")
            }
            ArgValue::Rows => format!("%rows, %slot{index} : i64"),
            ArgValue::Position => format!("%position, %slot{index} : i64"),
        };
        writeln!(text, "  llvm.store {value}, !llvm.ptr")?;
    }
    writeln!(text, "  func.call @{SYMBOL}(%args, %thread, %threads) : (!llvm.ptr, i64, i64) -> ()\n  return\n}}")?;
    Ok(text)
}
