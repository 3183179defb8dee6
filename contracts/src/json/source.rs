//! From a file to a text: how much is read at most, and what is refused before it is looked at as JSON.

use std::io::Read;

use super::{MAX_BYTES, location};
use crate::fault::{Code, Fault, Location};

/// The text of a file. Of a longer one than is allowed no more is read than shows that it is too long.
///
/// Fault: `BadJson` if it is too long, cannot be read or is not UTF-8.
pub fn read_text(name: &str, source: impl Read) -> Result<String, Fault> {
    let refuse = |message: String| Fault::new(Code::BadJson, message).at(Location::start_of(name));
    let mut bytes = Vec::new();
    let read = source.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| refuse(format!("cannot be read: {error}")))?;
    if bytes.len() > MAX_BYTES {
        return Err(refuse(format!("the text has more than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[valid];
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        Fault::new(Code::BadJson, format!("byte 0x{byte:02x} is not UTF-8")).at(location(name, &before, valid))
    })
}
