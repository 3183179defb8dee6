//! Reproducible contents of buffers, by class of inputs.

use super::bench::{Buffer, Call};
use super::shapes::Facts;
use cke_contracts::evidence::InputClass;
use cke_contracts::layout::Layout;
use cke_contracts::registry::PortKind;
use cke_contracts::registry::vocabulary::DType;

/// A quiet NaN that stands where nobody may read.
const POISON: u32 = 0x7fde_adbe;

/// SplitMix64.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Less than `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Between -1 and 1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn pick(&mut self, bits: &[u32]) -> u32 {
        bits[self.below(bits.len())]
    }

    /// The bits of a value of a class.
    fn value(&mut self, class: InputClass) -> u32 {
        let ordinary = self.unit();
        let rare = self.below(97);
        match (class, rare) {
            // A quarter should leave the range where an exponential is nearly linear.
            (InputClass::Ordinary, 0..24) => (ordinary * 40.0).to_bits(),
            (InputClass::ZerosAndSubnormals, 0..8) => self.pick(&[0, 0x8000_0000]),
            (InputClass::ZerosAndSubnormals, 8..30) => (self.next() as u32) & 0x8003_ffff,
            (InputClass::Wide, _) => (ordinary * [1e-18_f32, 1e-6, 1.0, 1e3, 1e9][self.below(5)]).to_bits(),
            (InputClass::InfinitiesAndNans, 0) => {
                // Both infinities, quiet NaNs with payloads, a signalling NaN, both ends of the range.
                self.pick(&[0x7f80_0000, 0xff80_0000, 0x7fc1_2345, 0xffab_cdef, 0x7f80_0001, 0x7f7f_ffff, 0xff7f_fff0])
            }
            (InputClass::Ties, _) => {
                // 1, the number above it, and half of their distance: sums of these fall between two numbers.
                self.pick(&[0x3f80_0000, 0xbf80_0000, 0x3f80_0001, 0x3380_0000, 0xb380_0000, 0x3f00_0000, 0])
            }
            _ => ordinary.to_bits(),
        }
    }
}

/// Fills the state: inputs by class, everything else with a NaN.
pub fn fill(state: &mut [u8], buffers: &[Buffer], facts: &Facts, call: &Call, random: &mut Random) {
    for word in state.chunks_exact_mut(4) {
        word.copy_from_slice(&POISON.to_le_bytes());
    }
    for buffer in buffers.iter().filter(|buffer| buffer.is_read()) {
        let indices = facts.get("vocab").map_or(1, |&vocab| usize::try_from(vocab).unwrap_or(1));
        let words = (buffer.range.len() / 4).max(1);
        for word in state[buffer.range.clone()].chunks_exact_mut(4) {
            let bits = match (buffer.dtype, buffer.kind) {
                (DType::Int32, _) => random.below(indices) as u32,
                // Rare, so that not every row is NaN: caches have many elements.
                (_, PortKind::State) if call.inputs == InputClass::InfinitiesAndNans && random.below(words) > 8 => {
                    random.value(InputClass::Ordinary)
                }
                _ => random.value(call.inputs),
            };
            word.copy_from_slice(&bits.to_le_bytes());
        }
        match buffer.kind {
            PortKind::Weight => clear_padding(state, buffer),
            PortKind::State => spoil_unstored(state, buffer, call.position + call.rows),
            _ => {}
        }
    }
}

/// Missing columns of the last panel are +0, as the preparation of weights leaves them.
fn clear_padding(state: &mut [u8], buffer: &Buffer) {
    let (Layout::PanelsN32, &[n, k]) = (buffer.layout, buffer.dims.as_slice()) else { return };
    for column in n..n.next_multiple_of(32) {
        for row in 0..k {
            let word = (column / 32 * k + row) * 32 + column % 32;
            put(state, buffer, word, 0);
        }
    }
}

/// Positions nobody has stored yet hold NaN and infinity.
fn spoil_unstored(state: &mut [u8], buffer: &Buffer, end: usize) {
    let &[heads, capacity, width] = buffer.dims.as_slice() else { return };
    let stored = if buffer.layout == Layout::KBlocksT16 { capacity.next_multiple_of(16) } else { capacity };
    for head in 0..heads {
        for position in end..stored {
            for element in 0..width {
                if let Ok(word) = buffer.layout.offset(&[heads, stored, width], &[head, position, element]) {
                    let bits = if (position + element) % 3 == 0 { 0x7f80_0000 } else { 0x7fc0_dead };
                    put(state, buffer, word, bits);
                }
            }
        }
    }
}

fn put(state: &mut [u8], buffer: &Buffer, word: usize, bits: u32) {
    let at = buffer.range.start + 4 * word;
    state[at..at + 4].copy_from_slice(&bits.to_le_bytes());
}
