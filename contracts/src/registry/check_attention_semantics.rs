//! Checks of the explicit semantics of an attention contract: each fact stands once, and where its partition needs it.

use std::collections::BTreeMap;

use super::check_reduction::{self, OutputKind, contradiction, incomplete};
use super::explicit::{AttentionSemantics, LaneReduction};
use super::vocabulary::{
    CacheCompute, ChunkMerge, GroupSum, MaximumRule, NormalizationRule, OnlineSumUpdate, PartialMerge, PartialStorage,
    PartitionKind, QueryCompute, ReductionUpdate, SoftmaxSumUpdate, SplitStrategy, ValueAccumulator,
};
use super::{AttentionReduction, Code, Contract, Fault};

/// Checks a contract that has explicit semantics.
pub(super) fn check(
    contract: &AttentionReduction,
    semantics: &AttentionSemantics,
    contracts: &BTreeMap<String, Contract>,
) -> Result<(), Fault> {
    check_reduction::operations(&semantics.operations)?;
    check_reduction::special_values(OutputKind::Computed, semantics.nan, semantics.zero_sign)?;
    check_threads(contract, semantics)?;
    check_presence(contract, semantics)?;
    if contract.partition.kind == PartitionKind::QueryTileThreshold {
        return check_parts(contract, semantics, contracts);
    }
    let shape_dependent = [
        ("q_compute", contract.q_compute == QueryCompute::ShapeDependentFp16OrFp32),
        ("value_accumulator", contract.value_accumulator == ValueAccumulator::ShapeDependentFp16OrFp32),
        ("partial_storage", contract.partial_storage == PartialStorage::ShapeDependentNoneOrFp32),
        ("partial_merge", contract.partial_merge == PartialMerge::ShapeDependentSingleRangeOrFp32ChunkOrder),
    ];
    if let Some((field, _)) = shape_dependent.into_iter().find(|(_, depends)| *depends) {
        return Err(contradiction(format!("{field} depends on the shape, but the contract has no parts")));
    }
    check_merge(contract, semantics)?;
    let walk = Walk::new(contract, semantics);
    check_reductions(semantics, &walk)?;
    check_variants(semantics, &walk)
}

/// How the reductions of a contract walk over positions.
struct Walk {
    /// The maximum is looked at on the way.
    online: bool,
    /// Lanes are added from chunk to chunk.
    merged: bool,
    /// A sum takes one position at a time, which leaves lanes nothing to do.
    single: bool,
}

impl Walk {
    fn new(contract: &AttentionReduction, semantics: &AttentionSemantics) -> Self {
        let online = semantics.softmax.is_some_and(|softmax| softmax.maximum == MaximumRule::Online);
        let merged = semantics.chunk_merge == Some(ChunkMerge::AscendingFromPositiveZero);
        Self { online, merged, single: online && contract.partition.kind != PartitionKind::QueryKeyTiles }
    }
}

/// Workers cut a reduction in one kind of partition, and there only; their number is then a part of every call, so no
/// pin is needed.
fn check_threads(contract: &AttentionReduction, semantics: &AttentionSemantics) -> Result<(), Fault> {
    let threading = &semantics.threading;
    let cuts = matches!(threading.split_strategy, SplitStrategy::SplitK | SplitStrategy::SplitKv);
    let by_workers = contract.partition.kind == PartitionKind::KvChunksByWorkers;
    let kind = contract.partition.kind;
    if by_workers != threading.thread_count_changes_arithmetic_order {
        let changes = threading.thread_count_changes_arithmetic_order;
        return Err(contradiction(format!(
            "partition.kind is {kind}, but semantics.threading.thread_count_changes_arithmetic_order is {changes}"
        )));
    }
    if by_workers != cuts {
        let strategy = threading.split_strategy;
        return Err(contradiction(format!(
            "partition.kind is {kind}, but semantics.threading.split_strategy is {strategy}"
        )));
    }
    match semantics.thread_pin {
        None if by_workers => Ok(()),
        pin => check_reduction::threading(threading, pin),
    }
}

/// Each kind of partition has its fields, all of them and no others.
fn check_presence(contract: &AttentionReduction, semantics: &AttentionSemantics) -> Result<(), Fault> {
    let kind = contract.partition.kind;
    let composite = kind == PartitionKind::QueryTileThreshold;
    let leaf = !composite;
    let online = semantics.softmax.is_some_and(|softmax| softmax.maximum == MaximumRule::Online);
    let has_online = semantics.softmax.is_some_and(|softmax| softmax.online.is_some());
    let by_workers = kind == PartitionKind::KvChunksByWorkers;
    let merges = leaf && kind != PartitionKind::SingleRange;
    for (field, present, needed) in [
        ("composite", semantics.composite.is_some(), composite),
        ("score", semantics.score.is_some(), leaf),
        ("softmax", semantics.softmax.is_some(), leaf),
        ("denominator", semantics.denominator.is_some(), leaf),
        ("value", semantics.value.is_some(), leaf),
        ("normalization", semantics.normalization.is_some(), leaf),
        ("chunks", semantics.chunks.is_some(), by_workers),
        ("chunk_merge", semantics.chunk_merge.is_some(), merges),
        ("softmax.online", has_online, online),
    ] {
        match (present, needed) {
            (false, true) => return Err(incomplete(format!("partition.kind {kind} needs semantics.{field}"))),
            (true, false) => return Err(contradiction(format!("partition.kind {kind} has no semantics.{field}"))),
            (true, true) | (false, false) => {}
        }
    }
    let arithmetic = [
        ("address_stride", semantics.address_stride.is_some()),
        ("padding", semantics.padding.is_some()),
        ("weight_rounding", semantics.weight_rounding.is_some()),
        ("output_rounding", semantics.output_rounding.is_some()),
        ("variants", !semantics.variants.is_empty()),
    ];
    match arithmetic.into_iter().find(|(_, present)| composite && *present) {
        Some((field, _)) => Err(contradiction(format!("partition.kind {kind} has no semantics.{field}"))),
        None => Ok(()),
    }
}

/// What a partition, a maximum and a merge have to do with each other.
fn check_merge(contract: &AttentionReduction, semantics: &AttentionSemantics) -> Result<(), Fault> {
    let kind = contract.partition.kind;
    let Some(softmax) = semantics.softmax else { return Ok(()) };
    let maximum = softmax.maximum;
    let cut_online = matches!(kind, PartitionKind::KvChunksByWorkers | PartitionKind::QueryKeyTiles);
    let cut_exact = kind == PartitionKind::AbsolutePositionChunks;
    if (cut_online && maximum != MaximumRule::Online) || (cut_exact && maximum != MaximumRule::Exact) {
        return Err(contradiction(format!("partition.kind is {kind}, but semantics.softmax.maximum is {maximum}")));
    }
    if let Some(merge) = semantics.chunk_merge {
        let fits = match merge {
            ChunkMerge::AscendingFromPositiveZero => kind == PartitionKind::AbsolutePositionChunks,
            ChunkMerge::AscendingContinued => kind == PartitionKind::QueryKeyTiles,
            ChunkMerge::AscendingRescaledFma | ChunkMerge::AscendingRescaledMultiplyAdd => {
                kind == PartitionKind::KvChunksByWorkers
            }
        };
        if !fits {
            return Err(contradiction(format!("partition.kind is {kind}, but semantics.chunk_merge is {merge}")));
        }
    }
    let before_values = matches!(
        semantics.normalization,
        Some(NormalizationRule::WeightsDividedBySum | NormalizationRule::WeightsTimesReciprocal)
    );
    for (field, present) in [
        ("padding", semantics.padding.is_some()),
        ("weight_rounding", semantics.weight_rounding.is_some()),
        ("normalization before the values", before_values),
    ] {
        if present && (maximum != MaximumRule::Exact || kind != PartitionKind::SingleRange) {
            return Err(contradiction(format!(
                "semantics.{field} needs the exact maximum over a single range, found {maximum} and {kind}"
            )));
        }
    }
    if let Some(padding) = semantics.padding
        && padding.alignment == 0
    {
        return Err(contradiction("semantics.padding.alignment is 0"));
    }
    check_tile_sum(contract, semantics)
}

/// The sum of a tile is rounded where it is added, so its two statements must agree.
fn check_tile_sum(contract: &AttentionReduction, semantics: &AttentionSemantics) -> Result<(), Fault> {
    let Some(update) = contract.partition.softmax_sum_update else { return Ok(()) };
    let online = semantics.softmax.and_then(|softmax| softmax.online);
    if let Some(online) = online.filter(|online| online.sum_update != OnlineSumUpdate::MultiplyThenAdd) {
        return Err(contradiction(format!(
            "partition.softmax_sum_update is {update}, but semantics.softmax.online.sum_update is {}",
            online.sum_update
        )));
    }
    let group = semantics.denominator.as_ref().and_then(|denominator| denominator.group_sum);
    if (group == Some(GroupSum::Fp64)) != (update == SoftmaxSumUpdate::Fp64AddThenFp32Store) {
        let group = group.map_or("absent", GroupSum::as_str);
        return Err(contradiction(format!(
            "partition.softmax_sum_update is {update}, but semantics.denominator.group_sum is {group}"
        )));
    }
    Ok(())
}

fn check_reductions(semantics: &AttentionSemantics, walk: &Walk) -> Result<(), Fault> {
    let all = [
        ("semantics.score", &semantics.score),
        ("semantics.denominator", &semantics.denominator),
        ("semantics.value", &semantics.value),
    ];
    for (field, reduction) in all {
        let Some(reduction) = reduction else { continue };
        check_one(field, reduction, walk)?;
    }
    Ok(())
}

/// Checks a reduction; the last part of its path says which one it is.
fn check_one(field: &str, reduction: &LaneReduction, walk: &Walk) -> Result<(), Fault> {
    check_reduction::reduction(field, reduction)?;
    let sum = field.ends_with("denominator");
    if sum != (reduction.update == ReductionUpdate::Add) {
        return Err(contradiction(format!("{field}.update is {}", reduction.update)));
    }
    let Walk { online, merged, single } = *walk;
    let count = reduction.lanes.count;
    if sum && single && (count != 1 || reduction.group_sum.is_some()) {
        return Err(contradiction(format!("{field} has {count} lanes or groups: it takes one position at a time")));
    }
    if field.ends_with("value") && (online || merged) && count != 1 {
        return Err(contradiction(format!("{field} has {count} lanes: every output element is one chain")));
    }
    for (part, present) in [("tail", reduction.tail.is_some()), ("group_sum", reduction.group_sum.is_some())] {
        if present && !field.ends_with("score") && (merged || (online && !(sum && part == "group_sum"))) {
            return Err(contradiction(format!("{field}.{part} is given, but its lanes go on from chunk to chunk")));
        }
    }
    match (reduction.tail, reduction.group_sum) {
        (Some(_), Some(_)) => Err(contradiction(format!("{field} has both a tail and a group_sum"))),
        _ => Ok(()),
    }
}

/// Every variant says for which class it is and what differs there; none is hidden by an earlier one.
fn check_variants(semantics: &AttentionSemantics, walk: &Walk) -> Result<(), Fault> {
    for (n, variant) in semantics.variants.iter().enumerate() {
        let place = format!("semantics.variants.{n}");
        let parts = [("score", &variant.score), ("denominator", &variant.denominator), ("value", &variant.value)];
        if variant.isa.is_none() && variant.rows.is_none() {
            return Err(incomplete(format!("{place} names neither an isa nor rows")));
        }
        if parts.iter().all(|(_, part)| part.is_none()) {
            return Err(incomplete(format!("{place} has no reduction that differs")));
        }
        for (part, reduction) in parts {
            let Some(reduction) = reduction else { continue };
            check_one(&format!("{place}.{part}"), reduction, walk)?;
        }
        let hidden = semantics.variants[..n].iter().position(|earlier| {
            earlier.isa.is_none_or(|isa| Some(isa) == variant.isa)
                && earlier.rows.is_none_or(|rows| Some(rows) == variant.rows)
        });
        if let Some(earlier) = hidden {
            return Err(contradiction(format!("{place}: semantics.variants.{earlier} fits every call it fits")));
        }
    }
    Ok(())
}

/// A composite says nothing its parts do not say.
fn check_parts(
    contract: &AttentionReduction,
    semantics: &AttentionSemantics,
    contracts: &BTreeMap<String, Contract>,
) -> Result<(), Fault> {
    let partition = &contract.partition;
    let part = |field: &str, id: &Option<String>| match id.as_ref().and_then(|id| contracts.get(id)) {
        Some(Contract::Attention(part)) => match &part.semantics {
            Some(explicit) => Ok((part, explicit)),
            None => Err(Fault::new(Code::BadComposite, format!("partition.{field} has no explicit semantics"))),
        },
        _ => Err(Fault::new(Code::BadComposite, format!("partition.{field} is not defined"))),
    };
    let (below, below_semantics) = part("below_threshold", &partition.below_threshold)?;
    let (above, above_semantics) = part("at_or_above_threshold", &partition.at_or_above_threshold)?;
    for part in [below_semantics, above_semantics] {
        for (field, same) in [
            ("semantics.operations", part.operations == semantics.operations),
            ("semantics.threading", part.threading == semantics.threading),
            ("semantics.head_sharing", part.head_sharing == semantics.head_sharing),
            ("semantics.range", part.range == semantics.range),
            ("semantics.scale_application", part.scale_application == semantics.scale_application),
            ("semantics.output_rows", part.output_rows == semantics.output_rows),
            ("semantics.empty_row", part.empty_row == semantics.empty_row),
        ] {
            if !same {
                let message =
                    format!("{field} is not what the contracts below_threshold and at_or_above_threshold say");
                return Err(Fault::new(Code::BadComposite, message));
            }
        }
    }
    // Where the parts have one value, that is the composite's; else its value says that it depends on the shape.
    fn joined<T: Copy + PartialEq>(below: T, above: T, depends: T) -> T {
        if below == above { below } else { depends }
    }
    let stored = |whole: CacheCompute, part: CacheCompute| {
        whole == part || (whole == CacheCompute::Fp16 && part == CacheCompute::Fp16Rounded)
    };
    let depends = (QueryCompute::ShapeDependentFp16OrFp32, ValueAccumulator::ShapeDependentFp16OrFp32);
    let merge = PartialMerge::ShapeDependentSingleRangeOrFp32ChunkOrder;
    let storage = PartialStorage::ShapeDependentNoneOrFp32;
    for (field, same) in [
        ("q_compute", contract.q_compute == joined(below.q_compute, above.q_compute, depends.0)),
        ("k_compute", [below, above].iter().all(|part| stored(contract.k_compute, part.k_compute))),
        ("value_compute", [below, above].iter().all(|part| stored(contract.value_compute, part.value_compute))),
        ("score_accumulator", [below, above].iter().all(|part| part.score_accumulator == contract.score_accumulator)),
        (
            "softmax_statistics",
            [below, above].iter().all(|part| part.softmax_statistics == contract.softmax_statistics),
        ),
        (
            "value_accumulator",
            contract.value_accumulator == joined(below.value_accumulator, above.value_accumulator, depends.1),
        ),
        ("partial_storage", contract.partial_storage == joined(below.partial_storage, above.partial_storage, storage)),
        ("partial_merge", contract.partial_merge == joined(below.partial_merge, above.partial_merge, merge)),
    ] {
        if !same {
            let message =
                format!("{field} does not follow from the contracts below_threshold and at_or_above_threshold");
            return Err(Fault::new(Code::BadComposite, message));
        }
    }
    // A call at the threshold fills one query tile.
    if let (Some(threshold), Some(size)) = (partition.threshold, above.partition.query_tile_size)
        && threshold != size
    {
        let message = format!(
            "partition.threshold is {threshold}, but partition.query_tile_size of at_or_above_threshold is {size}"
        );
        return Err(Fault::new(Code::BadComposite, message));
    }
    Ok(())
}
