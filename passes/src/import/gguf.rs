//! A GGUF file as the importer sees a model.

use super::{Declared, Model};
use cke_contracts::circuit::{Fact, Facts};
use cke_contracts::registry::vocabulary::TensorStorage;
use cke_runtime::fault::Fault;
use cke_runtime::gguf::{Gguf, Value};

/// Positions that the caches hold unless the user says otherwise; a model made for fewer has fewer.
const DEFAULT_POSITIONS: u32 = 2048;

/// A model file.
#[derive(Debug)]
pub struct GgufModel<'m> {
    file: &'m Gguf,
    architecture: &'m str,
    positions: Option<u32>,
}

impl<'m> GgufModel<'m> {
    /// The model of a file, with caches for `positions` positions.
    ///
    /// # Errors
    ///
    /// `CKE-W013`: the file does not name its architecture.
    pub fn new(file: &'m Gguf, positions: Option<u32>) -> Result<Self, Fault> {
        let architecture = file.metadata().get::<&str>("general.architecture")?;
        let made_for = file.metadata().find::<u32>(&format!("{architecture}.context_length"))?;
        let positions = positions.or(made_for.map(|positions| positions.min(DEFAULT_POSITIONS)));
        Ok(GgufModel { file, architecture, positions })
    }
}

impl Facts for GgufModel<'_> {
    fn metadata(&self, key: &str) -> Result<Option<Fact>, String> {
        let Some((_, value)) = self.file.metadata().iter().find(|(known, _)| *known == key) else { return Ok(None) };
        let too_large = |_| "an integer beyond 63 bits".to_owned();
        Ok(Some(match value {
            Value::Bool(value) => Fact::Bool(*value),
            Value::U8(value) => Fact::Integer((*value).into()),
            Value::I8(value) => Fact::Integer((*value).into()),
            Value::U16(value) => Fact::Integer((*value).into()),
            Value::I16(value) => Fact::Integer((*value).into()),
            Value::U32(value) => Fact::Integer((*value).into()),
            Value::I32(value) => Fact::Integer((*value).into()),
            Value::U64(value) => Fact::Integer(i64::try_from(*value).map_err(too_large)?),
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
        (name == "capacity").then_some(self.positions)?.map(|positions| Fact::Integer(positions.into()))
    }
}

impl Model for GgufModel<'_> {
    fn architecture(&self) -> &str {
        self.architecture
    }

    fn tensor(&self, name: &str) -> Option<Declared> {
        let tensor = self.file.tensor(name)?;
        let shape = tensor.dims.iter().map(|&extent| i64::try_from(extent).ok()).collect::<Option<_>>()?;
        let kind = tensor.kind.name();
        let storage = TensorStorage::ALL.iter().copied().find(|storage| storage.as_str() == kind);
        Some(Declared { shape, storage: storage.ok_or_else(|| kind.to_owned()) })
    }

    fn tensor_names(&self) -> Vec<&str> {
        self.file.tensors().iter().map(|tensor| tensor.name.as_str()).collect()
    }
}
