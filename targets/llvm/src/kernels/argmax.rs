//! `cke_argmax_fp32`: the first index of the greatest element; a NaN is never it, and without any candidate it is 0.
//!
//! Slots: x, y (i32). Shape: n. Thread 0 does all the work. Each lane keeps its greatest value and the first index of
//! it; lanes are then combined by value, and by the lower index where values are equal.

use super::functions::{fold_lanes, maximum};
use super::text::{F32, PTR, Scalar, Text, Value, vector};
use super::{KernelRequest, rules};

const WIDTH: u32 = 16;

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let n = request.extent("n")?;
    if i32::try_from(n).is_err() {
        return Err(format!("'{}' stores an i32 index, but n is {n}", request.function));
    }
    rules::argmax(request.contract)?;
    let mut t = Text::new();
    let [x, y] = [0, 1].map(|slot| t.slot(slot, PTR));
    let (thread, zero) = (t.thread(), t.i64(0));
    let first = t.cmpi("eq", thread, zero);
    t.if_then(first, |t| {
        let best = scan(t, x, n);
        t.store(best, y);
    });
    Ok(t.finish(request.symbol))
}

fn scan(t: &mut Text, x: Value, n: i64) -> Value {
    let ty = vector(WIDTH);
    let width = i64::from(WIDTH);
    let whole = n / width * width;
    let (lowest, none, lanes) = (t.f32(ty, f32::NEG_INFINITY), t.i32(ty.with(Scalar::I32), 0), t.lane_indices(WIDTH));
    let (from, to) = (t.i64(0), t.i64(whole));
    let best = t.for_loop(from, to, width, &[lowest, none], |t, index, best| {
        let address = t.at(x, index, F32);
        let value = t.load(address, ty);
        let base = t.trunci(index);
        let base = t.broadcast(base, ty);
        let index = t.addi(base, lanes);
        better(t, (value, index), (best[0], best[1])).into()
    });
    let (value, index) = combine_lanes(t, best[0], best[1]);
    let (from, to) = (t.i64(whole), t.i64(n));
    let best = t.for_loop(from, to, 1, &[value, index], |t, index, best| {
        let address = t.at(x, index, F32);
        let value = t.load(address, F32);
        let index = t.trunci(index);
        better(t, (value, index), (best[0], best[1])).into()
    });
    best[1]
}

/// The candidate where it is strictly greater, else what was best before; NaN is not greater.
fn better(t: &mut Text, (value, index): (Value, Value), best: (Value, Value)) -> [Value; 2] {
    let greater = t.cmpf("ogt", value, best.0);
    [t.select(greater, value, best.0), t.select(greater, index, best.1)]
}

/// The best lane. Values are never NaN here, and a lane without a candidate has -inf and index 0.
fn combine_lanes(t: &mut Text, values: Value, indices: Value) -> (Value, Value) {
    let greatest = fold_lanes(t, values, maximum);
    let everywhere = t.broadcast(greatest, values.ty);
    let is_greatest = t.cmpf("oeq", values, everywhere);
    let beyond = t.i32(indices.ty, i32::MAX);
    let candidates = t.select(is_greatest, indices, beyond);
    let first = fold_lanes(t, candidates, Text::minsi);
    (greatest, first)
}
