//! Reductions in lanes, as a contract's `LaneReduction` describes them.

use std::ops::Range;

use super::fma::{fma, multiply_then_add};
use cke_contracts::registry::LaneReduction;
use cke_contracts::registry::vocabulary::{FixedValue, GroupSum, LaneAssignment, ReductionUpdate, TailRule};

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
    tail: Option<TailRule>,
    group_sum: Option<GroupSum>,
}

impl Reduction {
    /// Reads the fields; `name` is where they stand and `factors` what the operation reduces over.
    pub fn new(name: &str, fields: &LaneReduction, factors: &[&str]) -> Result<Self, String> {
        let LaneReduction { update, factors: found, initial, empty, lanes, horizontal_tree, tail, group_sum } = fields;
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
        Ok(Self {
            update: *update,
            initial: fixed(*initial),
            empty: fixed(*empty),
            lanes: lanes.count as usize,
            tree,
            tail: *tail,
            group_sum: *group_sum,
        })
    }

    /// The lanes after the elements of `range` entered in ascending order, each the lane `i mod lanes`.
    ///
    /// `factors(i)` gives the factors of element i for each of the `G` reductions; `add` takes the first alone.
    pub fn lanes<const G: usize>(
        &self,
        range: Range<usize>,
        factors: impl Fn(usize) -> [[f32; G]; 2],
    ) -> Vec<[f32; G]> {
        let mut lanes = vec![[self.initial; G]; self.lanes];
        for i in range {
            self.update(&mut lanes[i % self.lanes], factors(i));
        }
        lanes
    }

    /// One more element enters an accumulator.
    #[inline(always)]
    pub fn update<const G: usize>(&self, accumulators: &mut [f32; G], [a, b]: [[f32; G]; 2]) {
        for (g, accumulator) in accumulators.iter_mut().enumerate() {
            *accumulator = match self.update {
                ReductionUpdate::Fma => fma(a[g], b[g], *accumulator),
                ReductionUpdate::MultiplyThenAdd => multiply_then_add(a[g], b[g], *accumulator),
                ReductionUpdate::Add => *accumulator + a[g],
            };
        }
    }

    /// The lanes folded by the tree: what a reduction over at least one element results in.
    pub fn fold<const G: usize>(&self, mut lanes: Vec<[f32; G]>) -> [f32; G] {
        for &stride in &self.tree {
            // Both of a pair get the sum, so that strides may come in any order.
            for low in (0..lanes.len()).filter(|lane| lane & stride == 0) {
                let sum: [f32; G] = std::array::from_fn(|g| lanes[low][g] + lanes[low + stride][g]);
                (lanes[low], lanes[low + stride]) = (sum, sum);
            }
        }
        lanes[0]
    }

    /// The whole reduction over elements `0..n`.
    pub fn reduce<const G: usize>(&self, n: usize, factors: impl Fn(usize) -> [[f32; G]; 2]) -> [f32; G] {
        self.reduce_range(0..n, factors).map(|sum| sum as f32)
    }

    /// The whole reduction over the elements of a range, before a sum of groups in fp64 is rounded to fp32.
    pub fn reduce_range<const G: usize>(
        &self,
        range: Range<usize>,
        factors: impl Fn(usize) -> [[f32; G]; 2],
    ) -> [f64; G] {
        if range.is_empty() {
            return [f64::from(self.empty); G];
        }
        match (self.group_sum, self.tail) {
            (Some(in_type), _) => self.groups(range, in_type, factors),
            (None, Some(rule)) => self.with_tail(range, rule, factors).map(f64::from),
            (None, None) => self.fold(self.lanes(range, factors)).map(f64::from),
        }
    }

    /// Whether sums of groups leave the reduction as fp64.
    pub fn is_wide(&self) -> bool {
        self.group_sum == Some(GroupSum::Fp64)
    }

    fn groups<const G: usize>(
        &self,
        range: Range<usize>,
        in_type: GroupSum,
        factors: impl Fn(usize) -> [[f32; G]; 2],
    ) -> [f64; G] {
        let mut total = [0.0_f64; G];
        for first in range.clone().step_by(self.lanes) {
            let sum = self.fold(self.lanes(first..range.end.min(first + self.lanes), &factors));
            for (total, sum) in total.iter_mut().zip(sum) {
                *total = match in_type {
                    GroupSum::Fp64 => *total + f64::from(sum),
                    GroupSum::Fp32 => f64::from(*total as f32 + sum),
                };
            }
        }
        total
    }

    fn with_tail<const G: usize>(
        &self,
        range: Range<usize>,
        rule: TailRule,
        factors: impl Fn(usize) -> [[f32; G]; 2],
    ) -> [f32; G] {
        let whole = range.start + range.len() / self.lanes * self.lanes;
        let mut sum = self.fold(self.lanes(range.start..whole, &factors));
        match rule {
            TailRule::Fp32AfterFold => (whole..range.end).for_each(|i| self.update(&mut sum, factors(i))),
            TailRule::Fp64AfterFold => {
                let mut wide = sum.map(f64::from);
                for i in whole..range.end {
                    let [a, b] = factors(i);
                    for (g, sum) in wide.iter_mut().enumerate() {
                        *sum += match self.update {
                            ReductionUpdate::Fma | ReductionUpdate::MultiplyThenAdd => {
                                f64::from(a[g]) * f64::from(b[g])
                            }
                            ReductionUpdate::Add => f64::from(a[g]),
                        };
                    }
                }
                sum = wide.map(|sum| sum as f32);
            }
        }
        sum
    }
}

/// The value a name of the vocabulary stands for.
pub(super) fn fixed(value: FixedValue) -> f32 {
    match value {
        FixedValue::PositiveZero => 0.0,
        FixedValue::NegativeInfinity => f32::NEG_INFINITY,
    }
}

/// The strides, greatest first, must halve the lanes down to one.
fn check_tree(name: &str, lanes: usize, tree: &[usize]) -> Result<(), String> {
    if lanes > MOST_LANES {
        return Err(format!("{name}.lanes.count is {lanes}, of which at most {MOST_LANES} are implemented"));
    }
    let mut left = lanes;
    let mut strides = tree.to_vec();
    strides.sort_unstable_by(|one, other| other.cmp(one));
    for stride in strides {
        if stride == 0 || stride.checked_mul(2) != Some(left) {
            return Err(format!("{name}.horizontal_tree has stride {stride} where {left} lanes are left"));
        }
        left = stride;
    }
    if left == 1 { Ok(()) } else { Err(format!("{name}.horizontal_tree leaves {left} lanes, expected 1")) }
}
