//! From a model file to compiled code.

use crate::cli::CompileOptions;
use anyhow::{Context as _, Result, anyhow};
use cke_contracts::circuit::{Circuit, Fact, Facts};
use cke_contracts::registry::Registry as Contracts;
use cke_contracts::registry::vocabulary::TensorStorage;
use cke_mlir::ir::{Context, Module, PrintFlags};
use cke_passes::driver::{Compiled, Failure, compile};
use cke_passes::import::{Declared, Model, import};
use cke_passes::pipelines::{Level, Options};
use cke_runtime::gguf::{Gguf, Value};
use std::fs;
use std::path::Path;

/// Positions that the caches hold unless the user says otherwise; a model made for fewer has fewer.
const DEFAULT_CONTEXT: u32 = 2048;

/// A context with every dialect and pass of this project.
pub fn context() -> Context {
    Context::new(&cke_passes::registry())
}

/// The module of a model, at the graph level.
pub fn import_model(context: &Context, model: &Gguf, options: &CompileOptions) -> Result<Module> {
    let source = GgufModel::new(model, options)?;
    let circuit = Circuit::native(&source.architecture).ok_or_else(|| {
        anyhow!("{}: error: no circuit describes the architecture '{}' [CKE-C044]", model.name(), source.architecture)
    })?;
    let contracts = Contracts::native().map_err(|fault| anyhow!("{fault}"))?;
    import(context, &contracts, &circuit, &source).map_err(|fault| anyhow!("{}: {fault}", model.name()))
}

/// Compiles a module of any level; writes the levels it passes through if asked to.
pub fn compile_module(module: &mut Module, options: &CompileOptions) -> Result<Compiled> {
    let passes = Options { mode: options.mode.name().to_owned(), isa: options.isa.clone(), max_rows: options.max_rows };
    if let Some(directory) = &options.dump_ir {
        fs::create_dir_all(directory).with_context(|| format!("error: cannot make '{}'", directory.display()))?;
    }
    let mut dump = |level: Level, module: &Module| match &options.dump_ir {
        None => Ok(()),
        Some(directory) => write_level(directory, level, module),
    };
    Ok(compile(module, &passes, &mut dump)?)
}

fn write_level(directory: &Path, level: Level, module: &Module) -> Result<(), Failure> {
    let path = directory.join(format!("{}.mlir", level.name()));
    fs::write(&path, module.print(PrintFlags::default()))
        .map_err(|error| Failure::Other(format!("cannot write '{}': {error}", path.display())))
}

/// A GGUF file as the importer sees a model.
struct GgufModel<'m> {
    file: &'m Gguf,
    architecture: String,
    context: Option<u32>,
}

impl<'m> GgufModel<'m> {
    fn new(file: &'m Gguf, options: &CompileOptions) -> Result<Self> {
        let architecture = file.metadata().get::<&str>("general.architecture")?.to_owned();
        let made_for = file.metadata().find::<u32>(&format!("{architecture}.context_length"))?;
        let context = options.context.or(made_for.map(|positions| positions.min(DEFAULT_CONTEXT)));
        Ok(GgufModel { file, architecture, context })
    }
}

impl Facts for GgufModel<'_> {
    fn metadata(&self, key: &str) -> Result<Option<Fact>, String> {
        let Some((_, value)) = self.file.metadata().iter().find(|(known, _)| *known == key) else { return Ok(None) };
        let too_large = || "an integer beyond 63 bits".to_owned();
        Ok(Some(match value {
            Value::Bool(value) => Fact::Bool(*value),
            Value::U8(value) => Fact::Integer((*value).into()),
            Value::I8(value) => Fact::Integer((*value).into()),
            Value::U16(value) => Fact::Integer((*value).into()),
            Value::I16(value) => Fact::Integer((*value).into()),
            Value::U32(value) => Fact::Integer((*value).into()),
            Value::I32(value) => Fact::Integer((*value).into()),
            Value::U64(value) => Fact::Integer(i64::try_from(*value).map_err(|_| too_large())?),
            Value::I64(value) => Fact::Integer(*value),
            Value::F32(value) => Fact::Float((*value).into()),
            Value::F64(value) => Fact::Float(*value),
            Value::Text(text) => Fact::Text(text.clone()),
            Value::Array(_) => return Err(format!("an {}", value.type_name())),
        }))
    }

    fn dimension(&self, tensor: &str, index: usize) -> Option<i64> {
        i64::try_from(*self.file.tensor(tensor)?.dims.get(index)?).ok()
    }

    fn option(&self, name: &str) -> Option<Fact> {
        (name == "capacity").then_some(self.context)?.map(|positions| Fact::Integer(positions.into()))
    }
}

impl Model for GgufModel<'_> {
    fn architecture(&self) -> &str {
        &self.architecture
    }

    fn tensor(&self, name: &str) -> Option<Declared> {
        let tensor = self.file.tensor(name)?;
        let shape = tensor.dims.iter().map(|&extent| i64::try_from(extent).ok()).collect::<Option<_>>()?;
        let kind = tensor.kind.name();
        let storage = TensorStorage::ALL.iter().copied().find(|storage| storage.as_str() == kind);
        let storage = storage.ok_or_else(|| kind.to_owned());
        Some(Declared { shape, storage })
    }

    fn tensor_names(&self) -> Vec<&str> {
        self.file.tensors().iter().map(|tensor| tensor.name.as_str()).collect()
    }
}
