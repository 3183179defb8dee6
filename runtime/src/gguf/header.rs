//! The header of a model file: magic, version, counts, metadata and the tensor table, in this order.

use super::metadata::{LEAST_ENTRY, Metadata};
use super::stream::Stream;
use super::table::{LEAST_RECORD, Tensor, place_all, read_records};
use super::value::Value;
use crate::fault::{Code, Fault, Result};
use std::collections::BTreeMap;
use std::io::{BufReader, Read};

/// The most bytes of a header. Those of the largest vocabularies have some 20 MB; the limit bounds the reader's memory
/// for files of any size.
pub const HEADER_LIMIT: u64 = 128 << 20;

/// The first four bytes of a file.
pub(super) const MAGIC: [u8; 4] = *b"GGUF";
/// Key of the alignment of tensor data.
pub(super) const ALIGNMENT_KEY: &str = "general.alignment";
/// The alignment of a file which names none.
pub(super) const DEFAULT_ALIGNMENT: u64 = 32;

/// A complete, checked header.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    version: u32,
    metadata: Metadata,
    tensors: Vec<Tensor>,
    by_name: BTreeMap<String, usize>,
}

impl Header {
    /// Reads the header of a file of `bytes` bytes called `name` from its beginning. No byte behind the header is
    /// needed.
    ///
    /// # Errors
    ///
    /// `CKE-W001` to `CKE-W012`, with the file's name and the byte.
    pub fn read(name: &str, reader: impl Read, bytes: u64) -> Result<Self> {
        Self::read_unnamed(name, reader, bytes).map_err(|fault| fault.in_file(name))
    }

    fn read_unnamed(name: &str, reader: impl Read, bytes: u64) -> Result<Self> {
        let limit = if bytes <= HEADER_LIMIT { "the end of the file" } else { "the limit of a header" };
        let mut stream = Stream::new(BufReader::new(reader), bytes.min(HEADER_LIMIT), limit);
        let version = read_version(&mut stream)?;
        let tensors = stream.count("tensors", LEAST_RECORD)?;
        let entries = stream.count("metadata entries", LEAST_ENTRY)?;
        let metadata = Metadata::read(name, &mut stream, entries)?;
        let alignment = alignment(&metadata)?;
        // The entries have taken most of the bytes which the count was compared with.
        stream.check_count(tensors, "tensors", LEAST_RECORD).map_err(|fault| fault.at(8))?;
        let records = read_records(&mut stream, tensors)?;
        // At most 128 MiB plus 1 MiB: no overflow.
        let data = stream.position().next_multiple_of(alignment);
        let tensors = place_all(records, data, alignment, bytes)?;
        let by_name = tensors.iter().enumerate().map(|(index, tensor)| (tensor.name.clone(), index)).collect();
        Ok(Header { version, metadata, tensors, by_name })
    }

    /// The version of the format.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The metadata.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// All tensors in the order of the file.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.by_name.get(name).map(|&index| &self.tensors[index])
    }
}

fn read_version<R: Read>(stream: &mut Stream<R>) -> Result<u32> {
    let magic: [u8; 4] = stream.array()?;
    if magic != MAGIC {
        return Err(
            Fault::new(Code::NotGguf, format!("the file begins with {magic:02x?}, expected {MAGIC:02x?}")).at(0)
        );
    }
    match stream.u32()? {
        version @ (2 | 3) => Ok(version),
        version if matches!(version.swap_bytes(), 1..=3) => {
            Err(Fault::new(Code::NotGguf, "the file is big-endian, expected little-endian").at(4))
        }
        version => Err(Fault::new(Code::NotGguf, format!("version {version}, expected 2 or 3")).at(4)),
    }
}

fn alignment(metadata: &Metadata) -> Result<u64> {
    match metadata.iter().find(|(key, _)| *key == ALIGNMENT_KEY) {
        None => Ok(DEFAULT_ALIGNMENT),
        Some((_, Value::U32(alignment))) if alignment.is_power_of_two() && (8..=1 << 20).contains(alignment) => {
            Ok(u64::from(*alignment))
        }
        Some((_, value)) => {
            let found = match value {
                Value::U32(alignment) => alignment.to_string(),
                other => other.type_name().to_owned(),
            };
            let rule = "expected a u32 which is a power of two from 8 to 1048576";
            Err(metadata.fault(Code::BadAlignment, ALIGNMENT_KEY, format!("{ALIGNMENT_KEY} is {found}, {rule}")))
        }
    }
}
