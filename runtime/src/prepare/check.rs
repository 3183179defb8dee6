//! Compares every weight slot of a program with the model's tensors and with what its preparation writes.

use crate::fault::{Code, Fault, Result};
use crate::gguf::{Gguf, Tensor};
use crate::program::{Origin, Program, WeightSlot};
use cke_contracts::layout::Layout;
use cke_oracle::dequant::Storage;

/// A slot and where its values come from, all checked.
pub(super) struct Weight<'a> {
    pub slot: &'a WeightSlot,
    pub source: Origins<'a>,
}

/// Where values come from.
pub(super) enum Origins<'a> {
    /// Rows of a stored tensor, to be laid out in this layout.
    Stored { tensor: &'a Tensor, storage: Storage, layout: Layout, rows: usize, columns: usize },
    /// A table of cosines and sines.
    RopeTable { base: f64, rotary_dim: usize, positions: usize },
}

/// All weights of `program`, in the order of their offsets. The program is valid.
pub(super) fn all<'a>(program: &'a Program, model: &'a Gguf) -> Result<Vec<Weight<'a>>> {
    let mut slots: Vec<&WeightSlot> = program.weights.iter().collect();
    slots.sort_by_key(|slot| slot.offset);
    slots.into_iter().map(|slot| Ok(Weight { slot, source: source(slot, model)? })).collect()
}

fn source<'a>(slot: &'a WeightSlot, model: &'a Gguf) -> Result<Origins<'a>> {
    let expected = match (&*slot.preparation, &slot.origin) {
        ("expand_fp32", None) => Layout::RowMajor,
        ("expand_fp32_panels_n32", None) => Layout::PanelsN32,
        ("rope_table_fp64_series", Some(origin)) => return generated(slot, origin),
        (preparation, origin) => {
            let origin = if origin.is_some() { "with" } else { "without" };
            return Err(unfit(slot, format!("preparation '{preparation}' {origin} an origin is unknown")));
        }
    };
    if slot.layout != expected.name() {
        let message = format!("'{}' writes layout {}, the slot has {}", slot.preparation, expected.name(), slot.layout);
        return Err(unfit(slot, message));
    }
    stored(slot, expected, model)
}

fn stored<'a>(slot: &'a WeightSlot, layout: Layout, model: &'a Gguf) -> Result<Origins<'a>> {
    let tensor = model.tensor(&slot.name).ok_or_else(|| {
        Fault::new(Code::WeightMissing, format!("the model has no tensor '{}'", slot.name)).in_file(model.name())
    })?;
    let fault = |code, message: String| {
        Fault::new(code, format!("tensor '{}': {message}", slot.name)).at(tensor.start).in_file(model.name())
    };
    let kind = tensor.kind;
    let storage = kind.storage().ok_or_else(|| {
        let readable = Storage::ALL.map(Storage::name).join(", ");
        fault(Code::StorageUnsupported, format!("storage {} is not supported, expected one of {readable}", kind.name()))
    })?;
    if slot.storage != storage.name() {
        let message = format!("storage {}, the program was compiled for {}", storage.name(), slot.storage);
        return Err(fault(Code::WeightMismatch, message));
    }
    if slot.dims != tensor.dims {
        let message = format!("shape {:?}, the program was compiled for {:?}", tensor.dims, slot.dims);
        return Err(fault(Code::WeightMismatch, message));
    }
    // The slot's extent fits the state block, which fits the address space, so its dimensions do too.
    let columns = slot.dims.last().copied().unwrap_or(1) as usize;
    let rows = slot.dims.iter().rev().skip(1).product::<u64>() as usize;
    Ok(Origins::Stored { tensor, storage, layout, rows, columns })
}

fn generated<'a>(slot: &WeightSlot, origin: &Origin) -> Result<Origins<'a>> {
    let Origin::RopeTableFp64Series { base, rotary_dim, positions } = *origin;
    let expected = [positions, rotary_dim / 2, 2];
    if slot.storage != "generated" || slot.layout != Layout::RowMajor.name() || slot.dims != expected {
        let found = format!("storage {}, layout {}, shape {:?}", slot.storage, slot.layout, slot.dims);
        let message = format!("{found}, expected storage generated, layout row_major, shape {expected:?}");
        return Err(unfit(slot, message));
    }
    // As above: the extent of the slot is the table's.
    Ok(Origins::RopeTable { base, rotary_dim: rotary_dim as usize, positions: positions as usize })
}

fn unfit(slot: &WeightSlot, message: String) -> Fault {
    Fault::new(Code::PreparationMismatch, format!("weight '{}': {message}", slot.name))
}
