//! `cke_swiglu_fp32`: y = (gate / (1 + e^-gate)) * up.
//!
//! Slots: gate, up, y, rows. Shape: dim.

use super::elementwise::elementwise;
use super::functions::{canonical_nan, sigmoid_e1};
use super::text::{PTR, Text};
use super::{KernelRequest, rules};

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let dim = request.extent("dim")?;
    rules::swiglu(request.contract)?;
    let mut t = Text::new();
    let [gate, up, y] = [0, 1, 2].map(|slot| t.slot(slot, PTR));
    let rows = request.rows(&mut t, 3);
    let dim = t.i64(dim);
    let total = t.muli(rows, dim);
    elementwise(&mut t, total, |t, index, ty| {
        let [gate, up, y] = [gate, up, y].map(|base| t.at(base, index, ty));
        let (x, up) = (t.load(gate, ty), t.load(up, ty));
        let denominator = sigmoid_e1(t, x);
        let silu = t.divf(x, denominator);
        let product = t.mulf(silu, up);
        let stored = canonical_nan(t, product);
        t.store(stored, y);
    });
    Ok(t.finish(request.symbol))
}
