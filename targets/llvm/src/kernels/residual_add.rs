//! `cke_residual_add_fp32`: y = a + b.
//!
//! Slots: a, b, y, rows. Shape: dim.

use super::elementwise::elementwise;
use super::functions::canonical_nan;
use super::text::{PTR, Text};
use super::{KernelRequest, rules};

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let dim = request.extent("dim")?;
    rules::residual_add(request.contract)?;
    let mut t = Text::new();
    let [a, b, y] = [0, 1, 2].map(|slot| t.slot(slot, PTR));
    let rows = request.rows(&mut t, 3);
    let dim = t.i64(dim);
    let total = t.muli(rows, dim);
    elementwise(&mut t, total, |t, index, ty| {
        let [a, b, y] = [a, b, y].map(|base| t.at(base, index, ty));
        let (a, b) = (t.load(a, ty), t.load(b, ty));
        let sum = t.addf(a, b);
        let stored = canonical_nan(t, sum);
        t.store(stored, y);
    });
    Ok(t.finish(request.symbol))
}
