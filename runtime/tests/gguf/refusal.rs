//! Hostile files are refused with the right code, a place, in no time and within little memory.

use crate::{hostile, valid};
use cke_runtime::fault::Code;
use cke_runtime::gguf::{Gguf, Header};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

#[test]
fn hostile_files_are_refused_with_their_code_and_place() {
    let all = hostile::all();
    assert!(all.len() >= 30);
    assert_eq!(all.iter().map(|hostile| hostile.name).collect::<BTreeSet<_>>().len(), all.len());
    for hostile in all {
        let start = Instant::now();
        let fault = Gguf::from_bytes(hostile.name, hostile.bytes).map(drop).expect_err(hostile.name);
        assert_eq!(fault.code, hostile.code, "{fault}");
        assert_eq!(fault.file.as_deref(), Some(hostile.name), "{fault}");
        assert!(fault.byte.is_some(), "{fault}");
        assert!(start.elapsed() < Duration::from_secs(1), "{} took {:?}", hostile.name, start.elapsed());
    }
}

/// The kernel's account of this process is the witness: no allocation may follow a number in the file.
#[test]
fn hostile_files_cost_little_memory() {
    let Some(before) = peak_kib() else {
        eprintln!("skipped: this system does not tell the peak of a process's memory");
        return;
    };
    for hostile in hostile::all() {
        assert!(Gguf::from_bytes(hostile.name, hostile.bytes).is_err());
    }
    let grown = peak_kib().unwrap() - before;
    assert!(grown < 64 << 10, "the peak grew by {grown} KiB");
}

fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[test]
fn files_cut_at_any_byte_are_refused() {
    for (name, builder) in valid::all() {
        let bytes = builder.finish().unwrap();
        for length in 0..bytes.len() {
            let fault = Gguf::from_bytes(name, bytes[..length].to_vec()).map(drop).expect_err(name);
            let expected = [Code::FileTooShort, Code::CountTooLarge, Code::TensorOutside];
            assert!(expected.contains(&fault.code), "{name} cut at {length}: {fault}");
        }
    }
}

/// The reader is told a length which the stream does not keep.
#[test]
fn a_stream_shorter_than_its_length_is_refused() {
    let bytes = valid::every_value().finish().unwrap();
    for length in 0..bytes.len() {
        let outcome = Header::read("short", &bytes[..length], u64::MAX);
        assert!(outcome.is_err(), "cut at {length}");
    }
}

#[test]
fn any_damaged_byte_is_survived() {
    for (name, builder) in valid::all() {
        let bytes = builder.finish().unwrap();
        for index in 0..bytes.len().min(2000) {
            for damage in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[index] ^= damage;
                if let Ok(model) = Gguf::from_bytes(name, damaged) {
                    let read: u64 = model.tensors().iter().map(|t| model.read_tensor(t).unwrap().len() as u64).sum();
                    assert!(read <= bytes.len() as u64);
                }
            }
        }
    }
}

#[test]
fn faults_read_like_this() {
    let text = |name: &str| {
        let hostile = hostile::all().into_iter().find(|hostile| hostile.name == name).unwrap();
        Gguf::from_bytes("m.gguf", hostile.bytes).unwrap_err().to_string()
    };
    let expected = [
        (
            "tensors-2-63",
            "m.gguf: byte 8: error: 9223372036854775808 tensors of at least 32 bytes each, \
          8 bytes left to the end of the file [CKE-W003]",
        ),
        ("key-past-the-end", "m.gguf: byte 32: error: 100 bytes expected, 8 left to the end of the file [CKE-W002]"),
        ("tensor-type-unknown", "m.gguf: byte 45: error: tensor 't': type 4 is unknown [CKE-W010]"),
        (
            "offset-misaligned",
            "m.gguf: byte 24: error: tensor 't': offset 8 is no multiple of the alignment 32 [CKE-W008]",
        ),
        (
            "data-cut",
            "m.gguf: byte 24: error: tensor 't': 64 bytes at offset 0 of the data from byte 64 on \
          end past the file's 127 [CKE-W011]",
        ),
        ("tensors-overlap", "m.gguf: byte 57: error: tensors 'a' and 'b' share bytes from 128 [CKE-W012]"),
        (
            "alignment-24",
            "m.gguf: byte 24: error: general.alignment is 24, expected a u32 which is a power of \
          two from 8 to 1048576 [CKE-W008]",
        ),
    ];
    for (name, expected) in expected {
        assert_eq!(text(name), expected);
    }
}
