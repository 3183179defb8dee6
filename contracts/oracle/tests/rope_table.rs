//! The rotary table against the host's f64 functions, and its bits.

use cke_oracle::rope_table::rope_table;

fn hash(values: impl Iterator<Item = f32>) -> u64 {
    values.fold(0xcbf2_9ce4_8422_2325, |h, v| (h ^ u64::from(v.to_bits())).wrapping_mul(0x100_0000_01b3))
}

/// The largest error of a table, and how many entries are not the f64 value rounded to f32.
fn compare(base: f64, rotary_dim: usize, positions: usize) -> (f64, usize) {
    let table = rope_table(base, rotary_dim, positions).expect("a valid table");
    assert_eq!(table.len(), positions * rotary_dim);
    let (mut error, mut different) = (0.0_f64, 0);
    for (n, pair) in table.chunks_exact(2).enumerate() {
        let (position, i) = (n / (rotary_dim / 2), n % (rotary_dim / 2));
        let angle = position as f64 * base.powf(-2.0 * i as f64 / rotary_dim as f64);
        for (found, exact) in [(pair[0], angle.cos()), (pair[1], angle.sin())] {
            error = error.max((f64::from(found) - exact).abs());
            different += usize::from(found != exact as f32);
        }
    }
    println!("base {base:e}, {positions} x {rotary_dim}: error {error:.3e}, {different} not correctly rounded");
    (error, different)
}

#[test]
fn entries_are_within_half_an_ulp_and_almost_all_correctly_rounded() {
    for (base, rotary_dim, positions) in
        [(1e4, 128, 8192), (1e5, 64, 8192), (1e6, 256, 2048), (5e5, 128, 4096), (1.0, 8, 1000), (1e300, 64, 500)]
    {
        let (error, different) = compare(base, rotary_dim, positions);
        assert!(error < 2.99e-8, "half an ulp of 1 is 2.98e-8, found {error:e}");
        assert!(different * 100_000 <= rotary_dim * positions, "{different} of {}", rotary_dim * positions);
    }
}

/// Angles up to the last allowed position stay exact through the reduction by pi/2.
#[test]
fn far_positions() {
    let positions = 1 << 20;
    let table = rope_table(1e4, 2, positions).expect("a valid table");
    for position in (positions - 5000)..positions {
        let angle = position as f64;
        assert!((f64::from(table[2 * position]) - angle.cos()).abs() < 2.99e-8);
        assert!((f64::from(table[2 * position + 1]) - angle.sin()).abs() < 2.99e-8);
    }
}

#[test]
fn position_zero_is_exact() {
    let table = rope_table(1e5, 64, 1).expect("a valid table");
    assert!(table.chunks_exact(2).all(|p| p[0] == 1.0 && p[1].to_bits() == 0));
}

/// The bits are part of the contract. Cosines and sines of the first table are also pinned apart.
#[test]
fn pinned_bits() {
    let table = rope_table(1e4, 128, 8192).expect("a valid table");
    let cosines = hash(table.iter().step_by(2).copied());
    let sines = hash(table.iter().skip(1).step_by(2).copied());
    assert_eq!(format!("{cosines:016x} {sines:016x}"), "2c88bede60863435 23f069a9908868ed");
    let table = rope_table(1e5, 64, 2048).expect("a valid table");
    assert_eq!(format!("{:016x}", hash(table.into_iter())), "e8309e60395e12b3");
}

#[test]
fn bad_arguments_are_errors() {
    for base in [0.5, f64::NAN, f64::INFINITY, -1.0] {
        assert!(rope_table(base, 64, 1).unwrap_err().starts_with("the base of a rope table must be in 1..=1e300"));
    }
    assert_eq!(rope_table(1e4, 3, 1).unwrap_err(), "the rotary dimension of a rope table must be even, found 3");
    assert!(rope_table(1e4, 2, (1 << 27) + 1).unwrap_err().contains("at most 134217728 positions"));
    assert!(rope_table(1e4, usize::MAX - 1, 3).unwrap_err().starts_with("no memory for a rope table"));
    assert_eq!(rope_table(1e4, 0, 5), Ok(vec![]));
    assert_eq!(rope_table(1e4, 64, 0), Ok(vec![]));
}
