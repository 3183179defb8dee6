//! The boundary to machine code: modules taken over from MLIR, object code loaded into this process, and its execution.
//!
//! This is the one file of the crate with `unsafe`. What it must trust, and says so at each place, is that object code
//! touches nothing but the extents of the program it was compiled from; [`Object`] can only be made from a module, and
//! every run-time extent is checked against the program before the code runs.

use crate::object::{BARRIER, Object};
use anyhow::{Context as _, Result, anyhow, ensure};
use cke_mlir::ir::Op;
use cke_mlir::translate::translate_module_to_llvm_ir;
use cke_runtime::Engine;
use cke_runtime::program::Program;
use cke_runtime::state::StateBlock;
use cke_runtime::threads::{Barrier, Pool};
use inkwell::context::{AsContextRef, Context};
use inkwell::module::Module;
use inkwell::targets::{InitializationConfig, Target};
use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcDisposeLLJIT, LLVMOrcLLJITAddObjectFile, LLVMOrcLLJITGetMainJITDylib,
    LLVMOrcLLJITLookup, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCSymbolMapPair, LLVMOrcDisposeMaterializationUnit, LLVMOrcJITDylibDefine,
};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// Translates a module in the LLVM dialect into an LLVM module of `context`.
pub(crate) fn import_module<'c>(module: Op<'_>, context: &'c Context) -> Result<Module<'c>, String> {
    // SAFETY: the context is valid, and the result borrows it.
    let raw = unsafe { translate_module_to_llvm_ir(module, context.as_ctx_ref().cast()) };
    let raw = raw.ok_or("the module has operations outside the LLVM dialect")?;
    // SAFETY: the pointer is a fresh LLVMModuleRef of `context` which nobody else owns; the result borrows `context`.
    Ok(unsafe { Module::new(raw.cast()) })
}

/// The signature of an entry: state, rows, position, thread, threads, sync.
type EntryPoint = unsafe extern "C" fn(*mut u8, i64, i64, i64, i64, *const Barrier);

/// Native code as an engine: the entries of one program in memory, and pools of threads to run them.
pub struct CompiledEngine {
    entries: BTreeMap<String, EntryPoint>,
    limits: Limits,
    /// Idle pools by their number of threads.
    pools: Mutex<BTreeMap<usize, Pool>>,
    /// The code; the entry points are addresses into it.
    _code: Code,
}

/// The run-time extents the code was compiled for.
struct Limits {
    state_bytes: u64,
    max_rows: usize,
    capacity: usize,
    max_threads: usize,
}

impl CompiledEngine {
    /// Loads the object code of a program.
    ///
    /// # Errors
    ///
    /// Code for another machine than this one, an entry of the program which the object lacks, or what the loader says.
    pub fn new(program: &Program, object: &Object) -> Result<Self> {
        let isa = object.isa();
        ensure!(isa.runs_on_host(), "this machine cannot run code for the instruction set '{}'", isa.name);
        let code = Code::load(object.bytes()).map_err(|error| anyhow!("cannot load the object code: {error}"))?;
        let mut entries = BTreeMap::new();
        for entry in &program.entries {
            let address = code.lookup(&entry.name).map_err(|error| anyhow!("entry '{}': {error}", entry.name))?;
            // SAFETY: the compiler gives every entry of a program exactly this signature, and the address is that of a
            // function in `code`, which lives as long as the entries do.
            let function = unsafe { std::mem::transmute::<*const (), EntryPoint>(address) };
            entries.insert(entry.name.clone(), function);
        }
        let limits = Limits {
            state_bytes: program.state_bytes,
            max_rows: usize::try_from(program.max_rows)?,
            capacity: usize::try_from(program.capacity)?,
            max_threads: usize::try_from(program.max_threads)?,
        };
        Ok(Self { entries, limits, pools: Mutex::default(), _code: code })
    }
}

impl Engine for CompiledEngine {
    fn run(&self, entry: &str, state: &mut StateBlock, rows: usize, position: usize, threads: usize) -> Result<()> {
        let function = *self.entries.get(entry).with_context(|| format!("the program has no entry '{entry}'"))?;
        self.limits.check(state, rows, position, threads)?;
        let mut pool = self.take_pool(threads)?;
        let (base, sync) = (state.base(), Arc::clone(pool.barrier()));
        let [rows, position, count] = [rows, position, threads].map(|value| value as i64);
        pool.run(move |thread| {
            let state = base as *mut u8;
            // SAFETY: `state` is the start of a block as large as the program asks for, which the caller holds alone
            // until `pool.run` returns, that is until every thread has come back from here. The extents are within the
            // limits the code was compiled for, so every access is inside the block; the code lets threads write to
            // disjoint parts between two barriers. `sync` is alive as long as this closure.
            unsafe { function(state, rows, position, thread as i64, count, Arc::as_ptr(&sync)) };
        });
        self.give_back(threads, pool);
        Ok(())
    }
}

impl CompiledEngine {
    fn take_pool(&self, threads: usize) -> Result<Pool> {
        let idle = self.pools.lock().unwrap_or_else(PoisonError::into_inner).remove(&threads);
        idle.map_or_else(|| Pool::new(threads).context("cannot start the threads"), Ok)
    }

    fn give_back(&self, threads: usize, pool: Pool) {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).insert(threads, pool);
    }
}

impl Limits {
    fn check(&self, state: &StateBlock, rows: usize, position: usize, threads: usize) -> Result<()> {
        let bytes = state.len() as u64;
        ensure!(bytes >= self.state_bytes, "the state block has {bytes} bytes, the program needs {}", self.state_bytes);
        ensure!((1..=self.max_rows).contains(&rows), "a call has 1 to {} rows, found {rows}", self.max_rows);
        let end = position.checked_add(rows).filter(|&end| end <= self.capacity);
        ensure!(end.is_some(), "{rows} rows from position {position} on exceed the capacity of {}", self.capacity);
        let most = self.max_threads;
        ensure!((1..=most).contains(&threads), "a call runs on 1 to {most} threads, found {threads}");
        Ok(())
    }
}

/// Object code loaded into this process.
struct Code {
    jit: LLVMOrcLLJITRef,
}

// SAFETY: after `load` the handle is used only by `lookup`, which LLJIT allows from any thread, and by `drop`, which has
// the value alone.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    fn load(object: &[u8]) -> Result<Self, String> {
        Target::initialize_native(&InitializationConfig::default())?;
        let mut jit = ptr::null_mut();
        // SAFETY: a null builder means the defaults; `jit` is written when there is no error.
        check(unsafe { LLVMOrcCreateLLJIT(&raw mut jit, ptr::null_mut()) })?;
        let code = Self { jit };
        code.define_barrier()?;
        // SAFETY: the buffer is copied, and the copy becomes the JIT's, also on failure. `jit` is alive.
        check(unsafe {
            let name = c"cke";
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), name.as_ptr());
            LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), buffer)
        })?;
        Ok(code)
    }

    /// Makes the barrier known to the code.
    fn define_barrier(&self) -> Result<(), String> {
        let name = CString::new(BARRIER).expect("the name has no NUL");
        let flags = LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
            | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8;
        // SAFETY: `jit` is alive. The interned name is handed over to the unit, and the unit to the JIT unless that
        // fails, in which case it is still ours to free.
        unsafe {
            let mut symbol = LLVMOrcCSymbolMapPair {
                Name: LLVMOrcLLJITMangleAndIntern(self.jit, name.as_ptr()),
                Sym: LLVMJITEvaluatedSymbol {
                    Address: cke_barrier as *const () as u64,
                    Flags: LLVMJITSymbolFlags { GenericFlags: flags, TargetFlags: 0 },
                },
            };
            let unit = LLVMOrcAbsoluteSymbols(&raw mut symbol, 1);
            check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(self.jit), unit))
                .inspect_err(|_| LLVMOrcDisposeMaterializationUnit(unit))
        }
    }

    /// The address of a function.
    fn lookup(&self, name: &str) -> Result<*const (), String> {
        let name = CString::new(name).map_err(|_| "a name with a NUL".to_owned())?;
        let mut address = 0;
        // SAFETY: `jit` is alive, and `address` is written when there is no error.
        check(unsafe { LLVMOrcLLJITLookup(self.jit, &raw mut address, name.as_ptr()) })?;
        let address = usize::try_from(address).expect("the code is in this process");
        Ok(ptr::with_exposed_provenance(address))
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and nothing runs the code any more. An error here has nobody to go to.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.jit) });
    }
}

/// An LLVM error as a value.
fn check(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: taking the message consumes the error; the message is ours until we free it.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}

/// What `call.barrier` has become: all threads of the call wait for each other.
///
/// The barrier of a pool panics only if another thread of the closure did, and native code does not panic.
extern "C" fn cke_barrier(sync: *const Barrier) {
    // SAFETY: entries pass on the `sync` they were called with, which is the barrier of the running pool.
    unsafe { &*sync }.wait();
}
