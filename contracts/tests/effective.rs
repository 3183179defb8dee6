//! The contract in effect: thresholds on valid key positions in both readings, and on the rows of a call.

use cke_contracts::effective::{Axis, Chunks, chunks, compared_extent, regions};
use cke_contracts::registry::{Contract, ContractKind, Partition, Registry};
use serde_json::{Value, json};

const WORKERS: u32 = 20;

fn partition(source: &str, alignment: u32) -> Value {
    json!({
        "kind": "kv_chunks_by_workers", "threshold": 512, "extent_source": source, "extent_alignment": alignment,
        "below_threshold_chunks": 1, "at_or_above_threshold_chunks": "runtime_worker_count",
    })
}

fn contract(partition: &Value) -> Value {
    let single = partition["kind"] == "single_range";
    json!({
        "status": "observed", "q_compute": "fp16_rounded", "k_compute": "fp16", "score_accumulator": "fp32",
        "softmax_statistics": "fp32", "value_compute": "fp16", "value_accumulator": "fp16_rounded_each_update",
        "partial_storage": if single { "none" } else { "fp16" },
        "partial_merge": if single { "none" } else { "fp32_chunk_order" },
        "partition": partition, "description": "A contract of this test.",
    })
}

fn registry(contracts: &[(&str, Value)]) -> Registry {
    let entry = |(id, partition): &(&str, Value)| ((*id).to_owned(), ContractKind::Attention, contract(partition));
    Registry::from_values(contracts.iter().map(entry), []).unwrap()
}

fn read(partition: &Value) -> Partition {
    let registry = registry(&[("a_contract_of_this_test", partition.clone())]);
    let Some(Contract::Attention(contract)) = registry.contracts.into_values().next() else { unreachable!() };
    contract.partition
}

/// Valid rows, whether the raw count reaches 512, and the extent rounded up to 256.
const TABLE: [(u64, bool, u64); 9] = [
    (255, false, 256),
    (256, false, 256),
    (257, false, 512),
    (511, false, 512),
    (512, true, 512),
    (513, true, 768),
    (1047, true, 1280),
    (1058, true, 1280),
    (1609, true, 1792),
];

#[test]
fn regression_03_split_at_512_valid_rows() {
    let raw = read(&partition("valid_kv", 1));
    for (rows, splits, _) in TABLE {
        let expected = if splits { u64::from(WORKERS) } else { 1 };
        assert_eq!(chunks(&raw, rows, WORKERS), Some(expected), "{rows} rows");
        assert_eq!(compared_extent(&raw, rows), rows);
    }
}

#[test]
fn regression_04_split_on_the_rounded_extent() {
    let rounded = read(&partition("valid_kv_rounded", 256));
    for (rows, _, extent) in TABLE {
        let expected = if extent >= 512 { u64::from(WORKERS) } else { 1 };
        assert_eq!(chunks(&rounded, rows, WORKERS), Some(expected), "{rows} rows");
        assert_eq!(compared_extent(&rounded, rows), extent, "{rows} rows");
    }
}

#[test]
fn the_two_readings_have_their_own_regions() {
    for (source, alignment, first) in
        [("valid_kv", 1, 512), ("valid_kv_rounded", 256, 257), ("valid_kv_rounded", 1, 512)]
    {
        let registry = registry(&[("a_contract_of_this_test", partition(source, alignment))]);
        let found = regions(&registry, "a_contract_of_this_test");
        let found: Vec<_> = found.iter().map(|r| (r.axis, r.from, r.to, r.chunks)).collect();
        let expected = [
            (Axis::KvRows, 1, Some(first), Some(Chunks::Fixed(1))),
            (Axis::KvRows, first, None, Some(Chunks::Workers)),
        ];
        assert_eq!(found, expected, "{source} {alignment}");
    }
}

/// Every region agrees with the count of its extents, at its borders and far out.
#[test]
fn regions_and_counts_agree() {
    for (source, alignment) in [("valid_kv", 1), ("valid_kv_rounded", 256), ("valid_kv_rounded", 96)] {
        let definition = partition(source, alignment);
        let registry = registry(&[("a_contract_of_this_test", definition.clone())]);
        let partition = read(&definition);
        for rows in 1..2000 {
            let all = regions(&registry, "a_contract_of_this_test");
            let mut within = all.iter().filter(|r| r.from <= rows && r.to.is_none_or(|to| rows < to));
            let (region, other) = (within.next().unwrap(), within.next());
            assert!(other.is_none(), "two regions hold {rows}");
            let expected = if region.chunks == Some(Chunks::Workers) { 7 } else { 1 };
            assert_eq!(chunks(&partition, rows, 7), Some(expected), "{source} {alignment}: {rows} rows");
        }
    }
}

#[test]
fn a_composite_has_regions_of_query_rows() {
    let tiles = json!({
        "kind": "query_key_tiles", "query_tile_size": 64, "key_tile_size": 64,
        "softmax_sum_update": "fp32_add", "worker_partition": "contiguous_head_query_rows",
    });
    let whole = json!({
        "kind": "query_tile_threshold", "threshold": 64,
        "below_threshold": "a_part_with_one_range", "at_or_above_threshold": "a_part_with_tiles",
    });
    let registry = registry(&[
        ("a_part_with_one_range", json!({"kind": "single_range"})),
        ("a_part_with_tiles", tiles.clone()),
        ("a_composite_of_two_parts", whole.clone()),
    ]);
    let found = regions(&registry, "a_composite_of_two_parts");
    let found: Vec<_> = found.iter().map(|r| (r.axis.name(), r.from, r.to, r.contract.as_str(), r.chunks)).collect();
    let expected = [
        ("query_rows", 1, Some(64), "a_part_with_one_range", Some(Chunks::Fixed(1))),
        ("query_rows", 64, None, "a_part_with_tiles", Some(Chunks::Every(64))),
    ];
    assert_eq!(found, expected);
    assert_eq!(chunks(&read(&tiles), 65, 1), Some(2));
    assert!(regions(&registry, "a_part_with_tiles").is_empty(), "it does not branch");
    assert!(regions(&registry, "an_id_that_is_not_there").is_empty());
}

#[test]
fn a_cut_is_printed() {
    let printed = [Chunks::Fixed(1), Chunks::Workers, Chunks::Every(64)].map(|chunks| chunks.to_string());
    assert_eq!(printed, ["1", "workers", "every 64"]);
}
