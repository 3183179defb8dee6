//! Reproducible contents of buffers: ordinary numbers, or every special value among them.

use super::{CallOf, Kernel, Port};
use cke_contracts::layout::Layout;

/// What the inputs hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers of magnitude about 1.
    Ordinary,
    /// Ordinary numbers, and among them zeros of both signs and subnormals.
    Small,
    /// Numbers of every magnitude a product can be finite with.
    Wide,
    /// Ordinary numbers, and rarely an infinity, a NaN with a payload or a number near the ends of the range.
    Special,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Ordinary, Self::Small, Self::Wide, Self::Special];
}

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn value(&mut self, kind: Kind) -> u32 {
        let ordinary = self.unit();
        let rare = self.below(97);
        let bits = match (kind, rare) {
            (Kind::Small, 0..8) => [0.0_f32, -0.0][self.below(2)].to_bits(),
            (Kind::Small, 8..30) => (self.next() as u32) & 0x8003_ffff,
            (Kind::Wide, _) => (ordinary * [1e-18_f32, 1e-6, 1.0, 1e3, 1e9][self.below(5)]).to_bits(),
            (Kind::Special, 0) => {
                let special =
                    [0x7f80_0000, 0xff80_0000, 0x7fc1_2345, 0xffab_cdef, 0x7f80_0001, 0x7f7f_ffff, 0xff7f_fff0];
                special[self.below(special.len())]
            }
            _ => ordinary.to_bits(),
        };
        // Half of the numbers of attention's queries and of gates should leave the linear range of an exponential.
        if kind == Kind::Ordinary && rare < 24 { (ordinary * 40.0).to_bits() } else { bits }
    }
}

/// Fills every buffer, the gaps between them included: inputs by `call.kind`, everything else with a NaN nobody may see.
pub fn fill(state: &mut [u8], kernel: &Kernel, ports: &[Port], call: CallOf, random: &mut Random) {
    for word in state.chunks_exact_mut(4) {
        word.copy_from_slice(&0x7fde_adbe_u32.to_le_bytes());
    }
    for port in ports.iter().filter(|port| !port.scratch && port.name != "y") {
        let count = port.elements;
        let words = state[port.range()].chunks_exact_mut(4);
        for (index, word) in words.enumerate() {
            let bits = match port.name {
                "tokens" => random.below(kernel.extent("vocab")) as u32,
                "k_cache" | "v_cache" if kernel.op == "kv_append" => continue,
                // Rare, so that not every row of attention is NaN: the caches have many elements.
                "k_cache" | "v_cache" if call.kind == Kind::Special && random.below(count) > 8 => {
                    random.value(Kind::Ordinary)
                }
                _ => random.value(call.kind),
            };
            word.copy_from_slice(&bits.to_le_bytes());
            debug_assert!(index < count);
        }
        if port.layout == Layout::PanelsN32 {
            clear_padding(&mut state[port.range()], kernel);
        }
        if port.name.ends_with("_cache") && kernel.op == "attention" {
            spoil_invisible(&mut state[port.range()], kernel, port.layout, call.position + call.rows);
        }
    }
}

/// The columns of the last panel beyond the weight's rows are +0.
fn clear_padding(panels: &mut [u8], kernel: &Kernel) {
    let (n, k) = if kernel.op == "embedding" { ("vocab", "dim") } else { ("n", "k") };
    let (n, k) = (kernel.extent(n), kernel.extent(k));
    for column in n..n.next_multiple_of(32) {
        for row in 0..k {
            let word = (column / 32 * k + row) * 32 + column % 32;
            panels[4 * word..4 * word + 4].fill(0);
        }
    }
}

/// Positions nobody has stored hold NaN and infinity.
fn spoil_invisible(cache: &mut [u8], kernel: &Kernel, layout: Layout, end: usize) {
    let dims = [kernel.extent("kv_heads"), kernel.extent("capacity"), kernel.extent("head_dim")];
    let stored = if layout == Layout::KBlocksT16 { dims[1].next_multiple_of(16) } else { dims[1] };
    let padded = [dims[0], stored, dims[2]];
    for head in 0..dims[0] {
        for position in end..stored {
            for d in 0..dims[2] {
                let word = layout.offset(&padded, &[head, position, d]).expect("inside the cache");
                let bits: u32 = if (position + d) % 3 == 0 { 0x7f80_0000 } else { 0x7fc0_dead };
                cache[4 * word..4 * word + 4].copy_from_slice(&bits.to_le_bytes());
            }
        }
    }
}
