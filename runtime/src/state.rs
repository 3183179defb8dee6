//! The state block: one anonymous, relocatable piece of memory which holds everything a program touches.
//!
//! Every address of a program is the block's base plus an offset known at compile time. The block is born zero, on huge
//! pages where the system grants them (plain DRAM reads are 1.4 to 1.7 times faster on them), and it never moves.
//! This file knows bytes and alignment, not what lies where: that is the program's knowledge.

use anyhow::{Context, Result, bail, ensure};
use bytemuck::Pod;
use memmap2::{Advice, MmapMut};

/// Every region of a program starts at a multiple of this many bytes.
pub const ALIGNMENT: usize = 64;

/// The size of a huge page on the systems we run on; blocks at least this large start at a multiple of it.
const HUGE_PAGE: usize = 2 << 20;

/// An anonymous mapping, zero at birth, whose base is at least 64-byte aligned.
pub struct StateBlock {
    map: MmapMut,
    start: usize,
    bytes: usize,
}

impl StateBlock {
    /// Maps `bytes` zero bytes.
    ///
    /// # Errors
    ///
    /// `bytes` is zero, or the system refuses the mapping.
    pub fn new(bytes: u64) -> Result<Self> {
        let bytes = usize::try_from(bytes).context("the state block does not fit into the address space")?;
        ensure!(bytes > 0, "a state block of 0 bytes was asked for");
        // A huge page serves only memory which is aligned like one, so the mapping gets room to begin there.
        let slack = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let mapped = bytes.checked_add(slack).context("the state block does not fit into the address space")?;
        let map = MmapMut::map_anon(mapped).with_context(|| format!("cannot map a state block of {bytes} bytes"))?;
        let base = map.as_ptr() as usize;
        let start = if slack == 0 { 0 } else { base.next_multiple_of(HUGE_PAGE) - base };
        // Advice only: a system without transparent huge pages answers with an error and works all the same.
        if slack != 0 {
            let _ = map.advise(Advice::HugePage);
        }
        Ok(StateBlock { map, start, bytes })
    }

    /// The address of byte 0. It is stable for the block's lifetime.
    ///
    /// The mutable borrow is the point: whoever turns the number into a pointer holds the block alone meanwhile.
    pub fn base(&mut self) -> usize {
        self.bytes_mut().as_mut_ptr() as usize
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Always `false`: a block of no bytes cannot be made.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map[self.start..self.start + self.bytes]
    }

    /// All bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map[self.start..self.start + self.bytes]
    }

    /// `count` values of `T` from byte `offset` on, in place.
    ///
    /// # Errors
    ///
    /// The range leaves the block, or `offset` is not aligned for `T`.
    pub fn read<T: Pod>(&self, offset: u64, count: usize) -> Result<&[T]> {
        let (start, end) = self.range::<T>(offset, count)?;
        cast(bytemuck::try_cast_slice(&self.bytes()[start..end]), offset)
    }

    /// Writes `values` from byte `offset` on.
    ///
    /// # Errors
    ///
    /// The range leaves the block, or `offset` is not aligned for `T`.
    pub fn write<T: Pod>(&mut self, offset: u64, values: &[T]) -> Result<()> {
        self.slice_mut(offset, values.len())?.copy_from_slice(values);
        Ok(())
    }

    /// `count` values of `T` from byte `offset` on, in place, to be written.
    ///
    /// # Errors
    ///
    /// The range leaves the block, or `offset` is not aligned for `T`.
    pub fn slice_mut<T: Pod>(&mut self, offset: u64, count: usize) -> Result<&mut [T]> {
        let (start, end) = self.range::<T>(offset, count)?;
        cast(bytemuck::try_cast_slice_mut(&mut self.bytes_mut()[start..end]), offset)
    }

    /// Sets `bytes` bytes from `offset` on to zero.
    ///
    /// # Errors
    ///
    /// The range leaves the block.
    pub fn clear(&mut self, offset: u64, bytes: u64) -> Result<()> {
        let count = usize::try_from(bytes).context("the range leaves the address space")?;
        self.slice_mut::<u8>(offset, count)?.fill(0);
        Ok(())
    }

    fn range<T>(&self, offset: u64, count: usize) -> Result<(usize, usize)> {
        let start = usize::try_from(offset).ok();
        let end = count.checked_mul(size_of::<T>()).zip(start).and_then(|(size, start)| start.checked_add(size));
        match (start, end) {
            (Some(start), Some(end)) if end <= self.bytes => Ok((start, end)),
            _ => bail!(
                "{count} values of {} bytes at offset {offset} leave the state block of {} bytes",
                size_of::<T>(),
                self.bytes
            ),
        }
    }
}

fn cast<T>(outcome: Result<T, bytemuck::PodCastError>, offset: u64) -> Result<T> {
    outcome.map_err(|error| anyhow::anyhow!("offset {offset} of the state block: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_zero_and_aligned() {
        for bytes in [1_u64, 64, 4096, (2 << 20) - 1, 2 << 20, (5 << 20) + 3] {
            let mut block = StateBlock::new(bytes).unwrap();
            assert_eq!(block.len() as u64, bytes);
            assert!(block.base().is_multiple_of(ALIGNMENT));
            assert!(block.bytes().iter().all(|&byte| byte == 0));
            if bytes >= HUGE_PAGE as u64 {
                assert!(block.base().is_multiple_of(HUGE_PAGE));
            }
        }
        assert!(StateBlock::new(0).is_err());
        assert!(StateBlock::new(u64::MAX).is_err());
    }

    #[test]
    fn reads_see_what_writes_left() {
        let mut block = StateBlock::new(256).unwrap();
        block.write(64, &[1.5_f32, -0.0]).unwrap();
        block.write(128, &[7_i32]).unwrap();
        assert_eq!(block.read::<u32>(64, 2).unwrap(), &[1.5_f32.to_bits(), 0x8000_0000]);
        assert_eq!(block.read::<i32>(128, 1).unwrap(), &[7]);
        block.clear(64, 4).unwrap();
        assert_eq!(block.read::<u32>(64, 2).unwrap(), &[0, 0x8000_0000]);
    }

    #[test]
    fn accesses_outside_or_misaligned_are_errors() {
        let mut block = StateBlock::new(64).unwrap();
        assert!(block.read::<f32>(64, 0).is_ok());
        for (offset, count) in [(64, 1), (61, 1), (0, 17), (u64::MAX, 1), (4, usize::MAX), (u64::MAX - 3, 1)] {
            let error = block.read::<f32>(offset, count).unwrap_err().to_string();
            assert!(error.contains("leave the state block of 64 bytes"), "{error}");
        }
        assert!(block.read::<f32>(2, 1).unwrap_err().to_string().contains("offset 2"));
        assert!(block.write(60, &[1_u64]).is_err());
        assert!(block.clear(1, 64).is_err());
    }
}
