//! The symbols of a relocatable ELF file, as far as the check of a fresh object needs them.

/// Size of a section header and of a symbol of 64-bit ELF.
const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;
/// The section type of a symbol table.
const SHT_SYMTAB: u32 = 2;
/// The section index of an undefined symbol.
const SHN_UNDEF: u16 = 0;

/// The names of the symbols a 64-bit little-endian ELF object uses without defining them, in the order of the file.
///
/// # Errors
///
/// Bytes that are not such a file.
pub fn undefined_symbols(object: &[u8]) -> Result<Vec<String>, String> {
    let file = File(object);
    if object.get(..6) != Some(b"\x7fELF\x02\x01") {
        return Err("not a 64-bit little-endian ELF file".to_owned());
    }
    let table = file.u64(40)?;
    let count = usize::from(file.u16(60)?);
    let mut undefined = Vec::new();
    for index in 0..count {
        let header = file.slice(table, index * SECTION_HEADER, SECTION_HEADER)?;
        if header.u32(4)? == SHT_SYMTAB {
            let link = header.u32(40)? as usize;
            let names = file.section(&file.slice(table, link * SECTION_HEADER, SECTION_HEADER)?)?;
            let symbols = file.section(&header)?;
            // Symbol 0 is the null symbol.
            for symbol in symbols.0.chunks_exact(SYMBOL).skip(1).map(File) {
                if symbol.u16(6)? == SHN_UNDEF {
                    undefined.push(names.text(symbol.u32(0)? as usize)?);
                }
            }
        }
    }
    Ok(undefined)
}

/// Bytes of the file; every access is checked.
struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn slice(&self, base: u64, offset: usize, length: usize) -> Result<File<'a>, String> {
        usize::try_from(base)
            .ok()
            .and_then(|base| base.checked_add(offset))
            .and_then(|start| self.0.get(start..start.checked_add(length)?))
            .map(File)
            .ok_or_else(|| "an ELF table leaves the file".to_owned())
    }

    fn section(&self, header: &File<'_>) -> Result<File<'a>, String> {
        let length = usize::try_from(header.u64(32)?).map_err(|_| "an ELF section is too large".to_owned())?;
        self.slice(header.u64(24)?, 0, length)
    }

    fn bytes<const N: usize>(&self, offset: usize) -> Result<[u8; N], String> {
        let field = self.slice(0, offset, N)?;
        Ok(field.0.try_into().expect("a slice of N bytes"))
    }

    fn u16(&self, offset: usize) -> Result<u16, String> {
        self.bytes(offset).map(u16::from_le_bytes)
    }

    fn u32(&self, offset: usize) -> Result<u32, String> {
        self.bytes(offset).map(u32::from_le_bytes)
    }

    fn u64(&self, offset: usize) -> Result<u64, String> {
        self.bytes(offset).map(u64::from_le_bytes)
    }

    fn text(&self, offset: usize) -> Result<String, String> {
        let rest = self.0.get(offset..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == 0).ok_or("an ELF name has no end")?;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_object_are_an_error() {
        assert!(undefined_symbols(b"").is_err());
        assert!(undefined_symbols(b"\x7fELF\x02\x01").is_err());
        let mut truncated = vec![0_u8; 64];
        truncated[..6].copy_from_slice(b"\x7fELF\x02\x01");
        truncated[40] = 0xff;
        truncated[60] = 1;
        assert_eq!(undefined_symbols(&truncated), Err("an ELF table leaves the file".to_owned()));
    }
}
