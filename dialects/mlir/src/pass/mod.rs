//! Passes and pipelines: tables of them, making them known to MLIR by name, and running them.
//!
//! A pass is a function on an operation with options and counters. It reports errors as diagnostics and then returns
//! [`PassFailure`]; a panic becomes such an error. It stays within its operation, since MLIR runs the passes of sibling
//! operations in parallel.

mod def;
mod options;
mod pipeline;
mod run;
mod statistics;

use std::sync::{Mutex, Once, PoisonError};

pub use def::{OptionDef, OptionKind, PassDef, PipelineDef, StatisticDef, accept};
pub use options::Options;
pub use pipeline::{PipelineConfig, print_pipeline, run_pipeline};
pub use run::PassRun;
pub use statistics::statistics;

use crate::ffi::{
    self, panic,
    shim::{self, CkePass, CkePipeline, CppString, OptionValues, User},
    text,
};

/// A pass failed and has reported why. Made by [`Op::fail`](crate::Op::fail).
#[derive(Debug, PartialEq, Eq)]
pub struct PassFailure(());

impl PassFailure {
    /// For failures whose diagnostics were emitted one by one.
    pub fn reported() -> PassFailure {
        PassFailure(())
    }
}

static PASSES: Mutex<Vec<&'static PassDef>> = Mutex::new(Vec::new());
static PIPELINES: Mutex<Vec<&'static PipelineDef>> = Mutex::new(Vec::new());

/// The passes that were registered, in that order.
pub fn passes() -> Vec<&'static PassDef> {
    registered()
}

/// The pipelines that were registered, in that order.
pub fn pipelines() -> Vec<&'static PipelineDef> {
    PIPELINES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn registered() -> Vec<&'static PassDef> {
    PASSES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Makes a pass known by its name, for this process. Again is no different from once.
///
/// # Panics
/// If another pass has the name, or if a dependent dialect is unknown.
pub fn register_pass(def: &'static PassDef) {
    register_upstream();
    let mut passes = PASSES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(other) = passes.iter().find(|other| other.argument == def.argument) {
        assert!(std::ptr::eq(*other, def), "two passes are named '{}'", def.argument);
        return;
    }
    for name in def.dependent_dialects {
        assert!(crate::dialect::is_known(name), "pass '{}' depends on the unknown dialect '{name}'", def.argument);
    }
    let options = options::leak(def.options);
    let table = Box::leak(Box::new(CkePass {
        argument: text::as_ref(def.argument),
        summary: text::as_ref(def.summary),
        anchor: text::as_ref(def.anchor),
        option_count: options.len() as isize,
        options: options.as_ptr(),
        user: std::ptr::from_ref(def).cast(),
        dependent_dialects: run::dependent_dialects,
        validate: run::validate,
        run: run::run,
    }));
    // SAFETY: the table and all it points to live as long as the process.
    unsafe { shim::ckeRegisterPass(table) }
    passes.push(def);
}

/// Makes a pipeline known by its name, for this process. Again is no different from once.
///
/// # Panics
/// If another pipeline has the name.
pub fn register_pipeline(def: &'static PipelineDef) {
    register_upstream();
    let mut pipelines = PIPELINES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(other) = pipelines.iter().find(|other| other.name == def.name) {
        assert!(std::ptr::eq(*other, def), "two pipelines are named '{}'", def.name);
        return;
    }
    let options = options::leak(def.options);
    let table = Box::leak(Box::new(CkePipeline {
        name: text::as_ref(def.name),
        summary: text::as_ref(def.summary),
        option_count: options.len() as isize,
        options: options.as_ptr(),
        user: std::ptr::from_ref(def).cast(),
        expand,
    }));
    // SAFETY: the table and all it points to live as long as the process.
    unsafe { shim::ckeRegisterPipeline(table) }
    pipelines.push(def);
}

/// The passes and pipelines of MLIR.
pub(crate) fn register_upstream() {
    static ONCE: Once = Once::new();
    // SAFETY: registers in tables of the process; once, and before any other use of them by this crate.
    ONCE.call_once(|| unsafe { ffi::mlirRegisterAllPasses() });
}

/// The shim's `CkePipeline::expand`.
unsafe extern "C" fn expand(options: *const OptionValues, out: *mut CppString, user: User) -> i8 {
    // SAFETY: the shim gives back the table, and options that are valid during the call.
    let (def, options) = unsafe {
        let def = &*user.cast::<PipelineDef>();
        (def, Options::from_raw(options, def.options, def.name))
    };
    say(out, panic::catch(|| (def.expand)(&options)).unwrap_or_else(Err))
}

/// Gives a text or an error back to the shim; whether it is no error.
fn say(out: *mut CppString, outcome: Result<String, String>) -> i8 {
    let succeeded = outcome.is_ok();
    let text = outcome.unwrap_or_else(|error| error);
    // SAFETY: the string is valid during the callback that calls this.
    unsafe { shim::ckeAppend(out, text::as_ref(&text)) }
    succeeded.into()
}
