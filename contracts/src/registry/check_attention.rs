//! Checks of an attention reduction contract.

use std::collections::BTreeMap;

use super::check_attention_semantics;
use super::check_reduction::{contradiction, incomplete};
use super::vocabulary::{ExtentSource, PartialMerge, PartialStorage, PartitionKind};
use super::{AttentionReduction, Code, Contract, Fault, Partition};

/// Checks a contract; `contracts` are all of the registry, since a composite names others.
pub(super) fn check(
    id: &str,
    contract: &AttentionReduction,
    contracts: &BTreeMap<String, Contract>,
) -> Result<(), Fault> {
    check_partition(&contract.partition)?;
    check_partials(contract)?;
    check_composite(id, contract, contracts)?;
    match &contract.semantics {
        Some(semantics) => check_attention_semantics::check(contract, semantics, contracts),
        None => Ok(()),
    }
}

/// Each kind of partition has its fields, all of them and no others.
fn check_partition(partition: &Partition) -> Result<(), Fault> {
    let kind = partition.kind;
    let needed: &[&str] = match kind {
        PartitionKind::SingleRange => &[],
        PartitionKind::KvChunksByWorkers => &[
            "threshold",
            "extent_source",
            "extent_alignment",
            "below_threshold_chunks",
            "at_or_above_threshold_chunks",
        ],
        PartitionKind::QueryKeyTiles => &["query_tile_size", "key_tile_size", "softmax_sum_update", "worker_partition"],
        PartitionKind::QueryTileThreshold => &["threshold", "below_threshold", "at_or_above_threshold"],
        PartitionKind::AbsolutePositionChunks => &["chunk_extent"],
    };
    let sizes = [
        ("threshold", partition.threshold),
        ("extent_alignment", partition.extent_alignment),
        ("below_threshold_chunks", partition.below_threshold_chunks),
        ("query_tile_size", partition.query_tile_size),
        ("key_tile_size", partition.key_tile_size),
        ("chunk_extent", partition.chunk_extent),
    ];
    let words = [
        ("extent_source", partition.extent_source.is_some()),
        ("at_or_above_threshold_chunks", partition.at_or_above_threshold_chunks.is_some()),
        ("softmax_sum_update", partition.softmax_sum_update.is_some()),
        ("worker_partition", partition.worker_partition.is_some()),
        ("below_threshold", partition.below_threshold.is_some()),
        ("at_or_above_threshold", partition.at_or_above_threshold.is_some()),
    ];
    for (field, present) in sizes.iter().map(|(field, size)| (*field, size.is_some())).chain(words) {
        match (needed.contains(&field), present) {
            (true, false) => return Err(incomplete(format!("partition.kind {kind} needs partition.{field}"))),
            (false, true) => return Err(contradiction(format!("partition.kind {kind} has no partition.{field}"))),
            _ => {}
        }
    }
    if let Some((field, _)) = sizes.iter().find(|(_, size)| *size == Some(0)) {
        return Err(contradiction(format!("partition.{field} is 0")));
    }
    match (partition.extent_source, partition.extent_alignment) {
        (Some(source @ ExtentSource::ValidKv), Some(alignment)) if alignment != 1 => Err(contradiction(format!(
            "partition.extent_source is {source}, which is not rounded, but partition.extent_alignment is {alignment}"
        ))),
        _ => Ok(()),
    }
}

fn check_partials(contract: &AttentionReduction) -> Result<(), Fault> {
    let (storage, merge) = (contract.partial_storage, contract.partial_merge);
    if (storage == PartialStorage::None) != (merge == PartialMerge::None) {
        return Err(contradiction(format!("partial_storage is {storage}, but partial_merge is {merge}")));
    }
    let kind = contract.partition.kind;
    match (kind, storage) {
        (PartitionKind::SingleRange, PartialStorage::None) => Ok(()),
        (PartitionKind::SingleRange, _) => Err(contradiction(format!(
            "partition.kind single_range has no partial results, partial_storage is {storage}"
        ))),
        (_, PartialStorage::None) => Err(incomplete(format!("partition.kind {kind} needs partial_storage"))),
        _ => Ok(()),
    }
}

/// A composite is no stronger than its parts.
fn check_composite(
    id: &str,
    contract: &AttentionReduction,
    contracts: &BTreeMap<String, Contract>,
) -> Result<(), Fault> {
    let partition = &contract.partition;
    let parts =
        [("below_threshold", &partition.below_threshold), ("at_or_above_threshold", &partition.at_or_above_threshold)];
    for (field, part) in parts.into_iter().filter_map(|(field, part)| part.as_deref().map(|part| (field, part))) {
        let fault = |reason: String| Fault::new(Code::BadComposite, format!("partition.{field} {reason}"));
        let found = match contracts.get(part) {
            _ if part == id => return Err(fault(format!("'{part}' is the contract itself"))),
            Some(Contract::Attention(found)) => found,
            Some(_) => return Err(fault(format!("'{part}' is no attention contract"))),
            None => return Err(fault(format!("'{part}' is not defined"))),
        };
        if found.partition.kind == PartitionKind::QueryTileThreshold {
            return Err(fault(format!("'{part}' is a composite itself")));
        }
        if found.status < contract.status {
            let (whole, status) = (contract.status, found.status);
            return Err(fault(format!("'{part}' is {status}, the composite cannot be {whole}")));
        }
    }
    Ok(())
}
