//! Import: a circuit, a model's facts and a registry become a module of the graph level.
//!
//! The circuit is data; nothing here knows a family. After this point no code sees a model's name.

mod function;
mod gguf;
mod symbols;

pub use gguf::GgufModel;

use crate::registry_ir;
use cke_contracts::circuit::{Circuit, Config, Facts};
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::Registry;
use cke_contracts::registry::vocabulary::TensorStorage;
use cke_mlir::ir::{Context, Module};
use symbols::Symbols;

/// A tensor as a model file declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Logical shape, slowest dimension first.
    pub shape: Vec<i64>,
    /// How its elements are stored; `Err` names a storage that nothing here can read.
    pub storage: Result<TensorStorage, String>,
}

/// What an import needs to know of a model.
pub trait Model: Facts {
    /// The architecture, by which the circuit knows what it fixes.
    fn architecture(&self) -> &str;

    /// The tensor of that name.
    fn tensor(&self, name: &str) -> Option<Declared>;

    /// The names of all tensors.
    fn tensor_names(&self) -> Vec<&str>;
}

/// Everything the importer reads.
struct Source<'s> {
    circuit: &'s Circuit,
    config: &'s Config,
    model: &'s dyn Model,
}

/// Builds the module of a model: registry, weights, states and one function a phase.
///
/// # Errors
///
/// The faults of [`Circuit::configure`] and [`Circuit::requirement`]; `BadConfig` when a tensor is missing or has
/// another shape; `RefusedModel` when the file holds a tensor that the circuit does not use.
pub fn import(context: &Context, registry: &Registry, circuit: &Circuit, model: &dyn Model) -> Result<Module, Fault> {
    let config = circuit.configure(model.architecture(), model)?;
    let source = Source { circuit, config: &config, model };
    let symbols = Symbols::find(&source)?;
    let mut module = Module::new(context);
    module.edit(|root, rewriter| {
        for dialect in ["contract", "graph", "func"] {
            root.context().load_dialect(dialect);
        }
        let body = crate::body::block(root).expect("a module has a block");
        registry_ir::write(rewriter, body, registry);
        symbols.write(rewriter, body);
        for &phase in &circuit.phases {
            function::write(rewriter, body, &source, &symbols, phase)?;
        }
        Ok(())
    })?;
    Ok(module)
}

/// Builds the module of a model from the registry and the circuits of this project.
///
/// # Errors
///
/// `UnknownArchitecture` when no circuit describes the model, and those of [`import`].
pub fn import_native(context: &Context, model: &dyn Model) -> Result<Module, Fault> {
    let circuit = Circuit::native(model.architecture()).ok_or_else(|| {
        let message = format!("no circuit describes the architecture '{}'", model.architecture());
        Fault::new(Code::UnknownArchitecture, message)
    })?;
    import(context, &Registry::native()?, &circuit, model)
}
