//! Reductions in lanes, as a contract's `LaneReduction` describes them.

use std::ops::Range;

use super::fma::{fma, multiply_then_add};
use crate::registry::LaneReduction;
use crate::registry::vocabulary::{FixedValue, LaneAssignment, ReductionUpdate};

/// More lanes than any machine has; bounds the memory a contract can ask for.
const MOST_LANES: usize = 4096;

/// A lane reduction, checked and ready to run.
///
/// It runs on `G` independent reductions side by side, which changes no bit: every one keeps its own lanes and order.
#[derive(Debug)]
pub(super) struct Reduction {
    update: ReductionUpdate,
    initial: f32,
    empty: f32,
    lanes: usize,
    tree: Vec<usize>,
}

impl Reduction {
    /// Reads the fields; `name` is where they stand and `factors` what the operation reduces over.
    pub fn new(name: &str, fields: &LaneReduction, factors: &[&str]) -> Result<Self, String> {
        let LaneReduction { update, factors: found, initial, empty, lanes, horizontal_tree } = fields;
        if found.iter().ne(factors) {
            return Err(format!("{name}.factors are [{}], expected [{}]", found.join(", "), factors.join(", ")));
        }
        let takes = match update {
            ReductionUpdate::Fma | ReductionUpdate::MultiplyThenAdd => 2,
            ReductionUpdate::Add => 1,
        };
        if takes != factors.len() {
            return Err(format!("{name}.update '{update}' takes {takes} factors, found {}", factors.len()));
        }
        let LaneAssignment::IndexModLanes = lanes.assignment;
        let tree: Vec<usize> = horizontal_tree.iter().map(|stride| *stride as usize).collect();
        check_tree(name, lanes.count as usize, &tree)?;
        Ok(Self { update: *update, initial: fixed(*initial), empty: fixed(*empty), lanes: lanes.count as usize, tree })
    }

    /// The lanes after the elements of `range` entered in ascending order, each the lane `i mod lanes`.
    ///
    /// `factors(i)` gives the factors of element i for each of the `G` reductions; `add` takes the first alone.
    pub fn lanes<const G: usize>(
        &self,
        range: Range<usize>,
        factors: impl Fn(usize) -> [[f32; G]; 2],
    ) -> Vec<[f32; G]> {
        match self.update {
            ReductionUpdate::Fma => self.accumulate(range, factors, fma),
            ReductionUpdate::MultiplyThenAdd => self.accumulate(range, factors, multiply_then_add),
            ReductionUpdate::Add => self.accumulate(range, factors, |a, _, lane| lane + a),
        }
    }

    /// The lanes folded by the tree: what a reduction over at least one element results in.
    pub fn fold<const G: usize>(&self, mut lanes: Vec<[f32; G]>) -> [f32; G] {
        for &stride in &self.tree {
            let (low, high) = lanes.split_at_mut(stride);
            for (low, high) in low.iter_mut().zip(high) {
                for (low, high) in low.iter_mut().zip(high) {
                    *low += *high;
                }
            }
            lanes.truncate(stride);
        }
        lanes[0]
    }

    /// The whole reduction over elements `0..n`.
    pub fn reduce<const G: usize>(&self, n: usize, factors: impl Fn(usize) -> [[f32; G]; 2]) -> [f32; G] {
        if n == 0 { [self.empty; G] } else { self.fold(self.lanes(0..n, factors)) }
    }

    fn accumulate<const G: usize>(
        &self,
        range: Range<usize>,
        factors: impl Fn(usize) -> [[f32; G]; 2],
        update: impl Fn(f32, f32, f32) -> f32,
    ) -> Vec<[f32; G]> {
        let mut lanes = vec![[self.initial; G]; self.lanes];
        for i in range {
            let [a, b] = factors(i);
            let lane = &mut lanes[i % self.lanes];
            for g in 0..G {
                lane[g] = update(a[g], b[g], lane[g]);
            }
        }
        lanes
    }
}

/// The value a name of the vocabulary stands for.
pub(super) fn fixed(value: FixedValue) -> f32 {
    match value {
        FixedValue::PositiveZero => 0.0,
        FixedValue::NegativeInfinity => f32::NEG_INFINITY,
    }
}

/// Every stride must take in all lanes that are left, down to one lane.
fn check_tree(name: &str, lanes: usize, tree: &[usize]) -> Result<(), String> {
    if lanes > MOST_LANES {
        return Err(format!("{name}.lanes.count is {lanes}, of which at most {MOST_LANES} are implemented"));
    }
    let mut left = lanes;
    for &stride in tree {
        if !(stride < left && left <= 2 * stride) {
            return Err(format!("{name}.horizontal_tree has stride {stride} where {left} lanes are left"));
        }
        left = stride;
    }
    if left == 1 { Ok(()) } else { Err(format!("{name}.horizontal_tree leaves {left} lanes, expected 1")) }
}
