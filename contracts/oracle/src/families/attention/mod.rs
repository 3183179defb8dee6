//! `attention`: softmax of scaled scores and the weighted sum of values, cut and rounded as the contract says.
//!
//! [`rules`] reads the fields, [`composite`] finds the part in effect, [`operands`] reads and rounds queries and caches;
//! [`exact`] and [`online`] are the two kinds of softmax, [`chunked`] the merge of what workers leave.

mod chunked;
mod composite;
mod exact;
mod online;
mod operands;
mod rounding;
mod rules;

use super::{Call, canonical, read_rows, write_rows};
use cke_contracts::registry::vocabulary::{AddressStride, RangeRule};
use operands::{Heads, Shape};
use rules::{Kind, Rules};

/// Ports `q`, `k_cache`, `v_cache`, `y`; shape `heads`, `kv_heads`, `head_dim`, `capacity`, and `window` where the range
/// has one; parameter `scale` unless the contract fixes it.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let part = composite::part(call)?;
    let rules = Rules::new(call, part)?;
    let shape = Shape::new(call, rules.scale)?;
    let capacity = call.extent("capacity")?;
    let valid = call.end_position("capacity", capacity)?;
    let window = match rules.range {
        RangeRule::Causal | RangeRule::Full => usize::MAX,
        RangeRule::CausalWindow => call.extent("window")?,
    };
    let row = [call.rows, shape.row()?];
    let positions = match rules.address_stride {
        Some(AddressStride::ValidRows) => valid,
        Some(AddressStride::Capacity) | None => capacity,
    };
    let cache = [shape.kv_heads, positions, shape.width];
    let q = call.tensor_of_any("q", &row, state)?;
    let y = call.tensor_of_any("y", &row, state)?;
    rounding::check_output(rules.output, y.element())?;
    let keys = call.tensor_of_any("k_cache", &cache, state)?;
    let values = call.tensor_of_any("v_cache", &cache, state)?;
    composite::check_storage(call, keys.element(), values.element())?;

    let q_rounding = rounding::query(part.0.q_compute, q.element())?;
    let k_rounding = rounding::cache("k_compute", part.0.k_compute, "k_cache", keys.element())?;
    let v_rounding = rounding::cache("value_compute", part.0.value_compute, "v_cache", values.element())?;
    let mut keys = Heads::read(&keys, &cache, valid, k_rounding, state)?;
    shape.scale_keys(&mut keys);
    let values = Heads::read(&values, &cache, valid, v_rounding, state)?;

    let mut rows = read_rows(&q, state, call.rows)?;
    for (r, row) in rows.iter_mut().enumerate() {
        let range = match rules.range {
            RangeRule::Full => 0..valid,
            RangeRule::Causal | RangeRule::CausalWindow => {
                let end = call.position + r + 1;
                end.saturating_sub(window)..end
            }
        };
        shape.prepare_query(row, q_rounding);
        for head in 0..shape.heads {
            let own = head * shape.width..(head + 1) * shape.width;
            let query = &row[own.clone()];
            let (keys, values) = (keys.of(head / shape.group), values.of(head / shape.group));
            let scores = shape.scores(&rules.score, query, keys, range.clone());
            let output = match &rules.kind {
                Kind::Exact(exact) => exact.row(&rules, &scores, (values, shape.width), range.clone()),
                Kind::Online(online) => online.row(&rules, &scores, (values, shape.width), range.clone(), valid),
            };
            for (y, o) in row[own].iter_mut().zip(output) {
                *y = canonical(rules.output.of(o));
            }
        }
    }
    write_rows(&y, state, &rows)
}
