//! How deep a text may nest.
//!
//! MLIR's parser, verifier, printer and destructors call themselves for each level, so that a text of a few kilobytes can
//! exhaust the stack. Brackets are counted before MLIR sees the text; real IR is nowhere near the limit.

/// The deepest nesting of brackets accepted.
pub(crate) const MAX_NESTING: usize = 256;

/// The offset of the first bracket that opens a level beyond [`MAX_NESTING`].
///
/// Counts what can't be decided without parsing in favour of the text: `>` closes unless it ends an arrow. Bytecode is no
/// text; its first bytes tell.
pub(crate) fn too_deep(text: &[u8]) -> Option<usize> {
    if text.starts_with(b"ML\xefR") {
        return None;
    }
    let mut depth = 0usize;
    let mut i = 0;
    while let Some(at) = find(text, i, IN_CODE) {
        i = at + 1;
        match text[at] {
            b'"' => i = end_of_string(text, i),
            b'/' if text.get(i) == Some(&b'/') => i = end_of_line(text, i),
            b'{' | b'(' | b'[' | b'<' => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Some(at);
                }
            }
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b'>' if at == 0 || text[at - 1] != b'-' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// After the closing quote, or at the end of the line or text: a string doesn't span lines.
fn end_of_string(text: &[u8], mut i: usize) -> usize {
    while let Some(at) = find(text, i, IN_STRING) {
        match text[at] {
            b'\\' => i = at + 2, // what is escaped
            _ => return at + 1,
        }
    }
    text.len()
}

/// After the line break, or at the end of the text.
fn end_of_line(text: &[u8], i: usize) -> usize {
    find(text, i, LINE_BREAK).map_or(text.len(), |at| at + 1)
}

const IN_CODE: u8 = 1;
const IN_STRING: u8 = 2;
const LINE_BREAK: u8 = 4;

/// Where each byte matters.
static MATTERS: [u8; 256] = {
    let sets: [(&[u8], u8); 3] = [(b"\"/{([<})]>", IN_CODE), (b"\"\\\n", IN_STRING), (b"\n", LINE_BREAK)];
    let mut table = [0; 256];
    let mut set = 0;
    while set < sets.len() {
        let (bytes, bit) = sets[set];
        let mut i = 0;
        while i < bytes.len() {
            table[bytes[i] as usize] |= bit;
            i += 1;
        }
        set += 1;
    }
    table
};

/// The first byte from `i` on that matters. This loop sees every byte of every input: it is kept bare.
fn find(text: &[u8], mut i: usize, place: u8) -> Option<usize> {
    while let Some(byte) = text.get(i) {
        if MATTERS[usize::from(*byte)] & place != 0 {
            return Some(i);
        }
        i += 1;
    }
    None
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
