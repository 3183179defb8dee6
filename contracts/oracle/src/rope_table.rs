//! The table of rotary cosines and sines, `rope_table_fp64_series`.
//!
//! A declared weight preparation: the runtime fills the table with this very function. It may use only
//! `+ - * /` of f64 and integer operations, in a fixed order, so that the table has the same bits on
//! every host. Each entry is computed in f64 and rounded once to f32.
//!
//! theta_i = exp(-(2i / rotary_dim) * log(base)); angle = position * theta_i (one multiplication).

/// ln 2 rounded to f64.
const LN_2: f64 = f64::from_bits(0x3fe6_2e42_fefa_39ef);
/// ln 2, the high part: 0x1.62e42fefa38p-1, so that `n * LN_2_HIGH` is exact for |n| < 2^11.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
/// ln 2, the rest: 0x1.ef35793c7673p-45.
const LN_2_LOW: f64 = f64::from_bits(0x3d2e_f357_93c7_6730);
/// log2(e): 0x1.71547652b82fep0.
const LOG2_E: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);
/// 2 / pi: 0x1.45f306dc9c883p-1.
const TWO_OVER_PI: f64 = f64::from_bits(0x3fe4_5f30_6dc9_c883);
/// pi / 2 in three parts; the first two have 25 bits, so that `n` times them is exact for |n| < 2^28.
const PI_2: [f64; 3] = [
    f64::from_bits(0x3ff9_21fb_5000_0000), // 0x1.921fb5p0
    f64::from_bits(0x3e51_10b4_6000_0000), // 0x1.110b46p-26
    f64::from_bits(0x3c91_a626_3314_5c07), // 0x1.1a62633145c07p-54
];
/// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer for |x| < 2^51.
const ROUND_TO_INTEGER: f64 = f64::from_bits(0x4338_0000_0000_0000);
/// sqrt(2): mantissas above are halved, so that the logarithm's series converges fast.
const SQRT_2: f64 = f64::from_bits(0x3ff6_a09e_667f_3bcd);
/// The reduction by pi/2 is proven for angles below this; theta_0 = 1 makes an angle equal its position.
const MAX_POSITIONS: usize = 1 << 27;

/// The table as row-major `[positions][rotary_dim / 2][2]`: cosine, then sine.
///
/// Errors: `base` not in 1..=1e300 (so 0 < theta <= 1 is a normal number), `rotary_dim` odd, more than 2^27
/// positions, or no memory for the table.
pub fn rope_table(base: f64, rotary_dim: usize, positions: usize) -> Result<Vec<f32>, String> {
    if !(1.0..=1e300).contains(&base) {
        return Err(format!("the base of a rope table must be in 1..=1e300, found {base}"));
    }
    if !rotary_dim.is_multiple_of(2) {
        return Err(format!("the rotary dimension of a rope table must be even, found {rotary_dim}"));
    }
    if positions > MAX_POSITIONS {
        return Err(format!("a rope table has at most {MAX_POSITIONS} positions, found {positions}"));
    }
    let mut table = Vec::new();
    let entries = positions.checked_mul(rotary_dim);
    if entries.is_none_or(|n| table.try_reserve_exact(n).is_err()) {
        return Err(format!("no memory for a rope table of {positions} x {rotary_dim} entries"));
    }
    let log_base = log(base);
    let thetas: Vec<f64> = (0..rotary_dim / 2).map(|i| exp(-(2.0 * i as f64 / rotary_dim as f64) * log_base)).collect();
    for position in 0..positions {
        for theta in &thetas {
            let (cosine, sine) = cos_sin(position as f64 * theta);
            table.extend([cosine as f32, sine as f32]);
        }
    }
    Ok(table)
}

/// Natural logarithm of a normal x >= 1: 2 artanh((m - 1) / (m + 1)) + e ln 2 with x = m 2^e.
fn log(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if mantissa > SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let t2 = t * t;
    let series = (0..14).rev().fold(0.0, |s, i| s * t2 + 1.0 / f64::from(2 * i + 1));
    2.0 * t * series + f64::from(exponent) * LN_2
}

/// e^x for -709 < x <= 0: Taylor's series to degree 16 after a reduction by ln 2.
pub(super) fn exp(x: f64) -> f64 {
    let n = (x * LOG2_E + ROUND_TO_INTEGER) - ROUND_TO_INTEGER;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let series = (1..=16).rev().fold(1.0, |s, k| 1.0 + s * r / f64::from(k));
    let power = f64::from_bits(((n as i64 + 1023) as u64) << 52);
    series * power
}

/// Cosine and sine of 0 <= angle < 2^27: Taylor's series on [-pi/4, pi/4], then the quadrant.
fn cos_sin(angle: f64) -> (f64, f64) {
    let n = (angle * TWO_OVER_PI + ROUND_TO_INTEGER) - ROUND_TO_INTEGER;
    let r = ((angle - n * PI_2[0]) - n * PI_2[1]) - n * PI_2[2];
    let r2 = r * r;
    // Each step multiplies by -r^2 / ((k - 1) k): the ratio of neighbouring terms.
    let step = |s: f64, k: i32| (1.0 + s) * (-r2 / (f64::from(k - 1) * f64::from(k)));
    let sine = r * (1.0 + (1..=10).rev().map(|i| 2 * i + 1).fold(0.0, step));
    let cosine = 1.0 + (1..=10).rev().map(|i| 2 * i).fold(0.0, step);
    match n as i64 & 3 {
        0 => (cosine, sine),
        1 => (-sine, cosine),
        2 => (-cosine, -sine),
        _ => (sine, -cosine),
    }
}
