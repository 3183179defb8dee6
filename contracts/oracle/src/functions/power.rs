//! `power_minus_one_half`: x^(-1/2) rounded once.

/// x^(-1/2) correctly rounded; zeros of either sign give infinity, infinity +0; NaN and negative numbers NaN.
pub fn power_minus_one_half(x: f32) -> f32 {
    if x == 0.0 {
        return f32::INFINITY;
    }
    let near = (1.0 / f64::from(x).sqrt()) as f32;
    if !(x.is_finite() && near.is_finite()) {
        return near;
    }
    // `near` may be off by one place where the f64 value lies next to the middle of two f32. A middle is exact in f64.
    let middle = |one: f32, other: f32| (f64::from(one) + f64::from(other)) * 0.5;
    if is_below_root(middle(near, near.next_up()), x) {
        near.next_up()
    } else if is_below_root(middle(near.next_down(), near), x) {
        near
    } else {
        near.next_down()
    }
}

/// Whether m < x^(-1/2), which is m^2 x < 1, in integers: m has at most 25 significant bits, x has 24. Equality cannot
/// be: no odd 25-bit integer squared divides a power of two.
fn is_below_root(m: f64, x: f32) -> bool {
    let ((m, m_exponent), (x, x_exponent)) = (parts(m, 25), parts(f64::from(x), 24));
    let one_is_at = -(2 * m_exponent + x_exponent);
    (0..128).contains(&one_is_at) && m * m * x < 1 << one_is_at
}

/// A positive normal number of at most `bits` significant bits as an integer of so many bits times a power of two.
fn parts(x: f64, bits: i32) -> (u128, i32) {
    let mantissa = (x.to_bits() & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    let exponent = (x.to_bits() >> 52) as i32 - 1023 - 52;
    (u128::from(mantissa >> (53 - bits)), exponent + 53 - bits)
}
