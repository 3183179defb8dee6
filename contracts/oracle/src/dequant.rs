//! Stored weights to f32: the exact meaning of each storage format.
//!
//! | storage | block | bytes | value of element i |
//! |---|---|---|---|
//! | `f32`  | 1  | 4  | the same bits |
//! | `f16`  | 1  | 2  | exact widening |
//! | `q8_0` | 32 | 34 | `d * q[i]`: f16 `d`, then 32 signed bytes; the product is exact |
//! | `q4_1` | 32 | 20 | `d * q[i] + m`: f16 `d`, f16 `m`, then 16 bytes; the product is exact, the sum is rounded once |
//!
//! Byte j of a `q4_1` block has element j in its low four bits and element j + 16 in its high four.
//! Everything is little endian. A computed NaN is 0x7fc00000; only `f32`, a copy, keeps NaN bits.

use super::nan::canonical;

/// Elements of one quantised block.
const BLOCK: usize = 32;

/// How weights lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Storage {
    /// IEEE binary32.
    F32,
    /// IEEE binary16.
    F16,
    /// 32 signed bytes with one f16 scale.
    Q8_0,
    /// 32 unsigned four-bit integers with one f16 scale and one f16 minimum.
    Q4_1,
}

impl Storage {
    /// Every storage format.
    pub const ALL: [Self; 4] = [Self::F32, Self::F16, Self::Q8_0, Self::Q4_1];

    /// The format called `name` in contracts, kernel maps and IR; `None` for a name not listed above.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// The name used in contracts, kernel maps and IR.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Q8_0 => "q8_0",
            Self::Q4_1 => "q4_1",
        }
    }

    /// Elements of one block.
    pub fn block_elements(self) -> usize {
        match self {
            Self::F32 | Self::F16 => 1,
            Self::Q8_0 | Self::Q4_1 => BLOCK,
        }
    }

    /// Bytes of one block.
    pub fn block_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
            Self::Q8_0 => 2 + BLOCK,
            Self::Q4_1 => 4 + BLOCK / 2,
        }
    }

    /// Bytes of `elements` stored elements; an error unless they are whole blocks.
    pub fn bytes(self, elements: usize) -> Result<usize, String> {
        let block = self.block_elements();
        if !elements.is_multiple_of(block) {
            return Err(format!("{} stores blocks of {block} elements, found {elements}", self.name()));
        }
        (elements / block)
            .checked_mul(self.block_bytes())
            .ok_or_else(|| format!("{elements} elements of {} are too many to address", self.name()))
    }

    /// Decodes `stored` into `values`, which must be exactly as long as the blocks say.
    pub fn decode(self, stored: &[u8], values: &mut [f32]) -> Result<(), String> {
        let expected = self.bytes(values.len())?;
        if stored.len() != expected {
            return Err(format!(
                "{} elements of {} take {expected} bytes, found {}",
                values.len(),
                self.name(),
                stored.len()
            ));
        }
        let blocks = stored.chunks_exact(self.block_bytes()).zip(values.chunks_exact_mut(self.block_elements()));
        match self {
            Self::F32 => blocks.for_each(|(bytes, out)| out[0] = f32::from_bits(le_u32(bytes))),
            Self::F16 => blocks.for_each(|(bytes, out)| out[0] = f16_to_f32(le_u16(bytes))),
            Self::Q8_0 => blocks.for_each(|(bytes, out)| q8_0(bytes, out)),
            Self::Q4_1 => blocks.for_each(|(bytes, out)| q4_1(bytes, out)),
        }
        Ok(())
    }
}

/// One block: 2 bytes of scale, 32 signed bytes.
fn q8_0(block: &[u8], values: &mut [f32]) {
    let d = f16_to_f32(le_u16(block));
    for (value, q) in values.iter_mut().zip(&block[2..]) {
        *value = canonical(d * f32::from(q.cast_signed()));
    }
}

/// One block: 2 bytes of scale, 2 of minimum, 16 bytes of nibbles.
fn q4_1(block: &[u8], values: &mut [f32]) {
    let d = f16_to_f32(le_u16(block));
    let m = f16_to_f32(le_u16(&block[2..]));
    let (low, high) = values.split_at_mut(BLOCK / 2);
    for ((low, high), byte) in low.iter_mut().zip(high).zip(&block[4..]) {
        *low = canonical(d * f32::from(byte & 0xf) + m);
        *high = canonical(d * f32::from(byte >> 4) + m);
    }
}

/// Widens the bits of an IEEE binary16, exactly; a NaN becomes 0x7fc00000.
pub fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match (exponent, fraction) {
        (0, _) => (fraction as f32 / 16_777_216.0).to_bits(), // subnormal: fraction * 2^-24, exact
        (0x1f, 0) => 0x7f80_0000,
        (0x1f, _) => return canonical(f32::NAN),
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The first two bytes; the callers' chunks always have them.
fn le_u16(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

/// The first four bytes; the callers' chunks always have them.
fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
