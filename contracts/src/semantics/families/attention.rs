//! `attention`: softmax of scaled scores, with an exact maximum, over chunks of absolute position.

use std::ops::Range;

use super::{Call, Reduction, canonical, expect, fixed, read_rows, write_rows};
use crate::registry::vocabulary::{
    CacheCompute, ChunkMerge, Exponential, ExponentialArgument, FixedValue, HeadSharing, MaximumRule, NanRule,
    NanSelection, NormalizationRule, OutputRows, OutsideRule, PartialMerge, PartialStorage, PartitionKind,
    QueryCompute, RangeRule, RowPosition, ScaleApplication, ScoreType, ValueAccumulator, ZeroSign,
};
use crate::registry::{AttentionReduction, AttentionSemantics, Softmax};
use crate::semantics::functions::exp_e0;
use crate::semantics::tensor::Tensor;

/// Columns of the output, or positions, computed side by side; only speed depends on it.
const SIDE_BY_SIDE: usize = 16;

/// The fields of a contract, read and ready to follow.
struct Rules {
    range: RangeRule,
    score: Reduction,
    maximum_initial: f32,
    maximum_missing: f32,
    denominator: Reduction,
    value: Reduction,
    chunk: usize,
}

/// The extents and numbers of a call.
struct Shape {
    heads: usize,
    /// Query heads that share one key head.
    group: usize,
    width: usize,
    scale: f32,
}

/// Ports `q`, `k_cache`, `v_cache`, `y`; shape `heads`, `kv_heads`, `head_dim`, `capacity`; parameter `scale`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let rules = Rules::new(call)?;
    let (heads, kv_heads) = (call.extent("heads")?, call.extent("kv_heads")?);
    if !heads.is_multiple_of(kv_heads) {
        return Err(format!("shape key 'heads' is {heads}, expected a multiple of 'kv_heads' {kv_heads}"));
    }
    let shape = Shape { heads, group: heads / kv_heads, width: call.extent("head_dim")?, scale: call.param("scale")? };
    let capacity = call.extent("capacity")?;
    let valid = call.end_position("capacity", capacity)?;
    let row = [call.rows, super::kv_append::product(heads, shape.width)?];
    let cache = [kv_heads, capacity, shape.width];
    let (q, y) = (call.tensor("q", &row, state)?, call.tensor("y", &row, state)?);
    let keys = call.tensor("k_cache", &cache, state)?;
    let values = call.tensor("v_cache", &cache, state)?;

    let mut rows = read_rows(&q, state, call.rows)?;
    for (r, row) in rows.iter_mut().enumerate() {
        let end = match rules.range {
            RangeRule::Causal => call.position + r + 1,
            RangeRule::Full => valid,
        };
        for head in 0..shape.heads {
            let own = head * shape.width..(head + 1) * shape.width;
            let kv_head = head / shape.group;
            let scores = rules.scores(&shape, &row[own.clone()], (&keys, kv_head), end, state)?;
            let (weights, factor) = rules.softmax(scores);
            let output = rules.weighted_sum(&weights, (&values, kv_head), shape.width, state)?;
            for (y, o) in row[own].iter_mut().zip(output) {
                *y = canonical(o * factor);
            }
        }
    }
    write_rows(&y, state, &rows)
}

impl Rules {
    fn new(call: &Call<'_>) -> Result<Self, String> {
        let (contract, semantics) = call.attention()?;
        check_types(contract)?;
        expect("semantics.nan", semantics.nan, NanRule::Canonical7fc00000)?;
        expect("semantics.zero_sign", semantics.zero_sign, ZeroSign::Ieee)?;
        expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
        let AttentionSemantics {
            head_sharing: HeadSharing::ContiguousGroups,
            scale_application: ScaleApplication::OneMultiplyAfterDot,
            chunk_merge: ChunkMerge::AscendingFromPositiveZero,
            normalization: NormalizationRule::ReciprocalThenMultiply,
            range,
            score,
            softmax,
            denominator,
            value,
            empty_row,
            ..
        } = semantics;
        let (RowPosition::PositionPlusRow, OutsideRule::Skipped) = (range.row_position, range.outside);
        let Softmax {
            maximum,
            maximum_initial,
            maximum_nan: NanSelection::NeverSelected,
            maximum_missing,
            argument: ExponentialArgument::ScoreMinusMaximum,
            exponential: Exponential::ExpE0,
        } = *softmax;
        expect("semantics.softmax.maximum", maximum, MaximumRule::Exact)?;
        expect("semantics.empty_row", *empty_row, FixedValue::PositiveZero)?;
        Ok(Self {
            range: range.rule,
            score: Reduction::new("semantics.score", score, &["q", "k"])?,
            maximum_initial: fixed(maximum_initial),
            maximum_missing: fixed(maximum_missing),
            denominator: Reduction::new("semantics.denominator", denominator, &["p"])?,
            value: Reduction::new("semantics.value", value, &["p", "v"])?,
            chunk: chunk(contract)?,
        })
    }

    /// The scaled scores of the positions `0..end`.
    fn scores(
        &self,
        shape: &Shape,
        q: &[f32],
        (keys, kv_head): (&Tensor<'_>, usize),
        end: usize,
        state: &[u8],
    ) -> Result<Vec<f32>, String> {
        let mut scores = Vec::with_capacity(end);
        for first in (0..end).step_by(SIDE_BY_SIDE) {
            // A group that is not full repeats its last position.
            let positions: [usize; SIDE_BY_SIDE] = std::array::from_fn(|g| (first + g).min(end - 1));
            let mut lines = Vec::with_capacity(SIDE_BY_SIDE);
            for position in positions {
                lines.push(keys.line(&[kv_head, position])?);
            }
            let dots: [f32; SIDE_BY_SIDE] = self
                .score
                .reduce(shape.width, |d| [[q[d]; SIDE_BY_SIDE], std::array::from_fn(|g| keys.get(state, lines[g], d))]);
            scores.extend(dots[..SIDE_BY_SIDE.min(end - first)].iter().map(|dot| dot * shape.scale));
        }
        Ok(scores)
    }

    /// The exponentials of the scores less their maximum, and the factor that divides by their sum.
    fn softmax(&self, mut scores: Vec<f32>) -> (Vec<f32>, f32) {
        let mut maximum = self.maximum_initial;
        for &score in &scores {
            if score > maximum {
                maximum = score;
            }
        }
        if maximum == self.maximum_initial {
            maximum = self.maximum_missing;
        }
        for score in &mut scores {
            *score = exp_e0(*score - maximum);
        }
        let [sum] = self.by_chunks(&self.denominator, scores.len(), |t| [[scores[t]], [1.0]]);
        let factor = if sum == 0.0 { 0.0 } else { 1.0 / sum };
        (scores, factor)
    }

    /// The sum of the value rows, each times its weight.
    fn weighted_sum(
        &self,
        weights: &[f32],
        (values, kv_head): (&Tensor<'_>, usize),
        width: usize,
        state: &[u8],
    ) -> Result<Vec<f32>, String> {
        let lines = (0..weights.len()).map(|t| values.line(&[kv_head, t])).collect::<Result<Vec<_>, _>>()?;
        let mut output = Vec::with_capacity(width);
        for first in (0..width).step_by(SIDE_BY_SIDE) {
            // A group that is not full repeats its last column.
            let columns: [usize; SIDE_BY_SIDE] = std::array::from_fn(|g| (first + g).min(width - 1));
            let sums = self.by_chunks(&self.value, weights.len(), |t| {
                [[weights[t]; SIDE_BY_SIDE], columns.map(|d| values.get(state, lines[t], d))]
            });
            output.extend(&sums[..SIDE_BY_SIDE.min(width - first)]);
        }
        Ok(output)
    }

    /// A reduction over the positions `0..end`: lanes start anew in every chunk, are added to totals that start at +0
    /// in ascending order of chunks, and are folded at the end.
    fn by_chunks<const G: usize>(
        &self,
        reduction: &Reduction,
        end: usize,
        factors: impl Fn(usize) -> [[f32; G]; 2],
    ) -> [f32; G] {
        let mut totals: Vec<[f32; G]> = vec![];
        for first in (0..end).step_by(self.chunk) {
            let positions: Range<usize> = first..end.min(first.saturating_add(self.chunk));
            let lanes = reduction.lanes(positions, &factors);
            totals.resize(lanes.len(), [0.0; G]);
            for (total, lane) in totals.iter_mut().flatten().zip(lanes.iter().flatten()) {
                *total += lane;
            }
        }
        reduction.fold(totals)
    }
}

/// Positions of a chunk.
fn chunk(contract: &AttentionReduction) -> Result<usize, String> {
    expect("partition.kind", contract.partition.kind, PartitionKind::AbsolutePositionChunks)?;
    match contract.partition.chunk_extent {
        Some(extent) if extent > 0 => Ok(extent as usize),
        found => Err(format!("partition.chunk_extent is {}, expected at least 1", found.unwrap_or(0))),
    }
}

/// Everything is f32, and chunks have partial results that are merged in order.
fn check_types(contract: &AttentionReduction) -> Result<(), String> {
    expect("q_compute", contract.q_compute, QueryCompute::Fp32)?;
    expect("k_compute", contract.k_compute, CacheCompute::Fp32)?;
    expect("score_accumulator", contract.score_accumulator, ScoreType::Fp32)?;
    expect("softmax_statistics", contract.softmax_statistics, ScoreType::Fp32)?;
    expect("value_compute", contract.value_compute, CacheCompute::Fp32)?;
    expect("value_accumulator", contract.value_accumulator, ValueAccumulator::Fp32)?;
    expect("partial_storage", contract.partial_storage, PartialStorage::Fp32)?;
    expect("partial_merge", contract.partial_merge, PartialMerge::Fp32ChunkOrder)
}
