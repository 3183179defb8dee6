//! `attention`.

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::{FixedValue, RangeRule, ReductionUpdate};
use cke_contracts::registry::{AttentionSemantics, Contract};
use cke_oracle::fma::fma;
use cke_oracle::functions::exp_e0;

use super::support::{NAN, Run, attention as fields, native, noise};

const SCALE: f32 = 0.125;

/// The extents of a call.
#[derive(Clone, Copy)]
struct Shape {
    heads: usize,
    kv_heads: usize,
    width: usize,
    capacity: usize,
}

const SMALL: Shape = Shape { heads: 4, kv_heads: 2, width: 5, capacity: 40 };
const ONE: Shape = Shape { heads: 1, kv_heads: 1, width: 1, capacity: 48 };
/// One head over more than two chunks.
const LONG: Shape = Shape { heads: 1, kv_heads: 1, width: 3, capacity: 2500 };

impl Shape {
    fn run(self, rows: usize, position: usize, q: &[f32], k: &[f32], v: &[f32]) -> Run {
        let Self { heads, kv_heads, width, capacity } = self;
        Run::new("attention", native("attention"))
            .shape(&[
                ("heads", heads as i64),
                ("kv_heads", kv_heads as i64),
                ("head_dim", width as i64),
                ("capacity", capacity as i64),
            ])
            .param("scale", f64::from(SCALE))
            .tensor("q", Layout::RowMajor, &[rows, heads * width], q)
            .tensor("k_cache", Layout::KBlocksT16, &[kv_heads, capacity, width], k)
            .tensor("v_cache", Layout::HeadMajor, &[kv_heads, capacity, width], v)
            .output("y", Layout::RowMajor, &[rows, heads * width])
            .at(rows, position)
    }

    fn noise(self, rows: usize, position: usize) -> Run {
        let [q, k, v] = self.inputs(rows);
        self.run(rows, position, &q, &k, &v)
    }

    fn inputs(self, rows: usize) -> [Vec<f32>; 3] {
        let cache = self.kv_heads * self.capacity * self.width;
        // Wide scores, so that probabilities differ by orders of magnitude.
        let q = noise(1, rows * self.heads * self.width).iter().map(|q| q * 20.0).collect();
        [q, noise(2, cache), noise(3, cache)]
    }

    /// The contract written down once more, in the order of the words, with its three numbers as parameters.
    fn reference(self, rows: usize, position: usize, chunk: usize, lanes: usize) -> Vec<f32> {
        let [q, k, v] = self.inputs(rows);
        let mut y = vec![];
        for row in 0..rows {
            for head in 0..self.heads {
                let q = &q[(row * self.heads + head) * self.width..][..self.width];
                let cache = head / (self.heads / self.kv_heads) * self.capacity * self.width;
                y.extend(self.reference_head(q, &k[cache..], &v[cache..], position + row + 1, (chunk, lanes)));
            }
        }
        y
    }

    fn reference_head(self, q: &[f32], k: &[f32], v: &[f32], end: usize, (chunk, count): (usize, usize)) -> Vec<f32> {
        let dot = |t: usize| (0..self.width).fold(0.0, |acc, d| fma(q[d], k[t * self.width + d], acc));
        let scores: Vec<f32> = (0..end).map(|t| dot(t) * SCALE).collect();
        let maximum = scores.iter().fold(f32::NEG_INFINITY, |m, s| if *s > m { *s } else { m });
        let p: Vec<f32> = scores.iter().map(|s| exp_e0(s - maximum)).collect();
        let mut lanes = vec![0.0_f32; count];
        let mut o = vec![0.0_f32; self.width];
        for first in (0..end).step_by(chunk) {
            let mut chunk_lanes = vec![0.0_f32; count];
            let mut chunk_o = vec![0.0_f32; self.width];
            for t in first..end.min(first + chunk) {
                chunk_lanes[t % count] += p[t];
                for d in 0..self.width {
                    chunk_o[d] = fma(p[t], v[t * self.width + d], chunk_o[d]);
                }
            }
            for (total, part) in lanes.iter_mut().zip(chunk_lanes).chain(o.iter_mut().zip(chunk_o)) {
                *total += part;
            }
        }
        let mut stride = count / 2;
        while stride > 0 {
            for j in 0..stride {
                lanes[j] += lanes[j + stride];
            }
            stride /= 2;
        }
        o.iter().map(|o| o * (1.0 / lanes[0])).collect()
    }
}

/// The explicit semantics, to change a field.
fn semantics(contract: &mut Contract) -> &mut AttentionSemantics {
    fields(contract).semantics.as_mut().expect("native contracts are explicit")
}

#[test]
fn one_position_gives_its_value() {
    let run = ONE.run(1, 0, &[3.0], &noise(1, 48), &[&[7.0], &noise(2, 47)[..]].concat());
    assert_eq!(run.values("y"), [7.0]);
}

#[test]
fn equal_scores_give_the_mean() {
    let v: Vec<f32> = (0..48).map(|t| t as f32).collect();
    assert_eq!(ONE.run(1, 3, &[0.0], &noise(1, 48), &v).values("y"), [1.5]);
}

#[test]
fn causal_rows_and_shared_heads() {
    let expected = SMALL.reference(7, 20, 1024, 16);
    assert_eq!(SMALL.noise(7, 20).values("y"), expected);
}

#[test]
fn chunk_borders() {
    for position in [1022, 1023, 1024, 2047, 2048, 2499] {
        assert_eq!(LONG.noise(1, position).values("y"), LONG.reference(1, position, 1024, 16), "position {position}");
    }
}

#[test]
fn widths_around_a_group_of_columns() {
    for width in [1, 15, 16, 17, 33] {
        let shape = Shape { width, ..SMALL };
        assert_eq!(shape.noise(2, 17).values("y"), shape.reference(2, 17, 1024, 16), "width {width}");
    }
}

#[test]
fn a_row_alone_has_the_bits_it_has_among_others() {
    let together = SMALL.noise(6, 11).result("y");
    let [q, k, v] = SMALL.inputs(6);
    let width = SMALL.heads * SMALL.width;
    for row in 0..6 {
        let alone = SMALL.run(1, 11 + row, &q[row * width..(row + 1) * width], &k, &v).result("y");
        assert_eq!(alone, together[row * width..(row + 1) * width]);
    }
}

#[test]
fn positions_beyond_the_row_are_never_seen() {
    let [q, k, v] = SMALL.inputs(1);
    let clean = SMALL.run(1, 9, &q, &k, &v).result("y");
    let spoil = |cache: &[f32]| {
        let mut cache = cache.to_vec();
        for head in cache.chunks_mut(SMALL.capacity * SMALL.width) {
            head[10 * SMALL.width..].fill(f32::NAN);
        }
        cache
    };
    assert_eq!(SMALL.run(1, 9, &q, &spoil(&k), &spoil(&v)).result("y"), clean);
}

#[test]
fn the_output_may_be_the_query() {
    let apart = SMALL.noise(3, 5).result("y");
    let mut run = SMALL.noise(3, 5).rename("y", "unused").alias("y", "q");
    run.execute().expect("a valid call");
    assert_eq!(run.read("y"), apart);
}

#[test]
fn scratch_is_not_touched() {
    let run = SMALL.noise(1, 5).output("scores", Layout::RowMajor, &[48]);
    assert_eq!(run.result("y"), SMALL.noise(1, 5).result("y"));
}

/// `k` and `v` of the first positions; the rest is 1.
fn special(q: f32, k: &[f32], v: &[f32]) -> u32 {
    let pad = |values: &[f32]| [values, &vec![1.0; ONE.capacity - values.len()]].concat();
    ONE.run(1, k.len() - 1, &[q], &pad(k), &pad(v)).result("y")[0]
}

#[test]
fn special_values() {
    let inf = f32::INFINITY;
    assert_eq!(special(1., &[1., f32::from_bits(0x7f80_0001)], &[1., 1.]), NAN, "a NaN score");
    assert_eq!(special(1., &[inf, 1.], &[1., 1.]), NAN, "inf - inf");
    assert_eq!(special(1., &[-inf, 1.], &[5., 2.]), 2.0_f32.to_bits(), "a score of -inf has no weight");
    assert_eq!(special(1., &[-inf, 1.], &[inf, 2.]), NAN, "0 * inf");
    assert_eq!(special(1., &[-inf, -inf], &[3., 4.]), 0, "no weight at all");
    assert_eq!(special(1., &[-inf, -inf], &[-3., -4.]), 0, "+0 + 0 * -3 = +0");
    assert_eq!(special(1., &[1.], &[f32::from_bits(0xff80_0001)]), NAN);
    assert_eq!(special(1., &[1.], &[-0.]), 0, "the chain starts at +0");
    assert_eq!(special(1., &[1.], &[f32::from_bits(1)]), 1, "subnormals are kept");
    assert_eq!(special(1., &[1., 1.], &[f32::MAX, f32::MAX]), inf.to_bits(), "the sum overflows before the division");
    assert_eq!(special(f32::MAX, &[f32::MAX, 1.], &[1., 1.]), NAN, "a score that overflows");
}

#[test]
fn field_chunk_extent() {
    let run = LONG.noise(1, 2400);
    let other = run.with(|c| fields(c).partition.chunk_extent = Some(512));
    let found = other.values("y");
    assert_eq!(found, LONG.reference(1, 2400, 512, 16));
    assert!(found != run.values("y"));
}

#[test]
fn field_denominator_lanes() {
    let run = LONG.noise(1, 2400);
    let other = run.with(|c| {
        semantics(c).denominator.as_mut().unwrap().lanes.count = 8;
        semantics(c).denominator.as_mut().unwrap().horizontal_tree = vec![4, 2, 1];
    });
    let found = other.values("y");
    assert_eq!(found, LONG.reference(1, 2400, 1024, 8));
    assert!(found != run.values("y"));
}

#[test]
fn field_denominator_tree() {
    let run = LONG.noise(1, 2400);
    let other = run.with(|c| semantics(c).denominator.as_mut().unwrap().horizontal_tree = vec![1, 2, 4, 8]);
    assert!(other.result("y") != run.result("y"));
}

#[test]
fn fields_update_of_score_and_value() {
    let run = SMALL.noise(3, 30);
    let score = run.with(|c| semantics(c).score.as_mut().unwrap().update = ReductionUpdate::MultiplyThenAdd);
    let value = run.with(|c| semantics(c).value.as_mut().unwrap().update = ReductionUpdate::MultiplyThenAdd);
    let native = run.result("y");
    assert!(score.result("y") != native);
    assert!(value.result("y") != native);
}

#[test]
fn fields_lanes_of_score_and_value() {
    let run = Shape { width: 64, ..SMALL }.noise(1, 30);
    let score = run.with(|c| {
        semantics(c).score.as_mut().unwrap().lanes.count = 4;
        semantics(c).score.as_mut().unwrap().horizontal_tree = vec![2, 1];
    });
    let value = run.with(|c| {
        semantics(c).value.as_mut().unwrap().lanes.count = 4;
        semantics(c).value.as_mut().unwrap().horizontal_tree = vec![2, 1];
    });
    let native = run.result("y");
    assert!(score.result("y") != native);
    assert!(value.result("y") != native);
}

#[test]
fn field_initial_of_the_reductions() {
    let run = SMALL.noise(1, 3);
    for change in [
        (|s| s.score.as_mut().unwrap().initial = FixedValue::NegativeInfinity) as fn(&mut AttentionSemantics),
        |s| s.denominator.as_mut().unwrap().initial = FixedValue::NegativeInfinity,
        |s| s.value.as_mut().unwrap().initial = FixedValue::NegativeInfinity,
    ] {
        assert!(run.with(|c| change(semantics(c))).result("y") != run.clone().result("y"));
    }
}

/// All scores are negative: a search that starts at +0 finds nothing greater and leaves +0.
#[test]
fn field_maximum_initial() {
    let keys: Vec<f32> = noise(1, 48).iter().map(|k| k.abs() * 80.0 + 1.0).collect();
    let run = ONE.run(1, 1, &[-1.0], &keys, &noise(2, 48));
    let other = run.with(|c| semantics(c).softmax.as_mut().unwrap().maximum_initial = FixedValue::PositiveZero);
    assert!(run.result("y") != other.result("y"));
}

/// All scores -inf: less +0 they are -inf, less -inf they are NaN.
#[test]
fn field_maximum_missing() {
    let run = ONE.run(1, 1, &[1.0], &[f32::NEG_INFINITY; 48], &[1.0; 48]);
    let other = run.with(|c| semantics(c).softmax.as_mut().unwrap().maximum_missing = FixedValue::NegativeInfinity);
    assert_eq!((run.result("y"), other.result("y")), (vec![0], vec![NAN]));
}

#[test]
fn field_range() {
    let run = SMALL.noise(4, 10);
    let full = run.with(|c| semantics(c).range.rule = RangeRule::Full);
    let (causal, full) = (run.result("y"), full.result("y"));
    let width = SMALL.heads * SMALL.width;
    assert!(causal[..3 * width] != full[..3 * width]);
    assert_eq!(causal[3 * width..], full[3 * width..], "the last row sees all valid positions either way");
}

#[test]
fn the_scale_is_applied_after_the_dot_product() {
    let run = SMALL.noise(2, 30).param("scale", 0.3);
    let folded = {
        let [q, k, v] = SMALL.inputs(2);
        let q: Vec<f32> = q.iter().map(|q| q * 0.3).collect();
        SMALL.run(2, 30, &q, &k, &v).param("scale", 1.0)
    };
    assert!(run.result("y") != folded.result("y"));
}

#[test]
fn bad_extents_are_errors() {
    let run = SMALL.noise(1, 3);
    let error = run.clone().shape(&[("kv_heads", 3)]).error();
    assert_eq!(error, "attention: shape key 'heads' is 4, expected a multiple of 'kv_heads' 3");
    let error = run.clone().shape(&[("kv_heads", 0)]).error();
    assert_eq!(error, "attention: shape key 'kv_heads' is 0, expected at least 1");
    let error = run.at(1, 40).error();
    assert_eq!(error, "attention: position 40 with 1 rows goes beyond 'capacity', which is 40");
}
