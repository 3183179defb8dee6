//! `cke_embedding_fp32`: row r of y is row tokens[r] of the table, bit by bit.
//!
//! Slots: tokens (i32), table (panels_n32), y, rows. Shape: dim, vocab. A row of the table is one column of a panel, so
//! its elements are 32 apart. Rows are shared out among threads, in a decode the columns of the one row.

use super::text::{I32, I64, PTR, Text, Value};
use super::{KernelRequest, PANEL, Phase, rules};
use crate::kernels::functions::thread_share;

pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let dim = request.extent("dim")?;
    rules::embedding(request.contract)?;
    let mut t = Text::new();
    let [tokens, table, y] = [0, 1, 2].map(|slot| t.slot(slot, PTR));
    let (zero, columns) = (t.i64(0), t.i64(dim));
    match request.phase {
        Phase::Decode => {
            let (from, to) = thread_share(&mut t, columns);
            copy_row(&mut t, [tokens, table, y], zero, dim, (from, to));
        }
        Phase::Prefill => {
            let rows = t.slot(3, I64);
            let (from, to) = thread_share(&mut t, rows);
            t.for_loop(from, to, 1, &[], |t, row, _| {
                copy_row(t, [tokens, table, y], row, dim, (zero, columns));
                Vec::new()
            });
        }
    }
    Ok(t.finish(request.symbol))
}

/// Copies the columns `from..to` of one row.
fn copy_row(t: &mut Text, [tokens, table, y]: [Value; 3], row: Value, dim: i64, (from, to): (Value, Value)) {
    let (width, panel) = (t.i64(dim), t.i64(PANEL));
    let token = t.at(tokens, row, I32);
    let token = t.load(token, I32);
    let token = t.extui(token);
    let (index, column) = (t.divui(token, panel), t.remui(token, panel));
    let first = t.muli(index, width);
    let first = t.muli(first, panel);
    let first = t.addi(first, column);
    let source = t.at(table, first, I32);
    let first = t.muli(row, width);
    let target = t.at(y, first, I32);
    t.for_loop(from, to, 1, &[], |t, k, _| {
        let offset = t.muli(k, panel);
        let source = t.at(source, offset, I32);
        let bits = t.load(source, I32);
        let target = t.at(target, k, I32);
        t.store(bits, target);
        Vec::new()
    });
}
