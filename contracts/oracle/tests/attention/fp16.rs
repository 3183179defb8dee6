//! Keys and values through fp16 or not: the two contracts, each against attention in f64 on its own operands.

use half::f16;

use super::calls::{Case, SMALL, distance, native_run};
use super::crafts::{Craft, Operands};

/// Attention in f64 on operands as they are, written down once more.
fn exact(case: &Case, Operands { q, k, v }: &Operands) -> Vec<f32> {
    let Case { rows, position, heads, width, .. } = *case;
    let mut output = vec![];
    for (row, head) in (0..rows).flat_map(|row| (0..heads).map(move |head| (row, head))) {
        let query = &q[(row * heads + head) * width..][..width];
        let of = |cache: &[f32], t: usize| cache[(head * case.capacity() + t) * width..][..width].to_vec();
        let dot = |k: &[f32]| query.iter().zip(k).map(|(q, k)| f64::from(*q) * f64::from(*k)).sum::<f64>();
        let weights: Vec<f64> = (0..=position + row).map(|t| (dot(&of(k, t)) * case.scale()).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut context = vec![0.0; width];
        for (t, weight) in weights.iter().enumerate() {
            context.iter_mut().zip(of(v, t)).for_each(|(context, v)| *context += weight / sum * f64::from(v));
        }
        output.extend(context.into_iter().map(|value| value as f32));
    }
    output
}

/// Operands of variance one. Queries twice as wide make rows that attend to a few positions, as trained heads do; over
/// hundreds of equal weights the roundings of values would average out.
#[test]
fn regression_01_keys_and_values_through_fp16() {
    let mut off = vec![];
    for width in [72, 80, 128] {
        for (rows, kv) in [(1, 16), (1, 257), (1, 1058), (5, 64), (33, 64), (64, 128)] {
            let case = Case { rows, position: kv - rows, width, spread: 2.0, craft: Craft::Normal, ..SMALL };
            let plain = case.operands();
            let through = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x).to_f32()).collect();
            let rounded = Operands { q: plain.q.clone(), k: through(&plain.k), v: through(&plain.v) };
            let found = ["fp32_online", "f16_kv_fp32_online"].map(|id| native_run(id, &case));
            let exact = [plain, rounded].map(|operands| exact(&case, &operands));
            let difference = distance(&found[0], &found[1]);
            let own = [distance(&found[0], &exact[0]), distance(&found[1], &exact[1])];
            println!("D={width} Q={rows} KV={kv}: {difference:.2e} apart; from f64 {:.1e} and {:.1e}", own[0], own[1]);
            if !(1e-4..2e-3).contains(&difference) || own.iter().any(|own| *own >= 1e-5) {
                off.push((width, rows, kv, difference, own));
            }
        }
    }
    assert!(off.is_empty(), "{off:?}");
}
