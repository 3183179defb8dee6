//! Values by hand, special values, and the corpus.

use crate::support::{ALL, BLOCK, MATMUL, MATVEC, NATIVE, Product, Q4, Q4_BYTES, Q6, contract, product, repack};
use serde_json::Value;

const ONE: [u8; 2] = 0x3c00_u16.to_le_bytes();

/// One block of ones: scales 1, minima 2, codes 3 (Q6_K: codes 33, which stand for 1).
fn simple(id: &str, x: Vec<f32>) -> Product {
    let q4: Vec<u8> = [&ONE[..], &ONE, &[1, 1, 1, 1, 2, 2, 2, 2, 0x21, 0x21, 0x21, 0x21], &[0x33; 128]].concat();
    let w = match id {
        Q6 => [&[0x11; 128][..], &[0xaa; 64], &[1; 16], &ONE].concat(),
        Q4 => q4.repeat(8),
        _ => repack(&q4.repeat(8), 1),
    };
    let w = if id == Q6 { w.repeat(8) } else { w };
    Product { k: BLOCK, n: 8, x, w, bias: None }
}

/// Codes -127 once and 1 elsewhere sum to 128.
#[test]
fn values_by_hand() {
    let mut x = vec![1.0; BLOCK];
    x[77] = -127.0;
    for id in ALL {
        let expected = 128.0; // for Q4_K as 3 * 128 - 2 * 128
        assert_eq!(simple(id, x.clone()).values(&contract(id)), [expected; 8], "{id}");
        let biased = Product { bias: Some(vec![0.5; 8]), ..simple(id, x.clone()) };
        assert_eq!(biased.values(&contract(id)), [expected + 0.5; 8], "{id}");
    }
}

#[test]
fn special_values() {
    let mut x = vec![0.0; 2 * BLOCK];
    x[..BLOCK].fill(-0.0);
    x[BLOCK + 3] = f32::INFINITY;
    for id in ALL {
        let bits = simple(id, x.clone()).run(&contract(id)).unwrap();
        assert_eq!(bits[..8], [0; 8], "zeros give +0: {id}");
        assert_eq!(bits[8..], [0x7fc0_0000; 8], "an infinity leaves the canonical NaN: {id}");
    }
}

/// The packed form holds the same weights: the integers agree, so that only roundings differ.
#[test]
fn packings_agree_but_for_roundings() {
    let (k, n) = (1024, 16);
    let plain = product(Q4, 4, n, k, 3);
    let packed = Product { w: repack(&plain.w, k / BLOCK), ..plain.clone() };
    let expected = plain.values(&contract(Q4));
    for id in [MATMUL, MATVEC] {
        let found = packed.values(&contract(id));
        assert_ne!(found, expected, "{id}");
        let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(close, "{id}: {found:?} {expected:?}");
    }
}

#[test]
fn calls_that_do_not_fit_are_refused() {
    let good = product(Q4, 1, 8, 512, 1);
    let error = |product: Product| product.run(&contract(Q4)).unwrap_err();
    let short = Product { w: good.w[..8 * Q4_BYTES].to_vec(), ..good.clone() };
    assert!(error(Product { n: 8000, ..short }).contains("port"), "outside the state block");
    let odd = Product { k: 300, x: vec![0.0; 300], ..good.clone() };
    assert_eq!(error(odd), "linear: shape key 'k' is 300, no multiple of weight.block_size 256");
    let packed = Product { n: 9, ..product(MATVEC, 1, 16, 512, 1) };
    let error = packed.run(&contract(MATVEC)).unwrap_err();
    assert_eq!(error, "linear: shape key 'n' is 9, no multiple of semantics.weight.rows 8");
}

/// Our statements have the fields of v8, unchanged; only confirmation, prose and what we add differ.
#[test]
fn the_fields_of_v8_are_those_of_the_corpus() {
    let fallback = || std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("CKE_CORPUS").map_or_else(fallback, Into::into);
    let path = corpus.join("cke-v8/contracts/quantized_linear.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no corpus file {}", path.display());
        return;
    };
    let corpus: Value = serde_json::from_str(&text).expect("the corpus is JSON");
    let fields = |mut definition: Value| {
        let object = definition.as_object_mut().expect("an object");
        ["status", "description", "semantics"].iter().for_each(|field| drop(object.remove(*field)));
        definition
    };
    let theirs = corpus["contracts"].as_object().expect("contracts");
    assert_eq!(theirs.len(), ALL.len());
    for (id, theirs) in theirs {
        assert_eq!(fields(NATIVE.contracts[id].definition()), fields(theirs.clone()), "{id}");
    }
}
