//! The tensor table: names, shapes, types and places, checked against each other and against the file.

use super::kind::TensorKind;
use super::stream::Stream;
use super::value::read_text;
use crate::fault::{Code, Fault, Result};
use std::collections::BTreeSet;
use std::io::Read;

/// Bytes of the smallest record: an empty name, a rank, one dimension, a type, an offset.
pub(super) const LEAST_RECORD: u64 = 8 + 4 + 8 + 4 + 8;

/// The most dimensions of a tensor.
const MAX_RANK: u32 = 4;

/// A stored tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its shape, outermost dimension first: a matrix of a linear layer is `[outputs, inputs]`. (The file has the
    /// reverse order.)
    pub dims: Vec<u64>,
    /// The type of its elements.
    pub kind: TensorKind,
    /// The byte of the file where its data start.
    pub start: u64,
    /// The bytes of its data.
    pub bytes: u64,
    /// The byte of the file where its record starts, for faults.
    record: u64,
}

/// A record before the place of the data is known.
pub(super) struct Record {
    name: String,
    dims: Vec<u64>,
    kind: TensorKind,
    offset: u64,
    bytes: u64,
    start: u64,
}

impl Record {
    fn read<R: Read>(stream: &mut Stream<R>) -> Result<Self> {
        let start = stream.position();
        let name = read_text(stream)?;
        let within = |fault: Fault, position| {
            Fault { message: format!("tensor '{name}': {}", fault.message), ..fault }.at(position)
        };

        let rank_at = stream.position();
        let rank = stream.u32()?;
        if !(1..=MAX_RANK).contains(&rank) {
            let message = format!("{rank} dimensions, expected 1 to {MAX_RANK}");
            return Err(within(Fault::new(Code::BadShape, message), rank_at));
        }
        let dims_at = stream.position();
        let mut dims = (0..rank).map(|_| stream.u64()).collect::<Result<Vec<_>>>()?;
        let kind_at = stream.position();
        let number = stream.u32()?;
        let kind = TensorKind::from_number(number)
            .ok_or_else(|| within(Fault::new(Code::UnknownTensorType, format!("type {number} is unknown")), kind_at))?;
        let bytes = stored_bytes(&dims, kind).map_err(|fault| within(fault, dims_at))?;
        let offset = stream.u64()?;
        dims.reverse();
        Ok(Record { name, dims, kind, offset, bytes, start })
    }

    /// Places the data, which begin at byte `data` of a file of `end` bytes.
    fn place(self, data: u64, alignment: u64, end: u64) -> Result<Tensor> {
        let Record { name, dims, kind, offset, bytes, start: record } = self;
        if !offset.is_multiple_of(alignment) {
            let message = format!("tensor '{name}': offset {offset} is no multiple of the alignment {alignment}");
            return Err(Fault::new(Code::BadAlignment, message).at(record));
        }
        let start = data.checked_add(offset).filter(|&start| start.checked_add(bytes).is_some_and(|last| last <= end));
        let start = start.ok_or_else(|| {
            let message = format!("tensor '{name}': {bytes} bytes at offset {offset} of the data from byte {data} on");
            Fault::new(Code::TensorOutside, format!("{message} end past the file's {end}")).at(record)
        })?;
        Ok(Tensor { name, dims, kind, start, bytes, record })
    }
}

/// Bytes of a tensor of shape `dims`, in the file's order, innermost dimension first.
pub(super) fn stored_bytes(dims: &[u64], kind: TensorKind) -> Result<u64> {
    let fault = |message: String| Fault::new(Code::BadShape, message);
    let row = dims.first().copied().unwrap_or(1);
    if dims.contains(&0) {
        return Err(fault(format!("dimensions {dims:?}, expected none to be 0")));
    }
    if !row.is_multiple_of(kind.block_elements()) {
        let (name, block) = (kind.name(), kind.block_elements());
        return Err(fault(format!("a row of {row} elements is no multiple of the {block} of a block of {name}")));
    }
    let elements = dims.iter().try_fold(1_u64, |product, &dim| product.checked_mul(dim));
    let bytes = elements.and_then(|elements| (elements / kind.block_elements()).checked_mul(kind.block_bytes()));
    bytes.ok_or_else(|| fault(format!("dimensions {dims:?} of {} overflow 64 bits", kind.name())))
}

/// Reads `count` records; no two have one name.
pub(super) fn read_records<R: Read>(stream: &mut Stream<R>, count: u64) -> Result<Vec<Record>> {
    let records = (0..count).map(|_| Record::read(stream)).collect::<Result<Vec<_>>>()?;
    let mut names = BTreeSet::new();
    for record in &records {
        if !names.insert(&record.name) {
            return Err(
                Fault::new(Code::DuplicateName, format!("tensor '{}' occurs twice", record.name)).at(record.start)
            );
        }
    }
    Ok(records)
}

/// Places all data, which begin at byte `data` of a file of `end` bytes, and checks that no two tensors share bytes.
pub(super) fn place_all(records: Vec<Record>, data: u64, alignment: u64, end: u64) -> Result<Vec<Tensor>> {
    let place = |record: Record| record.place(data, alignment, end);
    let tensors = records.into_iter().map(place).collect::<Result<Vec<_>>>()?;
    let mut by_place: Vec<&Tensor> = tensors.iter().collect();
    by_place.sort_by_key(|tensor| tensor.start);
    for pair in by_place.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        if before.start + before.bytes > after.start {
            let message = format!("tensors '{}' and '{}' share bytes from {}", before.name, after.name, after.start);
            return Err(Fault::new(Code::TensorsOverlap, message).at(after.record));
        }
    }
    Ok(tensors)
}
