//! The fields of a contract, read and ready to follow; a value that is not implemented is refused by its field.

use super::composite::Part;
use super::exact::Exact;
use super::online::Online;
use super::rounding::Rounding;
use crate::Call;
use crate::call::{check_threads, expect};
use crate::functions::{exp_d1, exp_e0, exp_v1};
use crate::reduction::{Reduction, fixed};
use cke_contracts::registry::vocabulary::{
    AddressStride, Exponential, ExponentialArgument, FixedValue, HeadSharing, MaximumRule, NanRule, NanSelection,
    NormalizationRule, OutputRows, OutsideRule, PartialMerge, PartialStorage, PartitionKind, RangeRule, RowClass,
    RowPosition, ScaleApplication, ScoreType, ZeroSign,
};
use cke_contracts::registry::{AttentionSemantics, LaneReduction, Softmax, Variant};

/// What every kind of softmax shares.
pub(super) struct Rules {
    pub range: RangeRule,
    pub address_stride: Option<AddressStride>,
    pub scale: ScaleApplication,
    pub score: Reduction,
    pub maximum_initial: f32,
    pub maximum_missing: f32,
    pub exponential: fn(f32) -> f32,
    pub denominator: Reduction,
    pub value: Reduction,
    pub normalization: NormalizationRule,
    pub output: Rounding,
    pub kind: Kind,
}

/// The two kinds of softmax.
pub(super) enum Kind {
    Exact(Exact),
    Online(Online),
}

impl Rules {
    pub fn new(call: &Call<'_>, (contract, semantics): Part<'_>) -> Result<Self, String> {
        let by_workers = contract.partition.kind == PartitionKind::KvChunksByWorkers;
        check_threads(semantics.threading, semantics.thread_pin, by_workers.then_some(call.context.workers))?;
        expect("score_accumulator", contract.score_accumulator, ScoreType::Fp32)?;
        expect("softmax_statistics", contract.softmax_statistics, ScoreType::Fp32)?;
        expect("semantics.nan", semantics.nan, NanRule::Canonical7fc00000)?;
        expect("semantics.zero_sign", semantics.zero_sign, ZeroSign::Ieee)?;
        expect("semantics.output_rows", semantics.output_rows, OutputRows::All)?;
        expect("semantics.empty_row", semantics.empty_row, FixedValue::PositiveZero)?;
        if contract.partition.kind == PartitionKind::SingleRange {
            expect("partial_storage", contract.partial_storage, PartialStorage::None)?;
            expect("partial_merge", contract.partial_merge, PartialMerge::None)?;
        }
        let HeadSharing::ContiguousGroups = semantics.head_sharing;
        let (RowPosition::PositionPlusRow, OutsideRule::Skipped) =
            (semantics.range.row_position, semantics.range.outside);
        let Softmax {
            maximum,
            maximum_initial,
            maximum_nan: NanSelection::NeverSelected,
            maximum_missing,
            argument: ExponentialArgument::ScoreMinusMaximum,
            exponential: word,
            online,
        } = *part("softmax", &semantics.softmax)?;
        let variant = variant(call, semantics);
        let lanes = |name: &str, base: &Option<LaneReduction>, own: Option<&LaneReduction>, factors: &[&str]| match (
            own, variant,
        ) {
            (Some(fields), Some((n, _))) => Reduction::new(&format!("semantics.variants.{n}.{name}"), fields, factors),
            _ => Reduction::new(&format!("semantics.{name}"), part(name, base)?, factors),
        };
        let kind = match (maximum, online) {
            (MaximumRule::Exact, None) => Kind::Exact(Exact::new(contract, semantics)?),
            (MaximumRule::Online, Some(fields)) => Kind::Online(Online::new(call, contract, semantics, fields)?),
            (MaximumRule::Exact, Some(_)) => {
                return Err("semantics.softmax has an 'online', its maximum is exact".into());
            }
            (MaximumRule::Online, None) => {
                return Err(format!("semantics.softmax.maximum is '{maximum}', but semantics.softmax has no 'online'"));
            }
        };
        Ok(Self {
            range: semantics.range.rule,
            address_stride: semantics.address_stride,
            scale: semantics.scale_application,
            score: lanes("score", &semantics.score, variant.and_then(|(_, v)| v.score.as_ref()), &["q", "k"])?,
            maximum_initial: fixed(maximum_initial),
            maximum_missing: fixed(maximum_missing),
            exponential: exponential(word),
            denominator: lanes(
                "denominator",
                &semantics.denominator,
                variant.and_then(|(_, v)| v.denominator.as_ref()),
                &["p"],
            )?,
            value: lanes("value", &semantics.value, variant.and_then(|(_, v)| v.value.as_ref()), &["p", "v"])?,
            normalization: *part("normalization", &semantics.normalization)?,
            output: Rounding::optional(semantics.output_rounding),
            kind,
        })
    }

    /// The maximum that is subtracted, of the one that was found.
    pub fn subtracted(&self, maximum: f32) -> f32 {
        if maximum == self.maximum_initial { self.maximum_missing } else { maximum }
    }

    /// The greatest of the scores and of `maximum`; NaN is passed over.
    pub fn greatest(maximum: f32, scores: &[f32]) -> f32 {
        scores.iter().fold(maximum, |maximum, score| if *score > maximum { *score } else { maximum })
    }

    /// The sums of values, divided; a row without weight is zero.
    pub fn divided(&self, mut values: Vec<f32>, sum: f64) -> Vec<f32> {
        let reciprocal = self.reciprocal(sum);
        for value in &mut values {
            *value = match self.normalization {
                NormalizationRule::ReciprocalThenMultiply => *value * reciprocal,
                NormalizationRule::DivideBySum => self.quotient(*value, sum),
                // The weights are divided already.
                NormalizationRule::WeightsTimesReciprocal | NormalizationRule::WeightsDividedBySum => *value,
            };
        }
        values
    }

    /// The weights, divided where that comes before the values.
    pub fn divide_weights(&self, weights: &mut [f32], sum: f64) {
        let reciprocal = self.reciprocal(sum);
        for weight in weights {
            *weight = match self.normalization {
                NormalizationRule::WeightsTimesReciprocal => *weight * reciprocal,
                NormalizationRule::WeightsDividedBySum => self.quotient(*weight, sum),
                NormalizationRule::ReciprocalThenMultiply | NormalizationRule::DivideBySum => *weight,
            };
        }
    }

    /// One over the sum, in the type of the sum, rounded to fp32.
    fn reciprocal(&self, sum: f64) -> f32 {
        match sum {
            0.0 => 0.0,
            _ if self.denominator.is_wide() => (1.0 / sum) as f32,
            _ => 1.0 / sum as f32,
        }
    }

    fn quotient(&self, x: f32, sum: f64) -> f32 {
        match sum {
            0.0 => 0.0,
            _ if self.denominator.is_wide() => (f64::from(x) / sum) as f32,
            _ => x / sum as f32,
        }
    }
}

/// The first variant that fits the call, and its place.
fn variant<'a>(call: &Call<'_>, semantics: &'a AttentionSemantics) -> Option<(usize, &'a Variant)> {
    let rows = if call.rows == 1 { RowClass::OneRow } else { RowClass::MoreRows };
    semantics.variants.iter().enumerate().find(|(_, variant)| {
        variant.isa.is_none_or(|isa| call.context.isa == Some(isa)) && variant.rows.is_none_or(|of| of == rows)
    })
}

/// The exponential of a name.
pub(super) fn exponential(word: Exponential) -> fn(f32) -> f32 {
    match word {
        Exponential::ExpE0 => exp_e0,
        Exponential::ExpD1 => exp_d1,
        Exponential::ExpV1 => exp_v1,
    }
}

/// A part of the semantics that a contract without parts has.
pub(super) fn part<'a, T>(name: &str, part: &'a Option<T>) -> Result<&'a T, String> {
    part.as_ref().ok_or_else(|| format!("semantics has no '{name}'"))
}
