//! Model files in the GGUF format, versions 2 and 3, little endian.
//!
//! The header (metadata and tensor table) is streamed once and checked completely; tensor data are read later, by
//! position, in pieces the caller chooses. So memory stays bounded by the header, whatever the file's size, and nothing
//! is mapped. Every count and length is compared with what the file can hold before anything is allocated for it.
//!
//! What is checked: magic and version; counts against the bytes left; value types, booleans and UTF-8; duplicate keys
//! and tensors; alignment; shapes (1 to 4 dimensions, none zero, product and byte size without overflow, rows of whole
//! blocks); offsets aligned, inside the file, disjoint. Metadata arrays of arrays are refused.
//! What is not: the meaning of keys, and the values of weights.

mod header;
mod kind;
mod metadata;
mod source;
mod stream;
mod table;
mod value;
pub mod write;

pub use header::{HEADER_LIMIT, Header};
pub use kind::TensorKind;
pub use metadata::{FromValue, Metadata};
pub use table::Tensor;
pub use value::{Array, Texts, Value};

use crate::fault::{Code, Fault, Result};
use source::Source;
use std::fs::File;
use std::path::Path;

/// A model file: a checked header and access to the data.
#[derive(Debug)]
pub struct Gguf {
    name: String,
    header: Header,
    source: Source,
}

impl Gguf {
    /// Opens the file at `path` and checks its header.
    ///
    /// # Errors
    ///
    /// `CKE-W001` to `CKE-W012`, with the file's name and, within the header, the byte.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let open = || {
            let file = File::open(path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|error: std::io::Error| {
            Fault::new(Code::FileUnreadable, format!("cannot open the file: {error}")).in_file(&name)
        })?;
        let header = Header::read(&name, &file, bytes)?;
        Ok(Gguf { name, header, source: Source::File(file) })
    }

    /// Takes the contents of a file called `name` from memory.
    ///
    /// # Errors
    ///
    /// As [`Gguf::open`].
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self> {
        let header = Header::read(name, &*bytes, bytes.len() as u64)?;
        Ok(Gguf { name: name.to_owned(), header, source: Source::Memory(bytes) })
    }

    /// The file's name, as it stands in faults.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The metadata.
    pub fn metadata(&self) -> &Metadata {
        self.header.metadata()
    }

    /// All tensors in the order of the file.
    pub fn tensors(&self) -> &[Tensor] {
        self.header.tensors()
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.header.tensor(name)
    }

    /// Reads all stored bytes of `tensor`.
    ///
    /// # Errors
    ///
    /// `CKE-W001`: the file cannot be read any more, or became shorter.
    pub fn read_tensor(&self, tensor: &Tensor) -> Result<Vec<u8>> {
        // The length was checked against the file when it was opened.
        let mut bytes = vec![0; usize::try_from(tensor.bytes).map_err(|_| self.too_large(tensor))?];
        self.read_part(tensor, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// Fills `part` with stored bytes of `tensor`, from its byte `start` on.
    ///
    /// # Errors
    ///
    /// `CKE-W001`: the part leaves the tensor, or the file cannot be read any more.
    pub fn read_part(&self, tensor: &Tensor, start: u64, part: &mut [u8]) -> Result<()> {
        let inside = start.checked_add(part.len() as u64).is_some_and(|end| end <= tensor.bytes);
        let read = if inside {
            self.source.read_exact_at(part, tensor.start + start).map_err(|error| error.to_string())
        } else {
            Err(format!("{} bytes from {start} on leave its {} bytes", part.len(), tensor.bytes))
        };
        read.map_err(|cause| {
            let message = format!("cannot read tensor '{}': {cause}", tensor.name);
            Fault::new(Code::FileUnreadable, message).at(tensor.start).in_file(&self.name)
        })
    }

    fn too_large(&self, tensor: &Tensor) -> Fault {
        let message = format!("tensor '{}' of {} bytes does not fit into the address space", tensor.name, tensor.bytes);
        Fault::new(Code::FileUnreadable, message).in_file(&self.name)
    }
}
