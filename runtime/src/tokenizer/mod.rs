//! Text to tokens and back, from the vocabulary in a model file.
//!
//! Supported: byte-level BPE (`tokenizer.ggml.model` `gpt2`) with the pre-tokenizer `smollm`, which isolates every
//! digit (all of `\p{N}`) and then splits as GPT-2 did. Merging is the work of the `tokenizers` crate.
//!
//! Control tokens such as `<|im_start|>` are never made from text: text that looks like one stays text. Whoever needs
//! one takes its id from [`Tokenizer::id`]. No token is added at the front unless the model file says so.
//!
//! A vocabulary may lack tokens for some bytes. Text with such a byte is refused, since the byte would vanish.

mod bytes;
mod stream;
mod vocabulary;

pub use stream::Decoder;

use crate::fault::{Code, Fault, Result};
use crate::gguf::Gguf;
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::{AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, TokenizerImpl};
use vocabulary::Vocabulary;

type Bpe = TokenizerImpl<BPE, NormalizerWrapper, Sequence, PostProcessorWrapper, DecoderWrapper>;

/// The most white-space characters in a row. The splitter goes back over them one by one; beyond a million it gives up
/// and splits elsewhere, without a word.
const LONGEST_BLANK: usize = 1 << 16;

/// The tokenizer of a model.
pub struct Tokenizer {
    bpe: Bpe,
    vocabulary: Vocabulary,
    begin: Option<u32>,
    end: Option<u32>,
}

impl Tokenizer {
    /// The tokenizer which the model file describes.
    ///
    /// # Errors
    ///
    /// `CKE-W013`: metadata are missing. `CKE-W201`: another kind of tokenizer. `CKE-W202`: a malformed vocabulary.
    pub fn from_gguf(model: &Gguf) -> Result<Self> {
        let metadata = model.metadata();
        check_kind(model)?;
        let vocabulary = Vocabulary::from_metadata(metadata)?;
        let id = |key: &str| match metadata.find::<u32>(key)? {
            Some(id) if id as usize >= vocabulary.len() => {
                let message = format!("{key} is {id}, expected less than {}", vocabulary.len());
                Err(metadata.fault(Code::VocabularyMalformed, key, message))
            }
            id => Ok(id),
        };
        let begin = match metadata.find("tokenizer.ggml.add_bos_token")? {
            Some(true) => id("tokenizer.ggml.bos_token_id")?,
            Some(false) | None => None,
        };
        let end = id("tokenizer.ggml.eos_token_id")?;
        let bpe = build(&vocabulary).map_err(|error| {
            Fault::new(Code::VocabularyMalformed, format!("the vocabulary is refused: {error}")).in_file(model.name())
        })?;
        Ok(Tokenizer { bpe, vocabulary, begin, end })
    }

    /// The tokens of `text`.
    ///
    /// # Errors
    ///
    /// `CKE-W203`: the vocabulary has no token for a byte of the text, or the text has more than 65536 white-space
    /// characters in a row.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        self.check(text)?;
        let encoding = self
            .bpe
            .encode_fast(text, false)
            .map_err(|error| Fault::new(Code::TextNotCovered, format!("the text cannot be tokenised: {error}")))?;
        Ok(self.begin.into_iter().chain(encoding.get_ids().iter().copied()).collect())
    }

    fn check(&self, text: &str) -> Result<()> {
        let fault = |message: String| Err(Fault::new(Code::TextNotCovered, message));
        if let Some((index, byte)) = text.bytes().enumerate().find(|(_, byte)| !self.vocabulary.has_byte(*byte)) {
            return fault(format!("byte {index} of the text is {byte:#04x}, for which the vocabulary has no token"));
        }
        let runs = text.split(|character: char| !character.is_whitespace());
        match runs.map(|run| run.chars().count()).max() {
            Some(count) if count > LONGEST_BLANK => {
                fault(format!("{count} white-space characters in a row, expected at most {LONGEST_BLANK}"))
            }
            _ => Ok(()),
        }
    }

    /// All text of `tokens`; control tokens have none. Bytes which are not UTF-8 become U+FFFD.
    ///
    /// # Errors
    ///
    /// `CKE-R002`: a token is out of range.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        let mut decoder = self.decoder();
        let mut text = String::new();
        for &token in tokens {
            text += &decoder.push(token)?;
        }
        Ok(text + &decoder.finish())
    }

    /// A decoder for tokens which come one after the other.
    pub fn decoder(&self) -> Decoder<'_> {
        Decoder::new(self)
    }

    /// The bytes which a token stands for: none for a control token.
    ///
    /// # Errors
    ///
    /// `CKE-R002`: the token is out of range.
    pub fn bytes(&self, token: u32) -> Result<&[u8]> {
        self.vocabulary.bytes(token).ok_or_else(|| {
            let message = format!("token {token}, expected 0 to {}", self.vocabulary.len() - 1);
            Fault::new(Code::TokenOutOfRange, message)
        })
    }

    /// The token that is written `token` in the vocabulary, control tokens included.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.vocabulary.id(token)
    }

    /// The token which ends a text, if the model has one.
    pub fn end(&self) -> Option<u32> {
        self.end
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.vocabulary.len()
    }

    /// Always `false`: a vocabulary without tokens is malformed.
    pub fn is_empty(&self) -> bool {
        self.vocabulary.len() == 0
    }
}

fn check_kind(model: &Gguf) -> Result<()> {
    for (key, expected) in [("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.pre", "smollm")] {
        let found: &str = model.metadata().get(key)?;
        if found != expected {
            let message = format!("{key} is '{found}', of which only '{expected}' is supported");
            return Err(model.metadata().fault(Code::TokenizerUnsupported, key, message));
        }
    }
    Ok(())
}

fn build(vocabulary: &Vocabulary) -> tokenizers::Result<Bpe> {
    let tokens = vocabulary.tokens().map(|(token, id)| (token.to_owned(), id)).collect();
    let bpe = BPE::new(tokens, vocabulary.merges().to_vec());
    let mut tokenizer = Bpe::new(bpe);
    // Digits stands for every \p{N}, not for ASCII alone; the split of ByteLevel is GPT-2's.
    let split = Sequence::new(vec![Digits::new(true).into(), ByteLevel::new(false, false, true).into()]);
    tokenizer.with_pre_tokenizer(Some(split));
    tokenizer.add_tokens(vocabulary.always_whole().map(|token| AddedToken::from(token, false).normalized(false)))?;
    Ok(tokenizer)
}
