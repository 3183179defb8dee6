//! `rope` in both pairings.

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::Pairing;
use cke_oracle::fma::fma;
use cke_oracle::rope_table::rope_table;

use super::support::{NAN, Run, bits, execution, native_rope, noise};

const POSITIONS: usize = 40;

/// Rows of `heads` heads of `width` elements, of which `rotary` are rotated.
fn rope(pairing: Pairing, (heads, width, rotary): (usize, usize, usize), x: &[f32], position: usize) -> Run {
    let rows = x.len() / (heads * width);
    let table = rope_table(1e4, rotary, POSITIONS).expect("a valid table");
    Run::new("rope", native_rope(pairing))
        .shape(&[
            ("heads", heads as i64),
            ("head_dim", width as i64),
            ("rotary_dim", rotary as i64),
            ("positions", POSITIONS as i64),
        ])
        .tensor("x", Layout::RowMajor, &[rows, heads * width], x)
        .tensor("table", Layout::RowMajor, &[POSITIONS, rotary / 2, 2], &table)
        .output("y", Layout::RowMajor, &[rows, heads * width])
        .at(rows, position)
}

fn reference(
    pair: impl Fn(usize) -> (usize, usize),
    width: usize,
    rotary: usize,
    x: &[f32],
    position: usize,
) -> Vec<f32> {
    let table = rope_table(1e4, rotary, POSITIONS).expect("a valid table");
    let mut y = x.to_vec();
    for head in y.chunks_mut(width) {
        for i in 0..rotary / 2 {
            let (first, second) = pair(i);
            let (c, s) = (table[position * rotary + 2 * i], table[position * rotary + 2 * i + 1]);
            let (x0, x1) = (head[first], head[second]);
            head[first] = fma(x0, c, -(x1 * s));
            head[second] = fma(x0, s, x1 * c);
        }
    }
    y
}

#[test]
fn neighbours_are_pairs_when_interleaved() {
    let x = noise(1, 3 * 8);
    let expected = reference(|i| (2 * i, 2 * i + 1), 8, 8, &x, 5);
    assert_eq!(rope(Pairing::PairwiseInterleaved, (3, 8, 8), &x, 5).values("y"), expected);
}

#[test]
fn halves_are_pairs_when_split() {
    let x = noise(1, 3 * 8);
    let expected = reference(|i| (i, i + 4), 8, 8, &x, 5);
    assert_eq!(rope(Pairing::SplitHalf, (3, 8, 8), &x, 5).values("y"), expected);
}

#[test]
fn position_zero_changes_no_number() {
    let x = noise(1, 2 * 8);
    assert_eq!(rope(Pairing::SplitHalf, (2, 8, 8), &x, 0).values("y"), x);
}

#[test]
fn each_row_has_its_own_position() {
    let x = noise(1, 4 * 8);
    let together = rope(Pairing::SplitHalf, (1, 8, 8), &x, 7).result("y");
    for row in 0..4 {
        let alone = rope(Pairing::SplitHalf, (1, 8, 8), &x[row * 8..(row + 1) * 8], 7 + row).result("y");
        assert_eq!(alone, together[row * 8..(row + 1) * 8]);
    }
}

/// With a narrower rotation the pairs are inside it, and the rest is copied, NaN bits included.
#[test]
fn elements_beyond_the_rotation_are_copied() {
    let mut x = noise(1, 8);
    x[6] = f32::from_bits(0xffa0_0007);
    x[7] = -0.0;
    let y = rope(Pairing::SplitHalf, (1, 8, 4), &x, 9).result("y");
    assert_eq!(y[..4], bits(&reference(|i| (i, i + 2), 8, 4, &x, 9))[..4]);
    assert_eq!(y[4..], bits(&x)[4..]);
}

#[test]
fn special_values() {
    let x = [f32::from_bits(0xff80_0001), 1., f32::INFINITY, 0., 1., 1., -0., 1.];
    let y = rope(Pairing::PairwiseInterleaved, (1, 8, 8), &x, 0).result("y");
    assert_eq!(y[..2], [NAN; 2], "a NaN makes its pair NaN");
    assert_eq!(y[2..4], [f32::INFINITY.to_bits(), NAN], "inf * 1 - 0 * 0, inf * 0 + 0 * 1");
    assert_eq!(y[4..6], bits(&[1., 1.]));
    assert_eq!(y[6], 0x8000_0000, "-0 * 1 - (1 * 0) = -0");
}

#[test]
fn in_place() {
    let x = noise(1, 2 * 16);
    let apart = rope(Pairing::SplitHalf, (2, 8, 8), &x, 3).result("y");
    let run = rope(Pairing::SplitHalf, (2, 8, 8), &x, 3);
    let mut run = run.rename("y", "unused").alias("y", "x");
    run.execute().expect("a valid call");
    assert_eq!(run.read("x"), apart);
}

#[test]
fn field_pairing() {
    let run = rope(Pairing::SplitHalf, (1, 8, 8), &noise(1, 8), 5);
    let other = run.with(|c| {
        execution(c).position_transform.as_mut().unwrap().pairing = Pairing::PairwiseInterleaved;
    });
    assert!(run.result("y") != other.result("y"));
}

#[test]
fn positions_beyond_the_table_are_errors() {
    let error = rope(Pairing::SplitHalf, (1, 8, 8), &noise(1, 16), 39).error();
    assert_eq!(error, "rope: position 39 with 2 rows goes beyond 'positions', which is 40");
}

#[test]
fn an_odd_or_too_wide_rotation_is_an_error() {
    for rotary in [3, 10] {
        let error = rope(Pairing::SplitHalf, (1, 8, 8), &noise(1, 8), 0).shape(&[("rotary_dim", rotary)]).error();
        assert!(error.starts_with(&format!("rope: shape key 'rotary_dim' is {rotary}, expected an even")), "{error}");
    }
}

#[test]
fn fixed_widths_must_be_those_of_the_shape() {
    let run = rope(Pairing::SplitHalf, (1, 8, 8), &noise(1, 8), 0);
    let rotary = run.with(|c| execution(c).position_transform.as_mut().unwrap().rotary_width_value = Some(16));
    assert_eq!(rotary.error(), "rope: position_transform.rotary_width_value is 16, the shape has 8");
    let head = run.with(|c| execution(c).position_transform.as_mut().unwrap().head_width_value = Some(64));
    assert_eq!(head.error(), "rope: position_transform.head_width_value is 64, the shape has 8");
}
