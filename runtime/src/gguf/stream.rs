//! A byte stream of known length which never reads, nor allocates for, more than it can hold.

use crate::fault::{Code, Fault, Result};
use std::io::{ErrorKind, Read};

/// Bytes of the largest text or number array piece that is allocated at once.
const PIECE: usize = 64 << 10;

pub(super) struct Stream<R> {
    reader: R,
    /// The byte that comes next.
    position: u64,
    /// The byte after the last that may be read.
    end: u64,
    /// What ends there, for messages.
    limit: &'static str,
}

impl<R: Read> Stream<R> {
    /// Reads from `reader`, which holds `end` bytes; `limit` says what ends there.
    pub(super) fn new(reader: R, end: u64, limit: &'static str) -> Self {
        Stream { reader, position: 0, end, limit }
    }

    /// The byte that comes next.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> u64 {
        self.end - self.position
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.check(N as u64)?;
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// The next `count` bytes.
    pub(super) fn bytes(&mut self, count: u64) -> Result<Vec<u8>> {
        self.check(count)?;
        let mut bytes = Vec::new();
        let mut left = count;
        // Piece by piece: a reader with fewer bytes than it promised must not cost their memory.
        while left > 0 {
            let piece = left.min(PIECE as u64) as usize;
            let filled = bytes.len();
            bytes.resize(filled + piece, 0);
            self.fill(&mut bytes[filled..])?;
            left -= piece as u64;
        }
        Ok(bytes)
    }

    /// The next `count` bytes as UTF-8.
    pub(super) fn text(&mut self, count: u64) -> Result<String> {
        let start = self.position;
        let bytes = self.bytes(count)?;
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to() as u64;
            Fault::new(Code::NotUtf8, "text is not UTF-8").at(start + valid)
        })
    }

    /// A 32-bit number.
    pub(super) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A 64-bit number.
    pub(super) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A count of things of at least `least` bytes each: refused if so many cannot follow.
    pub(super) fn count(&mut self, what: &str, least: u64) -> Result<u64> {
        let start = self.position;
        let count = self.u64()?;
        self.check_count(count, what, least).map_err(|fault| fault.at(start))?;
        Ok(count)
    }

    /// Refuses `count` things of at least `least` bytes each if so many cannot follow.
    pub(super) fn check_count(&self, count: u64, what: &str, least: u64) -> Result<()> {
        if count > self.left() / least {
            let (left, limit) = (self.left(), self.limit);
            let message = format!("{count} {what} of at least {least} bytes each, {left} bytes left to {limit}");
            return Err(Fault::new(Code::CountTooLarge, message));
        }
        Ok(())
    }

    fn check(&self, count: u64) -> Result<()> {
        if count > self.left() {
            let message = format!("{count} bytes expected, {} left to {}", self.left(), self.limit);
            return Err(Fault::new(Code::FileTooShort, message).at(self.position));
        }
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.reader.read_exact(bytes).map_err(|error| {
            let code = if error.kind() == ErrorKind::UnexpectedEof { Code::FileTooShort } else { Code::FileUnreadable };
            Fault::new(code, format!("cannot read {} bytes: {error}", bytes.len())).at(self.position)
        })?;
        self.position += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_past_the_end() {
        let mut stream = Stream::new(&b"abcdef"[..], 4, "the end");
        assert_eq!(stream.array::<2>().unwrap(), *b"ab");
        let fault = stream.bytes(3).unwrap_err();
        assert_eq!(fault.to_string(), "byte 2: error: 3 bytes expected, 2 left to the end [CKE-W002]");
        assert_eq!(stream.text(2).unwrap(), "cd");
        assert_eq!((stream.position(), stream.left()), (4, 0));
        assert_eq!(stream.bytes(0).unwrap(), b"");
        assert!(stream.bytes(u64::MAX).is_err());
    }

    #[test]
    fn a_reader_shorter_than_promised_is_an_error_without_the_memory() {
        let fault = Stream::new(&b"abc"[..], u64::MAX, "the end").bytes(u64::MAX - 9).unwrap_err();
        assert_eq!(fault.code, Code::FileTooShort);
    }

    #[test]
    fn counts_are_compared_with_what_is_left() {
        let bytes = [3_u64.to_le_bytes(), [0; 8]].concat();
        assert_eq!(Stream::new(&*bytes, 16, "the end").count("keys", 2).unwrap(), 3);
        let fault = Stream::new(&*bytes, 16, "the end").count("keys", 3).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "byte 0: error: 3 keys of at least 3 bytes each, 8 bytes left to the end [CKE-W003]"
        );
    }

    #[test]
    fn bad_text_is_located() {
        let fault = Stream::new(&b"ab\xff"[..], 3, "the end").text(3).unwrap_err();
        assert_eq!((fault.code, fault.byte), (Code::NotUtf8, Some(2)));
    }
}
