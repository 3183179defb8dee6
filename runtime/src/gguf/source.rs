//! Where tensor data come from: positioned reads of a file, or bytes in memory.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;

#[derive(Debug)]
pub(super) enum Source {
    File(File),
    Memory(Vec<u8>),
}

impl Source {
    /// Fills `part` from byte `start` on. Several threads may read at once.
    pub(super) fn read_exact_at(&self, part: &mut [u8], start: u64) -> Result<()> {
        match self {
            Source::File(file) => file.read_exact_at(part, start),
            Source::Memory(bytes) => {
                let from = usize::try_from(start).ok().and_then(|start| bytes.get(start..)?.get(..part.len()));
                part.copy_from_slice(from.ok_or_else(|| Error::from(ErrorKind::UnexpectedEof))?);
                Ok(())
            }
        }
    }
}
