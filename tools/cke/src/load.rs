//! From a model file to compiled code.

use crate::cli::CompileOptions;
use anyhow::{Context as _, Result, anyhow};
use cke_mlir::ir::{Context, Module, PrintFlags};
use cke_passes::driver::{Failure, compile};
use cke_passes::import::{GgufModel, import_native};
use cke_passes::pipelines::{Level, Options};
use cke_runtime::gguf::Gguf;
use cke_target_llvm::object::Object;
use std::fs;
use std::path::Path;

/// A context with every dialect and pass of this project.
pub fn context() -> Context {
    Context::new(&cke_passes::registry())
}

/// The module of an .mlir file.
pub fn read_module(context: &Context, file: &Path) -> Result<Module> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).with_context(|| format!("{name}: error: cannot be read"))?;
    Module::parse(context, &text, &name).map_err(|diagnostics| {
        let lines: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
        anyhow!("{}", lines.join("\n"))
    })
}

/// The module of a model, at the graph level.
pub fn import_model(context: &Context, model: &Gguf, options: &CompileOptions) -> Result<Module> {
    let source = GgufModel::new(model, options.context)?;
    import_native(context, &source).map_err(|fault| anyhow!("{}: {fault}", model.name()))
}

/// Compiles a module of any level; writes the levels it passes through if asked to.
/// `seen` is shown every level it reaches.
pub fn compile_module(
    module: &mut Module,
    options: &CompileOptions,
    seen: &mut dyn FnMut(Level, &Module) -> Result<(), Failure>,
) -> Result<Object> {
    let passes = Options { mode: options.mode.name().to_owned(), isa: options.isa.clone(), max_rows: options.max_rows };
    if let Some(directory) = &options.dump_ir {
        fs::create_dir_all(directory).with_context(|| format!("error: cannot make '{}'", directory.display()))?;
    }
    let mut at_level = |level: Level, module: &Module| {
        seen(level, module)?;
        options.dump_ir.as_ref().map_or(Ok(()), |directory| write_level(directory, level, module))
    };
    Ok(compile(module, &passes, &mut at_level)?)
}

fn write_level(directory: &Path, level: Level, module: &Module) -> Result<(), Failure> {
    let path = directory.join(format!("{}.mlir", level.name()));
    // As the tools print it, so that a dump that went through one of them is the same file.
    fs::write(&path, format!("{}\n", module.print(PrintFlags::default())))
        .map_err(|error| Failure::Other(format!("cannot write '{}': {error}", path.display())))
}
