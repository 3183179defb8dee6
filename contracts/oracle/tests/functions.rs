//! The elementary functions: their error in ulp, measured densely against f64, and their edges.

use cke_oracle::functions::{exp_d1, exp_e0, exp_v1, exp2_e2, sigmoid_denominator_e1};

/// The distance of two values in units of the last place of `expected` rounded to f32 (normal results only).
fn ulps(found: f32, expected: f64) -> f64 {
    let exponent = ((expected.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-126);
    let unit = f64::from_bits(((exponent - 23 + 1023) as u64) << 52);
    (f64::from(found) - expected).abs() / unit
}

/// The largest error over every `stride`-th f32 whose bit pattern is in `bits`.
fn worst(
    bits: std::ops::RangeInclusive<u32>,
    stride: usize,
    f: impl Fn(f32) -> f32,
    exact: impl Fn(f64) -> f64,
) -> f64 {
    let arguments = bits.step_by(stride).map(f32::from_bits);
    arguments.map(|x| ulps(f(x), exact(f64::from(x)))).fold(0.0, f64::max)
}

/// -0x1p-40 is far inside the region where the result is 1.
const TINY: u32 = 0xab80_0000;

#[test]
fn exp_e0_is_within_one_ulp() {
    let error = worst(TINY..=(-87.33654_f32).to_bits(), 127, exp_e0, f64::exp);
    println!("exp_e0: {error:.4} ulp");
    assert!((0.9..1.01).contains(&error), "{error}");
}

#[test]
fn exp2_e2_is_within_one_ulp() {
    let error = worst(TINY..=(-126.0_f32).to_bits(), 127, exp2_e2, f64::exp2);
    println!("exp2_e2: {error:.4} ulp");
    assert!((0.9..0.95).contains(&error), "{error}");
}

/// The reduction of E1 uses one part of log2(e), so the error of e^-x grows with |x|: 2^-25.6 |x| relative.
#[test]
fn sigmoid_e1_loses_accuracy_only_in_the_left_tail() {
    let denominator = |x: f64| 1.0 + (-x).exp();
    let right = worst(0x2b80_0000..=87.0_f32.to_bits(), 127, sigmoid_denominator_e1, denominator);
    let left = worst(TINY..=(-12.0_f32).to_bits(), 127, sigmoid_denominator_e1, denominator);
    let tail = worst((-12.0_f32).to_bits()..=(-87.0_f32).to_bits(), 127, sigmoid_denominator_e1, denominator);
    println!("sigmoid_e1 denominator: x >= 0 {right:.4} ulp, [-12, 0] {left:.4} ulp, [-87, -12] {tail:.4} ulp");
    assert!(right < 1.1, "{right}");
    assert!(left < 3.2, "{left}");
    assert!(tail < 20.0, "{tail}");
}

#[test]
fn silu_error_is_small_where_silu_is_used() {
    let silu = |x: f32| x / sigmoid_denominator_e1(x);
    let exact = |x: f64| x / (1.0 + (-x).exp());
    let right = worst(0x2b80_0000..=12.0_f32.to_bits(), 127, silu, exact);
    let left = worst(TINY..=(-12.0_f32).to_bits(), 127, silu, exact);
    println!("silu: [0, 12] {right:.4} ulp, [-12, 0] {left:.4} ulp");
    assert!(right < 2.0 && left < 3.9, "{right} {left}");
}

#[test]
fn exact_powers_of_two() {
    for n in 0..=126 {
        assert_eq!(exp2_e2(-n as f32), f32::from_bits((127 - n as u32) << 23));
    }
    assert_eq!(exp_e0(0.0), 1.0);
    assert_eq!(exp_e0(-0.0), 1.0);
    assert_eq!(sigmoid_denominator_e1(0.0), 2.0);
    assert_eq!(sigmoid_denominator_e1(-0.0), 2.0);
}

#[test]
fn edges_of_the_domains() {
    let below = |x: f32| f32::from_bits(x.to_bits() + 1);
    for (f, lowest) in [(exp_e0 as fn(f32) -> f32, -87.33654_f32), (exp2_e2, -126.0)] {
        assert!(f(lowest).is_normal());
        assert_eq!(f(below(lowest)).to_bits(), 0);
        assert_eq!(f(f32::MIN).to_bits(), 0);
        assert_eq!(f(f32::NEG_INFINITY).to_bits(), 0);
        assert!(f(f32::NAN).is_nan());
        assert!(f(f32::from_bits(0xff80_0001)).is_nan());
        assert_eq!(f(f32::from_bits(0x8000_0001)), 1.0); // a subnormal argument
    }
    assert_eq!(sigmoid_denominator_e1(f32::INFINITY), 1.0);
    assert_eq!(sigmoid_denominator_e1(87.0), 1.0);
    assert_eq!(sigmoid_denominator_e1(f32::NEG_INFINITY), sigmoid_denominator_e1(-87.0));
    assert!(sigmoid_denominator_e1(-87.0).is_finite());
    assert!(sigmoid_denominator_e1(f32::NAN).is_nan());
}

/// Outside their domains the functions are defined all the same: no argument makes them fail.
#[test]
fn arguments_outside_the_domain() {
    assert!((exp_e0(1.0) - 1.0_f32.exp()).abs() < 1e-6);
    assert_eq!(exp_e0(1e30), f32::INFINITY);
    assert!(exp_e0(f32::INFINITY).is_nan());
    assert_eq!(exp2_e2(128.0), f32::INFINITY);
}

/// A few results pinned to the bit, so that a change of any constant or step is seen.
#[test]
fn pinned_bits() {
    let digest = |f: fn(f32) -> f32, from: f32, to: f32| {
        (0..10_000).fold(0xcbf2_9ce4_8422_2325_u64, |hash, i| {
            let x = from + (to - from) * (i as f32 / 10_000.0);
            (hash ^ u64::from(f(x).to_bits())).wrapping_mul(0x100_0000_01b3)
        })
    };
    assert_eq!(format!("{:016x}", digest(exp_e0, -87.0, 0.0)), "6fdc20af74e1fbba");
    assert_eq!(format!("{:016x}", digest(exp2_e2, -126.0, 0.0)), "4d4c369d1d4d37f0");
    assert_eq!(format!("{:016x}", digest(sigmoid_denominator_e1, -90.0, 90.0)), "5e7b401c99734f55");
}

/// Everything below zero down to where the result is no normal number, and the steps of subnormal results.
#[test]
fn exp_d1_is_rounded_once() {
    let error = worst(TINY..=(-87.33654_f32).to_bits(), 127, exp_d1, f64::exp);
    let subnormal = worst((-87.33654_f32).to_bits()..=(-104.0_f32).to_bits(), 17, exp_d1, f64::exp);
    println!("exp_d1: {error:.4} ulp, subnormal results {subnormal:.4}");
    assert!((0.499..0.5001).contains(&error), "{error}");
    assert!((0.499..0.5001).contains(&subnormal), "{subnormal}");
}

#[test]
fn exp_v1_is_within_two_and_a_half_ulp() {
    let error = worst(TINY..=(-87.33654_f32).to_bits(), 127, exp_v1, f64::exp);
    let subnormal = worst((-87.33654_f32).to_bits()..=(-104.0_f32).to_bits(), 17, exp_v1, f64::exp);
    println!("exp_v1: {error:.4} ulp, subnormal results {subnormal:.4}");
    assert!((2.0..2.5).contains(&error), "{error}");
    assert!((1.0..2.0).contains(&subnormal), "{subnormal}");
}

#[test]
fn special_values_of_exp_d1_and_exp_v1() {
    let least = f32::from_bits(1);
    for f in [exp_d1 as fn(f32) -> f32, exp_v1] {
        assert_eq!([0.0, -0.0, -least].map(f), [1.0; 3]);
        // Half of the least number above +0 is at -150 ln 2, which is -103.972.
        assert_eq!(f(-103.97).to_bits(), 1);
        for x in [-103.98, -104.0, -105.0, -1e30, f32::MIN, f32::NEG_INFINITY] {
            assert_eq!(f(x).to_bits(), 0, "{x}");
        }
        for bits in [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xff80_0001] {
            assert!(f(f32::from_bits(bits)).is_nan());
        }
    }
    assert_eq!(exp_v1(89.0), f32::INFINITY);
    assert_eq!(exp_v1(f32::INFINITY), f32::INFINITY);
    assert_eq!(exp_v1(f32::MAX), f32::INFINITY);
}
