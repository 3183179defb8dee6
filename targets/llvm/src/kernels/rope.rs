//! `cke_rope_pairwise_fp32` and `cke_rope_split_half_fp32`: turns pairs of elements of each head by the row's angle.
//!
//! y0 = fma(x0, c, -(x1 * s)), y1 = fma(x0, s, x1 * c); elements beyond the rotary width are copied bit by bit.
//!
//! Slots: x, table (row_major [positions][rotary_dim / 2][2]: cosine, sine), y, rows, position. Shape: heads, head_dim,
//! rotary_dim, positions. Pairs of a row and a head are shared out among threads.

use super::KernelRequest;
use super::functions::{canonical_nan, thread_share};
use super::rules::{self, Pairing};
use super::text::{F32, I32, I64, PTR, Scalar, Text, Value, vector};

/// Which elements form a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// 2i and 2i + 1.
    Interleaved,
    /// i and i + rotary_dim / 2.
    SplitHalf,
}

impl Pairs {
    /// The name in contracts.
    const fn name(self) -> Pairing {
        match self {
            Self::Interleaved => Pairing::PairwiseInterleaved,
            Self::SplitHalf => Pairing::SplitHalf,
        }
    }
}

/// Rotated pairs of one round.
const PAIRS: u32 = 16;

pub fn synthesize(request: &KernelRequest<'_>, pairing: Pairs) -> Result<String, String> {
    let [heads, head_dim, rotary] = ["heads", "head_dim", "rotary_dim"].map(|key| request.extent(key));
    let (heads, head_dim, rotary) = (heads?, head_dim?, rotary?);
    if rotary % 2 != 0 || rotary > head_dim {
        return Err(format!("'rotary_dim' must be even and at most head_dim = {head_dim}; found {rotary}"));
    }
    rules::rope(request.contract, pairing.name())?;
    let mut t = Text::new();
    let [x, table, y] = [0, 1, 2].map(|slot| t.slot(slot, PTR));
    let rows = request.rows(&mut t, 3);
    let position = t.slot(4, I64);
    let [heads, width, angles] = [heads, head_dim, rotary].map(|value| t.i64(value));
    let pairs = t.muli(rows, heads);
    let (from, to) = thread_share(&mut t, pairs);
    t.for_loop(from, to, 1, &[], |t, pair, _| {
        let row = t.divui(pair, heads);
        let place = t.addi(position, row);
        let first = t.muli(place, angles);
        let table = t.at(table, first, F32);
        let first = t.muli(pair, width);
        let [x, y] = [x, y].map(|base| t.at(base, first, F32));
        turn(t, [x, table, y], rotary / 2, pairing);
        copy(t, [x, y], rotary, head_dim);
        Vec::new()
    });
    Ok(t.finish(request.symbol))
}

/// Turns the `half` pairs of one head: rounds of 16, then of 8, 4, 2 and 1.
fn turn(t: &mut Text, head: [Value; 3], half: i64, pairing: Pairs) {
    let step = i64::from(PAIRS);
    let whole = half / step * step;
    let (from, to) = (t.i64(0), t.i64(whole));
    t.for_loop(from, to, step, &[], |t, index, _| {
        turn_pairs(t, head, index, half, PAIRS, pairing);
        Vec::new()
    });
    let mut done = whole;
    for pairs in [8, 4, 2, 1_u32] {
        if (half - done) >= i64::from(pairs) {
            let index = t.i64(done);
            turn_pairs(t, head, index, half, pairs, pairing);
            done += i64::from(pairs);
        }
    }
}

/// Turns `pairs` pairs from pair `index` on.
fn turn_pairs(t: &mut Text, [x, table, y]: [Value; 3], index: Value, half: i64, pairs: u32, pairing: Pairs) {
    let two = t.i64(2);
    let twice = t.muli(index, two);
    let table = t.at(table, twice, F32);
    let angles = t.load(table, vector(2 * pairs));
    let [c, s] = deinterleave(t, angles);
    let [x0, x1] = match pairing {
        Pairs::Interleaved => {
            let x = t.at(x, twice, F32);
            let both = t.load(x, vector(2 * pairs));
            deinterleave(t, both)
        }
        Pairs::SplitHalf => {
            let first = t.at(x, index, F32);
            let second = t.offset_by(first, half, F32);
            [first, second].map(|address| t.load(address, vector(pairs)))
        }
    };
    let product = t.mulf(x1, s);
    let minus = t.negf(product);
    let y0 = t.fma(x0, c, minus);
    let product = t.mulf(x1, c);
    let y1 = t.fma(x0, s, product);
    let [y0, y1] = [y0, y1].map(|turned| canonical_nan(t, turned));
    match pairing {
        Pairs::Interleaved => {
            let both = t.shuffle(y0, y1, (0..pairs).flat_map(|pair| [pair, pairs + pair]));
            let y = t.at(y, twice, F32);
            t.store(both, y);
        }
        Pairs::SplitHalf => {
            let first = t.at(y, index, F32);
            let second = t.offset_by(first, half, F32);
            t.store(y0, first);
            t.store(y1, second);
        }
    }
}

/// The even and the odd lanes.
fn deinterleave(t: &mut Text, both: Value) -> [Value; 2] {
    let pairs = both.ty.lanes / 2;
    [0, 1].map(|odd| t.shuffle(both, both, (0..pairs).map(|pair| 2 * pair + odd)))
}

/// Copies the elements `from..to` of one head.
fn copy(t: &mut Text, [x, y]: [Value; 2], from: i64, to: i64) {
    let ty = vector(PAIRS).with(Scalar::I32);
    for offset in (from..to).step_by(PAIRS as usize) {
        let valid = u32::try_from((to - offset).min(i64::from(PAIRS))).expect("at most one vector");
        let [x, y] = [x, y].map(|base| t.offset_by(base, offset, I32));
        let bits = t.load_prefix(x, ty, valid);
        t.store_prefix(bits, y, valid);
    }
}
