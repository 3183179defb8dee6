//! The codes of this crate's faults and the page that explains each. A code's meaning never changes.

use std::fmt;

macro_rules! codes {
    ($($code:ident $name:literal $title:literal $page:literal)*) => {
        /// A stable fault code. `CKE-W` is about model files and weights, `CKE-R` about running a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// All codes in order.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// The code as printed, such as `CKE-W001`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$code => $name,)* }
            }

            /// One line: what the code stands for.
            pub fn title(self) -> &'static str {
                match self { $(Code::$code => $title,)* }
            }

            /// What the rule is, why it exists and what to do.
            pub fn page(self) -> &'static str {
                match self { $(Code::$code => $page,)* }
            }
        }
    };
}

codes! {
    W001 "CKE-W001" "the model file cannot be read"
        "The operating system refused to open or read the model file, or the file is not as long as it was when it was \
         opened. Check the path and that nothing writes to the file while it is in use."
    W002 "CKE-W002" "the file ends too early"
        "A length or a count in the header asks for more bytes than the file has left. The file was cut short (an \
         interrupted download is the usual cause) or the length is damaged. Nothing is allocated for a length which the \
         file cannot hold."
    W003 "CKE-W003" "a count cannot fit into the file"
        "The header counts more metadata entries, tensors or array elements than the file could hold even if each were \
         of the least possible size. The header is damaged."
    W004 "CKE-W004" "the file is not a GGUF file of a known version"
        "A GGUF file begins with the letters GGUF and the version 2 or 3 in little-endian order. Version 1 and \
         big-endian files are not read; convert the model again with a current tool."
    W005 "CKE-W005" "text is not UTF-8"
        "Names and texts of the header are UTF-8. Text is never repaired: a replaced character could make two names \
         equal."
    W006 "CKE-W006" "a name occurs twice"
        "A metadata key or a tensor name occurs twice. Which of the two were meant cannot be known, so neither is taken."
    W007 "CKE-W007" "a metadata value has an unknown form"
        "The value's type is none of the thirteen GGUF types, a boolean is neither 0 nor 1, or an array holds arrays. \
         Nested arrays are legal in the format, but no model uses them, and refusing them bounds the reader's depth."
    W008 "CKE-W008" "an alignment rule is broken"
        "general.alignment must be a power of two from 8 to 1048576, and the offset of every tensor a multiple of it."
    W009 "CKE-W009" "a tensor's shape is not possible"
        "A tensor has 1 to 4 dimensions, none of them zero, whose product and size in bytes fit 64 bits; a row is a \
         whole number of the blocks of its type."
    W010 "CKE-W010" "a tensor has an unknown type"
        "The type number of a tensor is none of those whose block size is known, so neither its size nor its place can \
         be checked. The file was made by a newer tool, or it is damaged."
    W011 "CKE-W011" "a tensor lies outside the file"
        "A tensor's data would end past the end of the file. The file was cut short, or the offset is damaged."
    W012 "CKE-W012" "two tensors share bytes"
        "The data of two tensors overlap. No writer does that; the file is damaged or was made to mislead."
    W013 "CKE-W013" "a metadata value is missing or of another type"
        "The program or the tokenizer needs a metadata value which the file does not have, or has with another type or \
         outside the range asked for."
    W101 "CKE-W101" "a weight is missing from the model"
        "The program names a weight which the model does not have. Compile the program from the metadata of the model \
         it is to run with."
    W102 "CKE-W102" "a weight has another shape or storage than the program was compiled for"
        "The program was resolved for the shape and the storage of every weight, because contracts and providers may \
         depend on both. A weight which differs is refused, never converted. Compile the program for this model."
    W103 "CKE-W103" "a storage is not supported"
        "The tensor's type is known, but no weight preparation reads it. The readable storages are f32, f16, q8_0 and \
         q4_1. Quantise the model to one of them."
    W104 "CKE-W104" "a weight preparation does not fit its slot"
        "The preparation's name is unknown, or the slot's layout, shape or extent is not the one the preparation \
         writes. The program is inconsistent: it was not written by this version of the compiler."
    W201 "CKE-W201" "the tokenizer is not supported"
        "The vocabulary of the model file belongs to a tokenizer which is not implemented. Supported is byte-level BPE \
         (tokenizer.ggml.model gpt2) with the pre-tokenizer smollm."
    W202 "CKE-W202" "the vocabulary is malformed"
        "A token occurs twice, a merge does not consist of two known tokens, or the lists of the vocabulary have \
         different lengths."
    W203 "CKE-W203" "a text cannot be tokenised without loss"
        "The text holds bytes for which the vocabulary has no token. They would be dropped, and the model would be \
         asked something else than was written."
    R001 "CKE-R001" "a program is malformed"
        "A program lists regions of one state block and calls on them. Regions are aligned to 64 bytes, inside the \
         block and disjoint; arguments lie inside regions; names are unique; contracts and providers are defined."
    R002 "CKE-R002" "a token is out of range"
        "Token ids run from 0 to the size of the vocabulary less one."
    R003 "CKE-R003" "the sequence is full"
        "A program is compiled for a fixed number of positions. The tokens given would go beyond it. Compile with a \
         larger capacity, or begin a new sequence."
    R004 "CKE-R004" "there is nothing to run"
        "A prompt needs at least one token, and there are no logits before the first token has been run."
    R005 "CKE-R005" "a run is outside the program's limits"
        "The entry, the number of rows, the position or the number of threads is outside what the program was compiled \
         for, or the state block is smaller than the program's."
    R006 "CKE-R006" "the engine failed"
        "The engine could not execute a step. The text says which step and why."
}

impl Code {
    /// The code printed as `name`, in any case of letters.
    pub fn parse(name: &str) -> Option<Self> {
        Code::ALL.iter().copied().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_sorted_and_parse() {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        let family = |letter: &str| names.iter().filter(|name| name.starts_with(letter)).collect::<Vec<_>>();
        let (w, r) = (family("CKE-W"), family("CKE-R"));
        assert!(w.is_sorted() && r.is_sorted() && w.len() + r.len() == names.len());
        for &code in Code::ALL {
            assert_eq!(Code::parse(code.name()), Some(code));
            assert_eq!(code.name(), format!("CKE-{code:?}"));
            assert!(!code.title().is_empty() && code.page().len() > code.title().len());
        }
        assert_eq!(Code::parse("cke-w001"), Some(Code::W001));
        assert_eq!(Code::parse("CKE-W999"), None);
    }
}
