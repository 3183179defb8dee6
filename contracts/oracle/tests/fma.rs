//! The f64-based fused multiply-add against exact integer arithmetic.

use cke_oracle::fma::{fma, multiply_then_add};

/// A finite f32 as `sign * magnitude * 2^exponent`.
struct Exact {
    negative: bool,
    magnitude: u128,
    exponent: i32,
}

impl Exact {
    fn of(x: f32) -> Self {
        let bits = x.to_bits();
        let biased = (bits >> 23 & 0xff) as i32;
        let fraction = u128::from(bits & 0x7f_ffff);
        let (magnitude, exponent) = if biased == 0 { (fraction, -149) } else { (fraction | 0x80_0000, biased - 150) };
        Self { negative: bits >> 31 == 1, magnitude, exponent }
    }

    /// Moves the leading one to bit 100, so that 52 zero bits stand below any 48-bit product.
    fn normalized(mut self) -> Self {
        if self.magnitude != 0 {
            let shift = self.magnitude.leading_zeros() as i32 - 27;
            self.magnitude <<= shift;
            self.exponent -= shift;
        }
        self
    }
}

/// Shifts right; a lost one bit stays visible in bit 0 (far below any rounding position).
fn shift_sticky(x: u128, by: u32) -> u128 {
    if by >= 128 {
        return u128::from(x != 0);
    }
    let kept = x >> by;
    kept | u128::from(kept << by != x)
}

/// Rounds `magnitude * 2^exponent` to nearest even with integer operations only.
fn round(negative: bool, magnitude: u128, exponent: i32) -> f32 {
    let sign = u32::from(negative) << 31;
    if magnitude == 0 {
        return f32::from_bits(sign);
    }
    let top = 127 - magnitude.leading_zeros() as i32 + exponent;
    let unit = (top - 23).max(-149);
    let shift = unit - exponent;
    assert!(shift > 0, "the reference keeps guard bits");
    let (kept, rest) = if shift >= 128 {
        (0, 1) // less than half a unit: the top bit is at most bit 127
    } else {
        let kept = magnitude >> shift;
        (kept, magnitude - (kept << shift))
    };
    let half = if shift >= 128 { u128::MAX } else { 1_u128 << (shift - 1) };
    let up = rest > half || (rest == half && kept & 1 == 1);
    let kept = kept as u32 + u32::from(up);
    // `kept` counts units of 2^unit; a carry into the next binade is the right bit pattern by itself.
    let biased = if unit == -149 && kept < 0x80_0000 { 0 } else { (unit + 150) as u32 };
    let encoded = if biased == 0 { kept } else { (biased << 23) + (kept - 0x80_0000) };
    f32::from_bits(sign | encoded.min(0x7f80_0000))
}

fn reference(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return f32::NAN;
    }
    if a.is_infinite() || b.is_infinite() {
        let zero_by_infinity = a == 0.0 || b == 0.0;
        let product = if (a < 0.0) != (b < 0.0) { f32::NEG_INFINITY } else { f32::INFINITY };
        return if zero_by_infinity || (c.is_infinite() && c != product) { f32::NAN } else { product };
    }
    if c.is_infinite() {
        return c;
    }
    let (x, y, z) = (Exact::of(a), Exact::of(b), Exact::of(c));
    let negative = x.negative != y.negative;
    let product =
        Exact { negative, magnitude: x.magnitude * y.magnitude, exponent: x.exponent + y.exponent }.normalized();
    let addend = z.normalized();
    if product.magnitude == 0 && addend.magnitude == 0 {
        return if product.negative && addend.negative { -0.0 } else { 0.0 };
    }
    if product.magnitude == 0 {
        return c;
    }
    if addend.magnitude == 0 {
        return round(product.negative, product.magnitude, product.exponent);
    }
    let exponent = product.exponent.max(addend.exponent);
    let p = shift_sticky(product.magnitude, (exponent - product.exponent) as u32);
    let q = shift_sticky(addend.magnitude, (exponent - addend.exponent) as u32);
    if product.negative == addend.negative {
        round(product.negative, p + q, exponent)
    } else if p == q {
        0.0 // exact cancellation is +0 under round to nearest
    } else if p > q {
        round(product.negative, p - q, exponent)
    } else {
        round(addend.negative, q - p, exponent)
    }
}

fn check(a: f32, b: f32, c: f32) {
    let (found, expected) = (fma(a, b, c), reference(a, b, c));
    let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
    assert!(same, "fma({a:e}, {b:e}, {c:e}) = {found:e} ({:08x}), exact {expected:e}", found.to_bits());
}

/// xorshift64*: a fixed sequence, the same on every host.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn bits(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }
}

/// Values at every edge of the format.
fn specials() -> Vec<f32> {
    let mut bits = vec![
        0x0000_0000,
        0x0000_0001,
        0x0000_0002,
        0x0000_0003,
        0x003f_ffff,
        0x0040_0000,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x0100_0000,
        0x2000_0000,
        0x3380_0000,
        0x337f_ffff,
        0x3400_0000,
        0x3eff_ffff,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3f80_0002,
        0x3fff_ffff,
        0x4000_0000,
        0x4b7f_ffff,
        0x4b80_0000,
        0x5f00_0000,
        0x7eff_ffff,
        0x7f00_0000,
        0x7f7f_fffe,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
        0x7f80_0001,
    ];
    bits.extend(bits.clone().iter().map(|b| b | 0x8000_0000));
    bits.into_iter().map(f32::from_bits).collect()
}

#[test]
fn all_triples_of_special_values() {
    let values = specials();
    for &a in &values {
        for &b in &values {
            for &c in &values {
                check(a, b, c);
            }
        }
    }
}

#[test]
fn random_bit_patterns() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4_000_000 {
        check(f32::from_bits(random.bits()), f32::from_bits(random.bits()), f32::from_bits(random.bits()));
    }
}

#[test]
fn addend_near_the_product_and_near_the_rounding_position() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..4_000_000 {
        let draw = random.next();
        // Exponents near 1, so that the product stays in range; the addend within 2^+-60 of the product.
        let a = f32::from_bits((random.bits() & 0x807f_ffff) | ((97 + (draw & 63) as u32) << 23));
        let b = f32::from_bits((random.bits() & 0x807f_ffff) | ((97 + (draw >> 6 & 63) as u32) << 23));
        let product_exponent = ((a * b).to_bits() >> 23 & 0xff) as i32;
        let exponent = (product_exponent + (draw >> 12 & 127) as i32 - 63).clamp(0, 254) as u32;
        let mut fraction = random.bits() & 0x807f_ffff;
        if draw >> 20 & 1 == 1 {
            fraction &= 0x8000_0000; // a power of two: the addend itself makes ties and cancellations
        }
        check(a, b, f32::from_bits(fraction | exponent << 23));
        // The negated rounded product as addend leaves the product's rounding error alone.
        check(a, b, -(a * b));
    }
}

#[test]
fn subnormal_results_round_once() {
    let mut random = Random(0xdead_beef_cafe_f00d);
    for _ in 0..1_000_000 {
        let draw = random.next();
        // Products around 2^-149 .. 2^-120, addends subnormal or just normal.
        let a = f32::from_bits((random.bits() & 0x807f_ffff) | ((40 + (draw & 31) as u32) << 23));
        let b = f32::from_bits((random.bits() & 0x807f_ffff) | ((60 + (draw >> 5 & 15) as u32) << 23));
        let c = f32::from_bits(random.bits() & 0x80ff_ffff);
        check(a, b, c);
    }
}

#[test]
fn ties_go_to_even_and_a_sticky_bit_breaks_them() {
    let ulp = f32::EPSILON;
    let half_ulp = ulp / 2.0;
    // 1 + half an ulp is a tie: to even, down. 1 + 1.5 ulp: to even, up.
    assert_eq!(fma(half_ulp, 1.0, 1.0), 1.0);
    assert_eq!(fma(half_ulp, 1.0, 1.0 + ulp), 1.0 + 2.0 * ulp);
}

/// The product is 2^-24 (1 - 2^-46), a hair below half an ulp of the addend. Rounded to f64 first, the sum
/// becomes a tie and goes up to even; the exact sum is below the tie and goes down.
#[test]
fn rounding_twice_is_not_enough() {
    let a = 1.0 + f32::EPSILON;
    let b = (1.0 - f32::EPSILON) * (f32::EPSILON / 2.0);
    let c = 1.0 + f32::EPSILON;
    let twice = (f64::from(a) * f64::from(b) + f64::from(c)) as f32;
    assert_eq!(twice, 1.0 + 2.0 * f32::EPSILON);
    assert_eq!(fma(a, b, c), c);
    check(a, b, c);
}

#[test]
fn fused_and_unfused_differ() {
    let x = 1.0 + f32::EPSILON;
    assert_eq!(multiply_then_add(x, x, -(x * x)), 0.0);
    assert_eq!(fma(x, x, -(x * x)), f32::EPSILON * f32::EPSILON);
}
