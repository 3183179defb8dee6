//! Object code from a module in the LLVM dialect.
//!
//! The optimiser and the code generator get the module as it is: no fast-math flag, no contraction, no library call. The
//! same module and instruction set give the same bytes.

use crate::elf::undefined_symbols;
use crate::isa::Isa;
use crate::jit::import_module;
use cke_mlir::ir::Op;
use inkwell::OptimizationLevel;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

/// The only symbol object code may use without defining it.
pub const BARRIER: &str = "cke_barrier";

/// The optimiser's pipeline.
pub const OPTIMISER: &str = "default<O3>";

/// The version of LLVM that makes the code, such as `22.1.0`.
#[must_use]
pub fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

/// Machine code of a module for one instruction set, not yet in memory where it can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    isa: Isa,
    bytes: Vec<u8>,
}

/// A readable form of a module on its way to machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// LLVM IR as the LLVM dialect says it.
    Ir,
    /// LLVM IR after the optimiser.
    OptimisedIr,
    /// Assembly.
    Assembly,
}

impl Object {
    /// Compiles a module in the LLVM dialect.
    ///
    /// # Errors
    ///
    /// A module with operations outside the LLVM dialect, a target LLVM was built without, or code that calls anything
    /// but the barrier: a library function would bring its own numerics.
    pub fn compile(module: Op<'_>, isa: &Isa) -> Result<Self, String> {
        let context = Context::create();
        let unit = Unit::new(&context, module, isa)?;
        unit.optimise()?;
        let bytes = unit.write(FileType::Object)?;
        let foreign: Vec<String> = undefined_symbols(&bytes)?.into_iter().filter(|name| name != BARRIER).collect();
        if foreign.is_empty() {
            Ok(Self { isa: isa.clone(), bytes })
        } else {
            Err(format!("the code for '{}' calls {}, which no contract provides for", isa.name, foreign.join(", ")))
        }
    }

    /// The instruction set the code is for.
    #[must_use]
    pub const fn isa(&self) -> &Isa {
        &self.isa
    }

    /// The relocatable object file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A module in the LLVM dialect as a text for a reader.
///
/// # Errors
///
/// As for [`Object::compile`], but calls are not checked.
pub fn text(module: Op<'_>, isa: &Isa, form: Text) -> Result<String, String> {
    let context = Context::create();
    let unit = Unit::new(&context, module, isa)?;
    if form != Text::Ir {
        unit.optimise()?;
    }
    match form {
        Text::Ir | Text::OptimisedIr => Ok(unit.module.print_to_string().to_string()),
        Text::Assembly => Ok(String::from_utf8_lossy(&unit.write(FileType::Assembly)?).into_owned()),
    }
}

/// An LLVM module and the machine it is for.
struct Unit<'c> {
    module: Module<'c>,
    machine: TargetMachine,
}

impl<'c> Unit<'c> {
    fn new(context: &'c Context, module: Op<'_>, isa: &Isa) -> Result<Self, String> {
        let machine = machine(isa)?;
        let module = import_module(module, context)?;
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        mark_functions(context, &module, isa);
        module.verify().map_err(|error| format!("invalid LLVM module: {}", error.to_string_lossy()))?;
        Ok(Self { module, machine })
    }

    fn optimise(&self) -> Result<(), String> {
        self.module
            .run_passes(OPTIMISER, &self.machine, PassBuilderOptions::create())
            .map_err(|error| format!("the optimiser failed: {}", error.to_string_lossy()))
    }

    fn write(&self, file_type: FileType) -> Result<Vec<u8>, String> {
        let buffer = self.machine.write_to_memory_buffer(&self.module, file_type);
        let buffer = buffer.map_err(|error| format!("code generation failed: {}", error.to_string_lossy()))?;
        Ok(buffer.as_slice().to_vec())
    }
}

fn machine(isa: &Isa) -> Result<TargetMachine, String> {
    // Initialising twice is harmless.
    let config = InitializationConfig::default();
    if isa.triple.starts_with("x86_64") {
        Target::initialize_x86(&config);
    } else {
        Target::initialize_aarch64(&config);
    }
    let triple = TargetTriple::create(&isa.triple);
    let target = Target::from_triple(&triple).map_err(|error| error.to_string_lossy().into_owned())?;
    target
        .create_target_machine(
            &triple,
            &isa.cpu,
            &isa.features,
            OptimizationLevel::Aggressive,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| format!("LLVM has no machine for the instruction set '{}'", isa.name))
}

/// Says of every function what the optimiser must know.
fn mark_functions(context: &Context, module: &Module<'_>, isa: &Isa) {
    let plain = |name| context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
    let attributes = [
        // A loop that copies must stay a loop: a call of memcpy would leave the object.
        context.create_string_attribute("no-builtins", ""),
        context.create_string_attribute("target-cpu", &isa.cpu),
        context.create_string_attribute("target-features", &isa.features),
        // Kernels are called from many places and run long: copies of them gain nothing.
        plain("noinline"),
        plain("nounwind"),
    ];
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        for attribute in attributes {
            function.add_attribute(AttributeLoc::Function, attribute);
        }
    }
}
