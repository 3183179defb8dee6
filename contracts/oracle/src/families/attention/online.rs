//! Softmax with an online maximum: a position, or a tile of positions, at a time.

use std::ops::Range;

use super::chunked::Workers;
use super::rounding::{self, Rounding};
use super::rules::{Rules, exponential, part};
use crate::Call;
use crate::call::expect;
use crate::fma::fma;
use cke_contracts::registry::vocabulary::{
    ChunkMerge, OnlineSumUpdate, PartitionKind, RescaleRule, SoftmaxSumUpdate, WorkerPartition,
};
use cke_contracts::registry::{self, AttentionReduction, AttentionSemantics};

/// The fields that only an online maximum has.
pub(super) struct Online {
    /// Positions between two looks at the maximum; tiles are cut at multiples of it.
    step: usize,
    sum: SumRule,
    /// The exponential of a factor.
    pub exponential: fn(f32) -> f32,
    /// What is rounded on every update of a value.
    accumulator: Rounding,
    /// What is rounded after a tile.
    tile: [Rounding; 2],
    workers: Option<Workers>,
}

/// How the sum takes the sum of a step.
#[derive(Clone, Copy)]
enum SumRule {
    Fma,
    MultiplyThenAdd,
    /// As above, the addition in fp64.
    MultiplyThenAddFp64,
}

/// The state of a softmax after some positions.
pub(super) struct Partial {
    pub maximum: f32,
    pub sum: f32,
    pub values: Vec<f32>,
}

impl Online {
    pub fn new(
        call: &Call<'_>,
        contract: &AttentionReduction,
        semantics: &AttentionSemantics,
        fields: registry::Online,
    ) -> Result<Self, String> {
        let registry::Online { rescale: RescaleRule::WhereMaximumGrew, exponential: word, sum_update } = fields;
        let mut sum = match sum_update {
            OnlineSumUpdate::Fma => SumRule::Fma,
            OnlineSumUpdate::MultiplyThenAdd => SumRule::MultiplyThenAdd,
        };
        let partition = &contract.partition;
        let (mut step, mut tile, mut workers) = (1, [Rounding::None; 2], None);
        match partition.kind {
            PartitionKind::SingleRange => {}
            PartitionKind::KvChunksByWorkers => workers = Some(Workers::new(call, contract, semantics)?),
            PartitionKind::QueryKeyTiles => {
                let merge = *part("chunk_merge", &semantics.chunk_merge)?;
                expect("semantics.chunk_merge", merge, ChunkMerge::AscendingContinued)?;
                // Rows are independent of each other, so neither the query tile nor who takes it has a part.
                let Some(WorkerPartition::ContiguousHeadQueryRows) = partition.worker_partition else {
                    return Err("partition has no 'worker_partition'".to_owned());
                };
                step = partition.key_tile_size.ok_or("partition has no 'key_tile_size'")?.max(1) as usize;
                if partition.softmax_sum_update == Some(SoftmaxSumUpdate::Fp64AddThenFp32Store) {
                    expect("semantics.softmax.online.sum_update", sum_update, OnlineSumUpdate::MultiplyThenAdd)?;
                    sum = SumRule::MultiplyThenAddFp64;
                }
                tile = rounding::partials(contract.partial_storage, contract.partial_merge)?.into();
            }
            kind @ (PartitionKind::QueryTileThreshold | PartitionKind::AbsolutePositionChunks) => {
                return Err(format!(
                    "semantics.softmax.maximum is 'online', which is not implemented for partition.kind '{kind}'"
                ));
            }
        }
        let accumulator = rounding::accumulator(contract.value_accumulator)?;
        Ok(Self { step, sum, exponential: exponential(word), accumulator, tile, workers })
    }

    /// The output of a row, of its scores and the values of its head.
    pub fn row(
        &self,
        rules: &Rules,
        scores: &[f32],
        (values, width): (&[f32], usize),
        range: Range<usize>,
        valid: usize,
    ) -> Vec<f32> {
        let of = |part: Range<usize>| {
            self.run(rules, &scores[part.start - range.start..part.end - range.start], values, width, part)
        };
        let whole = match self.workers.as_ref().and_then(|workers| Some((workers, workers.ranges(valid)?))) {
            None => of(range.clone()),
            Some((workers, ranges)) => {
                let meets = |part: Range<usize>| part.start.max(range.start)..part.end.min(range.end);
                let parts = ranges.into_iter().map(meets).filter(|part| !part.is_empty()).map(of);
                workers.merge(rules, self.exponential, parts, width)
            }
        };
        rules.divided(whole.values, f64::from(whole.sum))
    }

    fn run(&self, rules: &Rules, scores: &[f32], values: &[f32], width: usize, range: Range<usize>) -> Partial {
        let mut state = Partial { maximum: rules.maximum_initial, sum: 0.0, values: vec![0.0; width] };
        let mut first = range.start;
        while first < range.end {
            let next = ((first / self.step + 1) * self.step).min(range.end);
            let tile = &scores[first - range.start..next - range.start];
            self.step(rules, &mut state, tile, &values[first * width..next * width], first);
            first = next;
        }
        state
    }

    /// One step: its scores and its rows of values.
    fn step(&self, rules: &Rules, state: &mut Partial, scores: &[f32], values: &[f32], first: usize) {
        let maximum = Rules::greatest(state.maximum, scores);
        let grew = maximum > state.maximum;
        let factor = if grew { (self.exponential)(state.maximum - maximum) } else { 1.0 };
        if grew {
            state.maximum = maximum;
            state.values.iter_mut().for_each(|value| *value = self.accumulator.of(*value * factor));
        }
        let subtracted = rules.subtracted(maximum);
        let weights: Vec<f32> = scores.iter().map(|score| (rules.exponential)(score - subtracted)).collect();
        let range = first..first + weights.len();
        let [sum] = rules.denominator.reduce_range(range, |t| [[weights[t - first]], [1.0]]);
        state.sum = match self.sum {
            SumRule::Fma => fma(state.sum, factor, sum as f32),
            SumRule::MultiplyThenAdd => state.sum * factor + sum as f32,
            SumRule::MultiplyThenAddFp64 => (f64::from(state.sum * factor) + sum) as f32,
        };
        for (weight, row) in weights.iter().zip(values.chunks_exact(state.values.len())) {
            for (value, v) in state.values.iter_mut().zip(row) {
                let mut updated = [*value];
                rules.value.update(&mut updated, [[*weight], [*v]]);
                *value = self.accumulator.of(updated[0]);
            }
        }
        for rounding in self.tile {
            state.values.iter_mut().for_each(|value| *value = rounding.of(*value));
        }
    }
}
