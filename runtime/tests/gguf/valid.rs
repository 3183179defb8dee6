//! Small valid files by name, made by the builder.

use cke_oracle::dequant::Storage;
use cke_runtime::gguf::{Array, Value, write::Builder};

/// A value of every type of the format.
pub fn every_value() -> Builder {
    let scalars = [
        Value::U8(200),
        Value::I8(-100),
        Value::U16(60_000),
        Value::I16(-30_000),
        Value::U32(4_000_000_000),
        Value::I32(-2_000_000_000),
        Value::F32(-0.0),
        Value::Bool(true),
        Value::U64(u64::MAX),
        Value::I64(i64::MIN),
        Value::F64(1.0e-310),
        Value::Text("grün ✓".to_owned()),
        Value::Text(String::new()),
    ];
    let arrays = [
        Array::U8(vec![0, 255]),
        Array::I8(vec![-128, 127]),
        Array::U16(vec![]),
        Array::I16(vec![-1]),
        Array::U32(vec![1, 2, 3]),
        Array::I32(vec![-1, 1]),
        Array::F32(vec![f32::INFINITY, 0.5]),
        Array::Bool(vec![false, true]),
        Array::U64(vec![1 << 60]),
        Array::I64(vec![-1]),
        Array::F64(vec![0.1]),
        Array::Text(["", "ä", "b c"].into_iter().collect()),
    ];
    let values = scalars.into_iter().chain(arrays.into_iter().map(Value::Array));
    values
        .enumerate()
        .fold(Builder::new(), |builder, (index, value)| builder.entry(&format!("value.{index:02}"), value))
}

/// One tensor of every readable storage, in one to four dimensions.
pub fn every_storage() -> Builder {
    let bytes = |count: usize| (0..count).map(|byte| (byte * 37 % 251) as u8).collect::<Vec<_>>();
    Builder::new()
        .tensor_f32("vector", &[3], &[1.0, -0.0, f32::NAN])
        .tensor("half", &[2, 5], Storage::F16, bytes(20))
        .tensor("bytes", &[1, 3, 32], Storage::Q8_0, bytes(3 * 34))
        .tensor("nibbles", &[2, 1, 2, 64], Storage::Q4_1, bytes(8 * 20))
}

/// Tensors at multiples of 4096.
pub fn aligned_widely() -> Builder {
    Builder::new().entry("general.alignment", Value::U32(4096)).tensor_f32("a", &[1], &[1.0]).tensor_f32(
        "b",
        &[1],
        &[2.0],
    )
}

/// All valid files.
pub fn all() -> Vec<(&'static str, Builder)> {
    vec![
        ("nothing", Builder::new()),
        ("every-value", every_value()),
        ("every-storage", every_storage()),
        ("aligned-widely", aligned_widely()),
    ]
}
