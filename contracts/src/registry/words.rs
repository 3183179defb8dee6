//! The words of v8 that an explicit contract must have: each follows from the family and the explicit semantics, so that
//! a string like `evaluation_order` or a list like `rounding.points` can never say something else than is computed.

use super::NumericalExecution;
use super::explicit::{ExecutionSemantics, LaneReduction, Normalization};
use super::vocabulary::{
    Contraction, GateFunction, GateRule, GeluRule, MeanRule, MergeOrder, OperatorFamily, PartialAccumulator,
    ReciprocalRule, ReductionKind, ReductionOrder, ReductionUpdate as Update, RotationRule, RoundingMode,
    RoundingPoint, ScaleRule,
};
use super::{Reduction, Rounding};

/// The words for one contract.
pub(super) struct Words {
    pub evaluation_order: String,
    pub contraction: Contraction,
    pub rounding: Rounding,
    /// The points of `position_transform`, by their names.
    pub position_points: Vec<String>,
    pub reduction: Reduction,
}

impl Words {
    /// The words for these semantics; the parts the family needs are there.
    pub fn of(operator: OperatorFamily, semantics: &ExecutionSemantics) -> Self {
        let points = points(semantics);
        let position_points = match semantics.rotation {
            Some(_) => points.iter().filter(|p| **p != RoundingPoint::OutputStore).map(ToString::to_string).collect(),
            None => vec![],
        };
        let mode = if points.is_empty() { RoundingMode::None } else { RoundingMode::Rne };
        Self {
            evaluation_order: evaluation_order(semantics),
            contraction: if semantics.fuses() { Contraction::Enabled } else { Contraction::Disabled },
            rounding: Rounding { mode, points },
            position_points,
            reduction: reduction(operator, semantics),
        }
    }
}

impl NumericalExecution {
    /// Writes the words of v8 anew from the explicit semantics, where there are any: what is left to do after a field
    /// of the semantics was changed.
    pub fn restate(&mut self) {
        let Some(semantics) = &self.semantics else { return };
        let words = Words::of(self.operator_family, semantics);
        self.compute.evaluation_order = Some(words.evaluation_order);
        self.compute.contraction = Some(words.contraction);
        self.rounding = words.rounding;
        self.reduction = words.reduction;
        if let Some(transform) = &mut self.position_transform {
            transform.rounding_points = words.position_points;
        }
    }
}

fn evaluation_order(semantics: &ExecutionSemantics) -> String {
    if let Some(rotation) = &semantics.rotation {
        return rotation.pair.to_string();
    }
    if let Some(gate) = semantics.gate {
        let GateFunction::SigmoidE1 = gate.function;
        return match gate.combination {
            GateRule::GateDividedByDenominatorThenTimesUp => "sigmoid_e1_denominator_then_divide_then_multiply",
            GateRule::GateTimesReciprocalThenTimesUp => {
                "sigmoid_e1_denominator_then_reciprocal_then_multiply_then_multiply"
            }
            GateRule::GateTimesUpThenDividedByDenominator => "multiply_then_sigmoid_e1_denominator_then_divide",
        }
        .to_owned();
    }
    if let Some(gelu) = semantics.gelu {
        return gelu.to_string();
    }
    match (&semantics.reduction, &semantics.normalization) {
        (Some(reduction), Some(normalization)) => normalized(reduction, normalization),
        (Some(reduction), None) => match reduction.lanes.count {
            1 => format!("ascending_k_single_chain_{}", reduction.update),
            lanes => format!("ascending_k_lanes{lanes}_{}_then_tree", reduction.update),
        },
        (None, _) if semantics.selection.is_some() => "ascending_index_strictly_greater".to_owned(),
        (None, _) if semantics.elementwise.is_some() => "single_addition".to_owned(),
        (None, _) => "copy".to_owned(),
    }
}

fn normalized(reduction: &LaneReduction, normalization: &Normalization) -> String {
    let sum = match reduction.lanes.count {
        1 => format!("single_chain_{}_square_sum", reduction.update),
        lanes => format!("lanes{lanes}_{}_square_sum_then_tree", reduction.update),
    };
    let mean = match normalization.mean {
        MeanRule::SumDividedByCount => "mean",
        MeanRule::SumTimesReciprocalOfCount => "mean_by_reciprocal",
    };
    let root = match normalization.reciprocal {
        ReciprocalRule::OneDividedBySquareRoot => "reciprocal_square_root",
        ReciprocalRule::PowerMinusOneHalf | ReciprocalRule::Rsqrt14ThenNewton => normalization.reciprocal.as_str(),
    };
    let scale = match normalization.scale {
        ScaleRule::InputTimesReciprocalThenGamma => "scale",
        ScaleRule::InputTimesScaledGamma => "scale_of_gamma",
    };
    format!("{sum}_then_{mean}_then_{root}_then_{scale}")
}

fn points(semantics: &ExecutionSemantics) -> Vec<RoundingPoint> {
    use RoundingPoint::*;
    if semantics.elementwise.is_some() {
        return vec![OutputStore];
    }
    if let Some(rotation) = &semantics.rotation {
        return match rotation.pair {
            RotationRule::RoundedPartnerProductThenFma => vec![PartnerProduct, RotationUpdate, OutputStore],
            RotationRule::RoundedOwnProductThenFma => vec![WeightedProduct, RotationUpdate, OutputStore],
            RotationRule::SeparateProducts => vec![WeightedProduct, PartnerProduct, RotationUpdate, OutputStore],
            RotationRule::RoundedOnce => vec![RotationUpdate, OutputStore],
        };
    }
    if let Some(gate) = semantics.gate {
        return match gate.combination {
            GateRule::GateDividedByDenominatorThenTimesUp => {
                vec![VectorExponential, DenominatorAdd, OutputDivide, OutputStore]
            }
            GateRule::GateTimesReciprocalThenTimesUp => {
                vec![VectorExponential, DenominatorAdd, Reciprocal, WeightedProduct, OutputStore]
            }
            GateRule::GateTimesUpThenDividedByDenominator => {
                vec![WeightedProduct, VectorExponential, DenominatorAdd, OutputDivide]
            }
        };
    }
    if let Some(gelu) = semantics.gelu {
        return match gelu {
            GeluRule::TanhSigmoidE1 => vec![WeightedProduct, VectorExponential, DenominatorAdd, OutputDivide],
            GeluRule::ErfFp64Series => vec![OutputStore],
            GeluRule::TanhFp16Table => vec![InputLoad, OutputStore],
        };
    }
    let Some(reduction) = &semantics.reduction else { return vec![] };
    let product = (reduction.update == Update::MultiplyThenAdd).then_some(match semantics.normalization {
        Some(_) => SquareProduct,
        None => WeightedProduct,
    });
    let mut points: Vec<_> = product.into_iter().chain([ReductionUpdate]).collect();
    match &semantics.normalization {
        None => points.push(OutputStore),
        Some(normalization) => {
            points.extend([ReductionFinalize, DenominatorAdd]);
            points.extend_from_slice(match normalization.reciprocal {
                ReciprocalRule::OneDividedBySquareRoot => &[NormSqrt, Reciprocal],
                ReciprocalRule::PowerMinusOneHalf | ReciprocalRule::Rsqrt14ThenNewton => &[ReciprocalSqrt],
            });
            points.extend(match normalization.scale {
                ScaleRule::InputTimesReciprocalThenGamma => [NormalizationScale, WeightScale],
                ScaleRule::InputTimesScaledGamma => [WeightScale, NormalizationScale],
            });
        }
    }
    points
}

fn reduction(operator: OperatorFamily, semantics: &ExecutionSemantics) -> Reduction {
    let (kind, order) = match (&semantics.reduction, &semantics.selection) {
        (None, None) => (ReductionKind::None, ReductionOrder::None),
        (None, Some(_)) => (ReductionKind::Argmax, ReductionOrder::AscendingIndex),
        (Some(_), _) if operator == OperatorFamily::Gemm => (ReductionKind::DotProduct, ReductionOrder::AscendingK),
        (Some(_), _) => (ReductionKind::Normalization, ReductionOrder::AscendingIndex),
    };
    let (order, partial_accumulator, merge_order) = match &semantics.reduction {
        Some(reduction) if reduction.lanes.count > 1 => {
            (ReductionOrder::ContractDefinedLanes, PartialAccumulator::Fp32, MergeOrder::HorizontalTree)
        }
        _ if semantics.selection.is_some() => (order, PartialAccumulator::Fp32, MergeOrder::FirstIndexOnTie),
        _ => (order, PartialAccumulator::None, MergeOrder::None),
    };
    Reduction { kind, order, partial_accumulator, merge_order }
}
