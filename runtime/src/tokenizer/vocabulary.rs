//! The vocabulary of a model file, checked: tokens, their bytes, and merges.

use super::bytes::{byte_of, character_of};
use crate::fault::{Code, Result};
use crate::gguf::{Metadata, Texts};
use std::collections::BTreeMap;

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const MERGES: &str = "tokenizer.ggml.merges";

/// A token of the byte alphabet.
const NORMAL: i32 = 1;
/// A token which steers the model and stands for no text: control, and the unknown token.
const STEERING: [i32; 2] = [2, 3];
/// A token which text always becomes as a whole, written as it is.
const USER_DEFINED: i32 = 4;
/// A token which nothing produces.
const UNUSED: i32 = 5;

/// Tokens by id, and merges by rank.
pub(super) struct Vocabulary {
    tokens: Vec<Token>,
    ids: BTreeMap<String, u32>,
    merges: Vec<(String, String)>,
    /// Whether a byte has a token of its own.
    covered: [bool; 256],
}

struct Token {
    text: String,
    bytes: Vec<u8>,
    kind: i32,
}

impl Vocabulary {
    pub(super) fn from_metadata(metadata: &Metadata) -> Result<Self> {
        let texts: &Texts = metadata.get(TOKENS)?;
        let kinds: &[i32] = metadata.get(TYPES)?;
        if texts.is_empty() || texts.len() != kinds.len() || u32::try_from(texts.len()).is_err() {
            let message =
                format!("{} tokens and {} token types, expected as many, at least 1", texts.len(), kinds.len());
            return Err(metadata.fault(Code::VocabularyMalformed, TOKENS, message));
        }
        let mut tokens = Vec::with_capacity(texts.len());
        let mut ids = BTreeMap::new();
        for ((text, &kind), id) in texts.iter().zip(kinds).zip(0_u32..) {
            let fault = |rule| {
                metadata.fault(
                    Code::VocabularyMalformed,
                    TOKENS,
                    format!("token {id} ('{}') {rule}", text.escape_debug()),
                )
            };
            let bytes = token_bytes(text, kind).map_err(fault)?;
            if let Some(other) = ids.insert(text.to_owned(), id) {
                return Err(fault(format!("is written like token {other}")));
            }
            tokens.push(Token { text: text.to_owned(), bytes, kind });
        }
        let merges = merges(metadata, &ids)?;
        let covered = std::array::from_fn(|byte| ids.contains_key(character_of(byte as u8).encode_utf8(&mut [0; 4])));
        Ok(Vocabulary { tokens, ids, merges, covered })
    }

    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn id(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    pub(super) fn bytes(&self, token: u32) -> Option<&[u8]> {
        self.tokens.get(token as usize).map(|token| &*token.bytes)
    }

    pub(super) fn has_byte(&self, byte: u8) -> bool {
        self.covered[usize::from(byte)]
    }

    pub(super) fn tokens(&self) -> impl Iterator<Item = (&str, u32)> {
        self.ids.iter().map(|(token, id)| (&**token, *id))
    }

    pub(super) fn merges(&self) -> &[(String, String)] {
        &self.merges
    }

    /// Tokens which text always becomes as a whole.
    pub(super) fn always_whole(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter(|token| token.kind == USER_DEFINED).map(|token| &*token.text)
    }
}

/// The bytes a token stands for.
fn token_bytes(text: &str, kind: i32) -> Result<Vec<u8>, String> {
    match kind {
        NORMAL => {
            let bytes = text.chars().map(|character| {
                byte_of(character).ok_or_else(|| format!("has '{character}', which stands for no byte"))
            });
            bytes.collect()
        }
        USER_DEFINED => Ok(text.as_bytes().to_vec()),
        UNUSED => Ok(Vec::new()),
        steering if STEERING.contains(&steering) => Ok(Vec::new()),
        other => Err(format!("is of type {other}, which byte-level BPE does not have")),
    }
}

/// The two halves of every merge, split at the first space; both and the whole are tokens.
fn merges(metadata: &Metadata, ids: &BTreeMap<String, u32>) -> Result<Vec<(String, String)>> {
    let split = |(rank, merge): (usize, &str)| {
        let halves = merge.split_once(' ');
        let known = |token: &str| ids.contains_key(token);
        let halves = halves.filter(|(left, right)| known(left) && known(right) && known(&format!("{left}{right}")));
        halves.map(|(left, right)| (left.to_owned(), right.to_owned())).ok_or_else(|| {
            let message = format!("merge {rank} ('{}') does not make a token of two tokens", merge.escape_debug());
            metadata.fault(Code::VocabularyMalformed, MERGES, message)
        })
    };
    metadata.get::<&Texts>(MERGES)?.iter().enumerate().map(split).collect()
}
