//! Physical layouts: where the element of a logical index lies, counted in elements.
//!
//! One definition for the planner, the weight preparation, the oracle and the kernel generator. A layout
//! knows nothing of element types, base addresses or who uses it.

use std::fmt;

/// Columns of one weight panel.
const PANEL_COLUMNS: usize = 32;
/// Positions of one block of the key cache.
const BLOCK_POSITIONS: usize = 16;

/// The element order of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layout {
    /// `row_major`: any rank, the last index runs fastest.
    RowMajor,
    /// `panels_n32`: logical `[n][k]` stored `[ceil(n/32)][k][32]`; the missing columns of the last panel are +0.
    PanelsN32,
    /// `k_blocks_t16`: logical `[heads][positions][width]` stored `[heads][ceil(positions/16)][width][16]`.
    KBlocksT16,
    /// `head_major`: logical `[heads][positions][width]`, stored in that order.
    HeadMajor,
}

/// Why a layout could not be named or an element could not be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// No layout has this name.
    UnknownName(String),
    /// The layout is defined for another number of dimensions.
    Rank {
        /// The layout asked.
        layout: Layout,
        /// The number of dimensions it is defined for.
        expected: usize,
        /// The number of dimensions given.
        found: usize,
    },
    /// An index is not inside the dimensions, or has another rank.
    Index {
        /// The logical dimensions.
        dims: Vec<usize>,
        /// The index asked for.
        index: Vec<usize>,
    },
    /// The number of elements does not fit a `usize`.
    TooLarge(Vec<usize>),
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName(name) => {
                write!(f, "unknown layout '{name}', expected one of: {}", Layout::ALL.map(Layout::name).join(", "))
            }
            Self::Rank { layout, expected, found } => {
                write!(f, "layout {} takes {expected} dimensions, found {found}", layout.name())
            }
            Self::Index { dims, index } => write!(f, "index {index:?} is outside dimensions {dims:?}"),
            Self::TooLarge(dims) => write!(f, "dimensions {dims:?} have too many elements to address"),
        }
    }
}

impl std::error::Error for LayoutError {}

/// Elements evenly spaced in a buffer: the i-th lies at `start + i * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where the first element lies, in elements from the start of the buffer.
    pub start: usize,
    /// The distance of neighbours in elements.
    pub stride: usize,
}

impl Layout {
    /// Every layout, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::RowMajor, Self::PanelsN32, Self::KBlocksT16, Self::HeadMajor];

    /// The layout called `name` in kernel maps and IR.
    pub fn parse(name: &str) -> Result<Self, LayoutError> {
        Self::ALL.into_iter().find(|l| l.name() == name).ok_or_else(|| LayoutError::UnknownName(name.to_owned()))
    }

    /// The name used in kernel maps and IR.
    pub fn name(self) -> &'static str {
        match self {
            Self::RowMajor => "row_major",
            Self::PanelsN32 => "panels_n32",
            Self::KBlocksT16 => "k_blocks_t16",
            Self::HeadMajor => "head_major",
        }
    }

    /// How many elements a buffer with these logical dimensions occupies, padding included.
    pub fn elements(self, dims: &[usize]) -> Result<usize, LayoutError> {
        product(&self.stored_dims(dims)?).ok_or_else(|| LayoutError::TooLarge(dims.to_vec()))
    }

    /// Where the element at the logical `index` lies, in elements from the start of the buffer.
    pub fn offset(self, dims: &[usize], index: &[usize]) -> Result<usize, LayoutError> {
        let (Some((last, leading)), Some(width)) = (index.split_last(), dims.last()) else {
            // A scalar is the only element without an index.
            return if index.len() == dims.len() { Ok(0) } else { Err(outside(dims, index)) };
        };
        let line = self.line(dims, leading)?;
        if last < width { Ok(line.start + last * line.stride) } else { Err(outside(dims, index)) }
    }

    /// Where the elements along the last dimension lie, the other indices being `leading`. In every layout they are
    /// evenly spaced.
    pub fn line(self, dims: &[usize], leading: &[usize]) -> Result<Line, LayoutError> {
        self.elements(dims)?; // every product and sum below is smaller, so none can overflow
        if leading.len() + 1 != dims.len() || leading.iter().zip(dims).any(|(i, d)| i >= d) {
            return Err(outside(dims, leading));
        }
        Ok(match (self, dims, leading) {
            (Self::PanelsN32, &[_, k], &[column]) => Line {
                start: column / PANEL_COLUMNS * k * PANEL_COLUMNS + column % PANEL_COLUMNS,
                stride: PANEL_COLUMNS,
            },
            (Self::KBlocksT16, &[_, positions, width], &[head, position]) => {
                let block = head * positions.div_ceil(BLOCK_POSITIONS) + position / BLOCK_POSITIONS;
                Line { start: block * width * BLOCK_POSITIONS + position % BLOCK_POSITIONS, stride: BLOCK_POSITIONS }
            }
            _ => {
                let start = leading.iter().chain(&[0]).zip(dims).fold(0, |start, (i, d)| start * d + i);
                Line { start, stride: 1 }
            }
        })
    }

    /// The dimensions as stored, padding included.
    fn stored_dims(self, dims: &[usize]) -> Result<Vec<usize>, LayoutError> {
        match (self, dims) {
            (Self::RowMajor, _) => Ok(dims.to_vec()),
            (Self::PanelsN32, &[n, k]) => Ok(vec![n.div_ceil(PANEL_COLUMNS), k, PANEL_COLUMNS]),
            (Self::KBlocksT16, &[heads, positions, width]) => {
                Ok(vec![heads, positions.div_ceil(BLOCK_POSITIONS), width, BLOCK_POSITIONS])
            }
            (Self::HeadMajor, &[_, _, _]) => Ok(dims.to_vec()),
            (Self::PanelsN32, _) => Err(LayoutError::Rank { layout: self, expected: 2, found: dims.len() }),
            (Self::KBlocksT16 | Self::HeadMajor, _) => {
                Err(LayoutError::Rank { layout: self, expected: 3, found: dims.len() })
            }
        }
    }
}

fn outside(dims: &[usize], index: &[usize]) -> LayoutError {
    LayoutError::Index { dims: dims.to_vec(), index: index.to_vec() }
}

/// The product of the dimensions; `None` when a partial product overflows (a zero does not hide it).
fn product(dims: &[usize]) -> Option<usize> {
    dims.iter().filter(|d| **d != 0).try_fold(1_usize, |n, d| n.checked_mul(*d))?;
    dims.iter().try_fold(1_usize, |n, d| n.checked_mul(*d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for layout in Layout::ALL {
            assert_eq!(Layout::parse(layout.name()), Ok(layout));
        }
        let error = Layout::parse("column_major").unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown layout 'column_major', expected one of: row_major, panels_n32, k_blocks_t16, head_major"
        );
    }

    #[test]
    fn row_major_counts_the_last_index_fastest() {
        assert_eq!(Layout::RowMajor.elements(&[2, 3, 4]), Ok(24));
        assert_eq!(Layout::RowMajor.offset(&[2, 3, 4], &[1, 2, 3]), Ok(23));
        assert_eq!(Layout::RowMajor.offset(&[2, 3, 4], &[0, 1, 0]), Ok(4));
        assert_eq!(Layout::RowMajor.elements(&[]), Ok(1));
        assert_eq!(Layout::RowMajor.offset(&[], &[]), Ok(0));
    }

    #[test]
    fn panels_pad_the_last_panel() {
        assert_eq!(Layout::PanelsN32.elements(&[33, 5]), Ok(2 * 5 * 32));
        assert_eq!(Layout::PanelsN32.offset(&[33, 5], &[31, 4]), Ok(4 * 32 + 31));
        assert_eq!(Layout::PanelsN32.offset(&[33, 5], &[32, 0]), Ok(5 * 32));
    }

    #[test]
    fn key_blocks_keep_sixteen_positions_together() {
        let dims = [3, 20, 64];
        assert_eq!(Layout::KBlocksT16.elements(&dims), Ok(3 * 2 * 64 * 16));
        assert_eq!(Layout::KBlocksT16.offset(&dims, &[0, 15, 1]), Ok(16 + 15));
        assert_eq!(Layout::KBlocksT16.offset(&dims, &[2, 16, 0]), Ok(5 * 64 * 16));
    }

    #[test]
    fn head_major_is_row_major_of_rank_three() {
        assert_eq!(Layout::HeadMajor.elements(&[3, 20, 64]), Ok(3840));
        assert_eq!(Layout::HeadMajor.offset(&[3, 20, 64], &[2, 19, 63]), Ok(3839));
        let error = Layout::HeadMajor.elements(&[3, 20]).unwrap_err().to_string();
        assert_eq!(error, "layout head_major takes 3 dimensions, found 2");
    }

    /// No two logical elements share a place, and every place is inside the buffer.
    #[test]
    fn every_layout_places_every_element_once() {
        for (layout, dims) in [
            (Layout::RowMajor, [3, 18, 5].as_slice()),
            (Layout::PanelsN32, [70, 9].as_slice()),
            (Layout::KBlocksT16, [3, 18, 5].as_slice()),
            (Layout::HeadMajor, [3, 18, 5].as_slice()),
        ] {
            let mut taken = vec![false; layout.elements(dims).unwrap()];
            for n in 0..Layout::RowMajor.elements(dims).unwrap() {
                let mut rest = n;
                let mut index = vec![0; dims.len()];
                for (slot, d) in index.iter_mut().zip(dims).rev() {
                    *slot = rest % d;
                    rest /= d;
                }
                let offset = layout.offset(dims, &index).unwrap();
                assert!(!std::mem::replace(&mut taken[offset], true), "{layout:?} {index:?}");
            }
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(matches!(Layout::RowMajor.offset(&[2, 3], &[2, 0]), Err(LayoutError::Index { .. })));
        assert!(matches!(Layout::RowMajor.offset(&[2, 3], &[1]), Err(LayoutError::Index { .. })));
        assert!(matches!(Layout::RowMajor.offset(&[2, 3], &[1, 3]), Err(LayoutError::Index { .. })));
        assert!(matches!(Layout::RowMajor.offset(&[2], &[]), Err(LayoutError::Index { .. })));
        assert!(matches!(Layout::RowMajor.offset(&[], &[0]), Err(LayoutError::Index { .. })));
        assert!(matches!(Layout::PanelsN32.elements(&[usize::MAX, 2]), Err(LayoutError::TooLarge(_))));
        assert!(matches!(Layout::RowMajor.elements(&[usize::MAX, 2, 0]), Err(LayoutError::TooLarge(_))));
        assert_eq!(Layout::RowMajor.elements(&[4, 0]), Ok(0));
        assert_eq!(Layout::RowMajor.line(&[4, 0], &[3]), Ok(Line { start: 0, stride: 1 }));
    }
}
