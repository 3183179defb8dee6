//! Cuts the preparation into pieces of about a megabyte and lets threads take one after the other.
//!
//! A piece owns its part of the state block, so threads never meet in memory, and the outcome does not depend on who
//! takes what.

use super::check::{Origins, Weight};
use super::expand::{self, PANEL};
use crate::fault::{Code, Fault, Result};
use crate::gguf::{Gguf, Tensor};
use cke_contracts::layout::Layout;
use cke_oracle::dequant::Storage;
use cke_oracle::rope_table::rope_table;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// About as many prepared values as one piece has.
const PIECE: usize = 1 << 18;

/// How far a preparation has come, in bytes of prepared weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Consecutive rows of one weight, and where they go.
struct Piece<'a> {
    source: Part<'a>,
    values: &'a mut [f32],
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Rows { tensor: &'a Tensor, storage: Storage, first: usize, count: usize, columns: usize, layout: Layout },
    RopeTable { base: f64, rotary_dim: usize, positions: usize },
}

/// Prepares all weights, which stand in the order of their offsets, in `state`.
pub(super) fn run(
    weights: Vec<Weight<'_>>,
    model: &Gguf,
    state: &mut [u8],
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<()> {
    let pieces = cut(weights, state)?;
    let total = pieces.iter().map(|piece| size_of_val(piece.values) as u64).sum();
    let queue = Mutex::new(pieces.into_iter());
    let done = AtomicU64::new(0);
    let work = || -> Result<()> {
        let mut stored = Vec::new();
        loop {
            // A panic under the lock is impossible, so is a poisoned lock.
            let Some(piece) = queue.lock().expect("nobody panics with the queue").next() else { return Ok(()) };
            let bytes = size_of_val(piece.values) as u64;
            piece.prepare(model, &mut stored)?;
            let done = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
            progress(Progress { done, total });
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let own = work();
        let join = |other: std::thread::ScopedJoinHandle<'_, Result<()>>| match other.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        others.into_iter().map(join).fold(own, Result::and)
    })
}

/// Divides the state block among the pieces of all weights.
fn cut<'a>(weights: Vec<Weight<'a>>, state: &'a mut [u8]) -> Result<Vec<Piece<'a>>> {
    let mut pieces = Vec::new();
    let (mut rest, mut position) = (state, 0);
    for Weight { slot, source } in weights {
        // The program is valid: slots are disjoint, ordered, and inside the block.
        let (_, from_slot) = rest.split_at_mut(slot.offset as usize - position);
        let (own, behind) = from_slot.split_at_mut(slot.bytes as usize);
        (rest, position) = (behind, (slot.offset + slot.bytes) as usize);
        let values = bytemuck::try_cast_slice_mut(own)
            .map_err(|error| Fault::new(Code::PreparationMismatch, format!("weight '{}': {error}", slot.name)))?;
        match source {
            Origins::RopeTable { base, rotary_dim, positions } => {
                pieces.push(Piece { source: Part::RopeTable { base, rotary_dim, positions }, values });
            }
            Origins::Stored { tensor, storage, layout, rows, columns } => {
                // Panels are never divided, so a piece has at least one.
                let group = if layout == Layout::PanelsN32 { PANEL } else { 1 };
                let count = (PIECE / columns / group).max(1) * group;
                let firsts = (0..rows).step_by(count);
                pieces.extend(firsts.zip(values.chunks_mut(count * columns)).map(|(first, values)| {
                    let count = count.min(rows - first);
                    Piece { source: Part::Rows { tensor, storage, first, count, columns, layout }, values }
                }));
            }
        }
    }
    Ok(pieces)
}

impl Piece<'_> {
    /// Reads and writes this piece; `stored` is memory to be used again.
    fn prepare(self, model: &Gguf, stored: &mut Vec<u8>) -> Result<()> {
        match self.source {
            Part::RopeTable { base, rotary_dim, positions } => {
                let table = rope_table(base, rotary_dim, positions)
                    .map_err(|rule| Fault::new(Code::PreparationMismatch, rule))?;
                self.values.copy_from_slice(&table);
                Ok(())
            }
            Part::Rows { tensor, storage, first, count, columns, layout } => {
                let row_bytes = columns / storage.block_elements() * storage.block_bytes();
                stored.resize(count * row_bytes, 0);
                model.read_part(tensor, (first * row_bytes) as u64, stored)?;
                if layout != Layout::PanelsN32 {
                    return expand::rows(storage, stored, self.values);
                }
                let panels = self.values.chunks_exact_mut(PANEL * columns);
                panels
                    .zip(stored.chunks(PANEL * row_bytes))
                    .try_for_each(|(panel, stored)| expand::panel(storage, stored, columns, panel))
            }
        }
    }
}
