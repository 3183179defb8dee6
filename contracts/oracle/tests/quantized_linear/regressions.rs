//! Faults of the past that these contracts make impossible.

use cke_contracts::effective::{Axis, regions};
use cke_contracts::fault::Code;
use cke_contracts::registry::{Contract, Registry};
use cke_contracts::resolve::{Mode, Resolver};
use serde_json::json;

use crate::definitions::{Definitions, linear_request};
use crate::support::{MATMUL, MATVEC, NATIVE, Q4, Q6, contract, product};

/// Eight lanes and sixteen are two contracts, whatever instructions compute them.
#[test]
fn regression_09_lane_count_is_data() {
    for id in [Q4, Q6] {
        let mut definitions = Definitions::native();
        let edits = [
            ("/dot/fp32_accumulator_lanes", json!(16)),
            ("/semantics/value/lanes/count", json!(16)),
            ("/semantics/value/horizontal_tree", json!([8, 4, 2, 1])),
        ];
        definitions.derive_contract(id, "sixteen_lanes_instead_of_eight", &edits);
        let registry = Registry::from_values(definitions.contracts, []).expect("a contract like the other");
        let Contract::Linear(sixteen) = &registry.contracts["sixteen_lanes_instead_of_eight"] else {
            panic!("a quantized linear contract");
        };
        let product = product(id, 4, 16, 1024, 5);
        let (eight, sixteen) = (product.run(&contract(id)).unwrap(), product.run(sixteen).unwrap());
        let differ = eight.iter().zip(&sixteen).filter(|(a, b)| a != b).count();
        assert!(differ > eight.len() / 4, "{id}: {differ} of {} outputs differ", eight.len());
    }
}

/// Whole groups of four rows follow one contract, the rows left over another, for every number of rows.
#[test]
fn regression_14_row_groups_follow_their_contract() {
    let (matmul, matvec) = (contract(MATMUL), contract(MATVEC));
    let mut greatest: f32 = 0.0;
    for rows in [1, 3, 4, 5, 40] {
        let product = product(MATMUL, rows, 16, 2560, 9);
        let found = product.run(&matmul).unwrap();
        for row in 0..rows {
            let alone = product.of_rows(row..row + 1);
            let by_matvec = alone.run(&matvec).unwrap();
            let four = product.of_rows(row..row + 1);
            let by_matmul =
                crate::support::Product { x: four.x.repeat(4), ..four }.run(&matmul).unwrap()[..16].to_vec();
            let expected = if row < rows / 4 * 4 { &by_matmul } else { &by_matvec };
            assert_eq!(found[row * 16..(row + 1) * 16], expected[..], "row {row} of {rows}");
            assert_ne!(by_matmul, by_matvec, "row {row} of {rows}");
            let difference = |(a, b): (&u32, &u32)| (f32::from_bits(*a) - f32::from_bits(*b)).abs();
            greatest = by_matmul.iter().zip(&by_matvec).map(difference).fold(greatest, f32::max);
        }
    }
    assert!(greatest > 1e-7 && greatest < 1e-4, "{greatest:e}");
    let regions: Vec<_> = regions(&NATIVE, MATMUL).into_iter().map(|r| (r.axis, r.from, r.to, r.contract)).collect();
    assert_eq!(
        regions,
        [(Axis::RowsMod4, 0, Some(1), MATMUL.to_owned()), (Axis::RowsMod4, 1, Some(4), MATVEC.to_owned())]
    );
}

/// An activation in fp32 and one in Q8_K are two contracts: their outputs differ nearly everywhere, and a request for
/// one is never fulfilled by a provider of the other.
#[test]
fn regression_16_activation_contracts_are_not_exchanged() {
    let product = product(Q6, 2, 64, 1024, 7);
    let quantised = product.values(&contract(Q6));
    let exact: Vec<f32> = (0..2 * 64).map(|i| by_fp32(&product, i / 64, i % 64)).collect();
    let differ = quantised.iter().zip(&exact).filter(|(a, b)| a != b).count();
    assert!(differ >= 2 * 64 - 1, "{differ} of 128 outputs differ");

    let resolver = Resolver::new(&NATIVE);
    let mut request = linear_request();
    for id in [Q4, MATMUL, MATVEC, Q6] {
        request.contract = id.to_owned();
        assert_eq!(resolver.resolve(&request, Mode::Bringup).unwrap_err().code, Code::NoProvider, "{id}");
    }
    let decision = resolver.resolve(&linear_request(), Mode::Bringup).unwrap();
    assert_eq!(decision.contract, "linear_fp32_ascending_k_fma");
}

/// One chain of fp32 sums over the weights as fp32.
fn by_fp32(product: &crate::support::Product, row: usize, n: usize) -> f32 {
    let blocks = product.k / 256;
    (0..product.k).fold(0.0, |sum, k| {
        let block = &product.w[(n * blocks + k / 256) * 210..][..210];
        let (half, quarter, i) = (k % 256 / 128, k % 128 / 32, k % 32);
        let low = block[64 * half + quarter % 2 * 32 + i] >> (quarter / 2 * 4) & 15;
        let code = i32::from(low | (block[128 + 32 * half + i] >> (2 * quarter) & 3) << 4) - 32;
        let scale = i32::from(block[192 + k % 256 / 16].cast_signed());
        let d = cke_oracle::dequant::f16_to_f32(u16::from_le_bytes([block[208], block[209]]));
        sum + d * (scale * code) as f32 * product.x[row * product.k + k]
    })
}
