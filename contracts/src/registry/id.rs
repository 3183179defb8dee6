//! Ids of contracts and providers: lower-case words that say what is computed.

/// Words that name a type or a policy. An id made of nothing else has no meaning.
const EMPTY_WORDS: &[&str] = &[
    "accurate",
    "auto",
    "bf16",
    "default",
    "exact",
    "f16",
    "f32",
    "f64",
    "fast",
    "fp16",
    "fp32",
    "fp64",
    "int8",
    "mixed",
    "native",
    "normal",
    "precise",
    "production",
    "reference",
    "relaxed",
    "safe",
    "strict",
    "unsafe",
];

/// Whether an id says enough to stand for one meaning; the error is the end of a sentence that begins with its kind.
pub fn check_id(id: &str) -> Result<(), String> {
    check_provider_id(id)?;
    let words: Vec<_> = id.split('_').collect();
    if words.len() < 2 || words.iter().all(|word| EMPTY_WORDS.contains(word)) {
        return Err(format!("id '{id}' is ambiguous: it must say what is computed, not only how well"));
    }
    Ok(())
}

/// Whether an id is well-formed; providers bear the name of their function, which may be one word.
pub(super) fn check_provider_id(id: &str) -> Result<(), String> {
    let word_is_good =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if !id.starts_with(|first: char| first.is_ascii_lowercase()) || !id.split('_').all(word_is_good) {
        return Err(format!("id '{id}' is not lower-case words joined by '_'"));
    }
    if EMPTY_WORDS.contains(&id) {
        return Err(format!("id '{id}' is ambiguous: it names a type or a policy"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{check_id, check_provider_id};

    #[test]
    fn ids_that_say_too_little_are_refused() {
        for id in ["fp16", "fast", "strict", "auto", "default", "fp32_strict", "fast_fp32_native", "linear"] {
            assert!(check_id(id).unwrap_err().contains("ambiguous"), "{id}");
        }
        for id in ["", "FP16", "Fast", "a b", "a__b", "_a", "a_", "1_a", "a-b", "é_a"] {
            assert!(check_id(id).unwrap_err().contains("lower-case words"), "{id}");
        }
        for id in ["fp32_online", "linear_fp32_ascending_k_fma", "q4_k_x_q8_k_fp32_block_order"] {
            assert_eq!(check_id(id), Ok(()));
        }
        assert_eq!(check_provider_id("memcpy"), Ok(()));
        assert!(check_provider_id("fp16").is_err());
    }
}
