//! The loop of kernels whose output element depends on the input elements at the same place.

use super::functions::{div_ceil, thread_share};
use super::text::{F32, Text, Type, Value, vector};

/// Elements of one unit of work: one vector.
const UNIT: u32 = 16;

/// Calls `body(index, type)` for every element of `0..total` of this thread, by vectors and then by single elements.
///
/// The body is emitted twice, for `vector<16xf32>` and for `f32`, and must mean the same for both.
pub fn elementwise(t: &mut Text, total: Value, body: impl Fn(&mut Text, Value, Type)) {
    let unit = t.i64(i64::from(UNIT));
    let units = div_ceil(t, total, i64::from(UNIT));
    let (from, to) = thread_share(t, units);
    let from = t.muli(from, unit);
    let to = t.muli(to, unit);
    let to = t.minsi(to, total);
    // Only the last unit of all can be incomplete.
    let whole = t.divui(to, unit);
    let whole = t.muli(whole, unit);
    t.for_loop(from, whole, i64::from(UNIT), &[], |t, index, _| {
        body(t, index, vector(UNIT));
        Vec::new()
    });
    t.for_loop(whole, to, 1, &[], |t, index, _| {
        body(t, index, F32);
        Vec::new()
    });
}
