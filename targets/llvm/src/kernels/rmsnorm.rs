//! `cke_rmsnorm_fp32`: y = (x * r) * gamma with r = 1 / sqrt(mean(x^2) + eps).
//!
//! Slots: x, gamma, y, rows. Shape: dim. Parameter: eps. The sum of squares has the contract's lanes, element i in lane
//! i mod lanes, and its tree. Rows are shared out among threads; the one row of a decode is thread 0's.

use super::KernelRequest;
use super::functions::{canonical_nan, thread_share, tree_sum};
use super::rules::{self, NormRules};
use super::text::{F32, PTR, Text, Value, vector};

/// The widest vector a chunk of lanes is held in.
const WIDTH: u32 = 16;

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let dim = request.extent("dim")?;
    let eps = request.param("eps")?;
    let rules = rules::rmsnorm(request.contract)?;
    let mut t = Text::new();
    let [x, gamma, y] = [0, 1, 2].map(|slot| t.slot(slot, PTR));
    let rows = request.rows(&mut t, 3);
    let (from, to) = thread_share(&mut t, rows);
    t.for_loop(from, to, 1, &[], |t, row, _| {
        let width = t.i64(dim);
        let first = t.muli(row, width);
        let [x, y] = [x, y].map(|base| t.at(base, first, F32));
        let sum = sum_of_squares(t, x, dim, rules);
        let count = t.f32(F32, dim as f32);
        let mean = t.divf(sum, count);
        let eps = t.f32(F32, eps);
        let shifted = t.addf(mean, eps);
        let root = t.sqrt(shifted);
        let one = t.f32(F32, 1.0);
        let scale = t.divf(one, root);
        scale_row(t, [x, gamma, y], dim, scale);
        Vec::new()
    });
    Ok(t.finish(request.symbol))
}

/// The squares lane by lane, then the tree.
fn sum_of_squares(t: &mut Text, x: Value, dim: i64, rules: NormRules) -> Value {
    let lanes = rules.lanes;
    let ty = vector(lanes.min(WIDTH));
    let width = i64::from(ty.lanes);
    let zero = t.f32(ty, 0.0);
    let chunks = vec![zero; usize::try_from(lanes / ty.lanes).expect("a contract has few lanes")];
    let step = i64::from(lanes);
    let whole = dim / step * step;
    let (from, to) = (t.i64(0), t.i64(whole));
    let mut sums = t.for_loop(from, to, step, &chunks, |t, index, sums| {
        let x = t.at(x, index, F32);
        let chunks = (0..).step_by(ty.lanes as usize).zip(sums);
        chunks
            .map(|(offset, &sum)| {
                let x = t.offset_by(x, offset, F32);
                let x = t.load(x, ty);
                rules.update.emit(t, x, x, sum)
            })
            .collect()
    });
    // Lanes beyond the end read +0, and 0 * 0 + acc is acc: a sum of squares is never -0.
    for (offset, sum) in (whole..dim).step_by(ty.lanes as usize).zip(&mut sums) {
        let valid = (dim - offset).min(width);
        let x = t.offset_by(x, offset, F32);
        let x = t.load_prefix(x, ty, u32::try_from(valid).expect("at most the width"));
        *sum = rules.update.emit(t, x, x, *sum);
    }
    tree_sum(t, &sums)
}

/// y = (x * scale) * gamma.
fn scale_row(t: &mut Text, [x, gamma, y]: [Value; 3], dim: i64, scale: Value) {
    let ty = vector(WIDTH);
    let width = i64::from(WIDTH);
    let whole = dim / width * width;
    let scale = t.broadcast(scale, ty);
    let chunk = |t: &mut Text, [x, gamma, y]: [Value; 3], valid: u32| {
        let (x, gamma) = (t.load_prefix(x, ty, valid), t.load_prefix(gamma, ty, valid));
        let scaled = t.mulf(x, scale);
        let product = t.mulf(scaled, gamma);
        let stored = canonical_nan(t, product);
        t.store_prefix(stored, y, valid);
    };
    let (from, to) = (t.i64(0), t.i64(whole));
    t.for_loop(from, to, width, &[], |t, index, _| {
        let places = [x, gamma, y].map(|base| t.at(base, index, F32));
        chunk(t, places, WIDTH);
        Vec::new()
    });
    if whole < dim {
        let places = [x, gamma, y].map(|base| t.offset_by(base, whole, F32));
        chunk(t, places, u32::try_from(dim - whole).expect("less than the width"));
    }
}
