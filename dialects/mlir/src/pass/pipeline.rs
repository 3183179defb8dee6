//! Running a pipeline in this process.

use crate::{
    ffi::{self, text},
    ir::{Diagnostic, Module},
};

/// How a pipeline runs.
#[derive(Debug, Clone, Copy)]
pub struct PipelineConfig {
    /// Verify after each pass. Without it, a pass may get what it was not made for, and crash.
    pub verify_each: bool,
    /// Print how long each pass took to standard error.
    pub timing: bool,
}

impl Default for PipelineConfig {
    fn default() -> PipelineConfig {
        PipelineConfig { verify_each: true, timing: false }
    }
}

/// Runs a pipeline on a module: `builtin.module(a,b)` or just `a,b`, with passes and pipelines of MLIR and of this process.
/// The module is verified before, since passes rely on that.
///
/// On failure everything that was reported, also warnings and remarks; on success those are dropped. What is wrong with
/// the text of the pipeline has the location `<pipeline>`.
pub fn run_pipeline(module: &mut Module, pipeline: &str, config: &PipelineConfig) -> Result<(), Vec<Diagnostic>> {
    let manager = Manager::parse(module, pipeline)
        .map_err(|message| vec![Diagnostic::error("<pipeline>".to_owned(), message)])?;
    module.verify()?;
    let (succeeded, diagnostics) = module.context().with_diagnostics(|| {
        // SAFETY: the manager is valid and on the module's context. The module is borrowed exclusively, so that no handle
        // to it exists.
        unsafe {
            ffi::mlirPassManagerEnableVerifier(manager.0, config.verify_each);
            if config.timing {
                ffi::mlirPassManagerEnableTiming(manager.0);
            }
            ffi::mlirPassManagerRunOnOp(manager.0, module.raw_op()).value != 0
        }
    });
    if succeeded { Ok(()) } else { Err(diagnostics) }
}

/// The pipeline as MLIR prints it, with all options; an error as in [`run_pipeline`].
pub fn print_pipeline(module: &Module, pipeline: &str) -> Result<String, String> {
    let manager = Manager::parse(module, pipeline)?;
    // SAFETY: the manager is valid, callback and `out` during the call.
    Ok(text::printed(|callback, out| unsafe {
        ffi::mlirPrintPassPipeline(ffi::mlirPassManagerGetAsOpPassManager(manager.0), callback, out);
    }))
}

struct Manager(ffi::MlirPassManager);

impl Manager {
    fn parse(module: &Module, pipeline: &str) -> Result<Manager, String> {
        super::register_upstream();
        let pipeline = pipeline.trim();
        let anchored = pipeline.starts_with("builtin.module(");
        let add = if anchored { ffi::mlirParsePassPipeline } else { ffi::mlirOpPassManagerAddPipeline };
        // SAFETY: the context is valid; the manager is destroyed by `drop`; callback and `out` are valid during the call.
        unsafe {
            let anchor = text::as_ref("builtin.module");
            let manager = Manager(ffi::mlirPassManagerCreateOnOperation(module.context().raw(), anchor));
            let passes = ffi::mlirPassManagerGetAsOpPassManager(manager.0);
            let mut succeeded = false;
            let error = text::printed(|callback, out| {
                succeeded = add(passes, text::as_ref(pipeline), callback, out).value != 0;
            });
            if succeeded { Ok(manager) } else { Err(error.trim().to_owned()) }
        }
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        // SAFETY: created in `parse`.
        unsafe { ffi::mlirPassManagerDestroy(self.0) }
    }
}
