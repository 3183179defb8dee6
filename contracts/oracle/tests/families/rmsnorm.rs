//! `rmsnorm`.

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::{Contraction, FixedValue, ReductionUpdate};
use cke_oracle::fma::fma;

use super::support::{NAN, Run, bits, execution, native, noise, semantics};

const EPS: f64 = 1e-5;

fn rmsnorm(rows: usize, dim: usize, x: &[f32], gamma: &[f32], eps: f64) -> Run {
    Run::new("rmsnorm", native("rmsnorm"))
        .shape(&[("dim", dim as i64)])
        .param("eps", eps)
        .tensor("x", Layout::RowMajor, &[rows, dim], x)
        .tensor("gamma", Layout::RowMajor, &[dim], gamma)
        .output("y", Layout::RowMajor, &[rows, dim])
        .at(rows, 0)
}

/// A row under another number of lanes and another tree, written down once more.
fn reference(x: &[f32], gamma: &[f32], count: usize, tree: &[usize]) -> Vec<f32> {
    let mut lanes = vec![0.0_f32; count];
    for (i, x) in x.iter().enumerate() {
        lanes[i % count] = fma(*x, *x, lanes[i % count]);
    }
    for stride in tree {
        lanes = (0..count).map(|j| lanes[j] + lanes[j ^ stride]).collect();
    }
    let r = 1.0 / (lanes[0] / x.len() as f32 + EPS as f32).sqrt();
    x.iter().zip(gamma).map(|(x, gamma)| (x * r) * gamma).collect()
}

#[test]
fn a_row_of_equal_elements() {
    let run = rmsnorm(1, 64, &[2.0; 64], &[3.0; 64], 0.0);
    assert_eq!(run.values("y"), [3.0; 64]);
}

#[test]
fn sixty_four_lanes_and_a_halving_tree() {
    let (rows, dim) = (3, 200);
    let (x, gamma) = (noise(1, rows * dim), noise(2, dim));
    let expected: Vec<f32> = x.chunks(dim).flat_map(|x| reference(x, &gamma, 64, &[32, 16, 8, 4, 2, 1])).collect();
    assert_eq!(rmsnorm(rows, dim, &x, &gamma, EPS).values("y"), expected);
}

#[test]
fn in_place() {
    let (x, gamma) = (noise(1, 3 * 70), noise(2, 70));
    let apart = rmsnorm(3, 70, &x, &gamma, EPS).result("y");
    let run = Run::new("rmsnorm", native("rmsnorm"))
        .shape(&[("dim", 70)])
        .param("eps", EPS)
        .tensor("x", Layout::RowMajor, &[3, 70], &x)
        .tensor("gamma", Layout::RowMajor, &[70], &gamma)
        .alias("y", "x")
        .at(3, 0);
    assert_eq!(run.result("y"), apart);
}

#[test]
fn special_values() {
    let y = rmsnorm(2, 3, &[f32::from_bits(0xffc1_2345), 1., 2., 3., 0., -0.], &[1.; 3], EPS).result("y");
    assert_eq!(y[..3], [NAN; 3], "a NaN makes its whole row NaN");
    assert_eq!(y[4..], [0, 0x8000_0000], "zeros keep their sign; the other row is untouched");
    let y = rmsnorm(1, 2, &[f32::INFINITY, 1.], &[1.; 2], EPS).result("y");
    assert_eq!(y, [NAN, 0], "1 / sqrt(inf) = 0; inf * 0 is NaN");
    let y = rmsnorm(1, 2, &[0., 0.], &[1.; 2], 0.0).result("y");
    assert_eq!(y, [NAN; 2], "0 * (1 / 0)");
    let y = rmsnorm(1, 1, &[f32::from_bits(1)], &[1.], 0.0).result("y");
    assert_eq!(y, bits(&[f32::INFINITY]), "the square of a subnormal underflows");
    let y = rmsnorm(1, 1, &[1e30], &[1.], EPS).result("y");
    assert_eq!(y, [0], "the square overflows");
}

#[test]
fn eps_is_rounded_to_f32_and_added_to_the_mean() {
    let run = rmsnorm(1, 1, &[1.0], &[1.0], EPS);
    assert_eq!(run.values("y"), [1.0 / (1.0 + EPS as f32).sqrt()]);
}

/// Rows of noise with these lanes and this tree, against the reference; and that the bits are others. Several rows,
/// because the square root hides half of the last bit.
fn check_structure(count: u32, tree: &[u32]) {
    let (x, gamma) = (noise(11, 16 * 576), noise(12, 576));
    let run = rmsnorm(16, 576, &x, &gamma, EPS);
    let other = run.with(|c| {
        let reduction = semantics(c).reduction.as_mut().unwrap();
        reduction.lanes.count = count;
        reduction.horizontal_tree = tree.to_vec();
    });
    let strides: Vec<usize> = tree.iter().map(|stride| *stride as usize).collect();
    let expected: Vec<f32> = x.chunks(576).flat_map(|x| reference(x, &gamma, count as usize, &strides)).collect();
    let found = other.values("y");
    assert!(found == expected, "{count} lanes, strides {tree:?}");
    assert!(found != run.values("y"), "{count} lanes, strides {tree:?}");
}

#[test]
fn field_lanes() {
    check_structure(32, &[16, 8, 4, 2, 1]);
    check_structure(16, &[8, 4, 2, 1]);
    check_structure(1, &[]);
}

#[test]
fn field_horizontal_tree() {
    check_structure(64, &[1, 2, 4, 8, 16, 32]);
    check_structure(64, &[32, 16, 8, 4, 1, 2]);
}

#[test]
fn field_update() {
    let x = noise(3, 16 * 640);
    let run = rmsnorm(16, 640, &x, &[1.0; 640], EPS);
    let unfused = run.with(|c| {
        semantics(c).reduction.as_mut().unwrap().update = ReductionUpdate::MultiplyThenAdd;
        execution(c).compute.contraction = execution(c).compute.contraction.map(|_| Contraction::Disabled);
    });
    assert!(run.result("y") != unfused.result("y"));
}

#[test]
fn field_initial() {
    let run = rmsnorm(1, 2, &[1., 1.], &[1.; 2], EPS);
    let other = run.with(|c| semantics(c).reduction.as_mut().unwrap().initial = FixedValue::NegativeInfinity);
    assert_eq!(other.result("y"), [NAN; 2], "the root of -inf");
}
