//! Storage formats against hand-computed blocks.

use cke_oracle::dequant::{Storage, f16_to_f32};

fn decode(storage: Storage, stored: &[u8]) -> Vec<f32> {
    let mut values = vec![f32::NAN; stored.len() / storage.block_bytes() * storage.block_elements()];
    storage.decode(stored, &mut values).expect("whole blocks");
    values
}

#[test]
fn f16_widens_exactly() {
    for (bits, expected) in [
        (0x0000, 0.0_f32),
        (0x0001, 5.960_464_5e-8), // 2^-24
        (0x03ff, 6.097_555e-5),   // the largest subnormal, 1023 * 2^-24
        (0x0400, 6.103_515_6e-5), // 2^-14
        (0x3555, 0.333_251_95),
        (0x3c00, 1.0),
        (0x3c01, 1.000_976_6),
        (0x7bff, 65504.0),
        (0x7c00, f32::INFINITY),
    ] {
        assert_eq!(f16_to_f32(bits).to_bits(), expected.to_bits(), "{bits:04x}");
        assert_eq!(f16_to_f32(bits | 0x8000).to_bits(), (-expected).to_bits(), "{bits:04x} negated");
    }
}

/// Every finite f16 is fraction * 2^exponent; computed here through f64 powers of two.
#[test]
fn every_f16() {
    for bits in 0..=u16::MAX {
        let (exponent, fraction) = (u64::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
        let widened = f16_to_f32(bits);
        if exponent == 0x1f {
            let expected = if fraction == 0.0 { 0x7f80_0000 | u32::from(bits >> 15) << 31 } else { 0x7fc0_0000 };
            assert_eq!(widened.to_bits(), expected);
            continue;
        }
        let power = f64::from_bits((exponent.max(1) + 1023 - 25) << 52); // 2^(exponent - 25)
        let magnitude = (fraction + if exponent == 0 { 0.0 } else { 1024.0 }) * power;
        let expected = if bits >> 15 == 1 { -magnitude } else { magnitude };
        assert_eq!(f64::from(widened).to_bits(), expected.to_bits(), "{bits:04x}");
    }
}

#[test]
fn f32_is_copied_bit_by_bit() {
    let patterns: [u32; 5] = [0x3f80_0000, 0x8000_0000, 0x0000_0001, 0x7fa1_2345, 0xff80_0000];
    let bytes: Vec<u8> = patterns.iter().flat_map(|b| b.to_le_bytes()).collect();
    let bits: Vec<u32> = decode(Storage::F32, &bytes).into_iter().map(f32::to_bits).collect();
    assert_eq!(bits, patterns);
}

#[test]
fn q8_0_block() {
    let mut block = vec![0x00, 0x38]; // d = 0.5
    block.extend((0..32_u8).map(|i| (i * 8).wrapping_sub(128)));
    let values = decode(Storage::Q8_0, &block);
    assert_eq!(values[0], -64.0);
    assert_eq!(values[1], -60.0);
    assert_eq!(values[16].to_bits(), 0.0_f32.to_bits());
    assert_eq!(values[31], 60.0);
}

/// d = -2^-24 (subnormal in f16), q = 0 gives -0 and q = -127 is exact.
#[test]
fn q8_0_signed_zero_and_subnormal_scale() {
    let mut block = vec![0x01, 0x80];
    block.resize(34, 0);
    block[3] = (-127_i8).cast_unsigned();
    let values = decode(Storage::Q8_0, &block);
    assert_eq!(values[0].to_bits(), (-0.0_f32).to_bits());
    assert_eq!(values[1], 127.0 / 16_777_216.0);
}

#[test]
fn q4_1_block() {
    let mut block = vec![0x00, 0x3c, 0x00, 0xc4]; // d = 1, m = -4
    block.extend((0..16).map(|j| j | (15 - j) << 4));
    let values = decode(Storage::Q4_1, &block);
    for j in 0..16 {
        assert_eq!(values[j], j as f32 - 4.0, "low nibble {j}");
        assert_eq!(values[j + 16], 15.0 - j as f32 - 4.0, "high nibble {j}");
    }
}

/// d = 2^-24, m = 1: the exact sum 1 + 2^-24 is a tie and goes to even; 1 + 3 * 2^-24 goes up.
#[test]
fn q4_1_rounds_the_sum_once() {
    let mut block = vec![0x01, 0x00, 0x00, 0x3c];
    block.extend([0x31; 16]);
    let values = decode(Storage::Q4_1, &block);
    assert_eq!(values[0], 1.0);
    assert_eq!(values[16], 1.0 + 2.0 * f32::EPSILON);
}

#[test]
fn computed_nans_are_canonical() {
    let mut q8 = vec![0x01, 0x7c]; // a signalling NaN as scale
    q8.resize(34, 1);
    assert_eq!(decode(Storage::Q8_0, &q8)[0].to_bits(), 0x7fc0_0000);
    let mut q4 = vec![0x00, 0xfc, 0x00, 0x7c]; // d = -inf, m = inf, q = 0: NaN + inf; q = 1: -inf + inf
    q4.resize(20, 0x10);
    let values = decode(Storage::Q4_1, &q4);
    assert_eq!((values[0].to_bits(), values[16].to_bits()), (0x7fc0_0000, 0x7fc0_0000));
}

#[test]
fn two_blocks_follow_each_other() {
    let mut stored = vec![0x00, 0x3c];
    stored.extend([1; 32]);
    stored.extend([0x00, 0x40]);
    stored.extend([3; 32]);
    let values = decode(Storage::Q8_0, &stored);
    assert_eq!((values[31], values[32]), (1.0, 6.0));
}

#[test]
fn sizes_that_do_not_fit_are_errors() {
    let error = Storage::Q4_1.decode(&[0; 20], &mut [0.0; 31]).unwrap_err();
    assert_eq!(error, "q4_1 stores blocks of 32 elements, found 31");
    let error = Storage::Q8_0.decode(&[0; 33], &mut [0.0; 32]).unwrap_err();
    assert_eq!(error, "32 elements of q8_0 take 34 bytes, found 33");
    assert!(Storage::F32.bytes(usize::MAX).is_err());
    assert_eq!(Storage::parse("q4_0"), None);
    for storage in Storage::ALL {
        assert_eq!(Storage::parse(storage.name()), Some(storage));
    }
}
