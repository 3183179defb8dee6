//! `linear` and `logits`.

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::{Contraction, FixedValue, OutputRows, ReductionUpdate};
use cke_oracle::fma::fma;

use super::support::{NAN, Run, execution, native, noise, semantics};

fn linear(op: &str, rows: usize, k: usize, n: usize, x: &[f32], w: &[f32]) -> Run {
    let out = if op == "logits" { 1 } else { rows };
    Run::new(op, native(op))
        .shape(&[("k", k as i64), ("n", n as i64)])
        .tensor("x", Layout::RowMajor, &[rows, k], x)
        .tensor("w", Layout::PanelsN32, &[n, k], w)
        .output("y", Layout::RowMajor, &[out, n])
        .at(rows, 0)
}

fn random(op: &str, rows: usize, k: usize, n: usize) -> Run {
    linear(op, rows, k, n, &noise(1, rows * k), &noise(2, n * k))
}

#[test]
fn small_integers() {
    // Two rows of three, two outputs: plain dot products.
    let run = linear("linear", 2, 3, 2, &[1., 2., 3., 4., 5., 6.], &[1., 0., -1., 2., 2., 2.]);
    assert_eq!(run.values("y"), [-2., 12., -2., 30.]);
}

#[test]
fn one_ascending_chain_of_fma() {
    let (rows, k, n) = (3, 77, 65);
    let (x, w) = (noise(1, rows * k), noise(2, n * k));
    let mut expected = vec![];
    for row in x.chunks(k) {
        for column in w.chunks(k) {
            expected.push(row.iter().zip(column).fold(0.0, |acc, (x, w)| fma(*x, *w, acc)));
        }
    }
    assert_eq!(random("linear", rows, k, n).values("y"), expected);
}

/// Ascending and descending differ: (1e8 + 1) - 1e8 loses the 1, the other order keeps it.
#[test]
fn the_order_is_ascending() {
    assert_eq!(linear("linear", 1, 3, 1, &[1e8, 1., -1e8], &[1.; 3]).values("y"), [0.]);
    assert_eq!(linear("linear", 1, 3, 1, &[1e8, -1e8, 1.], &[1.; 3]).values("y"), [1.]);
}

#[test]
fn a_row_alone_has_the_bits_it_has_among_others() {
    let (rows, k, n) = (5, 40, 33);
    let (x, w) = (noise(1, rows * k), noise(2, n * k));
    let together = linear("linear", rows, k, n, &x, &w).result("y");
    for (row, x) in x.chunks(k).enumerate() {
        assert_eq!(linear("linear", 1, k, n, x, &w).result("y"), together[row * n..(row + 1) * n]);
    }
}

#[test]
fn the_layout_of_the_weights_does_not_matter() {
    let (k, n) = (40, 33);
    let (x, w) = (noise(1, k), noise(2, n * k));
    let run = Run::new("linear", native("linear"))
        .shape(&[("k", k as i64), ("n", n as i64)])
        .tensor("x", Layout::RowMajor, &[1, k], &x)
        .tensor("w", Layout::RowMajor, &[n, k], &w)
        .output("y", Layout::RowMajor, &[1, n]);
    assert_eq!(run.result("y"), linear("linear", 1, k, n, &x, &w).result("y"));
}

#[test]
fn logits_are_those_of_the_last_row() {
    let all = random("linear", 3, 50, 40).result("y");
    assert_eq!(random("logits", 3, 50, 40).result("y"), all[80..]);
}

#[test]
fn the_output_may_be_the_input() {
    let k = 8;
    let (x, w) = (noise(1, 2 * k), noise(2, k * k));
    let apart = linear("linear", 2, k, k, &x, &w).result("y");
    let run = Run::new("linear", native("linear"))
        .shape(&[("k", k as i64), ("n", k as i64)])
        .tensor("x", Layout::RowMajor, &[2, k], &x)
        .tensor("w", Layout::PanelsN32, &[k, k], &w)
        .alias("y", "x")
        .at(2, 0);
    assert_eq!(run.result("y"), apart);
}

#[test]
fn a_sum_over_nothing_is_positive_zero() {
    assert_eq!(linear("linear", 2, 0, 3, &[], &[]).result("y"), [0; 6]);
    let run = linear("linear", 1, 0, 1, &[], &[])
        .with(|c| semantics(c).reduction.as_mut().unwrap().empty = FixedValue::NegativeInfinity);
    assert_eq!(run.values("y"), [f32::NEG_INFINITY]);
}

#[test]
fn special_values() {
    let inf = f32::INFINITY;
    let one = |x: f32, w: f32| linear("linear", 1, 1, 1, &[x], &[w]).result("y")[0];
    assert_eq!(one(f32::from_bits(0x7fa0_0001), 1.), NAN, "a signalling NaN");
    assert_eq!(one(1., f32::from_bits(0xffff_ffff)), NAN, "a negative NaN with payload");
    assert_eq!(one(inf, 0.), NAN);
    assert_eq!(one(inf, -2.), (-inf).to_bits());
    assert_eq!(one(-0., 1.), 0, "+0 + -0 = +0");
    assert_eq!(one(f32::from_bits(1), 1.), 1, "subnormals are kept");
    assert_eq!(one(f32::from_bits(1), 0.5), 0, "half the least subnormal is a tie, to even");
    assert_eq!(one(f32::from_bits(3), 0.5), 2);
    assert_eq!(one(-f32::from_bits(1), 0.25), 0x8000_0000, "underflow keeps the sign");
    assert_eq!(one(f32::MAX, 2.), inf.to_bits());
    assert_eq!(linear("linear", 1, 2, 1, &[inf, -inf], &[1., 1.]).result("y"), [NAN]);
    // The product overflows f32 but not the fused sum.
    assert_eq!(linear("linear", 1, 2, 1, &[-f32::MAX, f32::MAX], &[1., 1.5]).values("y"), [f32::MAX / 2.]);
}

/// A NaN weight makes its own column NaN, no other; the padding of the last panel is never seen.
#[test]
fn columns_are_independent() {
    let mut w = vec![1.0; 34 * 2];
    w[33 * 2] = f32::NAN;
    let y = linear("linear", 1, 2, 34, &[1., 1.], &w).result("y");
    assert!(y[..33].iter().all(|y| *y == 2.0_f32.to_bits()));
    assert_eq!(y[33], NAN);
}

#[test]
fn field_update() {
    // x^2 + (-x^2 rounded): the fused chain keeps the rounding error of the square.
    let x = 1.0 + f32::EPSILON;
    let run = linear("linear", 1, 2, 1, &[-(x * x), x], &[1., x]);
    let unfused = run.with(|c| {
        semantics(c).reduction.as_mut().unwrap().update = ReductionUpdate::MultiplyThenAdd;
        execution(c).compute.contraction = execution(c).compute.contraction.map(|_| Contraction::Disabled);
    });
    assert_eq!(run.values("y"), [f32::EPSILON * f32::EPSILON]);
    assert_eq!(unfused.values("y"), [0.]);
}

#[test]
fn field_initial() {
    let run = linear("linear", 1, 1, 1, &[1.], &[1.]);
    let other = run.with(|c| semantics(c).reduction.as_mut().unwrap().initial = FixedValue::NegativeInfinity);
    assert_eq!(run.values("y"), [1.]);
    assert_eq!(other.values("y"), [f32::NEG_INFINITY]);
}

#[test]
fn field_lanes() {
    let run = linear("linear", 1, 4, 1, &[1e8, 1., -1e8, 1.], &[1.; 4]);
    let two = run.with(|c| {
        let reduction = semantics(c).reduction.as_mut().unwrap();
        reduction.lanes.count = 2;
        reduction.horizontal_tree = vec![1];
    });
    assert_eq!(run.values("y"), [1.], "((1e8 + 1) - 1e8) + 1");
    assert_eq!(two.values("y"), [2.], "(1e8 - 1e8) + (1 + 1)");
}

#[test]
fn field_output_rows() {
    let run = random("linear", 3, 9, 5);
    let mut last = run.with(|c| semantics(c).output_rows = OutputRows::Last);
    last.execute().expect("a valid call");
    let all = run.result("y");
    assert_eq!(last.read("y")[..5], all[10..]);
    assert!(last.read("y")[..5] != all[..5]);
}

#[test]
fn reordered_sums_have_other_bits() {
    let run = random("linear", 1, 576, 40);
    let lanes = run.with(|c| {
        let reduction = semantics(c).reduction.as_mut().unwrap();
        reduction.lanes.count = 8;
        reduction.horizontal_tree = vec![4, 2, 1];
    });
    assert!(run.result("y") != lanes.result("y"));
}
