//! Which contract is in effect where: a contract that branches on an extent, as regions of that extent.
//!
//! The number of key positions that counts is the number of *valid* rows of a call, raw or rounded up as the contract
//! says; the capacity of the cache has no part in it. A segment of a prompt is a call of its own, so every rule starts
//! anew with it.

use std::fmt;

use crate::registry::vocabulary::{ExtentSource, PartitionKind};
use crate::registry::{AttentionReduction, Contract, Partition, QuantizedLinear, Registry};

/// The extent of a call a region is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// `kv_rows`: the valid key positions.
    KvRows,
    /// `query_rows`: the rows of the call.
    QueryRows,
    /// `rows_mod_4`: the rows left over when the rows of the call are taken four at a time. The region at 0 is about
    /// the rows taken, the one from 1 on about those left over.
    RowsMod4,
}

/// Into how many ranges the key positions of a row are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunks {
    /// So many.
    Fixed(u32),
    /// One for every worker.
    Workers,
    /// One for every so many positions.
    Every(u32),
}

/// A part of an axis, and what is in effect there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The axis.
    pub axis: Axis,
    /// The least extent of the region.
    pub from: u64,
    /// The least extent above it.
    pub to: Option<u64>,
    /// The contract in effect; when it branches itself, its own regions say how.
    pub contract: String,
    /// The cut, where it is the same in all of the region.
    pub chunks: Option<Chunks>,
}

impl Axis {
    /// The name in IR.
    pub fn name(self) -> &'static str {
        match self {
            Self::KvRows => "kv_rows",
            Self::QueryRows => "query_rows",
            Self::RowsMod4 => "rows_mod_4",
        }
    }
}

impl fmt::Display for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(count) => write!(f, "{count}"),
            Self::Workers => f.write_str("workers"),
            Self::Every(extent) => write!(f, "every {extent}"),
        }
    }
}

/// The regions of a contract that branches, ascending and without gaps; none for one that does not, or is unknown.
pub fn regions(registry: &Registry, contract: &str) -> Vec<Region> {
    match registry.contracts.get(contract) {
        Some(Contract::Attention(definition)) => attention(registry, contract, definition),
        Some(Contract::Linear(definition)) => linear(contract, definition),
        Some(Contract::Execution(_)) | None => vec![],
    }
}

fn linear(id: &str, contract: &QuantizedLinear) -> Vec<Region> {
    let Some(residual) = contract.semantics.as_ref().and_then(|semantics| semantics.residual_rows.as_ref()) else {
        return vec![];
    };
    let region = |from, to, contract: &str| Region {
        axis: Axis::RowsMod4,
        from,
        to: Some(to),
        contract: contract.to_owned(),
        chunks: None,
    };
    vec![region(0, 1, id), region(1, 4, &residual.contract)]
}

/// The number of ranges a row with `valid_rows` key positions is cut into; `None` when the partition does not say,
/// because it leaves a field out or branches on the rows of the call.
pub fn chunks(partition: &Partition, valid_rows: u64, workers: u32) -> Option<u64> {
    let all = match partition.kind {
        PartitionKind::KvChunksByWorkers if compared_extent(partition, valid_rows) >= threshold(partition)? => {
            Chunks::Workers
        }
        PartitionKind::KvChunksByWorkers => Chunks::Fixed(partition.below_threshold_chunks?),
        _ => cut(partition)?,
    };
    Some(match all {
        Chunks::Fixed(count) => u64::from(count),
        Chunks::Workers => u64::from(workers),
        Chunks::Every(0) => return None,
        Chunks::Every(extent) => valid_rows.div_ceil(u64::from(extent)),
    })
}

/// The extent a threshold is compared with.
pub fn compared_extent(partition: &Partition, valid_rows: u64) -> u64 {
    valid_rows.next_multiple_of(alignment(partition))
}

fn attention(registry: &Registry, id: &str, contract: &AttentionReduction) -> Vec<Region> {
    let partition = &contract.partition;
    let region =
        |axis, from, to, contract: &str, chunks| Region { axis, from, to, contract: contract.to_owned(), chunks };
    let Some(threshold) = threshold(partition) else { return vec![] };
    match (partition.kind, &partition.below_threshold, &partition.at_or_above_threshold) {
        (PartitionKind::QueryTileThreshold, Some(below), Some(above)) => {
            let cut_of = |part: &str| match registry.contracts.get(part) {
                Some(Contract::Attention(part)) => cut(&part.partition),
                _ => None,
            };
            vec![
                region(Axis::QueryRows, 1, Some(threshold), below, cut_of(below)),
                region(Axis::QueryRows, threshold, None, above, cut_of(above)),
            ]
        }
        (PartitionKind::KvChunksByWorkers, ..) => {
            // The least number of valid rows that is the threshold or more once it is rounded up.
            let alignment = alignment(partition);
            let first = (threshold - 1) / alignment * alignment + 1;
            let below = partition.below_threshold_chunks.map(Chunks::Fixed);
            vec![
                region(Axis::KvRows, 1, Some(first), id, below),
                region(Axis::KvRows, first, None, id, Some(Chunks::Workers)),
            ]
        }
        _ => vec![],
    }
}

/// The cut of a partition that does not branch.
fn cut(partition: &Partition) -> Option<Chunks> {
    match partition.kind {
        PartitionKind::SingleRange => Some(Chunks::Fixed(1)),
        PartitionKind::QueryKeyTiles => partition.key_tile_size.map(Chunks::Every),
        PartitionKind::AbsolutePositionChunks => partition.chunk_extent.map(Chunks::Every),
        PartitionKind::KvChunksByWorkers | PartitionKind::QueryTileThreshold => None,
    }
}

fn threshold(partition: &Partition) -> Option<u64> {
    partition.threshold.filter(|threshold| *threshold > 0).map(u64::from)
}

fn alignment(partition: &Partition) -> u64 {
    match partition.extent_source {
        Some(ExtentSource::ValidKvRounded) => u64::from(partition.extent_alignment.unwrap_or(1).max(1)),
        Some(ExtentSource::ValidKv) | None => 1,
    }
}
