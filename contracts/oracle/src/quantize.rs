//! Activation quantisers: a block of f32 becomes integer codes and one f32 scale.
//!
//! What a quantiser does is said by the fields of its rounding contract, [`Quantizer`]. Codes are signed bytes. The
//! sums of codes that a dot product needs are exact integers and therefore no part of it.

use super::nan::{CANONICAL_NAN, canonical};
use cke_contracts::registry::Quantizer;
use cke_contracts::registry::vocabulary::{
    CodeRounding, CodeSign, ExtremeRule, InverseRule, NonfiniteCode, ScaleOfCodes,
};

/// A quantised block.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// What a code is multiplied by.
    pub scale: f32,
    /// The codes, each a signed byte.
    pub codes: Vec<i32>,
}

/// Quantises one block; an error when the rule's codes do not fit a signed byte.
pub fn quantize(rule: &Quantizer, block: &[f32]) -> Result<Quantized, String> {
    if rule.extreme_code == 0 || rule.extreme_code > 128 || rule.maximum > 127 {
        return Err(format!(
            "semantics.quantizer has extreme_code {} and maximum {}: codes are signed bytes",
            rule.extreme_code, rule.maximum
        ));
    }
    let poisoned = |found: bool| found && rule.nonfinite == NonfiniteCode::PoisonsBlock;
    let extreme = extreme(rule.extreme, block);
    if extreme == 0.0 {
        let scale = if poisoned(block.iter().any(|x| x.is_nan())) { f32::from_bits(CANONICAL_NAN) } else { 0.0 };
        return Ok(Quantized { scale, codes: vec![0; block.len()] });
    }
    let code = match rule.extreme_sign {
        CodeSign::Negative => -(rule.extreme_code as f32),
        CodeSign::Positive => rule.extreme_code as f32,
    };
    let factor = match rule.inverse {
        InverseRule::CodeDividedByExtreme => code / extreme,
        InverseRule::OneDividedByQuotient => 1.0 / (extreme / code),
    };
    let integers: Vec<_> = block.iter().map(|x| nearest(rule.rounding, *x, factor)).collect();
    let scale = match rule.scale {
        _ if poisoned(integers.contains(&None)) => f32::NAN,
        ScaleOfCodes::OneDividedByInverse => 1.0 / factor,
        ScaleOfCodes::ExtremeDividedByCode => extreme / code,
    };
    let maximum = rule.maximum.cast_signed();
    let codes = integers.into_iter().map(|integer| integer.unwrap_or(0).clamp(-128, maximum)).collect();
    Ok(Quantized { scale: canonical(scale), codes })
}

/// The extreme of a block; +0 where no element is greater in magnitude than 0.
fn extreme(rule: ExtremeRule, block: &[f32]) -> f32 {
    block.iter().fold(0.0, |best: f32, x| {
        let tied_and_wins = rule == ExtremeRule::PositiveOfGreatestMagnitude && x.abs() == best.abs() && *x > best;
        if x.abs() > best.abs() || tied_and_wins { *x } else { best }
    })
}

/// The integer next to `x * factor`; `None` when that is not finite.
fn nearest(rule: CodeRounding, x: f32, factor: f32) -> Option<i32> {
    // The product of two f32 is exact in f64.
    let exact = f64::from(x) * f64::from(factor);
    let rounded = match rule {
        CodeRounding::ProductThenNearestEven => f64::from(x * factor).round_ties_even(),
        CodeRounding::ContractedNearestEven => exact.round_ties_even(),
        CodeRounding::ProductThenNearestAway => f64::from(x * factor).round(),
    };
    rounded.is_finite().then_some(rounded as i32)
}

#[cfg(test)]
mod tests;
