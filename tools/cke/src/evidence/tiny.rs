//! A small seeded model of the llama family, with every storage of weights that the project reads.

use super::data::Random;
use anyhow::Result;
use cke_contracts::circuit::{Fact, Facts};
use cke_contracts::digest::digest_bytes;
use cke_oracle::dequant::Storage;
use cke_passes::import::{Declared, GgufModel, Model};
use cke_runtime::gguf::write::Builder;
use cke_runtime::gguf::{Gguf, Value};

/// The architecture, whose circuit the model is imported with.
pub const ARCHITECTURE: &str = "llama";
/// Tokens of the vocabulary.
pub const VOCABULARY: u32 = 96;
/// Positions the caches hold.
pub const POSITIONS: u32 = 48;
/// Elements that share a scale in a quantised row.
const BLOCK: usize = 32;

const WIDTH: u64 = 64;
const HEADS: u64 = 4;
const KV_HEADS: u64 = 2;
const HEAD_DIM: u64 = 16;
const FFN_WIDTH: u64 = 96;

/// The model and the digest of its file.
pub fn model(layers: u32, seed: u64) -> Result<(Gguf, String)> {
    let mut random = Random::new(seed);
    let key = |name: &str| format!("{ARCHITECTURE}.{name}");
    let number = |value: u64| Value::U32(value as u32);
    let mut builder = Builder::new()
        .entry("general.architecture", Value::Text(ARCHITECTURE.to_owned()))
        .entry(&key("block_count"), Value::U32(layers))
        .entry(&key("embedding_length"), number(WIDTH))
        .entry(&key("feed_forward_length"), number(FFN_WIDTH))
        .entry(&key("attention.head_count"), number(HEADS))
        .entry(&key("attention.head_count_kv"), number(KV_HEADS))
        .entry(&key("attention.layer_norm_rms_epsilon"), Value::F32(1e-5))
        .entry(&key("context_length"), Value::U32(POSITIONS));
    let mut put = |builder: Builder, name: &str, dims: &[u64], storage: Storage| {
        let count = dims.iter().product::<u64>() as usize;
        builder.tensor(name, dims, storage, stored(&mut random, count, storage))
    };
    builder = put(builder, "token_embd.weight", &[VOCABULARY.into(), WIDTH], Storage::Q8_0);
    for layer in 0..layers {
        let query = HEADS * HEAD_DIM;
        let key = KV_HEADS * HEAD_DIM;
        for (name, dims, storage) in [
            ("attn_norm", vec![WIDTH], Storage::F32),
            ("attn_q", vec![query, WIDTH], Storage::Q4_1),
            ("attn_k", vec![key, WIDTH], Storage::Q8_0),
            ("attn_v", vec![key, WIDTH], Storage::F16),
            ("attn_output", vec![WIDTH, query], Storage::F32),
            ("ffn_norm", vec![WIDTH], Storage::F32),
            ("ffn_gate", vec![FFN_WIDTH, WIDTH], Storage::Q4_1),
            ("ffn_up", vec![FFN_WIDTH, WIDTH], Storage::Q8_0),
            ("ffn_down", vec![WIDTH, FFN_WIDTH], Storage::F16),
        ] {
            builder = put(builder, &format!("blk.{layer}.{name}.weight"), &dims, storage);
        }
    }
    builder = put(builder, "output_norm.weight", &[WIDTH], Storage::F32);
    builder = put(builder, "output.weight", &[VOCABULARY.into(), WIDTH], Storage::Q4_1);
    let bytes = builder.finish()?;
    let digest = digest_bytes(&bytes);
    Ok((Gguf::from_bytes("tiny.gguf", bytes)?, digest))
}

/// Values between about -1/2 and 1/2 as a file stores them.
fn stored(random: &mut Random, count: usize, storage: Storage) -> Vec<u8> {
    let half = |value: f32| half_bits(value).to_le_bytes();
    let mut bytes = Vec::new();
    match storage {
        Storage::F32 => (0..count).for_each(|_| bytes.extend((random.unit() + 0.25).to_le_bytes())),
        Storage::F16 => (0..count).for_each(|_| bytes.extend(half(random.unit() * 0.5))),
        Storage::Q8_0 => (0..count / BLOCK).for_each(|_| {
            bytes.extend(half(0.003 + random.unit() * 0.001));
            (0..BLOCK).for_each(|_| bytes.push(random.next() as u8));
        }),
        Storage::Q4_1 => (0..count / BLOCK).for_each(|_| {
            bytes.extend(half(0.05 + random.unit() * 0.02));
            bytes.extend(half(-0.4 + random.unit() * 0.1));
            (0..BLOCK / 2).for_each(|_| bytes.push(random.next() as u8));
        }),
    }
    bytes
}

/// The bits of a number of magnitude between 2^-14 and 1 as half precision, rounded towards zero; 0 for smaller ones.
fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    let sign = (bits >> 16 & 0x8000) as u16;
    if exponent < 1 { sign } else { sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16 }
}

/// A model of a file whose rotations are paired as the user says.
pub struct Paired<'p> {
    /// The file.
    pub file: GgufModel<'p>,
    /// The pairing.
    pub pairing: &'p str,
}

impl Facts for Paired<'_> {
    fn metadata(&self, key: &str) -> Result<Option<Fact>, String> {
        self.file.metadata(key)
    }

    fn dimension(&self, tensor: &str, index: usize) -> Option<i64> {
        self.file.dimension(tensor, index)
    }

    fn option(&self, name: &str) -> Option<Fact> {
        if name == "rope_pairing" { Some(Fact::Text(self.pairing.to_owned())) } else { self.file.option(name) }
    }
}

impl Model for Paired<'_> {
    fn architecture(&self) -> &str {
        self.file.architecture()
    }

    fn tensor(&self, name: &str) -> Option<Declared> {
        self.file.tensor(name)
    }

    fn tensor_names(&self) -> Vec<&str> {
        self.file.tensor_names()
    }
}
