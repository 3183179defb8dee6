//! The blocks of a quantised weight, read where the contract's fields say their parts lie.

use crate::Port;
use crate::dequant::f16_to_f32;
use cke_contracts::registry::vocabulary::{CodePacking, SubScales};
use cke_contracts::registry::{LinearSemantics, QuantizedLinear, WeightBlock};

/// All blocks of a weight.
pub(super) struct Weights<'a> {
    layout: &'a WeightBlock,
    /// Elements of a row of a block.
    elements: usize,
    /// Blocks of a row.
    pub(super) blocks: usize,
    bytes: &'a [u8],
}

/// One row of one block.
pub(super) struct Block {
    /// The fp32 scale.
    pub(super) scale: f32,
    /// The fp32 scale of the minima; +0 where there are none.
    pub(super) minimum_scale: f32,
    /// The integer scale of every sub-block.
    pub(super) scales: Vec<i32>,
    /// The integer minimum of every sub-block; zeros where there are none.
    pub(super) minima: Vec<i32>,
    /// The code of every element.
    pub(super) codes: Vec<i32>,
}

impl<'a> Weights<'a> {
    /// The weight at `port` with `n` rows of `k` elements; an error unless it is whole blocks inside `state`.
    pub(super) fn new(
        contract: &QuantizedLinear,
        semantics: &'a LinearSemantics,
        port: &Port<'_>,
        (n, k): (usize, usize),
        state: &'a [u8],
    ) -> Result<Self, String> {
        let layout = &semantics.weight;
        let elements = contract.weight.block_size as usize;
        let rows = layout.rows as usize;
        if elements == 0 || !k.is_multiple_of(elements) {
            return Err(format!("shape key 'k' is {k}, no multiple of weight.block_size {elements}"));
        }
        if rows == 0 || !n.is_multiple_of(rows) {
            return Err(format!("shape key 'n' is {n}, no multiple of semantics.weight.rows {rows}"));
        }
        let sub_blocks = elements.checked_div(layout.sub_block as usize).unwrap_or(0);
        let eight = match layout.sub_scales {
            SubScales::SixBitPairsBySubBlock => sub_blocks,
            SubScales::SixBitPairsByRow => rows,
            SubScales::SignedBytes => 8,
        };
        if sub_blocks * layout.sub_block as usize != elements || eight != 8 {
            return Err(format!(
                "semantics.weight has sub_block {} and rows {rows}, which sub_scales {} cannot hold",
                layout.sub_block, layout.sub_scales
            ));
        }
        let blocks = k / elements;
        let end = (n / rows)
            .checked_mul(blocks)
            .and_then(|count| count.checked_mul(layout.bytes as usize))
            .and_then(|bytes| bytes.checked_add(port.offset));
        let bytes = end.and_then(|end| state.get(port.offset..end)).ok_or_else(|| {
            format!(
                "port '{}' takes {n} x {k} weights from byte {} on, outside the state block",
                port.name, port.offset
            )
        })?;
        Ok(Self { layout, elements, blocks, bytes })
    }

    /// Block `b` of row `n`, both inside the weight.
    pub(super) fn block(&self, n: usize, b: usize) -> Result<Block, String> {
        let layout = self.layout;
        let (rows, size) = (layout.rows as usize, layout.bytes as usize);
        let start = (n / rows * self.blocks + b) * size;
        let sub_blocks = self.elements / layout.sub_block as usize;
        let row = Row { layout, row: n % rows, sub_blocks, bytes: &self.bytes[start..start + size] };
        let pairs = (0..sub_blocks).map(|j| row.sub_scale(j)).collect::<Result<Vec<_>, _>>()?;
        let (scales, minima) = pairs.into_iter().unzip();
        Ok(Block {
            scale: row.half(layout.scale_offset)?,
            minimum_scale: layout.minimum_offset.map_or(Ok(0.0), |offset| row.half(offset))?,
            scales,
            minima,
            codes: (0..self.elements).map(|k| row.code(k)).collect::<Result<_, _>>()?,
        })
    }
}

/// One row of the bytes of one block.
struct Row<'a> {
    layout: &'a WeightBlock,
    row: usize,
    sub_blocks: usize,
    bytes: &'a [u8],
}

impl Row<'_> {
    fn byte(&self, at: usize) -> Result<i32, String> {
        let found = self.bytes.get(at).copied().map(i32::from);
        found.ok_or_else(|| format!("semantics.weight names byte {at} of a block of {} bytes", self.bytes.len()))
    }

    /// The f16 of this row among those at `offset`.
    fn half(&self, offset: u32) -> Result<f32, String> {
        let at = offset as usize + 2 * self.row;
        Ok(f16_to_f32((self.byte(at)? | self.byte(at + 1)? << 8) as u16))
    }

    /// Integer scale and minimum of sub-block `j`.
    fn sub_scale(&self, j: usize) -> Result<(i32, i32), String> {
        let offset = self.layout.sub_scales_offset as usize;
        match self.layout.sub_scales {
            SubScales::SixBitPairsBySubBlock => self.six_bits(offset + 12 * self.row, j),
            SubScales::SixBitPairsByRow => self.six_bits(offset + 12 * j, self.row),
            SubScales::SignedBytes => {
                let byte = self.byte(offset + self.sub_blocks * self.row + j)?;
                Ok((i32::from((byte as u8).cast_signed()), 0))
            }
        }
    }

    /// Pair `i` of the eight in the twelve bytes at `at`.
    fn six_bits(&self, at: usize, i: usize) -> Result<(i32, i32), String> {
        let low = |i: usize| self.byte(at + i);
        Ok(match i {
            0..4 => (low(i)? & 63, low(i + 4)? & 63),
            _ => (low(i + 4)? & 15 | low(i - 4)? >> 6 << 4, low(i + 4)? >> 4 | low(i)? >> 6 << 4),
        })
    }

    /// The code of element `k`.
    fn code(&self, k: usize) -> Result<i32, String> {
        let layout = self.layout;
        let width = layout.interleave.unwrap_or(1).max(1) as usize;
        let rows = layout.rows as usize;
        // Byte p of this row's codes, where `width` bytes of every row take turns.
        let at = |offset: u32, p: usize| {
            self.byte(offset as usize + p / width * width * rows + self.row * width + p % width)
        };
        let codes = layout.codes_offset;
        match layout.codes {
            CodePacking::NibblesOf64 => Ok(at(codes, k / 64 * 32 + k % 32)? >> (k % 64 / 32 * 4) & 15),
            CodePacking::NibblesOf128WithHighPairs => {
                let high = layout.high_codes_offset.ok_or("semantics.weight has no high_codes_offset")?;
                let (part, quarter, i) = (k / 128, k % 128 / 32, k % 32);
                let low = at(codes, 64 * part + quarter % 2 * 32 + i)? >> (quarter / 2 * 4) & 15;
                Ok(low | (at(high, 32 * part + i)? >> (2 * quarter) & 3) << 4)
            }
        }
    }
}
