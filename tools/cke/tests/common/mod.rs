//! What the tests of whole models share: the model, a cut of it, and its compilation.
#![allow(dead_code, reason = "every test file is a crate of its own and uses a part")]

use cke_mlir::ir::{Context, Module};
use cke_passes::describe;
use cke_passes::driver::{Failure, compile};
use cke_passes::import::{GgufModel, import_native};
use cke_passes::pipelines::{Level, Options};
use cke_runtime::gguf::write::Builder;
use cke_runtime::gguf::{Gguf, Value};
use cke_runtime::program::Program;
use cke_target_llvm::object::Object;
use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The model's file, if it has been fetched; says so if not.
pub fn model_path() -> Option<PathBuf> {
    let path = std::env::var_os("CKE_MODEL")
        .map_or_else(|| root().join("build/models/SmolLM2-135M-Instruct.Q4_1.gguf"), PathBuf::from);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("skipped: the model is not there; tools/fetch_model.sh fetches it");
    None
}

/// Whether the long tests were asked for.
pub fn sweep() -> bool {
    std::env::var_os("CKE_SWEEP").is_some()
}

/// The first layers of a model, with everything around them.
pub fn cut(model: &Gguf, layers: u32) -> Gguf {
    let mut builder = Builder::new();
    for (key, value) in model.metadata().iter() {
        let value = if key.ends_with(".block_count") { Value::U32(layers) } else { value.clone() };
        builder = builder.entry(key, value);
    }
    for tensor in model.tensors() {
        let layer = tensor.name.strip_prefix("blk.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
        if layer.is_none_or(|layer| layer < layers) {
            let storage = tensor.kind.storage().expect("a type the project reads");
            builder = builder.tensor(&tensor.name, &tensor.dims, storage, model.read_tensor(tensor).expect("readable"));
        }
    }
    Gguf::from_bytes("cut.gguf", builder.finish().expect("well-formed")).expect("well-formed")
}

/// Options of a small program.
pub fn options(isa: &str) -> Options {
    Options { mode: "bringup".to_owned(), isa: isa.to_owned(), max_rows: 4 }
}

/// Compiles a model for sequences of at most 64 positions.
pub fn compile_model(context: &Context, model: &Gguf, options: &Options) -> (Program, Object) {
    let source = GgufModel::new(model, Some(64)).expect("a model");
    let mut module: Module = import_native(context, &source).unwrap_or_else(|fault| panic!("{fault}"));
    let mut program = None;
    let mut seen = |level: Level, module: &Module| {
        if level == Level::Call {
            program = Some(describe(module.op()).map_err(Failure::Other)?);
        }
        Ok(())
    };
    let object = compile(&mut module, options, &mut seen).unwrap_or_else(|failure| panic!("{failure}"));
    (program.expect("an imported model passes the call level"), object)
}
