use super::*;
use cke_contracts::registry::vocabulary::QuantizerRule;

const CANONICAL: Quantizer = Quantizer {
    rule: QuantizerRule::CanonicalQ8KRowNearest,
    extreme: ExtremeRule::FirstOfGreatestMagnitude,
    extreme_code: 127,
    extreme_sign: CodeSign::Negative,
    inverse: InverseRule::CodeDividedByExtreme,
    rounding: CodeRounding::ProductThenNearestEven,
    maximum: 127,
    scale: ScaleOfCodes::OneDividedByInverse,
    nonfinite: NonfiniteCode::Zero,
};
const REPACKED: Quantizer = Quantizer {
    rule: QuantizerRule::LlamaRepackQ8K4RowNearestEven,
    extreme: ExtremeRule::PositiveOfGreatestMagnitude,
    ..CANONICAL
};

fn run(rule: &Quantizer, block: &[f32]) -> (u32, Vec<i32>) {
    let Quantized { scale, codes } = quantize(rule, block).unwrap();
    (scale.to_bits(), codes)
}

#[test]
fn the_extreme_becomes_minus_127() {
    assert_eq!(run(&CANONICAL, &[1.0, -127.0, 3.0]), (1.0_f32.to_bits(), vec![1, -127, 3]));
    assert_eq!(run(&CANONICAL, &[1.0, 127.0, 3.0]), ((-1.0_f32).to_bits(), vec![-1, -127, -3]));
    let positive = Quantizer { extreme_sign: CodeSign::Positive, ..CANONICAL };
    assert_eq!(run(&positive, &[1.0, 127.0, 3.0]), (1.0_f32.to_bits(), vec![1, 127, 3]));
    assert_eq!(run(&Quantizer { extreme_code: 126, ..CANONICAL }, &[1.0, -126.0]).1, [1, -126]);
}

/// The two named rules differ where both signs have the greatest magnitude, and there only.
#[test]
fn of_equal_extremes_the_first_or_a_positive_one_counts() {
    assert_eq!(run(&CANONICAL, &[-127.0, 127.0]), (1.0_f32.to_bits(), vec![-127, 127]));
    assert_eq!(run(&REPACKED, &[-127.0, 127.0]), ((-1.0_f32).to_bits(), vec![127, -127]));
    assert_eq!(run(&CANONICAL, &[127.0, -127.0]), run(&REPACKED, &[127.0, -127.0]));
    assert_eq!(run(&CANONICAL, &[-127.0, 5.0]), run(&REPACKED, &[-127.0, 5.0]));
}

#[test]
fn ties_go_to_even_or_away() {
    let block = [-127.0, 0.5, 1.5, 2.5, -0.5, -1.5];
    assert_eq!(run(&CANONICAL, &block).1, [-127, 0, 2, 2, 0, -2]);
    let away = Quantizer { rounding: CodeRounding::ProductThenNearestAway, ..CANONICAL };
    assert_eq!(run(&away, &block).1, [-127, 1, 2, 3, -1, -2]);
}

#[test]
fn zeros_have_a_positive_zero_scale() {
    assert_eq!(run(&CANONICAL, &[0.0, -0.0]), (0, vec![0, 0]));
    assert_eq!(run(&REPACKED, &[-0.0, -0.0]), (0, vec![0, 0]));
    assert_eq!(run(&CANONICAL, &[]), (0, vec![]));
}

#[test]
fn nan_becomes_zero_or_poisons_its_block() {
    let block = [f32::NAN, -127.0, f32::from_bits(0xffab_cdef), 2.0];
    assert_eq!(run(&CANONICAL, &block), (1.0_f32.to_bits(), vec![0, -127, 0, 2]));
    assert_eq!(run(&CANONICAL, &[f32::NAN, 0.0]), (0, vec![0, 0]));
    let poisons = Quantizer { nonfinite: NonfiniteCode::PoisonsBlock, ..CANONICAL };
    assert_eq!(run(&poisons, &block), (CANONICAL_NAN, vec![0, -127, 0, 2]));
    assert_eq!(run(&poisons, &[f32::NAN, 0.0]), (CANONICAL_NAN, vec![0, 0]));
    assert_eq!(run(&poisons, &[-127.0, 2.0]), run(&CANONICAL, &[-127.0, 2.0]));
}

/// The factor is a zero, so nothing but the infinite scale is left.
#[test]
fn an_infinity_leaves_codes_of_zero_and_an_infinite_scale() {
    assert_eq!(run(&CANONICAL, &[1.0, f32::INFINITY]), (f32::NEG_INFINITY.to_bits(), vec![0, 0]));
    assert_eq!(run(&CANONICAL, &[f32::NEG_INFINITY, 1.0]), (f32::INFINITY.to_bits(), vec![0, 0]));
}

/// Below 127 / f32::MAX the factor overflows: codes 0, scale a zero of the sign of the factor.
#[test]
fn a_block_of_subnormals_vanishes() {
    let tiny = f32::from_bits(1);
    assert_eq!(run(&CANONICAL, &[tiny, 0.0, -tiny]), ((-0.0_f32).to_bits(), vec![0, 0, 0]));
    // The least power of two that still has a finite factor.
    let least = f32::from_bits(0x0300_0000); // 2^-121
    assert_eq!(run(&CANONICAL, &[-least, least / 2.0]).1, [-127, 64]);
    let other = Quantizer { scale: ScaleOfCodes::ExtremeDividedByCode, ..CANONICAL };
    assert_eq!(run(&other, &[f32::from_bits(200), 0.0]).0, (-f32::from_bits(2)).to_bits());
}

#[test]
fn division_by_another_way_gives_other_bits() {
    let differ = |other: Quantizer| {
        (1..2000).any(|n| {
            let block = [-(n as f32) / 777.0, 0.1];
            run(&other, &block).0 != run(&CANONICAL, &block).0
        })
    };
    assert!(differ(Quantizer { inverse: InverseRule::OneDividedByQuotient, ..CANONICAL }));
    assert!(differ(Quantizer { scale: ScaleOfCodes::ExtremeDividedByCode, ..CANONICAL }));
}

#[test]
fn the_greatest_code_is_capped() {
    assert_eq!(run(&Quantizer { maximum: 126, ..CANONICAL }, &[-127.0, 127.0]).1, [-127, 126]);
}

#[test]
fn codes_beyond_a_signed_byte_are_refused() {
    let error = quantize(&Quantizer { extreme_code: 254, ..CANONICAL }, &[1.0]).unwrap_err();
    assert_eq!(error, "semantics.quantizer has extreme_code 254 and maximum 127: codes are signed bytes");
    assert!(quantize(&Quantizer { extreme_code: 0, ..CANONICAL }, &[1.0]).is_err());
    assert!(quantize(&Quantizer { maximum: 128, ..CANONICAL }, &[1.0]).is_err());
}

/// Rounding the product first makes a tie that the exact product is not: a compiler that contracts product and
/// rounding changes a byte. The scale is the same.
#[test]
fn regression_17_contraction_at_a_boundary_changes_a_byte() {
    let contracted = Quantizer { rounding: CodeRounding::ContractedNearestEven, ..CANONICAL };
    let block = BOUNDARY.map(f32::from_bits);
    let (scale, codes) = run(&CANONICAL, &block);
    let (other_scale, other_codes) = run(&contracted, &block);
    assert_eq!(scale, other_scale);
    assert_eq!((codes, other_codes), (vec![-127, BYTES.0], vec![-127, BYTES.1]));
}

/// The extreme and the element at the boundary.
const BOUNDARY: [u32; 2] = [0xbf88_13e2, 0x3e0d_6f60];
/// The byte of that element, and the byte a contraction makes of it.
const BYTES: (i32, i32) = (16, 17);
