//! For the build scripts of crates that hold dialects.

use crate::error::Error;
use crate::generate::generate;
use crate::model::Dialect;
use crate::source::Source;
use std::path::Path;

/// Generates the Rust source of a dialect into `<out_dir>/<dialect>.rs`, from a build script.
///
/// Tells cargo which files the result depends on. Errors go to standard error, each with its place, and end the process
/// with status 1.
pub fn build_script(definition: &Path, out_dir: &Path) {
    println!("cargo::rerun-if-changed={}", definition.display());
    if let Err(messages) = write(definition, out_dir) {
        eprintln!("{}", messages.join("\n"));
        std::process::exit(1);
    }
}

fn write(definition: &Path, out_dir: &Path) -> Result<(), Vec<String>> {
    let source = Source::read(definition).map_err(|error| vec![error.to_string()])?;
    for file in &source.files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let dialect = Dialect::read(&source).map_err(|errors| errors.iter().map(Error::to_string).collect::<Vec<_>>())?;
    let path = out_dir.join(&dialect.name).with_extension("rs");
    std::fs::write(&path, generate(&dialect, definition))
        .map_err(|error| vec![format!("cannot write {}: {error}", path.display())])
}
