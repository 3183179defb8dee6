//! Writes pieces of GGUF files byte by byte, without asking whether they make sense.

/// A file under construction.
#[derive(Clone, Default)]
pub struct Raw(pub Vec<u8>);

pub const U32: u32 = 4;
pub const BOOL: u32 = 7;
pub const TEXT: u32 = 8;
pub const ARRAY: u32 = 9;
pub const F32: u32 = 0;
pub const Q4_1: u32 = 3;

impl Raw {
    /// Magic, version 3 and the two counts.
    pub fn head(tensors: u64, entries: u64) -> Self {
        Raw(b"GGUF".to_vec()).u32(3).u64(tensors).u64(entries)
    }

    pub fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    /// Length and bytes of a text, UTF-8 or not.
    pub fn text(self, bytes: &[u8]) -> Self {
        self.u64(bytes.len() as u64).bytes(bytes)
    }

    /// Key and type of an entry; the value is for the caller to append.
    pub fn key(self, key: &str, kind: u32) -> Self {
        self.text(key.as_bytes()).u32(kind)
    }

    /// A record of the tensor table, dimensions in the file's order.
    pub fn record(self, name: &str, dims: &[u64], kind: u32, offset: u64) -> Self {
        let head = self.text(name.as_bytes()).u32(dims.len() as u32);
        dims.iter().fold(head, |raw, &dim| raw.u64(dim)).u32(kind).u64(offset)
    }

    /// Pads to `alignment` and appends `count` bytes of data.
    pub fn data(mut self, alignment: usize, count: usize) -> Self {
        let start = self.0.len().next_multiple_of(alignment);
        self.0.resize(start + count, 0);
        self
    }
}
