//! Makes small GGUF files in memory: synthetic models for tests and examples.
//!
//! ```
//! use cke_runtime::gguf::{Gguf, Value, write::Builder};
//!
//! let bytes = Builder::new()
//!     .entry("general.name", Value::Text("tiny".into()))
//!     .tensor_f32("scale", &[2], &[0.5, 1.0])
//!     .finish()?;
//! let model = Gguf::from_bytes("tiny.gguf", bytes)?;
//! assert_eq!(model.tensor("scale").map(|tensor| tensor.bytes), Some(8));
//! # Ok::<(), cke_runtime::fault::Fault>(())
//! ```

use super::header::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, Header, MAGIC};
use super::value::{Value, put_text};
use crate::fault::Result;
use cke_oracle::dequant::Storage;

/// The version of the format that is written.
const VERSION: u32 = 3;

/// Metadata and tensors of a file to be.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    entries: Vec<(String, Value)>,
    tensors: Vec<(String, Vec<u64>, u32, Vec<u8>)>,
}

impl Builder {
    /// An empty file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a metadata entry.
    #[must_use]
    pub fn entry(mut self, key: &str, value: Value) -> Self {
        self.entries.push((key.to_owned(), value));
        self
    }

    /// Appends a tensor of shape `dims`, outermost dimension first, whose stored bytes are `data`.
    #[must_use]
    pub fn tensor(mut self, name: &str, dims: &[u64], storage: Storage, data: Vec<u8>) -> Self {
        let number = super::TensorKind::from_storage(storage).number();
        self.tensors.push((name.to_owned(), dims.to_vec(), number, data));
        self
    }

    /// Appends a tensor of single-precision values.
    #[must_use]
    pub fn tensor_f32(self, name: &str, dims: &[u64], values: &[f32]) -> Self {
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensor(name, dims, Storage::F32, data)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// What the reader says of the file: a name used twice, an impossible shape, data longer or shorter than the shape
    /// (then tensors overlap, or the last one ends past the file).
    pub fn finish(&self) -> Result<Vec<u8>> {
        let alignment = self.alignment();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.tensors.len() as u64).to_le_bytes());
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        for (key, value) in &self.entries {
            put_text(key, &mut bytes);
            bytes.extend(value.type_number().to_le_bytes());
            value.write(&mut bytes);
        }
        let mut offset = 0_usize;
        for (name, dims, kind, data) in &self.tensors {
            put_text(name, &mut bytes);
            bytes.extend((dims.len() as u32).to_le_bytes());
            dims.iter().rev().for_each(|dim| bytes.extend(dim.to_le_bytes()));
            bytes.extend(kind.to_le_bytes());
            bytes.extend((offset as u64).to_le_bytes());
            offset = (offset + data.len()).next_multiple_of(alignment);
        }
        for (_, _, _, data) in &self.tensors {
            bytes.resize(bytes.len().next_multiple_of(alignment), 0);
            bytes.extend(data);
        }
        Header::read("the file to be written", &*bytes, bytes.len() as u64)?;
        Ok(bytes)
    }

    fn alignment(&self) -> usize {
        let named = self.entries.iter().find(|(key, _)| key == ALIGNMENT_KEY);
        match named {
            Some((_, Value::U32(alignment))) if alignment.is_power_of_two() => *alignment as usize,
            _ => DEFAULT_ALIGNMENT as usize,
        }
    }
}
