//! Operands on which fields show that noise hides, most of all behind an output rounded to bf16.

use half::f16;

/// What the operands of a call are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Craft {
    /// Numbers in -1..1.
    Noise,
    /// Normally distributed numbers, as normalised activations are.
    Normal,
    /// Every score is -inf, so that no position has weight: a row that is masked altogether.
    NoWeight,
    /// All scores are negative. The weights beyond the first are no normal numbers, and their values huge.
    Faint,
    /// All scores are so far below zero that their exponentials are no normal numbers.
    Low,
    /// The sum of the values overflows unless they are weighed by less than one.
    Huge,
    /// Every position has a greater score than the one before it, across all borders of chunks and tiles.
    Growing,
    /// Scores are great and their differences small, so that a rounding of a score weighs much.
    Offset,
    /// The sum of the weights is one and 2^-12 and, from head to head, up to 2^-22 more: one of its roundings decides to
    /// which side the first weight is rounded to fp16.
    Edge,
    /// All scores are equal.
    Ties,
    /// A key of NaN in the first head, one of +inf in the others, and values of -0.
    Special,
}

/// Queries, and keys and values of `capacity` positions a head.
pub struct Operands {
    pub q: Vec<f32>,
    pub k: Vec<f32>,
    pub v: Vec<f32>,
}

impl Craft {
    /// The operands of so many elements; queries are multiplied by `spread`.
    pub fn operands(self, queries: usize, heads: usize, capacity: usize, width: usize, spread: f32) -> Operands {
        let cache = heads * capacity * width;
        let random = if self == Self::Normal { normal } else { noise };
        let mut q: Vec<f32> = random(1, queries).iter().map(|q| q * spread).collect();
        let (mut k, mut v) = (random(2, cache), random(3, cache));
        let first = |row: usize| row.is_multiple_of(capacity);
        let rows = |of: &mut Vec<f32>, value: &dyn Fn(usize) -> f32| {
            of.chunks_mut(width).enumerate().for_each(|(row, elements)| elements.fill(value(row)));
        };
        match self {
            Self::Noise | Self::Normal => {}
            Self::NoWeight => {
                q.fill(1.0);
                k.fill(f32::NEG_INFINITY);
            }
            Self::Faint => {
                q.fill(1.0);
                let root = (width as f32).sqrt();
                rows(&mut k, &|row| if first(row) { -100.0 } else { -190.0 } / root);
                rows(&mut v, &|row| if first(row) { 0.0 } else { 3e38 });
            }
            Self::Low => {
                q.fill(1.0);
                let root = (width as f32).sqrt();
                rows(&mut k, &|row| (-95.0 - 0.125 * (row % 5) as f32) / root);
            }
            Self::Huge => v.fill(3e38),
            Self::Growing => {
                q.fill(1.0);
                let slope = |head: usize| 0.1 + 0.01 * head as f32;
                rows(&mut k, &|row| (row % capacity) as f32 * slope(row / capacity));
            }
            Self::Offset => [&mut q, &mut k].into_iter().flatten().for_each(|x| *x += 3.0),
            Self::Edge => {
                q.fill(1.0);
                for (row, k) in k.chunks_mut(width).enumerate() {
                    let more = (row / capacity) as f64 / heads as f64 / 4_194_304.0;
                    let weight = match row % capacity {
                        0 => 1.0,
                        1 => 1.0 / 4096.0 + more,
                        t => 1.0 / (0x800_0000 * (1 + t % 7)) as f64,
                    };
                    // Two numbers of fp16 make a score that is more exact than one.
                    let score = weight.ln() * (width as f64).sqrt();
                    k.fill(0.0);
                    k[0] = f16::from_f32(score as f32).to_f32();
                    k[1] = (score - f64::from(k[0])) as f32;
                }
            }
            Self::Ties => k.fill(0.25),
            Self::Special => {
                q.fill(1.0);
                v.fill(-0.0);
                let special = |head: usize| if head == 0 { f32::NAN } else { f32::INFINITY };
                k[width..2 * width].fill(special(0));
                (1..heads).for_each(|head| k[head * capacity * width..][..width].fill(special(head)));
            }
        }
        Operands { q, k, v }
    }
}

/// Numbers in -1..1 with full mantissas: a fixed sequence, the same on every host.
fn noise(seed: u64, n: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// As good as normally distributed with variance one: twelve uniform numbers added.
fn normal(seed: u64, n: usize) -> Vec<f32> {
    noise(seed, 12 * n).chunks_exact(12).map(|twelve| twelve.iter().sum::<f32>() * 0.5).collect()
}
