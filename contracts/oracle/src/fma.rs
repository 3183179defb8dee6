//! Fused multiply-add in f32 with one rounding, from plain IEEE f64 operations.
//!
//! `f32::mul_add` may reach the host's libm, whose emulation is not the same everywhere; this one is
//! the same bits on every host. It may use only `+ - *` of f64, comparisons and integer operations.
//!
//! Why it is exact: the product of two f32 has at most 48 significant bits, so `a * b` is exact in f64
//! (its exponent range, 2^-298..2^256, is far inside f64's). The sum with `c` may be inexact; TwoSum
//! gives the rounding error, and the sum is corrected to *round to odd*: an inexact sum always ends in
//! an odd bit. A value rounded to odd at 53 bits rounds to nearest even at 24 bits (or fewer, for
//! subnormal results) exactly as the unrounded value would, because 53 >= 24 + 2.

/// `a * b + c` with one rounding to nearest even. NaN results are some NaN, not a canonical one.
#[inline(always)]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    rounded_once(f64::from(a) * f64::from(b), f64::from(c))
}

/// `a * b + c * d` with one rounding to nearest even: both products are exact in f64.
#[inline(always)]
pub fn sum_of_products(a: f32, b: f32, c: f32, d: f32) -> f32 {
    rounded_once(f64::from(a) * f64::from(b), f64::from(c) * f64::from(d))
}

/// The sum of two numbers, each an f32 or an exact product of two, rounded once to f32.
#[inline(always)]
fn rounded_once(product: f64, addend: f64) -> f32 {
    // Knuth's TwoSum: `sum + error` is the exact `product + addend`. With an infinity or a NaN about,
    // `error` is NaN, every comparison below is false and `sum` stays as IEEE gave it.
    let sum = product + addend;
    let addend_part = sum - product;
    let product_part = sum - addend_part;
    let error = (product - product_part) + (addend - addend_part);

    let bits = sum.to_bits();
    let inexact = (error < 0.0) | (error > 0.0);
    let even = bits & 1 == 0;
    // The exact value lies strictly between `sum` and its neighbour on the side of `error`. One of the
    // two is odd: the neighbour, when `sum` is even. (`sum` is not zero here: nothing underflows.)
    let away = (error > 0.0) == (sum > 0.0);
    let neighbour = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let odd = if inexact & even { neighbour } else { bits };
    f64::from_bits(odd) as f32
}

/// `a * b + c` with two roundings, the product first: what a contract without fusion asks for.
#[inline(always)]
pub fn multiply_then_add(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}
