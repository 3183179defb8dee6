//! The whole way of a module, level by level, for those who do not come through a pipeline's name.

use crate::body;
use crate::pipelines::{Level, Options};
use cke_contracts::evidence::Needs;
use cke_contracts::fault::Code;
use cke_contracts::resolve::Mode;
use cke_dialects::call;
use cke_mlir::ir::{Diagnostic, Module};
use cke_mlir::pass::{PipelineConfig, run_pipeline};
use cke_target_llvm::isa::Isa;
use cke_target_llvm::object::Object;
use std::fmt;

/// Why a module was not compiled.
#[derive(Debug)]
pub enum Failure {
    /// Passes reported diagnostics.
    Diagnostics(Vec<Diagnostic>),
    /// Something outside of the IR.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Diagnostics(diagnostics) => {
                for (index, diagnostic) in diagnostics.iter().enumerate() {
                    write!(f, "{}{diagnostic}", if index == 0 { "" } else { "\n" })?;
                }
                Ok(())
            }
            Failure::Other(text) => write!(f, "error: {text}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Compiles a module from whatever level it is at. `seen` is shown the module at every level it reaches, the first
/// included.
///
/// # Errors
///
/// The diagnostics of the pass that failed, or what the code generator refuses.
pub fn compile(
    module: &mut Module,
    options: &Options,
    seen: &mut dyn FnMut(Level, &Module) -> Result<(), Failure>,
) -> Result<Object, Failure> {
    let isa = Isa::parse(&options.isa).map_err(Failure::Other)?;
    if Mode::parse(&options.mode) == Some(Mode::Production) {
        check_evidence(&isa)?;
    }
    let start = Level::of(module);
    for level in Level::ALL.into_iter().filter(|level| *level >= start) {
        seen(level, module)?;
        if level != Level::Llvm {
            let config = PipelineConfig::default();
            run_pipeline(module, &level.pipeline(options), &config).map_err(Failure::Diagnostics)?;
        }
    }
    let has_program = body::ops(module.op()).iter().any(|op| op.attr(call::PHASE).is_some());
    if !has_program {
        return Err(Failure::Other("the module has no program: no function in it has a phase".to_owned()));
    }
    Object::compile(code_only(module).op(), &isa).map_err(Failure::Other)
}

/// Production asks for records of runs, and there are records for some instruction sets only.
fn check_evidence(isa: &Isa) -> Result<(), Failure> {
    let needs = Needs::native().map_err(|fault| Failure::Other(fault.to_string()))?;
    if needs.isas.contains(&isa.name) {
        return Ok(());
    }
    let message = format!(
        "production mode refuses instruction set {}: claims are made for {} [{}]",
        isa.name,
        needs.isas.join(", "),
        Code::NotValidated
    );
    Err(Failure::Other(message))
}

/// A copy with the code alone: what the contracts, the ledger and the plan say is no part of an object.
fn code_only(module: &Module) -> Module {
    let mut copy = module.clone_module();
    copy.edit(|root, rewriter| {
        for op in body::ops(root).into_iter().filter(|op| op.dialect() != "llvm") {
            rewriter.erase(op);
        }
    });
    copy
}
