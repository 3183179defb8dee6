//! The byte alphabet of GPT-2: vocabularies write every byte as one printable character.
//!
//! Printable bytes stand for themselves; the others take the characters from U+0100 on, in their order.

/// The byte which a character of the alphabet stands for.
pub(super) fn byte_of(character: char) -> Option<u8> {
    let point = u32::from(character);
    match u8::try_from(point) {
        Ok(byte) => is_printable(byte).then_some(byte),
        // Characters from U+0100 on stand for the bytes that are not printable.
        Err(_) => (0..=255).filter(|byte| !is_printable(*byte)).nth((point - 0x100) as usize),
    }
}

/// The character that stands for a byte.
pub(super) fn character_of(byte: u8) -> char {
    if is_printable(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|byte| !is_printable(*byte)).count();
    // At most U+0143, far from the surrogates.
    char::from_u32(0x100 + before as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_character() {
        for byte in 0..=255 {
            assert_eq!(byte_of(character_of(byte)), Some(byte));
        }
        assert_eq!((character_of(b' '), character_of(b'\n'), character_of(b'a')), ('Ġ', 'Ċ', 'a'));
        assert_eq!(character_of(0xad), 'Ń');
        for other in ['\u{144}', ' ', '\u{ad}', '€'] {
            assert_eq!(byte_of(other), None);
        }
    }
}
