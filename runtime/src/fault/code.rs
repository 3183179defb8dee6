//! The codes of this crate's faults and the page of each.

use cke_contracts::fault_codes;

fault_codes! {
    /// The rule a fault of this crate broke: `CKE-W` is about model files and weights, `CKE-R` about running a program.
    pub enum Code;

    FileUnreadable = "W001", "the model file cannot be read",
        "The operating system refused to open or read the model file, or the file is not as long as it was when it was \
         opened. Check the path and that nothing writes to the file while it is in use.";
    FileTooShort = "W002", "the file ends too early",
        "A length or a count in the header asks for more bytes than the file has left. The file was cut short (an \
         interrupted download is the usual cause) or the length is damaged. Nothing is allocated for a length which the \
         file cannot hold.";
    CountTooLarge = "W003", "a count cannot fit into the file",
        "The header counts more metadata entries, tensors or array elements than the file could hold even if each were \
         of the least possible size. The header is damaged.";
    NotGguf = "W004", "the file is not a GGUF file of a known version",
        "A GGUF file begins with the letters GGUF and the version 2 or 3 in little-endian order. Version 1 and \
         big-endian files are not read; convert the model again with a current tool.";
    NotUtf8 = "W005", "text is not UTF-8",
        "Names and texts of the header are UTF-8. Text is never repaired: a replaced character could make two names \
         equal.";
    DuplicateName = "W006", "a name occurs twice",
        "A metadata key or a tensor name occurs twice. Which of the two were meant cannot be known, so neither is taken.";
    UnknownValue = "W007", "a metadata value has an unknown form",
        "The value's type is none of the thirteen GGUF types, a boolean is neither 0 nor 1, or an array holds arrays. \
         Nested arrays are legal in the format, but no model uses them, and refusing them bounds the reader's depth.";
    BadAlignment = "W008", "an alignment rule is broken",
        "general.alignment must be a power of two from 8 to 1048576, and the offset of every tensor a multiple of it.";
    BadShape = "W009", "a tensor's shape is not possible",
        "A tensor has 1 to 4 dimensions, none of them zero, whose product and size in bytes fit 64 bits; a row is a \
         whole number of the blocks of its type.";
    UnknownTensorType = "W010", "a tensor has an unknown type",
        "The type number of a tensor is none of those whose block size is known, so neither its size nor its place can \
         be checked. The file was made by a newer tool, or it is damaged.";
    TensorOutside = "W011", "a tensor lies outside the file",
        "A tensor's data would end past the end of the file. The file was cut short, or the offset is damaged.";
    TensorsOverlap = "W012", "two tensors share bytes",
        "The data of two tensors overlap. No writer does that; the file is damaged or was made to mislead.";
    MetadataMismatch = "W013", "a metadata value is missing or of another type",
        "The program or the tokenizer needs a metadata value which the file does not have, or has with another type or \
         outside the range asked for.";
    WeightMissing = "W101", "a weight is missing from the model",
        "The program names a weight which the model does not have. Compile the program from the metadata of the model \
         it is to run with.";
    WeightMismatch = "W102", "a weight has another shape or storage than the program was compiled for",
        "The program was resolved for the shape and the storage of every weight, because contracts and providers may \
         depend on both. A weight which differs is refused, never converted. Compile the program for this model.";
    StorageUnsupported = "W103", "a storage is not supported",
        "The tensor's type is known, but no weight preparation reads it. The readable storages are f32, f16, q8_0 and \
         q4_1. Quantise the model to one of them.";
    PreparationMismatch = "W104", "a weight preparation does not fit its slot",
        "The preparation's name is unknown, or the slot's layout, shape or extent is not the one the preparation \
         writes. The program is inconsistent: it was not written by this version of the compiler.";
    TokenizerUnsupported = "W201", "the tokenizer is not supported",
        "The vocabulary of the model file belongs to a tokenizer which is not implemented. Supported is byte-level BPE \
         (tokenizer.ggml.model gpt2) with the pre-tokenizer smollm.";
    VocabularyMalformed = "W202", "the vocabulary is malformed",
        "A token occurs twice, a merge does not consist of two known tokens, or the lists of the vocabulary have \
         different lengths.";
    TextNotCovered = "W203", "a text cannot be tokenised faithfully",
        "The text holds bytes for which the vocabulary has no token: they would be dropped, and the model would be \
         asked something else than was written. Or it holds a run of white space beyond the length up to which the \
         text is sure to be split where the model expects it.";
    ProgramMalformed = "R001", "a program is malformed",
        "A program lists regions of one state block and calls on them. Regions are aligned to 64 bytes, inside the \
         block and disjoint; arguments lie inside regions; names are unique; contracts and providers are defined.";
    TokenOutOfRange = "R002", "a token is out of range",
        "Token ids run from 0 to the size of the vocabulary less one.";
    SequenceFull = "R003", "the sequence is full",
        "A program is compiled for a fixed number of positions. The tokens given would go beyond it. Compile with a \
         larger capacity, or begin a new sequence.";
    NothingToRun = "R004", "there is nothing to run",
        "A prompt needs at least one token, and there are no logits before the first token has been run.";
    OutsideLimits = "R005", "a run is outside the program's limits",
        "The entry, the number of rows, the position or the number of threads is outside what the program was compiled \
         for, or the state block is smaller than the program's.";
    EngineFailed = "R006", "the engine failed",
        "The engine could not execute a step. The text says which step and why.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_of_two_families_in_order() {
        let family = |letter| Code::ALL.iter().filter(move |code| code.as_str().starts_with(letter));
        assert_eq!(family("CKE-W").count() + family("CKE-R").count(), Code::ALL.len());
        for letter in ["CKE-W", "CKE-R"] {
            let names: Vec<_> = family(letter).map(|code| code.as_str()).collect();
            assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
        }
    }
}
