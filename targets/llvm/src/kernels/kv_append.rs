//! `cke_kv_append_fp32`: stores the rows of k and v at `position` + row of the caches, bit by bit.
//!
//! Slots: k, v, k_cache (k_blocks_t16), v_cache (head_major), rows, position. Shape: kv_heads, head_dim, capacity.
//! Pairs of a row and a head are shared out among threads.

use super::functions::{div_ceil, thread_share};
use super::text::{I32, I64, PTR, Text};
use super::{BLOCK, KernelRequest, rules};

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let [heads, dim, capacity] = ["kv_heads", "head_dim", "capacity"].map(|key| request.extent(key));
    let (heads, dim, capacity) = (heads?, dim?, capacity?);
    rules::kv_append(request.contract)?;
    let mut t = Text::new();
    let [k, v, k_cache, v_cache] = [0, 1, 2, 3].map(|slot| t.slot(slot, PTR));
    let rows = request.rows(&mut t, 4);
    let position = t.slot(5, I64);
    let [heads, width, block] = [heads, dim, BLOCK].map(|value| t.i64(value));
    let pairs = t.muli(rows, heads);
    let (from, to) = thread_share(&mut t, pairs);
    let positions = t.i64(capacity);
    let blocks = div_ceil(&mut t, positions, BLOCK);
    t.for_loop(from, to, 1, &[], |t, pair, _| {
        let (row, head) = (t.divui(pair, heads), t.remui(pair, heads));
        let place = t.addi(position, row);
        let first = t.muli(pair, width);
        let [k, v] = [k, v].map(|base| t.at(base, first, I32));
        // Element (head, place, d) of k lies at ((head * blocks + place / 16) * dim + d) * 16 + place % 16.
        let (index, lane) = (t.divui(place, block), t.remui(place, block));
        let first = t.muli(head, blocks);
        let first = t.addi(first, index);
        let first = t.muli(first, width);
        let first = t.muli(first, block);
        let first = t.addi(first, lane);
        let k_cache = t.at(k_cache, first, I32);
        let first = t.muli(head, positions);
        let first = t.addi(first, place);
        let first = t.muli(first, width);
        let v_cache = t.at(v_cache, first, I32);
        let zero = t.i64(0);
        t.for_loop(zero, width, 1, &[], |t, d, _| {
            let (from_k, from_v) = (t.at(k, d, I32), t.at(v, d, I32));
            let (bits_k, bits_v) = (t.load(from_k, I32), t.load(from_v, I32));
            let offset = t.muli(d, block);
            let (to_k, to_v) = (t.at(k_cache, offset, I32), t.at(v_cache, d, I32));
            t.store(bits_k, to_k);
            t.store(bits_v, to_v);
            Vec::new()
        });
        Vec::new()
    });
    Ok(t.finish(request.symbol))
}
