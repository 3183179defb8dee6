//! Tensors of 32-bit elements inside the state block: the only code of the oracle that touches its bytes.
//!
//! A [`Tensor`] is checked once, when it is made: its whole extent lies inside the state block. Values are moved,
//! never changed; what a NaN becomes is the contract's affair.

use super::Port;
use crate::layout::{Layout, Line};

/// Bytes of an element.
const ELEMENT: usize = 4;

/// A tensor of f32 or i32 at a place of the state block.
#[derive(Debug)]
pub(super) struct Tensor<'a> {
    name: &'a str,
    /// First byte in the state block.
    offset: usize,
    layout: Layout,
    dims: Vec<usize>,
}

impl<'a> Tensor<'a> {
    /// The tensor of logical dimensions `dims` at `port`; an error unless all of it lies inside `state`.
    pub fn new(port: &Port<'a>, dims: &[usize], state: &[u8]) -> Result<Self, String> {
        let Port { name, offset, layout } = *port;
        let elements = layout.elements(dims).map_err(|error| format!("port '{name}': {error}"))?;
        let end = elements.checked_mul(ELEMENT).and_then(|bytes| bytes.checked_add(offset));
        if end.is_none_or(|end| end > state.len()) {
            return Err(format!(
                "port '{name}' takes {elements} elements from byte {offset} on, outside a state block of {} bytes",
                state.len()
            ));
        }
        Ok(Self { name, offset, layout, dims: dims.to_vec() })
    }

    /// The elements along the last dimension at the indices `leading` of the others.
    pub fn line(&self, leading: &[usize]) -> Result<Line, String> {
        self.layout.line(&self.dims, leading).map_err(|error| format!("port '{}': {error}", self.name))
    }

    /// The bits of element `i` of a line of this tensor; `i` must be inside the last dimension.
    #[inline(always)]
    pub fn bits(&self, state: &[u8], line: Line, i: usize) -> u32 {
        let at = self.offset + (line.start + i * line.stride) * ELEMENT;
        u32::from_ne_bytes(state[at..at + ELEMENT].try_into().expect("a slice of four bytes"))
    }

    /// Element `i` of a line of this tensor; `i` must be inside the last dimension.
    #[inline(always)]
    pub fn get(&self, state: &[u8], line: Line, i: usize) -> f32 {
        f32::from_bits(self.bits(state, line, i))
    }

    /// All elements of the line at `leading`.
    pub fn read(&self, state: &[u8], leading: &[usize]) -> Result<Vec<f32>, String> {
        let line = self.line(leading)?;
        Ok((0..self.width()).map(|i| self.get(state, line, i)).collect())
    }

    /// Replaces the line at `leading`; `values` must be as many as the last dimension has.
    pub fn write(&self, state: &mut [u8], leading: &[usize], values: &[f32]) -> Result<(), String> {
        let line = self.line(leading)?;
        if values.len() != self.width() {
            return Err(format!("port '{}' has lines of {}, found {}", self.name, self.width(), values.len()));
        }
        for (i, value) in values.iter().enumerate() {
            let at = self.offset + (line.start + i * line.stride) * ELEMENT;
            state[at..at + ELEMENT].copy_from_slice(&value.to_ne_bytes());
        }
        Ok(())
    }

    /// The extent of the last dimension; 0 for a scalar, which has no line.
    fn width(&self) -> usize {
        self.dims.last().copied().unwrap_or(0)
    }
}
