//! Standard output, which a reader such as `head` may close early.

use anyhow::{Context as _, Result};
use std::io::{ErrorKind, Write as _, stdout};

/// Writes a text to standard output. A reader that has seen enough is no error.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("error: cannot write to standard output"),
    }
}
