//! `kv_append`: row r of the new keys and values is stored at position `position + r` of the caches, bit by bit.

use super::{Call, copied, expect, part, read_rows};
use crate::tensor::Tensor;
use cke_contracts::registry::vocabulary::{ComputeInput, CopyRule, InputStorage};

/// Ports `k`, `v`, `k_cache`, `v_cache`; shape `kv_heads`, `head_dim`, `capacity`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let semantics = copied(call, (InputStorage::Fp32, ComputeInput::Fp32))?;
    expect("semantics.copy", *part("copy", &semantics.copy)?, CopyRule::AppendAtPosition)?;

    let (heads, width) = (call.extent("kv_heads")?, call.extent("head_dim")?);
    let capacity = call.extent("capacity")?;
    call.end_position("capacity", capacity)?;
    let row = [call.rows, product(heads, width)?];
    let cache = [heads, capacity, width];
    let (k, v) = (call.tensor("k", &row, state)?, call.tensor("v", &row, state)?);
    let (k_cache, v_cache) = (call.tensor("k_cache", &cache, state)?, call.tensor("v_cache", &cache, state)?);

    let (keys, values) = (read_rows(&k, state, call.rows)?, read_rows(&v, state, call.rows)?);
    let mut append = |cache: &Tensor<'_>, rows: &[Vec<f32>]| {
        rows.iter().enumerate().try_for_each(|(row, values)| {
            (0..heads).try_for_each(|head| {
                cache.write(state, &[head, call.position + row], &values[head * width..(head + 1) * width])
            })
        })
    };
    append(&k_cache, &keys)?;
    append(&v_cache, &values)
}

/// The width of a row with all heads side by side.
pub(super) fn product(heads: usize, width: usize) -> Result<usize, String> {
    heads.checked_mul(width).ok_or_else(|| format!("{heads} heads of {width} elements are too many to address"))
}
