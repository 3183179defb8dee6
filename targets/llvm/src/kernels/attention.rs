//! `cke_attention_fp32`: causal attention of each row over the caches, with an exact maximum and chunked sums.
//!
//! Slots: q, k_cache (k_blocks_t16), v_cache (head_major), scores (scratch, one row a thread), y, rows, position. Shape:
//! heads, kv_heads, head_dim, capacity. Parameter: scale.
//!
//! Row r stands at p = position + r and sees the positions 0..=p; nothing beyond is used, whatever the caches hold there.
//! Three passes over the scores of a row:
//!
//! 1. scores of 16 positions at a time (a chain over ascending d in each lane), times scale, and their maximum;
//! 2. p = e^(score - maximum) and its sums: by lanes within a chunk of positions, chunk by chunk, then the lanes' tree;
//! 3. for some columns of v at a time: a chain over ascending positions within a chunk, chunk by chunk, times 1 / sum.
//!
//! A row is a function of its query and what it sees, so rows may be computed together: a prefill takes tiles of four
//! rows of one head, which share what they read of the caches, and keeps their scores on the stack. Rows that fill no
//! tile, and the row of a decode, are computed alone, with the scores in the thread's scratch. Tiles and rows, head by
//! head, are shared out among threads.

use super::functions::{canonical_nan, div_ceil, exp_e0, fold_lanes, maximum, thread_share, tree_sum};
use super::rules::{self, AttentionRules};
use super::text::{F32, I64, PTR, Text, Value, vector};
use super::{BLOCK, KernelRequest, Phase};
use crate::isa::Isa;

/// Positions of one vector of scores: a block of the key cache.
const WIDTH: u32 = 16;
/// Rows of a tile.
const TILE: usize = 4;
/// The most bytes of scores on the stack; a thread's stack has a multiple of it. Beyond, rows are computed alone.
const STACK: i64 = 256 << 10;
/// Steps of the head width in one round of the score loop.
const UNROLL_D: i64 = 4;
/// Positions in one round of the value loop.
const UNROLL_T: i64 = 4;

/// What is fixed for a kernel.
#[derive(Clone, Copy)]
struct Shape {
    heads: i64,
    /// Query heads that share one key head.
    group: i64,
    dim: i64,
    capacity: i64,
    scale: f32,
    rules: AttentionRules,
}

/// Rows of one head that are computed together, the first of which sees `visible` positions, the next one more.
#[derive(Clone, Copy)]
struct Rows {
    count: usize,
    /// Vectors which the accumulators of one row may take.
    accumulators: u32,
    q: Value,
    k: Value,
    v: Value,
    scores: Value,
    y: Value,
    visible: Value,
}

/// The slots of a call.
#[derive(Clone, Copy)]
struct Slots {
    q: Value,
    k: Value,
    v: Value,
    y: Value,
    position: Value,
}

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let [heads, kv_heads, dim, capacity] = ["heads", "kv_heads", "head_dim", "capacity"].map(|key| request.extent(key));
    let (heads, kv_heads, dim, capacity) = (heads?, kv_heads?, dim?, capacity?);
    if heads % kv_heads != 0 {
        return Err(format!("'heads' must be a multiple of kv_heads = {kv_heads}; found {heads}"));
    }
    let rules = rules::attention(request.contract)?;
    let shape = Shape { heads, group: heads / kv_heads, dim, capacity, scale: request.param("scale")?, rules };
    let mut t = Text::new();
    let [q, k, v, scores, y] = [0, 1, 2, 3, 4].map(|slot| t.slot(slot, PTR));
    let rows = request.rows(&mut t, 5);
    let slots = Slots { q, k, v, y, position: t.slot(6, I64) };
    let row_of_scores = t.i64(shape.row_of_scores());
    let first = t.muli(t.thread(), row_of_scores);
    let scores = t.at(scores, first, F32);
    let stack = TILE as i64 * shape.row_of_scores();
    if request.phase == Phase::Prefill && 4 * stack <= STACK {
        let stack = t.stack(stack, F32);
        tiles_and_rows(&mut t, request.isa, shape, slots, rows, [stack, scores]);
    } else {
        share_of_heads(&mut t, shape, rows, |t, head, row| {
            let rows = Rows::new(t, request.isa, shape, slots, (head, row, 1), scores);
            attend(t, shape, rows);
        });
    }
    Ok(t.finish(request.symbol))
}

/// The units of this thread: every head has `units` of them, and `body` gets the head and the unit in it.
fn share_of_heads(t: &mut Text, shape: Shape, units: Value, body: impl FnOnce(&mut Text, Value, Value)) {
    let heads = t.i64(shape.heads);
    let total = t.muli(heads, units);
    let (from, to) = thread_share(t, total);
    t.for_loop(from, to, 1, &[], |t, index, _| {
        let (head, unit) = (t.divui(index, units), t.remui(index, units));
        body(t, head, unit);
        Vec::new()
    });
}

/// Tiles of rows, then the rows that fill no tile one by one.
fn tiles_and_rows(t: &mut Text, isa: &Isa, shape: Shape, slots: Slots, rows: Value, [stack, scores]: [Value; 2]) {
    let size = t.i64(TILE as i64);
    let tiles = t.divui(rows, size);
    let tiled = t.muli(tiles, size);
    let alone = t.subi(rows, tiled);
    let units = t.addi(tiles, alone);
    share_of_heads(t, shape, units, |t, head, unit| {
        let is_tile = t.cmpi("slt", unit, tiles);
        t.if_else(
            is_tile,
            |t| {
                let row = t.muli(unit, size);
                let rows = Rows::new(t, isa, shape, slots, (head, row, TILE), stack);
                attend(t, shape, rows);
            },
            |t| {
                let beyond = t.subi(unit, tiles);
                let row = t.addi(tiled, beyond);
                let rows = Rows::new(t, isa, shape, slots, (head, row, 1), scores);
                attend(t, shape, rows);
            },
        );
    });
}

impl Shape {
    const fn row_of_scores(self) -> i64 {
        (self.capacity + BLOCK - 1) / BLOCK * BLOCK
    }
}

impl Rows {
    /// `count` rows of `head` from `row` on.
    fn new(
        t: &mut Text,
        isa: &Isa,
        shape: Shape,
        slots: Slots,
        (head, row, count): (Value, Value, usize),
        scores: Value,
    ) -> Self {
        let [heads, width, group, one] = [shape.heads, shape.dim, shape.group, 1].map(|value| t.i64(value));
        let [k_head, v_head] = [shape.row_of_scores() * shape.dim, shape.capacity * shape.dim].map(|size| t.i64(size));
        let kv_head = t.divui(head, group);
        let first = t.muli(row, heads);
        let first = t.addi(first, head);
        let first = t.muli(first, width);
        let [q, y] = [slots.q, slots.y].map(|base| t.at(base, first, F32));
        let first = t.muli(kv_head, k_head);
        let k = t.at(slots.k, first, F32);
        let first = t.muli(kv_head, v_head);
        let v = t.at(slots.v, first, F32);
        let own = t.addi(slots.position, row);
        let visible = t.addi(own, one);
        // Half of the registers; the other half is for what enters the accumulators.
        let vectors = isa.registers * isa.lanes / WIDTH / 2;
        let accumulators = (vectors / u32::try_from(count).expect("few rows")).clamp(1, 8);
        Self { count, accumulators, q, k, v, scores, y, visible }
    }

    /// Where row `row` of a row-major buffer starts, `stride` elements a row.
    fn row(self, t: &mut Text, base: Value, row: usize, stride: i64) -> Value {
        t.offset_by(base, row as i64 * stride, F32)
    }

    /// How many positions row `row` sees.
    fn visible(self, t: &mut Text, row: usize) -> Value {
        let more = t.i64(row as i64);
        t.addi(self.visible, more)
    }
}

fn attend(t: &mut Text, shape: Shape, rows: Rows) {
    let lowest = t.f32(F32, f32::NEG_INFINITY);
    let (zero, one) = (t.f32(F32, 0.0), t.f32(F32, 1.0));
    let best = score_pass(t, shape, rows);
    let mut reciprocals = Vec::with_capacity(rows.count);
    for (row, maximum) in best.into_iter().enumerate() {
        let none = t.cmpf("oeq", maximum, lowest);
        let maximum = t.select(none, zero, maximum);
        let sum = exponential_pass(t, shape, rows, row, maximum);
        let empty = t.cmpf("oeq", sum, zero);
        let reciprocal = t.divf(one, sum);
        reciprocals.push(t.select(empty, zero, reciprocal));
    }
    value_pass(t, shape, rows, &reciprocals);
}

/// Stores the scores of all visible positions, -inf in the rest of the last block, and gives each row's maximum.
fn score_pass(t: &mut Text, shape: Shape, rows: Rows) -> Vec<Value> {
    let ty = vector(WIDTH);
    let group = i64::from(rows.accumulators);
    let (zero, block, group_size) = (t.i64(0), t.i64(BLOCK), t.i64(group));
    let lowest = t.f32(ty, f32::NEG_INFINITY);
    let lanes = t.lane_indices(WIDTH);
    // Blocks which every row sees as a whole, in groups; then the rest one by one, masked for each row.
    let whole = t.divui(rows.visible, block);
    let groups = t.divui(whole, group_size);
    let grouped = t.muli(groups, group_size);
    let last = rows.visible(t, rows.count - 1);
    let blocks = div_ceil(t, last, BLOCK);
    let best = t.for_loop(zero, grouped, group, &vec![lowest; rows.count], |t, first, best| {
        let scores = block_scores(t, shape, rows, first, group);
        let start = t.muli(first, block);
        let place = t.at(rows.scores, start, F32);
        let mut next = best.to_vec();
        for (row, scores) in scores.chunks(rows.accumulators as usize).enumerate() {
            let place = rows.row(t, place, row, shape.row_of_scores());
            for (index, &score) in (0..).zip(scores) {
                let place = t.offset_by(place, index * BLOCK, F32);
                t.store(score, place);
                next[row] = maximum(t, score, next[row]);
            }
        }
        next
    });
    let best = t.for_loop(grouped, blocks, 1, &best, |t, first, best| {
        let scores = block_scores(t, shape, rows, first, 1);
        let start = t.muli(first, block);
        let place = t.at(rows.scores, start, F32);
        let mut next = Vec::with_capacity(rows.count);
        for (row, score) in scores.into_iter().enumerate() {
            let visible = rows.visible(t, row);
            let seen = t.subi(visible, start);
            let seen = t.trunci(seen);
            let seen = t.broadcast(seen, ty);
            let is_seen = t.cmpi("slt", lanes, seen);
            let score = t.select(is_seen, score, lowest);
            let place = rows.row(t, place, row, shape.row_of_scores());
            t.store(score, place);
            next.push(maximum(t, score, best[row]));
        }
        next
    });
    best.into_iter().map(|best| fold_lanes(t, best, maximum)).collect()
}

/// The scores of `count` blocks of positions from block `first` on: the blocks of the first row, then of the next.
fn block_scores(t: &mut Text, shape: Shape, rows: Rows, first: Value, count: i64) -> Vec<Value> {
    let ty = vector(WIDTH);
    let stride = shape.dim * BLOCK;
    let (width, block) = (t.i64(stride), t.i64(BLOCK));
    let offset = t.muli(first, width);
    let k = t.at(rows.k, offset, F32);
    let blocks = usize::try_from(count).expect("a group has few blocks");
    let step = |t: &mut Text, [q, k]: [Value; 2], d: i64, sums: Vec<Value>| -> Vec<Value> {
        let keys: Vec<Value> = (0..count)
            .map(|index| {
                let k = t.offset_by(k, index * stride + d * BLOCK, F32);
                t.load(k, ty)
            })
            .collect();
        let mut next = Vec::with_capacity(sums.len());
        for (row, sums) in sums.chunks(blocks).enumerate() {
            let q = rows.row(t, q, row, shape.heads * shape.dim);
            let q = t.offset_by(q, d, F32);
            let q = t.load(q, F32);
            let q = t.broadcast(q, ty);
            next.extend(keys.iter().zip(sums).map(|(&k, &sum)| shape.rules.score.emit(t, q, k, sum)));
        }
        next
    };
    let zero = t.f32(ty, 0.0);
    let sums = vec![zero; rows.count * blocks];
    let whole = shape.dim / UNROLL_D * UNROLL_D;
    let (from, to) = (t.i64(0), t.i64(whole));
    let sums = t.for_loop(from, to, UNROLL_D, &sums, |t, d, sums| {
        let q = t.at(rows.q, d, F32);
        let offset = t.muli(d, block);
        let k = t.at(k, offset, F32);
        (0..UNROLL_D).fold(sums.to_vec(), |sums, d| step(t, [q, k], d, sums))
    });
    let sums = (whole..shape.dim).fold(sums, |sums, d| step(t, [rows.q, k], d, sums));
    let scale = t.f32(ty, shape.scale);
    sums.into_iter().map(|sum| t.mulf(sum, scale)).collect()
}

/// Replaces the scores of one row by p and gives the sum of all p.
fn exponential_pass(t: &mut Text, shape: Shape, rows: Rows, row: usize, maximum: Value) -> Value {
    let ty = vector(WIDTH);
    let (from, nothing) = (t.i64(0), t.f32(ty, 0.0));
    let maximum = t.broadcast(maximum, ty);
    let chunk = t.i64(shape.rules.chunk);
    let visible = rows.visible(t, row);
    let scores = rows.row(t, rows.scores, row, shape.row_of_scores());
    let sums = t.for_loop(from, visible, shape.rules.chunk, &[nothing], |t, start, total| {
        let end = t.addi(start, chunk);
        let end = t.minsi(end, visible);
        // Lanes beyond the end hold -inf, so they add +0 to sums that are never -0.
        let part = t.for_loop(start, end, BLOCK, &[nothing], |t, place, part| {
            let place = t.at(scores, place, F32);
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
fn value_pass(t: &mut Text, shape: Shape, rows: Rows, reciprocals: &[Value]) {
    let width = i64::from(rows.accumulators * WIDTH);
    let whole = shape.dim / width * width;
    let (from, to) = (t.i64(0), t.i64(whole));
    t.for_loop(from, to, width, &[], |t, column, _| {
        let [v, y] = [rows.v, rows.y].map(|base| t.at(base, column, F32));
        value_columns(t, shape, Rows { v, y, ..rows }, width, reciprocals);
        Vec::new()
    });
    if whole < shape.dim {
        let [v, y] = [rows.v, rows.y].map(|base| t.offset_by(base, whole, F32));
        value_columns(t, shape, Rows { v, y, ..rows }, shape.dim - whole, reciprocals);
    }
}

/// The first `columns` columns of `rows.v`.
fn value_columns(t: &mut Text, shape: Shape, rows: Rows, columns: i64, reciprocals: &[Value]) {
    let nothing = t.f32(vector(WIDTH), 0.0);
    let (from, chunk) = (t.i64(0), t.i64(shape.rules.chunk));
    let parts = parts(columns);
    let zeros = vec![nothing; rows.count * parts.len()];
    let last = rows.visible(t, rows.count - 1);
    let totals = t.for_loop(from, last, shape.rules.chunk, &zeros, |t, start, totals| {
        let end = t.addi(start, chunk);
        // What every row sees of the chunk; possibly nothing.
        let common = t.minsi(end, rows.visible);
        let common = t.maxsi(common, start);
        let mut sums = weighted_sum(t, shape, rows, &parts, 0..rows.count, [start, common], &zeros);
        // What only the later rows see: a position more for each.
        for row in 1..rows.count {
            let visible = rows.visible(t, row);
            let end = t.minsi(end, visible);
            let end = t.maxsi(end, common);
            let own = row * parts.len()..(row + 1) * parts.len();
            let more = weighted_sum(t, shape, rows, &parts, row..row + 1, [common, end], &sums[own.clone()]);
            sums.splice(own, more);
        }
        // A row that sees nothing of the chunk adds +0 to a total that is never -0.
        totals.iter().zip(sums).map(|(&total, sum)| t.addf(total, sum)).collect()
    });
    for (row, totals) in totals.chunks(parts.len()).enumerate() {
        let y = rows.row(t, rows.y, row, shape.heads * shape.dim);
        let reciprocal = t.broadcast(reciprocals[row], vector(WIDTH));
        for (&(column, valid), &total) in parts.iter().zip(totals) {
            let result = t.mulf(total, reciprocal);
            let stored = canonical_nan(t, result);
            let y = t.offset_by(y, column, F32);
            t.store_prefix(stored, y, valid);
        }
    }
}

/// The first column and the number of columns of each accumulator.
fn parts(columns: i64) -> Vec<(i64, u32)> {
    let width = i64::from(WIDTH);
    let firsts = (0..columns).step_by(WIDTH as usize);
    firsts.map(|first| (first, u32::try_from((columns - first).min(width)).expect("at most one vector"))).collect()
}

/// The chains of some rows over the positions `from..to`, continued from `sums`.
fn weighted_sum(
    t: &mut Text,
    shape: Shape,
    rows: Rows,
    parts: &[(i64, u32)],
    which: std::ops::Range<usize>,
    [from, to]: [Value; 2],
    sums: &[Value],
) -> Vec<Value> {
    let ty = vector(WIDTH);
    let (unroll, width) = (t.i64(UNROLL_T), t.i64(shape.dim));
    let step = |t: &mut Text, [p, v]: [Value; 2], offset: i64, sums: Vec<Value>| -> Vec<Value> {
        let values: Vec<Value> = parts
            .iter()
            .map(|&(column, valid)| {
                let v = t.offset_by(v, offset * shape.dim + column, F32);
                t.load_prefix(v, ty, valid)
            })
            .collect();
        let mut next = Vec::with_capacity(sums.len());
        for (row, sums) in which.clone().zip(sums.chunks(parts.len())) {
            let p = rows.row(t, p, row, shape.row_of_scores());
            let p = t.offset_by(p, offset, F32);
            let p = t.load(p, F32);
            let p = t.broadcast(p, ty);
            next.extend(values.iter().zip(sums).map(|(&v, &sum)| shape.rules.value.emit(t, p, v, sum)));
        }
        next
    };
    let count = t.subi(to, from);
    let rounds = t.divui(count, unroll);
    let whole = t.muli(rounds, unroll);
    let whole = t.addi(from, whole);
    let mut sums = sums.to_vec();
    for (from, to, by) in [(from, whole, UNROLL_T), (whole, to, 1)] {
        sums = t.for_loop(from, to, by, &sums, |t, place, sums| {
            let p = t.at(rows.scores, place, F32);
            let first = t.muli(place, width);
            let v = t.at(rows.v, first, F32);
            (0..by).fold(sums.to_vec(), |sums, offset| step(t, [p, v], offset, sums))
        });
    }
    sums
}
