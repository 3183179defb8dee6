//! Stored rows to single precision, in the order of the elements or in panels.

use crate::fault::{Code, Fault, Result};
use cke_oracle::dequant::Storage;

/// Rows of a weight that share a panel.
pub(super) const PANEL: usize = 32;

/// The most elements of a row that are decoded before they are spread over a panel: 32 such pieces stay in the L1
/// cache.
const TILE: usize = 128;

/// Decodes whole rows in their order.
pub(super) fn rows(storage: Storage, stored: &[u8], values: &mut [f32]) -> Result<()> {
    storage.decode(stored, values).map_err(inconsistent)
}

/// Decodes up to 32 rows of `columns` elements into one panel, `[columns][32]`; columns of missing rows become +0.
pub(super) fn panel(storage: Storage, stored: &[u8], columns: usize, panel: &mut [f32]) -> Result<()> {
    let row_bytes = storage.bytes(columns).map_err(inconsistent)?;
    let mut tile = [0.0; TILE];
    for (row, stored) in stored.chunks_exact(row_bytes).enumerate() {
        for (piece, stored) in stored.chunks(TILE / storage.block_elements() * storage.block_bytes()).enumerate() {
            let count = TILE.min(columns - piece * TILE);
            storage.decode(stored, &mut tile[..count]).map_err(inconsistent)?;
            let lane = panel[piece * TILE * PANEL..].iter_mut().skip(row).step_by(PANEL);
            lane.zip(&tile[..count]).for_each(|(place, value)| *place = *value);
        }
    }
    let present = stored.len() / row_bytes;
    for lanes in panel.chunks_exact_mut(PANEL) {
        lanes[present..].fill(0.0);
    }
    Ok(())
}

/// Sizes were checked before, so this says that a check and a use disagree.
fn inconsistent(rule: String) -> Fault {
    Fault::new(Code::PreparationMismatch, rule)
}
