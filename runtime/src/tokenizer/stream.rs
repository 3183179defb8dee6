//! Tokens to text while they come: a character is given out once all of its bytes are there.

use super::Tokenizer;
use crate::fault::Result;

/// Turns a stream of tokens into text.
pub struct Decoder<'a> {
    tokenizer: &'a Tokenizer,
    /// The beginning of a character: at most three bytes.
    pending: Vec<u8>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(tokenizer: &'a Tokenizer) -> Self {
        Decoder { tokenizer, pending: Vec::new() }
    }

    /// The text that is complete with `token`; it may be empty. Bytes which cannot become UTF-8 are U+FFFD.
    ///
    /// # Errors
    ///
    /// `CKE-R002`: the token is out of range; it is passed over.
    pub fn push(&mut self, token: u32) -> Result<String> {
        self.pending.extend(self.tokenizer.bytes(token)?);
        let mut text = String::new();
        loop {
            let error = match std::str::from_utf8(&self.pending) {
                Ok(valid) => {
                    text += valid;
                    self.pending.clear();
                    return Ok(text);
                }
                Err(error) => error,
            };
            text += &String::from_utf8_lossy(&self.pending[..error.valid_up_to()]);
            let Some(bad) = error.error_len() else {
                self.pending.drain(..error.valid_up_to());
                return Ok(text);
            };
            text.push(char::REPLACEMENT_CHARACTER);
            self.pending.drain(..error.valid_up_to() + bad);
        }
    }

    /// The text of what is left when no more tokens come: U+FFFD for a character that was begun, or nothing.
    pub fn finish(self) -> String {
        String::from_utf8_lossy(&self.pending).into_owned()
    }
}
