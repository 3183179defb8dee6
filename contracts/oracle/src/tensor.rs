//! Tensors inside the state block: the only code of the oracle that touches its bytes.
//!
//! A [`Tensor`] is checked once, when it is made: its whole extent lies inside the state block. Values are moved,
//! never changed; what a NaN becomes is the contract's affair.

use half::{bf16, f16};

use super::{Element, Port};
use cke_contracts::layout::{Layout, Line};

impl Element {
    /// Bytes of an element.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Bits32 => 4,
            Self::Fp16 | Self::Bf16 => 2,
        }
    }

    /// The name in kernel maps; what 32 bits hold is the operation's affair.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bits32 => "fp32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
        }
    }
}

/// A tensor at a place of the state block.
#[derive(Debug)]
pub(super) struct Tensor<'a> {
    name: &'a str,
    /// First byte in the state block.
    offset: usize,
    layout: Layout,
    element: Element,
    dims: Vec<usize>,
}

impl<'a> Tensor<'a> {
    /// The tensor of logical dimensions `dims` at `port`; an error unless all of it lies inside `state`.
    pub fn new(port: &Port<'a>, dims: &[usize], state: &[u8]) -> Result<Self, String> {
        let Port { name, offset, layout, element } = *port;
        let elements = layout.elements(dims).map_err(|error| format!("port '{name}': {error}"))?;
        let end = elements.checked_mul(element.bytes()).and_then(|bytes| bytes.checked_add(offset));
        if end.is_none_or(|end| end > state.len()) {
            return Err(format!(
                "port '{name}' takes {elements} elements from byte {offset} on, outside a state block of {} bytes",
                state.len()
            ));
        }
        Ok(Self { name, offset, layout, element, dims: dims.to_vec() })
    }

    /// The elements along the last dimension at the indices `leading` of the others.
    pub fn line(&self, leading: &[usize]) -> Result<Line, String> {
        self.layout.line(&self.dims, leading).map_err(|error| format!("port '{}': {error}", self.name))
    }

    /// How an element is stored.
    pub fn element(&self) -> Element {
        self.element
    }

    /// The bits of element `i` of a line of this tensor, widened exactly; `i` must be inside the last dimension.
    #[inline(always)]
    pub fn bits(&self, state: &[u8], line: Line, i: usize) -> u32 {
        let at = self.at(line, i);
        match self.element {
            Element::Bits32 => u32::from_ne_bytes(state[at..at + 4].try_into().expect("a slice of four bytes")),
            Element::Fp16 => f16::from_ne_bytes([state[at], state[at + 1]]).to_f32().to_bits(),
            Element::Bf16 => bf16::from_ne_bytes([state[at], state[at + 1]]).to_f32().to_bits(),
        }
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

    /// Replaces the line at `leading`; `values` must be as many as the last dimension has, and representable.
    pub fn write(&self, state: &mut [u8], leading: &[usize], values: &[f32]) -> Result<(), String> {
        let line = self.line(leading)?;
        if values.len() != self.width() {
            return Err(format!("port '{}' has lines of {}, found {}", self.name, self.width(), values.len()));
        }
        for (i, value) in values.iter().enumerate() {
            let at = self.at(line, i);
            match self.element {
                Element::Bits32 => state[at..at + 4].copy_from_slice(&value.to_ne_bytes()),
                Element::Fp16 => state[at..at + 2].copy_from_slice(&f16::from_f32(*value).to_ne_bytes()),
                Element::Bf16 => state[at..at + 2].copy_from_slice(&bf16::from_f32(*value).to_ne_bytes()),
            }
        }
        Ok(())
    }

    /// The first byte of element `i` of a line.
    fn at(&self, line: Line, i: usize) -> usize {
        self.offset + (line.start + i * line.stride) * self.element.bytes()
    }

    /// The extent of the last dimension; 0 for a scalar, which has no line.
    fn width(&self) -> usize {
        self.dims.last().copied().unwrap_or(0)
    }
}
