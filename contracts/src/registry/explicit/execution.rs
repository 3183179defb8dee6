//! The explicit semantics of a numerical execution contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LaneReduction;
use crate::registry::vocabulary::{
    Comparison, CopyRule, ElementwiseRule, EpsilonRule, FixedValue, GateFunction, GateRule, GeluRule, MeanRule,
    NanRule, NanSelection, OutputRows, PairPosition, ReciprocalRule, ReductionUpdate, RestRule, RotationRule,
    ScaleRule, TableFunction, TieRule, ZeroSign,
};

/// The explicit semantics of a numerical execution contract. Which parts must be present follows from the family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecutionSemantics {
    /// The operations (kernel map `op`) the contract governs.
    pub operations: Vec<String>,
    /// What a NaN in the output looks like.
    pub nan: NanRule,
    /// What the sign of a zero in the output is.
    pub zero_sign: ZeroSign,
    /// Which rows of the output are computed.
    pub output_rows: OutputRows,
    /// The number of threads the bits hold for, where they depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_pin: Option<u32>,
    /// A reduction over the last dimension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<LaneReduction>,
    /// A normalisation that follows the reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalization: Option<Normalization>,
    /// A rotation of pairs; which pairs is said by `position_transform.pairing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// A gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// A GELU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gelu: Option<GeluRule>,
    /// An elementwise expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elementwise: Option<ElementwiseRule>,
    /// The selection of one element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// A copy of bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyRule>,
}

impl ExecutionSemantics {
    /// The parts by name, and whether each is present.
    pub fn parts(&self) -> [(&'static str, bool); 8] {
        [
            ("reduction", self.reduction.is_some()),
            ("normalization", self.normalization.is_some()),
            ("rotation", self.rotation.is_some()),
            ("gate", self.gate.is_some()),
            ("gelu", self.gelu.is_some()),
            ("elementwise", self.elementwise.is_some()),
            ("selection", self.selection.is_some()),
            ("copy", self.copy.is_some()),
        ]
    }

    /// Whether a product and the sum it enters are one rounding somewhere in the reduction or the rotation.
    pub fn fuses(&self) -> bool {
        let reduction = self.reduction.as_ref().is_some_and(|reduction| reduction.update == ReductionUpdate::Fma);
        reduction || self.rotation.as_ref().is_some_and(|rotation| rotation.pair != RotationRule::SeparateProducts)
    }
}

/// What follows the sum of squares of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Normalization {
    /// From the sum to the mean.
    pub mean: MeanRule,
    /// Where epsilon enters.
    pub epsilon: EpsilonRule,
    /// From there to the factor.
    pub reciprocal: ReciprocalRule,
    /// How the row is scaled.
    pub scale: ScaleRule,
}

/// The rotation of pairs by a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The arithmetic of a pair.
    pub pair: RotationRule,
    /// What happens to elements beyond the rotated width.
    pub rest: RestRule,
    /// Where the table comes from.
    pub table: TableFunction,
    /// The position by which a pair is rotated.
    pub row_position: PairPosition,
    /// How many pairs each axis is selected for, axis by axis; for `multi_section`. The list starts over when there are
    /// more pairs, and says nothing about how wide the rotation is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<u32>>,
}

/// A gated activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The function of the gate; it gives the denominator.
    pub function: GateFunction,
    /// How the parts are joined.
    pub combination: GateRule,
}

/// The selection of the best element of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// When an element replaces the best one so far.
    pub comparison: Comparison,
    /// The value the search starts with.
    pub initial: FixedValue,
    /// The index the search starts with, and the result when no element is better than `initial`.
    pub initial_index: u32,
    /// Which of equal elements wins.
    pub tie: TieRule,
    /// What NaN does.
    pub nan: NanSelection,
}
