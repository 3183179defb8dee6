//! Facts of a real model file: shapes, tokens of a known prompt.

use crate::support::real_model;
use cke_runtime::tokenizer::Tokenizer;
use std::time::Instant;

#[test]
fn the_header_has_the_known_shape() {
    let start = Instant::now();
    let Some(model) = real_model() else { return };
    eprintln!("read the header in {:?}", start.elapsed());
    let metadata = model.metadata();
    assert_eq!(metadata.get::<&str>("general.architecture").unwrap(), "llama");
    assert_eq!(metadata.get::<u32>("llama.block_count").unwrap(), 30);
    assert_eq!(metadata.get::<f32>("llama.rope.freq_base").unwrap(), 1.0e5);
    assert_eq!(model.tensors().len(), 272);
    let embedding = model.tensor("token_embd.weight").unwrap();
    assert_eq!((&*embedding.dims, embedding.kind.name()), (&[49152, 576][..], "q8_0"));
    let counts = ["q4_1", "q8_0", "f32"].map(|kind| model.tensors().iter().filter(|t| t.kind.name() == kind).count());
    assert_eq!(counts, [210, 1, 61]);
}

/// The ids are those of llama.cpp.
#[test]
fn known_texts_have_their_known_tokens() {
    let Some(model) = real_model() else { return };
    let start = Instant::now();
    let tokenizer = Tokenizer::from_gguf(&model).unwrap();
    eprintln!("made the tokenizer in {:?}", start.elapsed());
    assert_eq!(tokenizer.encode("The capital of France is").unwrap(), [504, 3575, 282, 4649, 314]);
    assert_eq!(tokenizer.decode(&[7042, 30, 198, 198, 504]).unwrap(), " Paris.\n\nThe");
    assert_eq!((tokenizer.id("<|im_start|>"), tokenizer.end()), (Some(1), Some(2)));
    assert!(!tokenizer.encode("<|im_start|>").unwrap().contains(&1));
    // This vocabulary has no token for 21 bytes; these six and the first bytes of two planes can be in text.
    let refused = |text: char| tokenizer.encode(&String::from(text)).is_err();
    let missing: Vec<_> = ('\0'..='\u{7f}').filter(|&text| refused(text)).collect();
    assert_eq!(missing, ['\u{4}', '\u{6}', '\u{13}', '\u{14}', '\u{16}', '\u{1d}']);
    assert!(refused('\u{40000}') && refused('\u{80000}') && !refused('\u{20000}'));
}

#[test]
fn texts_of_all_kinds_come_back() {
    let Some(model) = real_model() else { return };
    let tokenizer = Tokenizer::from_gguf(&model).unwrap();
    let run = "a".repeat(300) + &" ".repeat(70);
    let texts = [
        "def f(x):\n    return x**2  # it's\t12 345",
        "Ünïcödé ½ Ⅷ ١٢٣ 日本語 👩‍👩‍👧",
        "\r\n\r\n  \u{a0}x",
        "'single' isn't <0x41> <|im_start|>user",
        &run,
    ];
    for text in texts {
        let tokens = tokenizer.encode(text).unwrap();
        assert_eq!(tokenizer.decode(&tokens).unwrap(), text);
        let mut decoder = tokenizer.decoder();
        let streamed: String = tokens.iter().map(|&token| decoder.push(token).unwrap()).collect();
        assert_eq!(streamed + &decoder.finish(), text);
    }
}
