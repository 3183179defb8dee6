//! `cke compile`: an object file from a model, or from an .mlir file of any level.

use crate::cli::CompileArguments;
use crate::load::{compile_module, context, import_model};
use anyhow::{Context as _, Result, anyhow};
use cke_mlir::ir::Module;
use cke_runtime::gguf::Gguf;
use std::fs;

/// Runs the sub-command.
pub fn run(arguments: &CompileArguments) -> Result<()> {
    let context = context();
    let name = arguments.input.display().to_string();
    let mut module = if arguments.input.extension().is_some_and(|extension| extension == "mlir") {
        let text = fs::read_to_string(&arguments.input).with_context(|| format!("{name}: error: cannot be read"))?;
        Module::parse(&context, &text, &name).map_err(|diagnostics| {
            let lines: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
            anyhow!("{}", lines.join("\n"))
        })?
    } else {
        import_model(&context, &Gguf::open(&arguments.input)?, &arguments.compile)?
    };
    let object = compile_module(&mut module, &arguments.compile, &mut |_, _| Ok(()))?;
    let output = arguments.output.display();
    fs::write(&arguments.output, object.bytes()).with_context(|| format!("error: cannot write '{output}'"))
}
