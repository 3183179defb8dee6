//! `cke_attention_fp32`: causal attention of each row over the caches, with an exact maximum and chunked sums.
//!
//! Slots: q, k_cache (k_blocks_t16), v_cache (head_major), scores (scratch, one row a thread), y, rows, position. Shape:
//! heads, kv_heads, head_dim, capacity. Parameter: scale.
//!
//! Pairs of a head and a row are shared out among threads, the rows of one head together. Row r stands at p = position +
//! r and sees the positions 0..=p; nothing beyond is used, whatever the caches hold there. Three passes over the scores
//! of a pair, which stay in the thread's scratch:
//!
//! 1. scores of 16 positions at a time (a chain over ascending d in each lane), times scale, and their maximum;
//! 2. p = e^(score - maximum) and its sums: by lanes within a chunk of positions, chunk by chunk, then the lanes' tree;
//! 3. for some columns of v at a time: a chain over ascending positions within a chunk, chunk by chunk, times 1 / sum.

use super::functions::{canonical_nan, div_ceil, exp_e0, fold_lanes, maximum, thread_share, tree_sum};
use super::rules::{self, AttentionRules};
use super::text::{F32, I64, PTR, Scalar, Text, Value, vector};
use super::{BLOCK, KernelRequest};

/// Positions of one vector of scores: a block of the key cache.
const WIDTH: u32 = 16;
/// Steps of the head width in one round of the score loop.
const UNROLL_D: i64 = 4;
/// Positions in one round of the value loop.
const UNROLL_T: i64 = 4;

/// What is fixed for a kernel.
#[derive(Clone, Copy)]
struct Shape {
    dim: i64,
    rules: AttentionRules,
    /// Vectors of accumulators which leave registers for everything else.
    accumulators: u32,
    scale: f32,
}

/// One pair of a head and a row.
#[derive(Clone, Copy)]
struct Pair {
    q: Value,
    k: Value,
    v: Value,
    scores: Value,
    y: Value,
    /// How many positions the row sees.
    visible: Value,
}

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let [heads, kv_heads, dim, capacity] = ["heads", "kv_heads", "head_dim", "capacity"].map(|key| request.extent(key));
    let (heads, kv_heads, dim, capacity) = (heads?, kv_heads?, dim?, capacity?);
    if heads % kv_heads != 0 {
        return Err(format!("'heads' must be a multiple of kv_heads = {kv_heads}; found {heads}"));
    }
    let rules = rules::attention(request.contract)?;
    let lanes_in_registers = request.isa.registers * request.isa.lanes;
    let shape = Shape {
        dim,
        rules,
        accumulators: (lanes_in_registers / (2 * WIDTH)).clamp(1, 8),
        scale: request.param("scale")?,
    };
    let mut t = Text::new();
    let [q, k, v, scores, y] = [0, 1, 2, 3, 4].map(|slot| t.slot(slot, PTR));
    let rows = request.rows(&mut t, 5);
    let position = t.slot(6, I64);
    let blocks = (capacity + BLOCK - 1) / BLOCK;
    let (thread, row_of_scores) = (t.thread(), t.i64(blocks * BLOCK));
    let first = t.muli(thread, row_of_scores);
    let scores = t.at(scores, first, F32);
    let [width, heads, group] = [dim, heads, heads / kv_heads].map(|value| t.i64(value));
    let [k_head, v_head] = [blocks * BLOCK * dim, capacity * dim].map(|value| t.i64(value));
    let pairs = t.muli(heads, rows);
    let (from, to) = thread_share(&mut t, pairs);
    t.for_loop(from, to, 1, &[], |t, pair, _| {
        let (head, row) = (t.divui(pair, rows), t.remui(pair, rows));
        let kv_head = t.divui(head, group);
        let first = t.muli(row, heads);
        let first = t.addi(first, head);
        let first = t.muli(first, width);
        let [q, y] = [q, y].map(|base| t.at(base, first, F32));
        let first = t.muli(kv_head, k_head);
        let k = t.at(k, first, F32);
        let first = t.muli(kv_head, v_head);
        let v = t.at(v, first, F32);
        let (own, one) = (t.addi(position, row), t.i64(1));
        let visible = t.addi(own, one);
        attend(t, shape, Pair { q, k, v, scores, y, visible });
        Vec::new()
    });
    Ok(t.finish(request.symbol))
}

fn attend(t: &mut Text, shape: Shape, pair: Pair) {
    let maximum = score_pass(t, shape, pair);
    let lowest = t.f32(F32, f32::NEG_INFINITY);
    let zero = t.f32(F32, 0.0);
    let none = t.cmpf("oeq", maximum, lowest);
    let maximum = t.select(none, zero, maximum);
    let sum = exponential_pass(t, shape, pair, maximum);
    let one = t.f32(F32, 1.0);
    let empty = t.cmpf("oeq", sum, zero);
    let reciprocal = t.divf(one, sum);
    let reciprocal = t.select(empty, zero, reciprocal);
    value_pass(t, shape, pair, reciprocal);
}

/// Stores the scores of all visible positions, -inf in the rest of the last block, and gives their maximum.
fn score_pass(t: &mut Text, shape: Shape, pair: Pair) -> Value {
    let ty = vector(WIDTH);
    let group = i64::from(shape.accumulators);
    let (zero, block, group_size) = (t.i64(0), t.i64(BLOCK), t.i64(group));
    let lowest = t.f32(ty, f32::NEG_INFINITY);
    let lanes = t.lane_indices(WIDTH);
    let whole = t.divui(pair.visible, block);
    let groups = t.divui(whole, group_size);
    let grouped = t.muli(groups, group_size);
    let blocks = div_ceil(t, pair.visible, BLOCK);
    let best = t.for_loop(zero, grouped, group, &[lowest], |t, first, best| {
        let scores = block_scores(t, shape, pair, first, group);
        let place = t.muli(first, block);
        let place = t.at(pair.scores, place, F32);
        let mut best = best[0];
        for (index, score) in (0..).zip(scores) {
            let place = t.offset_by(place, index * BLOCK, F32);
            t.store(score, place);
            best = maximum(t, score, best);
        }
        vec![best]
    });
    let best = t.for_loop(grouped, blocks, 1, &best, |t, first, best| {
        let score = block_scores(t, shape, pair, first, 1)[0];
        let start = t.muli(first, block);
        let seen = t.subi(pair.visible, start);
        let seen = t.trunci(seen);
        let seen = t.broadcast(seen, ty);
        let is_seen = t.cmpi("slt", lanes, seen);
        let score = t.select(is_seen, score, lowest);
        let place = t.at(pair.scores, start, F32);
        t.store(score, place);
        vec![maximum(t, score, best[0])]
    });
    fold_lanes(t, best[0], maximum)
}

/// The scores of `count` blocks of positions from block `first` on.
fn block_scores(t: &mut Text, shape: Shape, pair: Pair, first: Value, count: i64) -> Vec<Value> {
    let ty = vector(WIDTH);
    let stride = shape.dim * BLOCK;
    let (width, block) = (t.i64(stride), t.i64(BLOCK));
    let offset = t.muli(first, width);
    let k = t.at(pair.k, offset, F32);
    let step = |t: &mut Text, [q, k]: [Value; 2], d: i64, sums: Vec<Value>| -> Vec<Value> {
        let q = t.offset_by(q, d, F32);
        let q = t.load(q, F32);
        let q = t.broadcast(q, ty);
        let blocks = (0..).zip(sums);
        blocks
            .map(|(index, sum): (i64, Value)| {
                let k = t.offset_by(k, index * stride + d * BLOCK, F32);
                let k = t.load(k, ty);
                shape.rules.score.emit(t, q, k, sum)
            })
            .collect()
    };
    let zero = t.f32(ty, 0.0);
    let sums = vec![zero; usize::try_from(count).expect("a group has few blocks")];
    let whole = shape.dim / UNROLL_D * UNROLL_D;
    let (from, to) = (t.i64(0), t.i64(whole));
    let sums = t.for_loop(from, to, UNROLL_D, &sums, |t, d, sums| {
        let q = t.at(pair.q, d, F32);
        let offset = t.muli(d, block);
        let k = t.at(k, offset, F32);
        (0..UNROLL_D).fold(sums.to_vec(), |sums, d| step(t, [q, k], d, sums))
    });
    let sums = (whole..shape.dim).fold(sums, |sums, d| step(t, [pair.q, k], d, sums));
    let scale = t.f32(ty, shape.scale);
    sums.into_iter().map(|sum| t.mulf(sum, scale)).collect()
}

/// Replaces the scores by p and gives the sum of all p.
fn exponential_pass(t: &mut Text, shape: Shape, pair: Pair, maximum: Value) -> Value {
    let ty = vector(WIDTH);
    let (from, nothing) = (t.i64(0), t.f32(ty, 0.0));
    let maximum = t.broadcast(maximum, ty);
    let chunk = t.i64(shape.rules.chunk);
    let sums = t.for_loop(from, pair.visible, shape.rules.chunk, &[nothing], |t, start, total| {
        let end = t.addi(start, chunk);
        let end = t.minsi(end, pair.visible);
        // Lanes beyond the end hold -inf, so they add +0 to sums that are never -0.
        let part = t.for_loop(start, end, BLOCK, &[nothing], |t, place, part| {
            let place = t.at(pair.scores, place, F32);
            let score = t.load(place, ty);
            let difference = t.subf(score, maximum);
            let p = exp_e0(t, difference);
            t.store(p, place);
            vec![t.addf(part[0], p)]
        });
        vec![t.addf(total[0], part[0])]
    });
    tree_sum(t, &sums)
}

/// y = (sum over positions of p * v) * reciprocal, as many columns at a time as there are registers for.
fn value_pass(t: &mut Text, shape: Shape, pair: Pair, reciprocal: Value) {
    let width = i64::from(shape.accumulators * WIDTH);
    let whole = shape.dim / width * width;
    let (from, to) = (t.i64(0), t.i64(whole));
    t.for_loop(from, to, width, &[], |t, column, _| {
        let [v, y] = [pair.v, pair.y].map(|base| t.at(base, column, F32));
        value_columns(t, shape, Pair { v, y, ..pair }, width, reciprocal);
        Vec::new()
    });
    if whole < shape.dim {
        let [v, y] = [pair.v, pair.y].map(|base| t.offset_by(base, whole, F32));
        value_columns(t, shape, Pair { v, y, ..pair }, shape.dim - whole, reciprocal);
    }
}

/// The first `columns` columns of `pair.v`.
fn value_columns(t: &mut Text, shape: Shape, pair: Pair, columns: i64, reciprocal: Value) {
    let ty = vector(WIDTH);
    let width = i64::from(WIDTH);
    let nothing = t.f32(ty, 0.0);
    let (from, chunk, unroll, row) = (t.i64(0), t.i64(shape.rules.chunk), t.i64(UNROLL_T), t.i64(shape.dim));
    // Offset and number of columns of each accumulator.
    let parts: Vec<(i64, u32)> = (0..columns)
        .step_by(WIDTH as usize)
        .map(|offset| (offset, u32::try_from((columns - offset).min(width)).expect("at most one vector")))
        .collect();
    let step = |t: &mut Text, [p, v]: [Value; 2], offset: i64, sums: &[Value]| -> Vec<Value> {
        let p = t.offset_by(p, offset, F32);
        let p = t.load(p, F32);
        let p = t.broadcast(p, ty);
        let parts = parts.iter().zip(sums);
        parts
            .map(|(&(column, valid), &sum)| {
                let v = t.offset_by(v, offset * shape.dim + column, F32);
                let v = t.load_prefix(v, ty, valid);
                shape.rules.value.emit(t, p, v, sum)
            })
            .collect()
    };
    let zeros = vec![nothing; parts.len()];
    let totals = t.for_loop(from, pair.visible, shape.rules.chunk, &zeros, |t, start, totals| {
        let end = t.addi(start, chunk);
        let end = t.minsi(end, pair.visible);
        let count = t.subi(end, start);
        let rounds = t.divui(count, unroll);
        let whole = t.muli(rounds, unroll);
        let whole = t.addi(start, whole);
        let mut sums = zeros.clone();
        for (from, to, by) in [(start, whole, UNROLL_T), (whole, end, 1)] {
            sums = t.for_loop(from, to, by, &sums, |t, place, sums| {
                let p = t.at(pair.scores, place, F32);
                let first = t.muli(place, row);
                let v = t.at(pair.v, first, F32);
                (0..by).fold(sums.to_vec(), |sums, offset| step(t, [p, v], offset, &sums))
            });
        }
        totals.iter().zip(sums).map(|(&total, sum)| t.addf(total, sum)).collect()
    });
    let reciprocal = t.broadcast(reciprocal, ty);
    for (&(column, valid), total) in parts.iter().zip(totals) {
        let result = t.mulf(total, reciprocal);
        let stored = canonical_nan(t, result);
        debug_assert_eq!(stored.ty.scalar, Scalar::I32);
        let y = t.offset_by(pair.y, column, F32);
        t.store_prefix(stored, y, valid);
    }
}
