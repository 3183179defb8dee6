//! `cke_linear_fp32` and `cke_logits_fp32`: y[r][n] is the chain acc = fma(x[r][k], w[n][k], acc) over ascending k.
//!
//! Slots: x, w (panels_n32), y, rows. Shape: k, n. A chain per output makes every tiling give the same bits, so tiles are
//! chosen for the registers alone. Panels of 32 columns are shared out among threads; each streams its panels once.
//!
//! * One row (decode and logits): whole panels, 32 columns at a time, the chain over all of k in one pass.
//! * Several rows: tiles of rows by columns. A number of rows that is no multiple of a tile ends with a tile that
//!   overlaps the one before (the same bits are stored twice); fewer rows than one tile are cut into powers of two.

use super::functions::{canonical_nan, thread_share};
use super::rules::{self, OutputRows, Update};
use super::text::{F32, I64, PTR, Text, Value, vector};
use super::{KernelRequest, PANEL, Phase};
use crate::isa::Isa;

/// Columns of one accumulator.
const WIDTH: u32 = 16;
/// Rows of the tiles for what whole tiles leave, largest first; no whole tile has more than twice the first.
const SMALL_TILES: [i64; 4] = [8, 4, 2, 1];
/// Steps of k in one round of the loop.
const UNROLL: i64 = 8;

/// The compile-time facts of one kernel and the pointers of one call.
#[derive(Clone, Copy)]
struct Product {
    k: i64,
    n: i64,
    update: Update,
    x: Value,
    w: Value,
    y: Value,
}

/// A tile: rows from `row` on, columns `column..column + 16 * vectors` of panel `panel`.
#[derive(Clone, Copy)]
struct Tile {
    panel: Value,
    column: i64,
    vectors: u32,
    row: Value,
    rows: i64,
}

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let (k, n) = (request.extent_from(0, "k")?, request.extent("n")?);
    let update = rules::linear(request.contract, request.op, OutputRows::All)?;
    let mut t = Text::new();
    let [x, w, y] = [0, 1, 2].map(|slot| t.slot(slot, PTR));
    let product = Product { k, n, update, x, w, y };
    match request.phase {
        Phase::Decode => one_row(&mut t, product),
        Phase::Prefill => {
            let rows = t.slot(3, I64);
            many_rows(&mut t, product, rows, &Tiling::of(request.isa));
        }
    }
    Ok(t.finish(request.symbol))
}

/// The same product for the last row alone; y has one row.
pub fn synthesize_logits(request: &KernelRequest<'_>) -> Result<String, String> {
    let (k, n) = (request.extent_from(0, "k")?, request.extent("n")?);
    let update = rules::linear(request.contract, request.op, OutputRows::Last)?;
    let mut t = Text::new();
    let [x, w, y] = [0, 1, 2].map(|slot| t.slot(slot, PTR));
    let (rows, one, width) = (request.rows(&mut t, 3), t.i64(1), t.i64(k));
    let last = t.subi(rows, one);
    let first = t.muli(last, width);
    let x = t.at(x, first, F32);
    one_row(&mut t, Product { k, n, update, x, w, y });
    Ok(t.finish(request.symbol))
}

/// The largest tile whose accumulators, one row of weights and one broadcast element stay in registers.
struct Tiling {
    rows: i64,
    vectors: u32,
}

impl Tiling {
    fn of(isa: &Isa) -> Self {
        let vectors = if isa.lanes >= WIDTH { 2 } else { 1 };
        let per_row = (vectors * WIDTH).div_ceil(isa.lanes);
        Self { rows: i64::from((isa.registers - per_row - 1) / per_row), vectors }
    }
}

fn panels(t: &mut Text, n: i64) -> (Value, Value) {
    let total = t.i64((n + PANEL - 1) / PANEL);
    thread_share(t, total)
}

fn one_row(t: &mut Text, product: Product) {
    let (from, to) = panels(t, product.n);
    let row = t.i64(0);
    t.for_loop(from, to, 1, &[], |t, panel, _| {
        tile(t, product, Tile { panel, column: 0, vectors: 2, row, rows: 1 });
        Vec::new()
    });
}

fn many_rows(t: &mut Text, product: Product, rows: Value, tiling: &Tiling) {
    let (from, to) = panels(t, product.n);
    let size = t.i64(tiling.rows);
    let enough = t.cmpi("sge", rows, size);
    t.for_loop(from, to, 1, &[], |t, panel, _| {
        for column in (0..PANEL).step_by((tiling.vectors * WIDTH) as usize) {
            let row = t.i64(0);
            let place = Tile { panel, column, vectors: tiling.vectors, row, rows: tiling.rows };
            t.if_else(enough, |t| whole_tiles(t, product, rows, place), |t| few_rows(t, product, rows, place));
        }
        Vec::new()
    });
}

/// At least one tile of rows. What whole tiles leave is covered by a last tile which overlaps the one before: a small
/// one if that is enough.
fn whole_tiles(t: &mut Text, product: Product, rows: Value, place: Tile) {
    let small = SMALL_TILES.into_iter().find(|&small| small < place.rows).expect("a tile has more than one row");
    let (zero, size) = (t.i64(0), t.i64(place.rows));
    let (small_size, last) = (t.i64(small), t.subi(rows, size));
    let rest = t.remui(rows, size);
    let much = t.cmpi("sgt", rest, small_size);
    let whole = t.subi(rows, rest);
    let end = t.select(much, rows, whole);
    t.for_loop(zero, end, place.rows, &[], |t, row, _| {
        let row = t.minsi(row, last);
        tile(t, product, Tile { row, ..place });
        Vec::new()
    });
    let open = t.cmpi("slt", end, rows);
    t.if_then(open, |t| {
        let row = t.subi(rows, small_size);
        tile(t, product, Tile { row, rows: small, ..place });
    });
}

/// Fewer rows than a tile has: the binary digits of their number.
fn few_rows(t: &mut Text, product: Product, rows: Value, place: Tile) {
    let (zero, mut row) = (t.i64(0), t.i64(0));
    for size in SMALL_TILES.into_iter().filter(|&size| size < place.rows) {
        let digit = t.i64(size);
        let set = t.andi(rows, digit);
        let present = t.cmpi("ne", set, zero);
        t.if_then(present, |t| tile(t, product, Tile { row, rows: size, ..place }));
        row = t.addi(row, set);
    }
}

/// Computes and stores one tile.
fn tile(t: &mut Text, product: Product, place: Tile) {
    let (k, n, panel, width) = (t.i64(product.k), t.i64(product.n), t.i64(PANEL), t.i64(product.k * PANEL));
    let first = t.muli(place.row, k);
    let x = t.at(product.x, first, F32);
    let first = t.muli(place.panel, width);
    let w = t.at(product.w, first, F32);
    let w = t.offset_by(w, place.column, F32);
    let sums = chains(t, product, [x, w], place);
    let stored: Vec<Value> = sums.into_iter().map(|sum| canonical_nan(t, sum)).collect();
    let first = t.muli(place.row, n);
    let column = t.muli(place.panel, panel);
    let first = t.addi(first, column);
    let y = t.at(product.y, first, F32);
    store(t, product.n, y, place, &stored);
}

/// The accumulators of a tile, row by row.
fn chains(t: &mut Text, product: Product, [x, w]: [Value; 2], place: Tile) -> Vec<Value> {
    let k = product.k;
    let ty = vector(WIDTH);
    let zero = t.f32(ty, 0.0);
    let sums = vec![zero; usize::try_from(place.rows).expect("a tile has few rows") * place.vectors as usize];
    let step = |t: &mut Text, [x, w]: [Value; 2], offset: i64, sums: Vec<Value>| -> Vec<Value> {
        let weights: Vec<Value> = (0..place.vectors)
            .map(|vector| {
                let w = t.offset_by(w, offset * PANEL + i64::from(vector * WIDTH), F32);
                t.load(w, ty)
            })
            .collect();
        let mut next = Vec::with_capacity(sums.len());
        for (row, sums) in (0..).zip(sums.chunks(weights.len())) {
            let x = t.offset_by(x, row * k + offset, F32);
            let x = t.load(x, F32);
            let x = t.broadcast(x, ty);
            next.extend(weights.iter().zip(sums).map(|(&w, &sum)| product.update.emit(t, x, w, sum)));
        }
        next
    };
    let whole = k / UNROLL * UNROLL;
    let (from, to, panel) = (t.i64(0), t.i64(whole), t.i64(PANEL));
    let sums = t.for_loop(from, to, UNROLL, &sums, |t, index, sums| {
        let x = t.at(x, index, F32);
        let offset = t.muli(index, panel);
        let w = t.at(w, offset, F32);
        (0..UNROLL).fold(sums.to_vec(), |sums, offset| step(t, [x, w], offset, sums))
    });
    (whole..k).fold(sums, |sums, offset| step(t, [x, w], offset, sums))
}

/// Stores a tile; the last panel has only the columns below n.
fn store(t: &mut Text, n: i64, y: Value, place: Tile, stored: &[Value]) {
    let columns = |t: &mut Text, valid: i64| {
        for (row, vectors) in (0..).zip(stored.chunks(place.vectors as usize)) {
            for (vector, &value) in (0..).zip(vectors) {
                let column = place.column + vector * i64::from(WIDTH);
                let count = (valid - column).clamp(0, i64::from(WIDTH));
                if count > 0 {
                    let y = t.offset_by(y, row * n + column, F32);
                    t.store_prefix(value, y, u32::try_from(count).expect("at most one vector"));
                }
            }
        }
    };
    let rest = n % PANEL;
    if rest == 0 {
        return columns(t, PANEL);
    }
    let last = t.i64(n / PANEL);
    let whole = t.cmpi("slt", place.panel, last);
    t.if_else(whole, |t| columns(t, PANEL), |t| columns(t, rest));
}
