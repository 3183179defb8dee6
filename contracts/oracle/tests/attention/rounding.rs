//! What tells the contracts apart: contractions, roundings, the scale, workers.

use cke_contracts::registry::{ContractKind, Registry};
use cke_oracle::Element;
use serde_json::json;

use super::calls::{Case, SMALL, bits, contracts, distance, native, native_run, run};

const SINGLE: &str = "f16_online_single_range";
const MERGED: &str = "f16_online_fp32_merge";
const HALF: Case = Case { cache: [Element::Fp16; 2], width: 32, ..SMALL };

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
