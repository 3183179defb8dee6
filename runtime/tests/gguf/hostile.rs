//! Hostile files by name, each with the code of the fault it must cause.

use crate::raw::{ARRAY, BOOL, F32, Q4_1, Raw, TEXT, U32};
use cke_runtime::fault::Code;

/// A file and the code it is refused with.
pub struct Hostile {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub code: Code,
}

fn case(name: &'static str, code: Code, raw: Raw) -> Hostile {
    Hostile { name, bytes: raw.0, code }
}

/// All hostile files.
pub fn all() -> Vec<Hostile> {
    [beginnings(), entries(), shapes(), places()].into_iter().flatten().collect()
}

/// Magic, version and counts.
fn beginnings() -> Vec<Hostile> {
    let magic = |bytes: &[u8]| Raw(bytes.to_vec());
    vec![
        case("empty", Code::FileTooShort, magic(b"")),
        case("magic-cut", Code::FileTooShort, magic(b"GGU")),
        case("magic-of-another-format", Code::NotGguf, magic(b"GGML").u32(3).u64(0).u64(0)),
        case("version-0", Code::NotGguf, magic(b"GGUF").u32(0).u64(0).u64(0)),
        case("version-1", Code::NotGguf, magic(b"GGUF").u32(1).u64(0).u64(0)),
        case("version-4", Code::NotGguf, magic(b"GGUF").u32(4).u64(0).u64(0)),
        case("big-endian", Code::NotGguf, magic(b"GGUF").u32(3_u32.swap_bytes()).u64(0).u64(0)),
        case("counts-missing", Code::FileTooShort, magic(b"GGUF").u32(3)),
        case("tensors-2-63", Code::CountTooLarge, Raw::head(1 << 63, 0)),
        case("tensors-max", Code::CountTooLarge, Raw::head(u64::MAX, 0).data(1, 100)),
        case("tensors-one-too-many", Code::CountTooLarge, Raw::head(2, 0).record("a", &[8], F32, 0)),
        case("tensors-hidden-by-entries", Code::CountTooLarge, tensors_hidden_by_entries()),
        case("entries-2-63", Code::CountTooLarge, Raw::head(0, 1 << 63)),
        case("entries-max", Code::CountTooLarge, Raw::head(0, u64::MAX).data(1, 100)),
        case("entries-one-too-many", Code::CountTooLarge, Raw::head(0, 2).key("a", U32).u32(1)),
    ]
}

/// The tensors could be in the bytes which the metadata take.
fn tensors_hidden_by_entries() -> Raw {
    Raw::head(4, 1).key("padding", TEXT).text(&[b'x'; 200])
}

fn entry(key: &str, kind: u32) -> Raw {
    Raw::head(0, 1).key(key, kind)
}

/// Metadata.
fn entries() -> Vec<Hostile> {
    let array = |element: u32, count: u64| entry("a", ARRAY).u32(element).u64(count);
    let alignment = |value: u32| entry("general.alignment", U32).u32(value);
    let twice = Raw::head(0, 2).key("a", U32).u32(1).key("a", U32).u32(2);
    vec![
        case("key-length-2-63", Code::FileTooShort, Raw::head(0, 1).u64(1 << 63).data(1, 40)),
        case("key-length-max", Code::FileTooShort, Raw::head(0, 1).u64(u64::MAX).data(1, 40)),
        case("key-past-the-end", Code::FileTooShort, Raw::head(0, 1).u64(100).bytes(b"abcdefgh")),
        case("key-not-utf8", Code::NotUtf8, Raw::head(0, 1).text(b"a\xffb").u32(U32).u32(1)),
        case("key-twice", Code::DuplicateName, twice),
        case("value-type-13", Code::UnknownValue, entry("a", 13).u32(0)),
        case("value-type-max", Code::UnknownValue, entry("a", u32::MAX).u32(0)),
        case("value-cut", Code::FileTooShort, entry("abcdef", 12).u32(0)),
        case("bool-2", Code::UnknownValue, entry("a", BOOL).byte(2)),
        case("text-length-2-63", Code::FileTooShort, entry("a", TEXT).u64(1 << 63).data(1, 40)),
        case("text-not-utf8", Code::NotUtf8, entry("a", TEXT).text(b"\xc3\x28")),
        case("text-surrogate", Code::NotUtf8, entry("a", TEXT).text(b"\xed\xa0\x80")),
        case("array-count-2-63", Code::CountTooLarge, array(U32, 1 << 63)),
        case("array-size-wraps", Code::CountTooLarge, array(12, (1 << 61) + 1).data(1, 64)),
        case("array-of-texts-max", Code::CountTooLarge, array(TEXT, u64::MAX).data(1, 64)),
        case("array-element-type-99", Code::UnknownValue, array(99, 1).u32(0)),
        case("array-of-arrays", Code::UnknownValue, array(ARRAY, 1).u32(U32).u64(0)),
        case("array-of-bools-bad", Code::UnknownValue, array(BOOL, 3).bytes(&[0, 1, 255])),
        case("array-text-not-utf8", Code::NotUtf8, array(TEXT, 2).text(b"ok").text(b"\x80")),
        case("array-text-past-the-end", Code::FileTooShort, array(TEXT, 2).text(b"ok").u64(9)),
        case("alignment-0", Code::BadAlignment, alignment(0)),
        case("alignment-24", Code::BadAlignment, alignment(24)),
        case("alignment-4", Code::BadAlignment, alignment(4)),
        case("alignment-2-31", Code::BadAlignment, alignment(1 << 31)),
        case("alignment-of-another-type", Code::BadAlignment, entry("general.alignment", TEXT).text(b"32")),
        case("arrays-nested-deeply", Code::UnknownValue, arrays_nested_deeply()),
    ]
}

/// A recursive reader would overflow its stack.
fn arrays_nested_deeply() -> Raw {
    let head = Raw::head(0, 1).key("a", ARRAY);
    (0..20_000).fold(head, |raw, _| raw.u32(ARRAY).u64(1))
}

fn tensor(dims: &[u64], kind: u32, offset: u64) -> Raw {
    Raw::head(1, 0).record("t", dims, kind, offset)
}

/// Shapes and types of tensors.
fn shapes() -> Vec<Hostile> {
    let name_twice = Raw::head(2, 0).record("t", &[8], F32, 0).record("t", &[8], F32, 32).data(32, 64);
    let rank_max = Raw::head(1, 0).text(b"t").u32(u32::MAX).data(1, 64);
    vec![
        case("tensor-name-twice", Code::DuplicateName, name_twice),
        case("tensor-name-not-utf8", Code::NotUtf8, Raw::head(1, 0).text(b"\xff").data(1, 64)),
        case("tensor-name-length-max", Code::FileTooShort, Raw::head(1, 0).u64(u64::MAX).data(1, 64)),
        case("tensor-rank-0", Code::BadShape, tensor(&[], F32, 0).data(32, 64)),
        case("tensor-rank-5", Code::BadShape, tensor(&[1; 5], F32, 0).data(32, 64)),
        case("tensor-rank-max", Code::BadShape, rank_max),
        case("tensor-dimension-0", Code::BadShape, tensor(&[4, 0], F32, 0).data(32, 64)),
        case("tensor-elements-wrap", Code::BadShape, tensor(&[1 << 32, 1 << 32, 2], F32, 0).data(32, 64)),
        case("tensor-bytes-wrap", Code::BadShape, tensor(&[(1 << 62) + 1], F32, 0).data(32, 64)),
        case("tensor-elements-wrap-behind-a-zero", Code::BadShape, tensor(&[1 << 63, 4, 0], F32, 0).data(32, 64)),
        case("tensor-row-of-no-whole-block", Code::BadShape, tensor(&[33, 32], Q4_1, 0).data(32, 4096)),
        case("tensor-type-unknown", Code::UnknownTensorType, tensor(&[8], 4, 0).data(32, 64)),
        case("tensor-type-max", Code::UnknownTensorType, tensor(&[8], u32::MAX, 0).data(32, 64)),
        case("tensor-record-cut", Code::FileTooShort, Raw::head(1, 0).text(b"t").u32(4).u64(1).u64(1).u64(1)),
    ]
}

/// Places of tensor data.
fn places() -> Vec<Hostile> {
    let pair = |second: u64| Raw::head(2, 0).record("a", &[16], F32, 0).record("b", &[16], F32, second).data(32, 128);
    vec![
        case("offset-misaligned", Code::BadAlignment, tensor(&[8], F32, 8).data(32, 64)),
        case("offset-past-the-end", Code::TensorOutside, tensor(&[8], F32, 1 << 20).data(32, 64)),
        case("offset-wraps", Code::TensorOutside, tensor(&[8], F32, 0_u64.wrapping_sub(32)).data(32, 64)),
        case("end-wraps", Code::TensorOutside, tensor(&[1 << 61], F32, 1 << 63).data(32, 64)),
        case("data-missing", Code::TensorOutside, tensor(&[8], F32, 0)),
        case("data-cut", Code::TensorOutside, tensor(&[16], F32, 0).data(32, 63)),
        case("data-larger-than-the-file", Code::TensorOutside, tensor(&[1 << 42], F32, 0).data(32, 64)),
        case("tensors-at-one-place", Code::TensorsOverlap, pair(0)),
        case("tensors-overlap", Code::TensorsOverlap, pair(32)),
    ]
}
