//! What is rounded when it is read, on every update, between chunks and on the way out.

use half::{bf16, f16};

use crate::Element;
use cke_contracts::registry::vocabulary::{
    CacheCompute, PartialMerge, PartialStorage, QueryCompute, RoundedTo, ValueAccumulator,
};

/// A rounding of an fp32 value, to nearest even, kept as fp32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// The value as it is.
    None,
    /// Through fp16.
    Fp16,
    /// Through bf16.
    Bf16,
}

impl Rounding {
    /// `x`, rounded.
    #[inline(always)]
    pub fn of(self, x: f32) -> f32 {
        match self {
            Self::None => x,
            Self::Fp16 => f16::from_f32(x).to_f32(),
            Self::Bf16 => bf16::from_f32(x).to_f32(),
        }
    }

    /// The rounding of a field that may be absent.
    pub fn optional(field: Option<RoundedTo>) -> Self {
        match field {
            None => Self::None,
            Some(RoundedTo::Fp16Rounded) => Self::Fp16,
            Some(RoundedTo::Bf16Rounded) => Self::Bf16,
        }
    }
}

/// How a query is rounded.
pub(super) fn query(compute: QueryCompute, element: Element) -> Result<Rounding, String> {
    let same = match compute {
        QueryCompute::Fp32 => CacheCompute::Fp32,
        QueryCompute::Fp16 => CacheCompute::Fp16,
        QueryCompute::Fp16Rounded => CacheCompute::Fp16Rounded,
        QueryCompute::Bf16 => CacheCompute::Bf16,
        QueryCompute::Bf16Rounded => CacheCompute::Bf16Rounded,
        QueryCompute::ShapeDependentFp16OrFp32 => {
            return Err(format!("q_compute is '{compute}', which only the parts of a composite resolve"));
        }
    };
    cache("q_compute", same, "q", element)
}

/// How a key or a value is rounded: a type by itself is the storage, `_rounded` is a rounding of fp32, of which storage
/// of the same type has no need.
pub(super) fn cache(field: &str, compute: CacheCompute, port: &str, element: Element) -> Result<Rounding, String> {
    match (compute, element) {
        (CacheCompute::Fp32, Element::Bits32)
        | (CacheCompute::Fp16, Element::Fp16)
        | (CacheCompute::Bf16, Element::Bf16) => Ok(Rounding::None),
        (CacheCompute::Fp16Rounded, Element::Bits32 | Element::Fp16) => Ok(Rounding::Fp16),
        (CacheCompute::Bf16Rounded, Element::Bits32 | Element::Bf16) => Ok(Rounding::Bf16),
        _ => Err(format!("{field} is '{compute}', which does not read port '{port}' of {}", element.name())),
    }
}

/// How the accumulator of values is rounded on every update.
pub(super) fn accumulator(field: ValueAccumulator) -> Result<Rounding, String> {
    match field {
        ValueAccumulator::Fp32 => Ok(Rounding::None),
        ValueAccumulator::Fp16RoundedEachUpdate => Ok(Rounding::Fp16),
        ValueAccumulator::Bf16RoundedEachUpdate => Ok(Rounding::Bf16),
        ValueAccumulator::Fp16 | ValueAccumulator::Bf16 | ValueAccumulator::ShapeDependentFp16OrFp32 => {
            Err(format!("value_accumulator is '{field}', which is not implemented"))
        }
    }
}

/// How a partial result is rounded when it is stored, and the total when one is merged into it.
pub(super) fn partials(storage: PartialStorage, merge: PartialMerge) -> Result<(Rounding, Rounding), String> {
    let stored = match storage {
        PartialStorage::Fp32 => Rounding::None,
        PartialStorage::Fp16 => Rounding::Fp16,
        PartialStorage::Bf16 => Rounding::Bf16,
        PartialStorage::None | PartialStorage::ShapeDependentNoneOrFp32 => {
            return Err(format!("partial_storage is '{storage}', which is not implemented for partial results"));
        }
    };
    let merged = match merge {
        PartialMerge::Fp32ChunkOrder => Rounding::None,
        PartialMerge::Fp16ChunkOrder => Rounding::Fp16,
        PartialMerge::Bf16ChunkOrder => Rounding::Bf16,
        PartialMerge::None | PartialMerge::ShapeDependentSingleRangeOrFp32ChunkOrder => {
            return Err(format!("partial_merge is '{merge}', which is not implemented for partial results"));
        }
    };
    Ok((stored, merged))
}

/// The output port holds what the contract rounds to, or fp32.
pub(super) fn check_output(rounding: Rounding, element: Element) -> Result<(), String> {
    match (rounding, element) {
        (_, Element::Bits32) | (Rounding::Fp16, Element::Fp16) | (Rounding::Bf16, Element::Bf16) => Ok(()),
        _ => Err(format!("port 'y' holds {}, which semantics.output_rounding does not say", element.name())),
    }
}
