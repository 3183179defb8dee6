//! The one digest of the project: SHA-256 over canonical JSON (RFC 8785). It must not depend on the order of keys or on
//! how a number was spelled, so a definition read from JSON and the same definition read from IR have the same digest.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The digest of a JSON value, as `sha256:` and 64 hexadecimal digits.
///
/// Numbers are written as RFC 8785 says, that is as 64-bit floats: `1` and `1.0` are the same number. Integers beyond
/// 2^53 would lose digits; [`crate::json`] refuses them, and no typed field of this crate can hold one.
pub fn digest(value: &Value) -> String {
    let canonical = serde_json_canonicalizer::to_vec(value).expect("a JSON value has neither NaN nor non-string keys");
    digest_bytes(&canonical)
}

/// The digest of bytes as they are, such as those of a file.
pub fn digest_bytes(bytes: &[u8]) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(bytes) {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn is_sha256_of_the_canonical_text() {
        // printf '{}' | sha256sum
        assert_eq!(digest(&json!({})), "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }

    #[test]
    fn ignores_key_order_and_number_spelling() {
        let one: Value = serde_json::from_str(r#"{"b": 1.0, "a": [1e2, "x"]}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"a": [100, "x"], "b": 1}"#).unwrap();
        assert_eq!(digest(&one), digest(&two));
    }

    #[test]
    fn sees_every_value() {
        assert_ne!(digest(&json!({"a": 1})), digest(&json!({"a": "1"})));
        assert_ne!(digest(&json!([1, 2])), digest(&json!([2, 1])));
        assert_ne!(digest(&json!({"a": null})), digest(&json!({})));
    }
}
