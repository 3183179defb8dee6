//! The element types a GGUF file can store. All have a known block size, so that a tensor's place can be checked even
//! if nothing here reads its type.

use cke_oracle::dequant::Storage;

/// An element type of stored tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorKind {
    number: u32,
    name: &'static str,
    block_elements: u64,
    block_bytes: u64,
}

const fn kind(number: u32, name: &'static str, block_elements: u64, block_bytes: u64) -> TensorKind {
    TensorKind { number, name, block_elements, block_bytes }
}

/// The types of the format. `q8_1` is absent: it exists only between two kernels and is never stored.
const KINDS: [TensorKind; 33] = [
    kind(0, "f32", 1, 4),
    kind(1, "f16", 1, 2),
    kind(2, "q4_0", 32, 18),
    kind(3, "q4_1", 32, 20),
    kind(6, "q5_0", 32, 22),
    kind(7, "q5_1", 32, 24),
    kind(8, "q8_0", 32, 34),
    kind(10, "q2_k", 256, 84),
    kind(11, "q3_k", 256, 110),
    kind(12, "q4_k", 256, 144),
    kind(13, "q5_k", 256, 176),
    kind(14, "q6_k", 256, 210),
    kind(15, "q8_k", 256, 292),
    kind(16, "iq2_xxs", 256, 66),
    kind(17, "iq2_xs", 256, 74),
    kind(18, "iq3_xxs", 256, 98),
    kind(19, "iq1_s", 256, 50),
    kind(20, "iq4_nl", 32, 18),
    kind(21, "iq3_s", 256, 110),
    kind(22, "iq2_s", 256, 82),
    kind(23, "iq4_xs", 256, 136),
    kind(24, "i8", 1, 1),
    kind(25, "i16", 1, 2),
    kind(26, "i32", 1, 4),
    kind(27, "i64", 1, 8),
    kind(28, "f64", 1, 8),
    kind(29, "iq1_m", 256, 56),
    kind(30, "bf16", 1, 2),
    kind(34, "tq1_0", 256, 54),
    kind(35, "tq2_0", 256, 66),
    kind(39, "mxfp4", 32, 17),
    kind(40, "nvfp4", 64, 36),
    kind(41, "q1_0", 128, 18),
];

impl TensorKind {
    /// The type with that number in the file.
    pub fn from_number(number: u32) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.number == number)
    }

    /// The type as which the model stores weights of a readable storage.
    pub fn from_storage(storage: Storage) -> Self {
        let found = KINDS.into_iter().find(|kind| kind.name == storage.name());
        found.expect("every readable storage is a type of the format")
    }

    /// Its number in the file.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Its name, such as `q4_1`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The storage of that name, if weights of it can be read.
    pub fn storage(self) -> Option<Storage> {
        Storage::parse(self.name)
    }

    /// Elements of one block.
    pub fn block_elements(self) -> u64 {
        self.block_elements
    }

    /// Bytes of one block.
    pub fn block_bytes(self) -> u64 {
        self.block_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        for (i, kind) in KINDS.iter().enumerate() {
            assert_eq!(TensorKind::from_number(kind.number), Some(*kind));
            assert!(KINDS[i + 1..].iter().all(|other| other.number != kind.number && other.name != kind.name));
        }
        assert_eq!(TensorKind::from_number(4), None);
    }

    #[test]
    fn readable_storages_agree_on_their_blocks() {
        for storage in Storage::ALL {
            let kind = TensorKind::from_storage(storage);
            assert_eq!(kind.storage(), Some(storage));
            assert_eq!(kind.block_elements(), storage.block_elements() as u64);
            assert_eq!(kind.block_bytes(), storage.block_bytes() as u64);
        }
    }
}
