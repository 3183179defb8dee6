//! `cke compile`: an object file from a model, or from an .mlir file of any level.

use crate::cli::CompileArguments;
use crate::load::{compile_module, context, import_model, read_module};
use anyhow::{Context as _, Result};
use cke_runtime::gguf::Gguf;
use std::fs;

/// Runs the sub-command.
pub fn run(arguments: &CompileArguments) -> Result<()> {
    let context = context();
    let mut module = if arguments.input.extension().is_some_and(|extension| extension == "mlir") {
        read_module(&context, &arguments.input)?
    } else {
        import_model(&context, &Gguf::open(&arguments.input)?, &arguments.compile)?
    };
    let object = compile_module(&mut module, &arguments.compile, &mut |_, _| Ok(()))?;
    let output = arguments.output.display();
    fs::write(&arguments.output, object.bytes()).with_context(|| format!("error: cannot write '{output}'"))
}
