//! The explicit semantics of a contract: every fact that the oracle and the kernel generator need, as a field.
//!
//! Neither may know a contract by its id or assume a structure: lanes, trees, chunks, starting values and the order of
//! roundings are read from here. All arithmetic is IEEE 754 binary32, round to nearest even, subnormals kept.

mod attention;
mod execution;
mod linear;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use attention::*;
pub use execution::*;
pub use linear::*;

use super::vocabulary::{FixedValue, GroupSum, LaneAssignment, ReductionUpdate, TailRule};

/// A reduction with a fixed number of lanes.
///
/// Element i enters its lane in ascending order by `update`; then, for every stride s of `horizontal_tree` in order,
/// every lane j becomes lane j + lane (j xor s). The result is lane 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaneReduction {
    /// How a term enters a lane.
    pub update: ReductionUpdate,
    /// The ports the factors of a term come from, in the order of the update.
    pub factors: Vec<String>,
    /// What every lane starts at.
    pub initial: FixedValue,
    /// The result over no elements.
    pub empty: FixedValue,
    /// The lanes.
    pub lanes: Lanes,
    /// The strides that fold the lanes, first to last; empty for one lane.
    pub horizontal_tree: Vec<u32>,
    /// What happens to elements that do not fill all lanes once more; absent: they enter lanes like all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailRule>,
    /// Every `lanes.count` elements are folded on their own and their sums added, ascending, in this type; absent: the
    /// lanes run over all elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_sum: Option<GroupSum>,
}

/// The lanes of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lanes {
    /// How many there are; part of the contract, not of the instruction set.
    pub count: u32,
    /// Which lane an element enters.
    pub assignment: LaneAssignment,
}
