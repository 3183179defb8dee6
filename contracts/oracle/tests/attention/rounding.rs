//! What tells the contracts apart: roundings, the scale, segments, thresholds, workers.

use cke_contracts::registry::{ContractKind, Registry};
use cke_oracle::Element;
use serde_json::json;

use super::calls::{Case, SMALL, bits, contracts, distance, native, native_run, run};

const COMPOSITE: &str = "f16_flash_auto_qtile64";
const SINGLE: &str = "f16_online_single_range";
const TILED: &str = "f16_kv_tiled64_fp32_softmax_fp64_sum_update";
const MERGED: &str = "f16_online_fp32_merge";
const HALF: Case = Case { cache: Element::Fp16, width: 32, ..SMALL };

#[test]
fn regression_01_keys_and_values_through_fp16() {
    for width in [64, 72, 80, 128] {
        for kv in [255, 257, 512, 1058] {
            let case = Case { rows: 1, position: kv - 1, width, spread: 8.0, ..SMALL };
            let difference = distance(&native_run("fp32_online", &case), &native_run("f16_kv_fp32_online", &case));
            assert!((1e-5..2e-3).contains(&difference), "D={width} KV={kv}: {difference}");
        }
    }
    let case = Case { rows: 5, position: 20, width: 72, spread: 8.0, ..SMALL };
    let difference = distance(&native_run("fp32_online", &case), &native_run("f16_kv_fp32_online", &case));
    assert!((1e-4..2e-3).contains(&difference), "{difference}");
}

#[test]
fn regression_02_contraction_at_63_rows() {
    let mut separate = native("fp32_online").definition();
    separate["semantics"]["score"]["update"] = json!("multiply_then_add");
    for rows in [62, 63, 64, 65] {
        let case = Case { rows, position: 0, width: 32, ..SMALL };
        let contracts = contracts("fp32_online", &separate).unwrap();
        let found = run(&contracts, "fp32_online", &case).unwrap();
        let fused = native_run("fp32_online", &case);
        assert!(bits(&found) != bits(&fused), "{rows} rows");
        assert!(distance(&found, &fused) < 1e-5, "{rows} rows");
    }
}

#[test]
fn regression_05_the_threshold_of_query_rows_starts_anew_with_every_segment() {
    for rows in [5, 14, 62, 63, 64, 65] {
        let case = Case { rows, position: 13, ..HALF };
        let (part, other) = if rows < 64 { (SINGLE, TILED) } else { (TILED, SINGLE) };
        let found = bits(&native_run(COMPOSITE, &case));
        assert_eq!(found, bits(&native_run(part, &case)), "{rows} rows");
        assert!(found != bits(&native_run(other, &case)), "{rows} rows");
    }
}

#[test]
fn regression_25_segments_and_one_prefill_are_two_schedules() {
    let whole = native_run(COMPOSITE, &Case { rows: 70, position: 0, ..HALF });
    let single = native_run(SINGLE, &Case { rows: 70, position: 0, ..HALF });
    assert!(bits(&whole[..60 * 64]) != bits(&single[..60 * 64]), "60 rows alone follow another part");
}

#[test]
fn regression_07_queries_are_rounded_for_the_score() {
    let mut plain = native(SINGLE).definition();
    plain["q_compute"] = json!("fp32");
    let case = Case { rows: 1, position: 1057, spread: 8.0, ..HALF };
    let found = run(&contracts(SINGLE, &plain).unwrap(), SINGLE, &case).unwrap();
    assert!(bits(&found) != bits(&native_run(SINGLE, &case)));
}

#[test]
fn regression_03_workers_cut_from_the_threshold_on() {
    for kv in [255, 256, 257, 511, 512, 513, 1058] {
        let of = |workers| bits(&native_run(MERGED, &Case { rows: 1, position: kv - 1, workers, ..HALF }));
        assert_eq!(of(2) == of(7), kv <= 256, "KV={kv}");
        assert_eq!(of(7), of(7));
    }
}

#[test]
fn the_scale_is_a_field() {
    let case = Case { rows: 1, ..SMALL };
    assert!(bits(&native_run(SINGLE, &case)) != bits(&native_run("f16_online_single_range_noscale", &case)));
    // With the scale taken back the two say the same, and a registry refuses them.
    let mut same = native("f16_online_single_range_noscale").definition();
    same["semantics"]["scale_application"] = json!("one_multiply_after_dot");
    let entries = [(SINGLE, native(SINGLE).definition()), ("f16_online_single_range_noscale", same)];
    let entries = entries.map(|(id, definition)| (id.to_owned(), ContractKind::Attention, definition));
    let fault = Registry::from_values(entries, []).unwrap_err();
    assert!(fault.message.contains("it has the same semantic fields as contract 'f16_online_single_range'"), "{fault}");
}
