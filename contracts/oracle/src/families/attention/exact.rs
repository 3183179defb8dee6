//! Softmax with the exact maximum: over one range, padded or not, or over chunks of absolute position.

use std::ops::Range;

use super::operands::SIDE_BY_SIDE;
use super::rounding::Rounding;
use super::rules::{Rules, part};
use crate::call::expect;
use crate::reduction::Reduction;
use cke_contracts::registry::vocabulary::{
    ChunkMerge, FixedValue, PartialMerge, PartialStorage, PartitionKind, ValueAccumulator,
};
use cke_contracts::registry::{AttentionReduction, AttentionSemantics};

/// The fields that only the exact maximum has.
pub(super) struct Exact {
    /// Positions of a chunk; `None` for one range.
    chunk: Option<usize>,
    /// What the sums run to a multiple of.
    alignment: usize,
    weight: Rounding,
}

impl Exact {
    pub fn new(contract: &AttentionReduction, semantics: &AttentionSemantics) -> Result<Self, String> {
        expect("value_accumulator", contract.value_accumulator, ValueAccumulator::Fp32)?;
        let chunk = match contract.partition.kind {
            PartitionKind::SingleRange => None,
            PartitionKind::AbsolutePositionChunks => {
                expect("partial_storage", contract.partial_storage, PartialStorage::Fp32)?;
                expect("partial_merge", contract.partial_merge, PartialMerge::Fp32ChunkOrder)?;
                let merge = *part("chunk_merge", &semantics.chunk_merge)?;
                expect("semantics.chunk_merge", merge, ChunkMerge::AscendingFromPositiveZero)?;
                match contract.partition.chunk_extent {
                    Some(extent) if extent > 0 => Some(extent as usize),
                    found => {
                        return Err(format!("partition.chunk_extent is {}, expected at least 1", found.unwrap_or(0)));
                    }
                }
            }
            kind => return Err(format!("partition.kind is '{kind}', which is not implemented for the exact maximum")),
        };
        let alignment = match semantics.padding {
            None => 1,
            Some(padding) => {
                expect("semantics.padding.weight", padding.weight, FixedValue::PositiveZero)?;
                expect("semantics.padding.value", padding.value, FixedValue::PositiveZero)?;
                padding.alignment.max(1) as usize
            }
        };
        Ok(Self { chunk, alignment, weight: Rounding::optional(semantics.weight_rounding) })
    }

    /// The output of a row, of its scores and the values of its head.
    pub fn row(
        &self,
        rules: &Rules,
        scores: &[f32],
        (values, width): (&[f32], usize),
        range: Range<usize>,
    ) -> Vec<f32> {
        let maximum = rules.subtracted(Rules::greatest(rules.maximum_initial, scores));
        let mut weights: Vec<f32> = scores.iter().map(|score| (rules.exponential)(score - maximum)).collect();
        // Beyond the range weights and values are +0, whatever memory holds.
        weights.resize(range.end.next_multiple_of(self.alignment) - range.start, 0.0);
        let first = range.start;
        let padded = first..first + weights.len();
        let [sum] = self.reduce(&rules.denominator, padded.clone(), |t| [[weights[t - first]], [1.0]]);
        rules.divide_weights(&mut weights, sum);
        weights.iter_mut().for_each(|weight| *weight = self.weight.of(*weight));

        let mut output = Vec::with_capacity(width);
        for column in (0..width).step_by(SIDE_BY_SIDE) {
            // A group that is not full repeats its last column.
            let columns: [usize; SIDE_BY_SIDE] = std::array::from_fn(|g| (column + g).min(width - 1));
            let sums = self.reduce(&rules.value, padded.clone(), |t| {
                let row = columns.map(|d| if t < range.end { values[t * width + d] } else { 0.0 });
                [[weights[t - first]; SIDE_BY_SIDE], row]
            });
            output.extend(sums[..SIDE_BY_SIDE.min(width - column)].iter().map(|sum| *sum as f32));
        }
        rules.divided(output, sum)
    }

    /// A reduction over positions. In chunks, lanes start anew in every chunk, are added to totals that start at +0 in
    /// ascending order of chunks, and are folded at the end.
    fn reduce<const G: usize>(
        &self,
        reduction: &Reduction,
        range: Range<usize>,
        factors: impl Fn(usize) -> [[f32; G]; 2],
    ) -> [f64; G] {
        let Some(chunk) = self.chunk else { return reduction.reduce_range(range, factors) };
        let mut totals: Vec<[f32; G]> = vec![];
        let mut first = range.start;
        while first < range.end {
            let next = (first / chunk).saturating_add(1).saturating_mul(chunk).min(range.end);
            let lanes = reduction.lanes(first..next, &factors);
            totals.resize(lanes.len(), [0.0; G]);
            for (total, lane) in totals.iter_mut().flatten().zip(lanes.iter().flatten()) {
                *total += lane;
            }
            first = next;
        }
        reduction.fold(totals).map(f64::from)
    }
}
