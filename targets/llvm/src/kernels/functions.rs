//! What several kernels share: the elementary functions of the contracts, NaN, horizontal reductions, thread shares.
//!
//! Everything works on scalars and vectors alike and emits exactly the operations a contract lists, one by one.

use super::text::{I64, Scalar, Text, Type, Value};

/// The bits every computed NaN is stored as.
const CANONICAL_NAN: i32 = 0x7fc0_0000;
/// 1.5 * 2^23: adding and subtracting it rounds to the nearest integer.
const ROUND_TO_INTEGER: u32 = 0x4b40_0000;
/// log2(e): 0x1.715476p0.
const LOG2_E: u32 = 0x3fb8_aa3b;
/// Below this e^x is no normal number and `exp_e0` gives +0.
const E0_LOWEST: u32 = 0xc2ae_ac4f;
/// -ln 2 in two parts: -0x1.62e4p-1 and -0x1.7f7d1cp-20.
const E0_MINUS_LN2: [u32; 2] = [0xbf31_7200, 0xb5bf_be8e];
/// Of (e^r - 1 - r) / r^2, highest degree first:
/// 0x1.6a23cep-10, 0x1.123a20p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2.
const E0_POLYNOMIAL: [u32; 5] = [0x3ab5_11e7, 0x3c09_1d10, 0x3d2a_ac79, 0x3e2a_aa49, 0x3eff_fffe];
/// `sigmoid_e1` clamps its argument to this magnitude.
const E1_CLAMP: f32 = 87.0;
/// Of 2^f, highest degree first, without the constant term 1:
/// 0x1.41fba0p-13, 0x1.5f3e80p-10, 0x1.3b2d4ep-7, 0x1.c6aee8p-5, 0x1.ebfbdcp-3, 0x1.62e430p-1.
const E1_POLYNOMIAL: [u32; 6] = [0x3920_fdd0, 0x3aaf_9f40, 0x3c1d_96a7, 0x3d63_5774, 0x3e75_fdee, 0x3f31_7218];

/// The constant with these bits, in the shape of `ty`.
fn bits(t: &mut Text, ty: Type, bits: u32) -> Value {
    t.f32(ty, f32::from_bits(bits))
}

/// `x`, or 0x7fc00000 where `x` is any NaN. The choice is made on integers, so that the bits are exactly these.
pub fn canonical_nan(t: &mut Text, x: Value) -> Value {
    let is_nan = t.cmpf("uno", x, x);
    let stored = t.bitcast(x, Scalar::I32);
    let canonical = t.i32(stored.ty, CANONICAL_NAN);
    t.select(is_nan, canonical, stored)
}

/// The polynomial with these coefficients, highest degree first, at `x`: one fma a step.
fn horner(t: &mut Text, coefficients: &[u32], x: Value) -> Value {
    let (highest, rest) = coefficients.split_first().expect("a polynomial has a coefficient");
    let highest = bits(t, x.ty, *highest);
    rest.iter().fold(highest, |sum, &coefficient| {
        let coefficient = bits(t, x.ty, coefficient);
        t.fma(sum, x, coefficient)
    })
}

/// 2^n, where `z` = n + 1.5 * 2^23 in f32 and -126 <= n <= 127: the low bits of `z` are n.
fn power_of_two(t: &mut Text, z: Value) -> Value {
    let z = t.bitcast(z, Scalar::I32);
    let shift = t.i32(z.ty, 23);
    let one = t.i32(z.ty, 0x3f80_0000);
    let exponent = t.shli(z, shift);
    let power = t.addi(exponent, one);
    t.bitcast(power, Scalar::F32)
}

/// `exp_e0`: e^x for x <= 0; +0 below -87.33654; NaN for NaN.
pub fn exp_e0(t: &mut Text, x: Value) -> Value {
    let ty = x.ty;
    let magic = bits(t, ty, ROUND_TO_INTEGER);
    let log2_e = bits(t, ty, LOG2_E);
    let z = t.fma(x, log2_e, magic);
    let n = t.subf(z, magic);
    let r = E0_MINUS_LN2.iter().fold(x, |r, &part| {
        let part = bits(t, ty, part);
        t.fma(n, part, r)
    });
    let q = horner(t, &E0_POLYNOMIAL, r);
    let square = t.mulf(r, r);
    let tail = t.fma(q, square, r);
    let one = t.f32(ty, 1.0);
    let p = t.addf(one, tail);
    let power = power_of_two(t, z);
    let scaled = t.mulf(p, power);
    let lowest = bits(t, ty, E0_LOWEST);
    let vanishes = t.cmpf("olt", x, lowest);
    let zero = t.f32(ty, 0.0);
    t.select(vanishes, zero, scaled)
}

/// `sigmoid_e1`: the denominator 1 + e^-x of the logistic function; NaN for NaN.
pub fn sigmoid_e1(t: &mut Text, x: Value) -> Value {
    let ty = x.ty;
    let (low, high) = (t.f32(ty, -E1_CLAMP), t.f32(ty, E1_CLAMP));
    let below = t.cmpf("olt", x, low);
    let x = t.select(below, low, x);
    let above = t.cmpf("ogt", x, high);
    let x = t.select(above, high, x);
    let magic = bits(t, ty, ROUND_TO_INTEGER);
    let minus_log2_e = t.f32(ty, -f32::from_bits(LOG2_E));
    let z = t.fma(x, minus_log2_e, magic);
    let n = t.subf(z, magic);
    let minus_n = t.negf(n);
    let f = t.fma(x, minus_log2_e, minus_n);
    let q = horner(t, &E1_POLYNOMIAL, f);
    let one = t.f32(ty, 1.0);
    let p = t.fma(q, f, one);
    let power = power_of_two(t, z);
    let e = t.mulf(p, power);
    t.addf(one, e)
}

/// The sum of all lanes of all vectors: lane j of the whole += lane j + stride, for halving strides down to 1.
///
/// `lanes` are the vectors side by side, a power of two of them, each a power of two wide.
pub fn tree_sum(t: &mut Text, lanes: &[Value]) -> Value {
    let mut lanes = lanes.to_vec();
    while lanes.len() > 1 {
        let (low, high) = lanes.split_at(lanes.len() / 2);
        lanes = low.iter().zip(high).map(|(&low, &high)| t.addf(low, high)).collect();
    }
    fold_lanes(t, lanes[0], Text::addf)
}

/// One scalar from the lanes of a vector, the upper half combined into the lower until one lane is left.
pub fn fold_lanes(t: &mut Text, vector: Value, combine: impl Fn(&mut Text, Value, Value) -> Value) -> Value {
    let mut vector = vector;
    let mut width = vector.ty.lanes;
    while width > 1 {
        width /= 2;
        let low = t.shuffle(vector, vector, 0..width);
        let high = t.shuffle(vector, vector, width..2 * width);
        vector = combine(t, low, high);
    }
    t.extract(vector, 0)
}

/// `a > b ? a : b`: a NaN in `a` loses, and of two equal values `b` is kept.
pub fn maximum(t: &mut Text, a: Value, b: Value) -> Value {
    let greater = t.cmpf("ogt", a, b);
    t.select(greater, a, b)
}

/// The units of this thread: from `total * thread / threads` to `total * (thread + 1) / threads`.
pub fn thread_share(t: &mut Text, total: Value) -> (Value, Value) {
    let (thread, threads, one) = (t.thread(), t.threads(), t.i64(1));
    let next = t.addi(thread, one);
    let [from, to] = [thread, next].map(|thread| {
        let part = t.muli(total, thread);
        t.divui(part, threads)
    });
    (from, to)
}

/// ceil(a / b) of non-negative integers.
pub fn div_ceil(t: &mut Text, a: Value, b: i64) -> Value {
    debug_assert_eq!(a.ty, I64);
    let (divisor, round) = (t.i64(b), t.i64(b - 1));
    let sum = t.addi(a, round);
    t.divui(sum, divisor)
}
