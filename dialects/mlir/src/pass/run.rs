//! One run of a pass.

use std::cell::RefCell;

use super::{Options, PassDef, PassFailure, statistics};
use crate::{
    ffi::{
        self, MlirOperation, panic,
        shim::{self, CppString, OptionValues, RustPass, User},
        text,
    },
    ir::{ContextRef, Op, Rewriter, Within},
};

/// What a pass has while it runs.
#[derive(Debug)]
pub struct PassRun<'p> {
    def: &'static PassDef,
    options: Options<'p>,
    rewriter: Rewriter<'p>,
    /// Pipelines to run when the pass has returned.
    afterwards: RefCell<Vec<String>>,
}

impl<'p> PassRun<'p> {
    /// The value of an option that is a text.
    pub fn str(&self, option: &str) -> &str {
        self.options.str(option)
    }

    /// The value of an option that is an integer.
    pub fn int(&self, option: &str) -> i64 {
        self.options.int(option)
    }

    /// The value of an option that is a flag.
    pub fn bool(&self, option: &str) -> bool {
        self.options.bool(option)
    }

    /// The values of an option that is a list of texts.
    pub fn strs(&self, option: &str) -> Vec<&str> {
        self.options.strs(option)
    }

    /// The values of an option that is a list of integers.
    pub fn ints(&self, option: &str) -> Vec<i64> {
        self.options.ints(option)
    }

    /// Adds to a statistic.
    ///
    /// # Panics
    /// If the table of the pass has no such statistic.
    pub fn count(&self, statistic: &str, n: u64) {
        statistics::add(self.def, statistic, n);
    }

    /// The means to change IR.
    pub fn rewriter(&self) -> &Rewriter<'p> {
        &self.rewriter
    }

    /// The context.
    pub fn context(&self) -> ContextRef<'p> {
        self.rewriter.context()
    }

    /// Runs a pipeline such as `builtin.module(canonicalize)` on the operation of this pass once the pass has returned
    /// without failure.
    ///
    /// Not before, because it destroys operations to which the pass may hold handles. Several run in the order of the
    /// calls; the pass fails if one fails.
    pub fn then_run_pipeline(&self, pipeline: impl Into<String>) {
        self.afterwards.borrow_mut().push(pipeline.into());
    }
}

/// # Safety
/// `user` must be the [`PassDef`] the pass was registered with.
unsafe fn def(user: User) -> &'static PassDef {
    // SAFETY: the caller's; tables are static.
    unsafe { &*user.cast::<PassDef>() }
}

/// The shim's `CkePass::run`.
pub(super) unsafe extern "C" fn run(
    op: MlirOperation,
    pass: *mut RustPass,
    options: *const OptionValues,
    user: User,
) -> i8 {
    // SAFETY: the shim gives back the table, and an operation and options that are valid during the call.
    let (def, handle) = unsafe { (def(user), Op::from_raw(op)) };
    let outcome = panic::catch(|| {
        let _within = Within::start(op);
        // SAFETY: options and operation are valid during the call, and `def.run` takes every lifetime, so that no handle
        // to the operation outlives the rewriter.
        let run = unsafe {
            PassRun {
                def,
                options: Options::from_raw(options, def.options, def.argument),
                rewriter: Rewriter::new(op),
                afterwards: RefCell::default(),
            }
        };
        (def.run)(handle, &run)?;
        let PassRun { rewriter, afterwards, .. } = run;
        rewriter.finish().map_err(|error| handle.fail(format!("internal error: pass {}: {error}", def.argument)))?;
        Ok::<_, PassFailure>(afterwards.into_inner())
    });
    match outcome {
        Ok(Ok(afterwards)) => afterwards
            .into_iter()
            // SAFETY: the pass runs on this operation, and no handle to what is in it is left.
            .all(|pipeline| unsafe { shim::ckeRunNested(pass, op, text::as_ref(&pipeline)) != 0 })
            .into(),
        Ok(Err(PassFailure { .. })) => 0,
        Err(message) => {
            handle.fail(format!("internal error: pass {} panicked: {message}", def.argument));
            0
        }
    }
}

/// The shim's `CkePass::validate`.
pub(super) unsafe extern "C" fn validate(options: *const OptionValues, error: *mut CppString, user: User) -> i8 {
    // SAFETY: the shim gives back the table, and options that are valid during the call.
    let (def, options) = unsafe {
        let def = def(user);
        (def, Options::from_raw(options, def.options, def.argument))
    };
    let outcome = panic::catch(|| (def.validate)(&options)).unwrap_or_else(Err);
    super::say(error, outcome.map(|()| String::new()))
}

/// The shim's `CkePass::dependentDialects`.
pub(super) unsafe extern "C" fn dependent_dialects(registry: ffi::MlirDialectRegistry, user: User) {
    // SAFETY: the shim gives back the table, and a registry that is valid during the call.
    for name in unsafe { def(user) }.dependent_dialects {
        crate::dialect::insert(registry, name);
    }
}
