//! What the reader finds in valid files: in synthetic ones, and in a real model when one is there.

use crate::raw::{F32, Raw};
use crate::valid;
use cke_oracle::dequant::Storage;
use cke_runtime::fault::Code;
use cke_runtime::gguf::{Gguf, Texts, Value, write::Builder};
use std::io::Write;

fn model(builder: &Builder) -> Gguf {
    Gguf::from_bytes("test.gguf", builder.finish().unwrap()).unwrap()
}

#[test]
fn values_come_back_as_they_were_written() {
    let model = model(&valid::every_value());
    let metadata = model.metadata();
    assert_eq!(metadata.iter().count(), 25);
    assert_eq!(metadata.get::<u32>("value.04").unwrap(), 4_000_000_000);
    assert_eq!(metadata.get::<f32>("value.06").unwrap().to_bits(), 0x8000_0000);
    assert!(metadata.get::<bool>("value.07").unwrap());
    assert_eq!(metadata.get::<&str>("value.11").unwrap(), "grün ✓");
    assert_eq!(metadata.get::<&[u32]>("value.17").unwrap(), [1, 2, 3]);
    let texts: &Texts = metadata.get("value.24").unwrap();
    assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "ä", "b c"]);
    assert_eq!((texts.get(1), texts.get(3)), (Some("ä"), None));
    let again = metadata.iter().fold(Builder::new(), |builder, (key, value)| builder.entry(key, value.clone()));
    assert_eq!(again.finish().unwrap(), valid::every_value().finish().unwrap());
}

#[test]
fn missing_and_mistyped_metadata_are_told() {
    let model = model(&Builder::new().entry("llama.block_count", Value::F32(30.0)));
    let fault = model.metadata().get::<u32>("llama.block_count").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "test.gguf: byte 24: error: metadata 'llama.block_count' is f32, expected u32 [CKE-W013]"
    );
    let fault = model.metadata().get::<&str>("a").unwrap_err();
    assert_eq!(fault.to_string(), "test.gguf: error: metadata 'a' is missing, expected text [CKE-W013]");
    assert_eq!(model.metadata().find::<u32>("a").unwrap(), None);
    assert_eq!(model.metadata().find::<u32>("llama.block_count").unwrap_err().code, Code::MetadataMismatch);
}

#[test]
fn tensors_have_their_shape_and_bytes() {
    let model = model(&valid::every_storage());
    let names: Vec<_> = model.tensors().iter().map(|tensor| &*tensor.name).collect();
    assert_eq!(names, ["vector", "half", "bytes", "nibbles"]);
    let nibbles = model.tensor("nibbles").unwrap();
    assert_eq!((&*nibbles.dims, nibbles.kind.storage()), (&[2, 1, 2, 64][..], Some(Storage::Q4_1)));
    assert_eq!(nibbles.bytes, 160);
    assert!(model.tensors().iter().all(|tensor| tensor.start.is_multiple_of(32)));
    let whole = model.read_tensor(nibbles).unwrap();
    let mut part = [0; 7];
    model.read_part(nibbles, 150, &mut part).unwrap();
    assert_eq!(part, whole[150..157]);
    let fault = model.read_part(nibbles, 154, &mut part).unwrap_err();
    assert_eq!(fault.code, Code::FileUnreadable);
    assert!(model.tensor("absent").is_none());
}

#[test]
fn the_alignment_of_the_file_is_obeyed() {
    let model = model(&valid::aligned_widely());
    assert_eq!(model.tensors().iter().map(|tensor| tensor.start).collect::<Vec<_>>(), [4096, 8192]);
    assert_eq!(model.read_tensor(model.tensor("b").unwrap()).unwrap(), 2.0_f32.to_le_bytes());
}

/// Order and gaps are the writer's choice; types which nothing reads yet are known by size.
#[test]
fn version_2_gaps_and_any_order_are_accepted() {
    let mut raw = Raw::head(2, 0).record("late", &[8], F32, 64).record("early", &[256], 12, 256).data(32, 512);
    raw.0[4] = 2;
    let model = Gguf::from_bytes("v2.gguf", raw.0).unwrap();
    assert_eq!(model.tensor("early").map(|tensor| (tensor.kind.name(), tensor.kind.storage())), Some(("q4_k", None)));
}

#[test]
fn the_builder_refuses_what_the_reader_would() {
    let short = Builder::new().tensor("a", &[9], Storage::F32, vec![0; 4]).finish();
    assert_eq!(short.unwrap_err().code, Code::TensorOutside);
    let twice = Builder::new().entry("a", Value::U8(1)).entry("a", Value::U8(1)).finish();
    assert_eq!(twice.unwrap_err().code, Code::DuplicateName);
}

#[test]
fn a_file_is_read_by_position() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&valid::every_storage().finish().unwrap()).unwrap();
    let model = Gguf::open(file.path()).unwrap();
    let vector = model.tensor("vector").unwrap();
    assert_eq!(model.read_tensor(vector).unwrap()[..4], 1.0_f32.to_le_bytes());
    // The file shrinks under the reader: an error, not a crash.
    file.as_file().set_len(100).unwrap();
    let fault = model.read_tensor(vector).unwrap_err();
    assert_eq!((fault.code, fault.file.as_deref()), (Code::FileUnreadable, Some(model.name())));
}

#[test]
fn a_missing_file_is_told_with_its_name() {
    let fault = Gguf::open("absent.gguf".as_ref()).unwrap_err().to_string();
    assert!(fault.starts_with("absent.gguf: error: cannot open the file: "), "{fault}");
}
