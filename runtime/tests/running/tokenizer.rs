//! The tokenizer on a small synthetic vocabulary.

use cke_runtime::fault::Code;
use cke_runtime::gguf::{Array, Gguf, Value, write::Builder};
use cke_runtime::tokenizer::Tokenizer;
use proptest::prelude::*;

/// Bytes in the order of their characters, without this one.
const MISSING: u8 = 0x04;
/// The merges, in the order of their rank.
const MERGES: [&str; 7] = ["Ġ t", "h e", "Ġt he", "Ġ Ġ", "e n", "1 2", "Ã ¤"];

/// The character which stands for a byte in vocabularies: the table is spelled out here, independently of the crate.
fn written(byte: u8) -> char {
    let shifted: Vec<u8> = (0..=0x20).chain(0x7f..=0xa0).chain([0xad]).collect();
    match shifted.iter().position(|&other| other == byte) {
        Some(place) => char::from_u32(0x100 + place as u32).unwrap(),
        None => char::from(byte),
    }
}

/// Tokens and their types: one control token, bytes, merges, and one token which text always becomes as a whole.
fn tokens() -> Vec<(String, i32)> {
    let bytes = (0..=255).filter(|&byte| byte != MISSING).map(|byte| (written(byte).to_string(), 1));
    let merged = MERGES.iter().map(|merge| (merge.replace(' ', ""), 1));
    let control = [("<|end|>".to_owned(), 3), ("<|start|>".to_owned(), 3)];
    control.into_iter().chain(bytes).chain(merged).chain([("<br>".to_owned(), 4)]).collect()
}

fn builder(tokens: &[(String, i32)], merges: &[&str]) -> Builder {
    let types = tokens.iter().map(|(_, kind)| *kind).collect();
    Builder::new()
        .entry("tokenizer.ggml.model", Value::Text("gpt2".to_owned()))
        .entry("tokenizer.ggml.pre", Value::Text("smollm".to_owned()))
        .entry("tokenizer.ggml.tokens", Value::Array(Array::Text(tokens.iter().map(|(token, _)| &**token).collect())))
        .entry("tokenizer.ggml.token_type", Value::Array(Array::I32(types)))
        .entry("tokenizer.ggml.merges", Value::Array(Array::Text(merges.iter().copied().collect())))
        .entry("tokenizer.ggml.eos_token_id", Value::U32(0))
}

fn from_builder(builder: &Builder) -> cke_runtime::fault::Result<Tokenizer> {
    Tokenizer::from_gguf(&Gguf::from_bytes("test.gguf", builder.finish().unwrap()).unwrap())
}

fn tokenizer() -> Tokenizer {
    from_builder(&builder(&tokens(), &MERGES)).unwrap()
}

/// The tokens of `text` as they are written in the vocabulary.
fn pieces(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
    let all = tokens();
    tokenizer.encode(text).unwrap().into_iter().map(|id| all[id as usize].0.clone()).collect()
}

#[test]
fn text_is_split_and_merged() {
    let tokenizer = tokenizer();
    let cases: [(&str, &[&str]); 10] = [
        ("", &[]),
        ("then", &["t", "he", "n"]),
        (" then", &["Ġthe", "n"]),
        // Digits stand alone, whatever merges there are, and cut the space off.
        (" 12", &["Ġ", "1", "2"]),
        ("a½b", &["a", "Â", "½", "b"]),
        // The last of several spaces belongs to the word.
        ("a   the", &["a", "ĠĠ", "Ġthe"]),
        ("ä", &["Ã¤"]),
        ("it's", &["i", "t", "'", "s"]),
        ("a<br>the", &["a", "<br>", "t", "he"]),
        // What looks like a control token is text.
        ("<|end|>", &["<", "|", "en", "d", "|", ">"]),
    ];
    for (text, expected) in cases {
        let found = pieces(&tokenizer, text);
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn a_byte_without_a_token_is_refused() {
    let fault = tokenizer().encode("ab\u{4}").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "error: byte 2 of the text is 0x04, for which the vocabulary has no token [CKE-W203]"
    );
}

/// Beyond some length the splitter would silently split elsewhere.
#[test]
fn white_space_without_end_is_refused() {
    let tokenizer = tokenizer();
    let blank = |count| " ".repeat(count) + "the";
    assert_eq!(pieces(&tokenizer, &blank(1 << 16)).last().map(String::as_str), Some("Ġthe"));
    let fault = tokenizer.encode(&blank((1 << 16) + 1)).unwrap_err();
    assert_eq!(fault.to_string(), "error: 65537 white-space characters in a row, expected at most 65536 [CKE-W203]");
}

#[test]
fn control_tokens_have_ids_and_no_text() {
    let tokenizer = tokenizer();
    assert_eq!((tokenizer.id("<|start|>"), tokenizer.id("<|no|>"), tokenizer.end()), (Some(1), None, Some(0)));
    assert_eq!(tokenizer.len(), 265);
    let the = tokenizer.encode(" the").unwrap();
    assert_eq!(tokenizer.decode(&[&[1], &*the, &[0]].concat()).unwrap(), " the");
    let fault = tokenizer.decode(&[265]).unwrap_err();
    assert_eq!(fault.to_string(), "error: token 265, expected 0 to 264 [CKE-R002]");
}

#[test]
fn a_beginning_is_added_when_the_model_says_so() {
    let with = |add: bool| {
        builder(&tokens(), &MERGES)
            .entry("tokenizer.ggml.bos_token_id", Value::U32(1))
            .entry("tokenizer.ggml.add_bos_token", Value::Bool(add))
    };
    assert_eq!(from_builder(&with(true)).unwrap().encode("").unwrap(), [1]);
    assert_eq!(from_builder(&with(false)).unwrap().encode("").unwrap(), [0_u32; 0]);
}

/// The bytes of "a", "ä", "€", "😀" come one by one; every character comes out whole, with its last byte.
#[test]
fn streams_never_split_a_character() {
    let tokenizer = tokenizer();
    let id = |byte: u8| tokenizer.id(&written(byte).to_string()).unwrap();
    let mut decoder = tokenizer.decoder();
    let mut parts = Vec::new();
    for byte in "aä€😀".bytes() {
        parts.push(decoder.push(id(byte)).unwrap());
    }
    assert_eq!(parts, ["a", "", "ä", "", "", "€", "", "", "", "😀"]);
    assert_eq!(decoder.finish(), "");
}

#[test]
fn bytes_that_cannot_become_text_are_replaced_at_once() {
    let tokenizer = tokenizer();
    let id = |byte: u8| tokenizer.id(&written(byte).to_string()).unwrap();
    let mut decoder = tokenizer.decoder();
    let parts: Vec<_> =
        [0xff, b'a', 0xe2, 0x82, b'b', 0xe2].into_iter().map(|byte| decoder.push(id(byte)).unwrap()).collect();
    assert_eq!(parts, ["\u{fffd}", "a", "", "", "\u{fffd}b", ""]);
    assert!(decoder.push(9999).is_err());
    assert_eq!(decoder.finish(), "\u{fffd}");
}

#[test]
fn other_tokenizers_are_refused_by_name() {
    let other = Builder::new()
        .entry("tokenizer.ggml.model", Value::Text("llama".to_owned()))
        .entry("tokenizer.ggml.pre", Value::Text("default".to_owned()));
    let fault = from_builder(&other).map(drop).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "test.gguf: byte 24: error: tokenizer.ggml.model is 'llama', of which only 'gpt2' is supported [CKE-W201]"
    );
    assert_eq!(from_builder(&Builder::new()).map(drop).unwrap_err().code, Code::MetadataMismatch);
}

#[test]
fn malformed_vocabularies_are_refused() {
    let refused = |tokens: &[(String, i32)], merges: &[&str]| {
        let fault = from_builder(&builder(tokens, merges)).map(drop).unwrap_err();
        assert_eq!(fault.code, Code::VocabularyMalformed);
        assert!(fault.byte.is_some() && fault.file.is_some());
        fault.message
    };
    for merge in ["th", "t h", "zz e", "Ġ ", "", " "] {
        let expected = format!("merge 1 ('{merge}') does not make a token of two tokens");
        assert_eq!(refused(&tokens(), &["Ġ t", merge]), expected);
    }
    let with = |token: &str, kind| {
        let mut tokens = tokens();
        tokens[5] = (token.to_owned(), kind);
        refused(&tokens, &[])
    };
    assert_eq!(with("<|end|>", 3), "token 5 ('<|end|>') is written like token 0");
    assert_eq!(with("a€", 1), "token 5 ('a€') has '€', which stands for no byte");
    assert_eq!(with("x", 6), "token 5 ('x') is of type 6, which byte-level BPE does not have");
    assert_eq!(refused(&[], &[]), "0 tokens and 0 token types, expected as many, at least 1");
}

proptest! {
    /// Whatever the text, its tokens stand for exactly its bytes.
    #[test]
    fn decoding_undoes_encoding(text in "([ -~äß€😀½\n\t ]|the| then|<br>|<\\|end\\|>){0,40}") {
        let tokenizer = tokenizer();
        let ids = tokenizer.encode(&text).unwrap();
        prop_assert_eq!(tokenizer.decode(&ids).unwrap(), text);
    }
}
