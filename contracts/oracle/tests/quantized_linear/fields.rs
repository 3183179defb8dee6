//! Every field of every contract matters.

use cke_contracts::registry::{QuantizedLinear, Registry};
use serde_json::Value;

use crate::definitions::Definitions;
use crate::flips::{Outcome, flip};
use crate::support::{ALL, BLOCK, NATIVE, Product, contract, product};

/// Rows crafted so that every rule of a quantiser shows. Where rows are grouped, seven: every size of groups leaves
/// another rest.
fn crafted(id: &str) -> Product {
    let semantics = contract(id).semantics.expect("explicit");
    let rows = if semantics.residual_rows.is_some() { 7 } else { 4 };
    let n = 8;
    let mut product = Product { bias: Some(vec![0.25; n]), ..product(id, rows, n, 2 * BLOCK, 11) };
    let row = |n: usize| n * 2 * BLOCK;
    // Not around zero, so that minima weigh as much as products.
    product.x[..row(1)].iter_mut().for_each(|x| *x += 0.75);
    // Both signs of the greatest magnitude, the negative one first, and ties between codes.
    for (k, x) in product.x[row(1)..row(2)].iter_mut().enumerate() {
        *x = [-127.0, 127.0, 0.5, 1.5, 2.5, -0.5, -3.5, 100.25][k % 8];
    }
    // The extreme and the element of which a contraction makes another byte.
    for (k, x) in product.x[row(2)..row(3)].iter_mut().enumerate() {
        *x = f32::from_bits([0xbf88_13e2, 0x3e0d_6f60][usize::from(k % BLOCK != 0)]);
    }
    // Extremes whose scale depends on the divisions it is made by, and a NaN.
    product.x[row(3) + 1] = -1.140625;
    product.x[row(3) + BLOCK] = -1.140625;
    product.x[row(3)] = f32::NAN;
    product
}

/// What a definition leads to, on the crafted product.
fn outcome(id: &str, crafted: &Product, expected: &[u32], definition: &Value) -> Outcome {
    let contract = match serde_json::from_value::<QuantizedLinear>(definition.clone()) {
        Ok(contract) => contract,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    match crafted.run(&contract) {
        Err(message) => Outcome::Refused(message),
        Ok(bits) if bits != expected => Outcome::Changed,
        Ok(_) => {
            let mut definitions = Definitions::native();
            *definitions.contract(id) = definition.clone();
            match Registry::from_values(definitions.contracts, []) {
                Ok(_) => Outcome::Same,
                Err(fault) => Outcome::Refused(fault.message),
            }
        }
    }
}

#[test]
fn every_leaf_changes_bits_or_is_refused() {
    for id in ALL {
        let crafted = crafted(id);
        let expected = crafted.run(&contract(id)).unwrap();
        let decode = |definition: &Value| {
            serde_json::from_value::<QuantizedLinear>(definition.clone()).map(drop).map_err(|error| error.to_string())
        };
        let report = flip(&NATIVE.contracts[id].definition(), decode, |value| outcome(id, &crafted, &expected, value));
        assert_eq!(report.single_word, ["/dot/block_order"], "{id}");
        // Which operations a contract governs is no arithmetic; that others are refused has a test of its own.
        let unproven: Vec<_> =
            report.unproven.iter().filter(|leaf| !leaf.starts_with("/semantics/operations")).collect();
        assert_eq!(unproven, Vec::<&String>::new(), "{id}");
        // The sign of the extreme's code turns the sign of all codes and of the scale: other bytes, the same products.
        // Its fields are proven by the tests of the quantiser and here by the name of the rule, which refuses others.
        for field in ["extreme_code", "inverse", "rounding", "maximum", "scale", "nonfinite"] {
            let field = format!("/semantics/quantizer/{field}");
            assert!(report.changed.contains(&field), "{id}: {field}");
        }
        for field in ["group", "factor", "update"] {
            let field = format!("/semantics/value/{field}");
            assert!(report.changed.contains(&field), "{id}: {field}");
        }
    }
}
