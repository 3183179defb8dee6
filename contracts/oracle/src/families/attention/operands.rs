//! Queries, keys and values as the arithmetic sees them, and the scores.

use std::ops::Range;

use super::rounding::Rounding;
use crate::Call;
use crate::reduction::Reduction;
use crate::tensor::Tensor;
use cke_contracts::registry::vocabulary::ScaleApplication;

/// Positions, or columns of the output, computed side by side; only speed depends on it.
pub(super) const SIDE_BY_SIDE: usize = 16;

/// The extents and numbers of a call.
pub(super) struct Shape {
    pub heads: usize,
    pub kv_heads: usize,
    /// Query heads that share one key head.
    pub group: usize,
    pub width: usize,
    /// What query and key are multiplied by, each.
    before: f32,
    /// What a finished dot product is multiplied by.
    after: Option<f32>,
}

impl Shape {
    pub fn new(call: &Call<'_>, scale: ScaleApplication) -> Result<Self, String> {
        let (heads, kv_heads) = (call.extent("heads")?, call.extent("kv_heads")?);
        if !heads.is_multiple_of(kv_heads) {
            return Err(format!("shape key 'heads' is {heads}, expected a multiple of 'kv_heads' {kv_heads}"));
        }
        let (before, after) = match scale {
            ScaleApplication::OneMultiplyAfterDot => (1.0, Some(call.param("scale")?)),
            ScaleApplication::SquareRootOnQueryAndKey => (call.param("scale")?.sqrt(), None),
            ScaleApplication::UnitScale => (1.0, None),
        };
        Ok(Self { heads, kv_heads, group: heads / kv_heads, width: call.extent("head_dim")?, before, after })
    }

    /// Elements of a row of queries.
    pub fn row(&self) -> Result<usize, String> {
        super::super::kv_append::product(self.heads, self.width)
    }

    /// Rounds a row of queries, then applies what stands before the dot product.
    pub fn prepare_query(&self, row: &mut [f32], rounding: Rounding) {
        row.iter_mut().for_each(|q| *q = rounding.of(*q) * self.before);
    }

    /// The same for keys, which are rounded already.
    pub fn scale_keys(&self, keys: &mut Heads) {
        keys.elements.iter_mut().for_each(|k| *k *= self.before);
    }

    /// The scaled scores of the positions of a range.
    pub fn scores(&self, score: &Reduction, q: &[f32], keys: &[f32], range: Range<usize>) -> Vec<f32> {
        let mut scores = Vec::with_capacity(range.len());
        for first in range.clone().step_by(SIDE_BY_SIDE) {
            // A group that is not full repeats its last position.
            let rows: [&[f32]; SIDE_BY_SIDE] = std::array::from_fn(|g| {
                let position = (first + g).min(range.end - 1);
                &keys[position * self.width..][..self.width]
            });
            let dots = score.reduce(self.width, |d| [[q[d]; SIDE_BY_SIDE], rows.map(|row| row[d])]);
            let found = &dots[..SIDE_BY_SIDE.min(range.end - first)];
            scores.extend(found.iter().map(|dot| self.after.map_or(*dot, |scale| dot * scale)));
        }
        scores
    }
}

/// The valid rows of a cache, widened and rounded, as `[head][position][width]`.
pub(super) struct Heads {
    elements: Vec<f32>,
    head: usize,
}

impl Heads {
    pub fn read(
        cache: &Tensor<'_>,
        dims: &[usize; 3],
        valid: usize,
        rounding: Rounding,
        state: &[u8],
    ) -> Result<Self, String> {
        let [heads, _, width] = *dims;
        let mut elements = Vec::with_capacity(heads * valid * width);
        for head in 0..heads {
            for position in 0..valid {
                let line = cache.line(&[head, position])?;
                elements.extend((0..width).map(|d| rounding.of(cache.get(state, line, d))));
            }
        }
        Ok(Self { elements, head: valid * width })
    }

    /// The rows of a head.
    pub fn of(&self, head: usize) -> &[f32] {
        &self.elements[head * self.head..][..self.head]
    }
}
