//! How deep a text may nest.
//!
//! MLIR's parser, verifier, printer and destructors call themselves for each level, so that a text of a few kilobytes can
//! exhaust the stack. Brackets are counted before MLIR sees the text; real IR is nowhere near the limit.

/// The deepest nesting of brackets accepted.
pub(crate) const MAX_NESTING: usize = 256;

/// The offset of the first bracket that opens a level beyond [`MAX_NESTING`].
///
/// Counts what can't be decided without parsing in favour of the text: `>` closes unless it ends an arrow.
pub(crate) fn too_deep(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'"' => i = end_of_string(text, i),
            b'/' if text.get(i + 1) == Some(&b'/') => i = end_of_line(text, i),
            b'{' | b'(' | b'[' | b'<' => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Some(i);
                }
            }
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b'>' if i == 0 || text[i - 1] != b'-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        i += 1;
    }
    None
}

/// The closing quote, or the end of the line or text: a string doesn't span lines.
fn end_of_string(text: &[u8], open: usize) -> usize {
    let mut i = open + 1;
    while i < text.len() {
        match text[i] {
            b'\\' => i += 1,
            b'"' | b'\n' => return i,
            _ => {}
        }
        i += 1;
    }
    i
}

/// The line break, or the end of the text.
fn end_of_line(text: &[u8], from: usize) -> usize {
    text[from..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |n| from + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_only_open_brackets() {
        let deep = "{".repeat(MAX_NESTING);
        assert_eq!(too_deep(deep.as_bytes()), None);
        assert_eq!(too_deep(format!("{deep}}}{{(").as_bytes()), Some(MAX_NESTING + 2));
        assert_eq!(too_deep("{}".repeat(MAX_NESTING * 2).as_bytes()), None);
        assert_eq!(too_deep("(a) -> b\n".repeat(MAX_NESTING).as_bytes()), None);
    }

    #[test]
    fn skips_strings_and_comments() {
        let open = "{".repeat(MAX_NESTING + 1);
        assert_eq!(too_deep(format!("\"{open}\\\"{open}\"").as_bytes()), None);
        assert_eq!(too_deep(format!("// {open}\n{{").as_bytes()), None);
        assert_eq!(too_deep(format!("\"unfinished\n{open}").as_bytes()), Some(12 + MAX_NESTING));
        assert_eq!(too_deep(b"\"\\"), None);
    }
}
