//! Chunks of workers: how positions are cut, and how the partial results become one.

use std::ops::Range;

use super::online::Partial;
use super::rounding::{self, Rounding};
use super::rules::{Rules, part};
use crate::Call;
use crate::fma::fma;
use cke_contracts::effective::{chunks, compared_extent};
use cke_contracts::registry::vocabulary::{ChunkCut, ChunkMerge, EmptyChunk, ExtentSource};
use cke_contracts::registry::{AttentionReduction, AttentionSemantics, Partition};

/// The cut by workers and its merge.
pub(super) struct Workers {
    partition: Partition,
    workers: u32,
    extent: ExtentSource,
    cut: ChunkCut,
    merge: ChunkMerge,
    stored: Rounding,
    merged: Rounding,
}

impl Workers {
    pub fn new(call: &Call<'_>, contract: &AttentionReduction, semantics: &AttentionSemantics) -> Result<Self, String> {
        let rule = *part("chunks", &semantics.chunks)?;
        let EmptyChunk::Skipped = rule.empty;
        let workers = call.context.workers.filter(|workers| *workers > 0);
        let workers = workers.ok_or("partition.at_or_above_threshold_chunks asks for the number of workers")?;
        if let Some(chunks @ 2..) = contract.partition.below_threshold_chunks {
            return Err(format!("partition.below_threshold_chunks is {chunks}, of which only 1 is implemented"));
        }
        let merge = *part("chunk_merge", &semantics.chunk_merge)?;
        if !matches!(merge, ChunkMerge::AscendingRescaledFma | ChunkMerge::AscendingRescaledMultiplyAdd) {
            return Err(format!("semantics.chunk_merge is '{merge}', which is not implemented for chunks of workers"));
        }
        let (stored, merged) = rounding::partials(contract.partial_storage, contract.partial_merge)?;
        let partition = contract.partition.clone();
        Ok(Self { partition, workers, extent: rule.extent, cut: rule.cut, merge, stored, merged })
    }

    /// The chunks, empty ones included, where there are more than one; below the threshold nothing is stored or merged.
    pub fn ranges(&self, valid: usize) -> Option<Vec<Range<usize>>> {
        let threshold = u64::from(self.partition.threshold?);
        let compared = compared_extent(&self.partition, valid as u64);
        let count = chunks(&self.partition, valid as u64, self.workers)? as usize;
        if compared < threshold {
            return None;
        }
        let extent = match self.extent {
            ExtentSource::ValidKvRounded => compared as usize,
            ExtentSource::ValidKv => valid,
        };
        let border = |n: usize| match self.cut {
            ChunkCut::CeilOfExtent => (n * extent.div_ceil(count)).min(extent),
            ChunkCut::RemainderFirst => n * (extent / count) + n.min(extent % count),
        };
        Some((0..count).map(|n| border(n)..border(n + 1)).collect())
    }

    /// The partial results, stored, then merged in ascending order.
    pub fn merge(
        &self,
        rules: &Rules,
        exponential: fn(f32) -> f32,
        parts: impl Iterator<Item = Partial>,
        width: usize,
    ) -> Partial {
        let mut total = Partial { maximum: rules.maximum_initial, sum: 0.0, values: vec![0.0; width] };
        for part in parts {
            let maximum = if part.maximum > total.maximum { part.maximum } else { total.maximum };
            let subtracted = rules.subtracted(maximum);
            let (a, b) = (exponential(total.maximum - subtracted), exponential(part.maximum - subtracted));
            let merged = |total: f32, part: f32| match self.merge {
                ChunkMerge::AscendingRescaledFma => fma(part, b, total * a),
                _ => total * a + part * b,
            };
            total.maximum = maximum;
            total.sum = merged(total.sum, part.sum);
            for (total, value) in total.values.iter_mut().zip(part.values) {
                *total = self.merged.of(merged(*total, self.stored.of(value)));
            }
        }
        total
    }
}
