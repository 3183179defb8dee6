//! `embedding`: row `tokens[r]` of the table becomes row r, bit by bit.

use super::{Call, copied, expect, part, write_rows};
use cke_contracts::registry::vocabulary::{ComputeInput, CopyRule, InputStorage};

/// Ports `tokens` (i32), `table`, `y`; shape `vocab`, `dim`.
pub(super) fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let semantics = copied(call, (InputStorage::Int32, ComputeInput::Int32))?;
    expect("semantics.copy", *part("copy", &semantics.copy)?, CopyRule::TableRowOfToken)?;

    let (vocab, dim) = (call.extent("vocab")?, call.extent("dim")?);
    let tokens = call.tensor("tokens", &[call.rows], state)?;
    let table = call.tensor("table", &[vocab, dim], state)?;
    let y = call.tensor("y", &[call.rows, dim], state)?;

    let line = tokens.line(&[])?;
    let copies = (0..call.rows).map(|row| {
        let token = tokens.bits(state, line, row).cast_signed();
        match usize::try_from(token) {
            Ok(index) if index < vocab => table.read(state, &[index]),
            _ => Err(format!("row {row} has token {token}, expected 0 to below {vocab}")),
        }
    });
    let copies = copies.collect::<Result<Vec<_>, String>>()?;
    write_rows(&y, state, &copies)
}
