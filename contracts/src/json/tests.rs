use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Outer {
    items: Vec<Item>,
    #[serde(default)]
    map: BTreeMap<String, u32>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Item {
    size: u32,
}

fn fault<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> (Code, String) {
    let fault = from_str::<T>("file.json", text).unwrap_err();
    let location = fault.location.expect("every fault of a text has a place");
    (fault.code, format!("{location}: {}", fault.message))
}

fn message(text: &str) -> String {
    fault::<Value>(text).1
}

#[test]
fn reads_what_serde_json_reads() {
    let text =
        r#" {"a": [1, -2.5e3, "x\u00e9\n\ud83d\ude00", true, false, null, {}, []], "b": {"c": 9007199254740992}} "#;
    let document = Document::parse("file.json", text).unwrap();
    assert_eq!(*document.value(), serde_json::from_str::<Value>(text).unwrap());
}

#[test]
fn a_wrong_type_has_path_and_place() {
    let (code, text) = fault::<Outer>("{\n  \"items\": [{\"size\": 1},\n    {\"size\": \"2\"}]}");
    assert_eq!(code, Code::Schema);
    assert_eq!(text, "file.json:3:6: items[1].size: invalid type: string \"2\", expected u32");
}

#[test]
fn an_unknown_field_has_path_and_place() {
    let (code, text) = fault::<Outer>("{\"items\": [{\"size\": 1,\n \"sise\": 2}]}");
    assert_eq!(code, Code::Schema);
    assert_eq!(text, "file.json:2:2: items[0].sise: unknown field `sise`, expected `size`");
}

#[test]
fn a_missing_field_has_path_and_place() {
    let (code, text) = fault::<Outer>("{\"items\":\n [{}]}");
    assert_eq!(code, Code::Schema);
    assert_eq!(text, "file.json:2:3: items[0]: missing field `size`");
}

#[test]
fn a_duplicate_key_is_refused_in_structs_and_maps() {
    let twice = "{\"items\": [], \"map\": {\"a\": 1,\n  \"\\u0061\": 2}}";
    let (code, text) = fault::<Outer>(twice);
    assert_eq!(code, Code::DuplicateKey);
    assert_eq!(text, "file.json:2:3: key 'a' is given twice in one object");
    assert_eq!(fault::<Value>("{\"a\": {\"b\": 1, \"b\": 1}}").0, Code::DuplicateKey);
}

#[test]
fn bad_text_is_refused_where_it_stands() {
    for (text, expected) in [
        ("", "file.json:1:1: expected a value, found the end of the text"),
        ("[1 2]", "file.json:1:4: expected ',' or ']'"),
        ("[1,]", "file.json:1:4: expected a value"),
        ("[1] x", "file.json:1:5: expected the end of the text"),
        ("{\"a\" 1}", "file.json:1:6: expected ':' after a key"),
        ("{a: 1}", "file.json:1:2: expected a key in quotes"),
        ("{\"é\": nul}", "file.json:1:7: expected a value, found 'nul'"),
        ("[01]", "file.json:1:2: bad number '01'"),
        ("[1e999]", "file.json:1:2: bad number '1e999'"),
        ("[0x8]", "file.json:1:2: bad number '0x8'"),
        ("[NaN]", "file.json:1:2: expected a value, found 'NaN'"),
        ("\"abc", "file.json:1:1: a string has no end"),
        ("\"abc\\", "file.json:1:1: a string has no end"),
        ("// no\n1", "file.json:1:1: expected a value"),
        ("9007199254740993", "file.json:1:1: integer 9007199254740993 is beyond 2^53 and would not be exact"),
        (
            "-123456789012345678901",
            "file.json:1:1: integer -123456789012345678901 is beyond 2^53 and would not be exact",
        ),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
    assert!(message("\"\\ud800\"").starts_with("file.json:1:1: bad string: "));
    assert!(message("\"a\nb\"").starts_with("file.json:1:1: bad string: "));
}

#[test]
fn depth_is_limited() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(Document::parse("file.json", &nested(MAX_DEPTH + 1)).is_ok());
    assert_eq!(message(&nested(MAX_DEPTH + 2)), "file.json:1:66: nesting is deeper than 64 levels");
    assert!(message(&"[".repeat(1_000_000)).ends_with("nesting is deeper than 64 levels"));
}

#[test]
fn size_is_limited() {
    let long = " ".repeat(MAX_BYTES + 1);
    assert_eq!(message(&long), format!("file.json:1:1: the text has {} bytes, more than {MAX_BYTES}", MAX_BYTES + 1));
}

#[test]
fn a_value_without_text_has_a_path() {
    let value = serde_json::json!({"items": [{"size": -1}]});
    let fault = from_value::<Outer>(&value).unwrap_err();
    assert_eq!((fault.code, fault.location), (Code::Schema, None));
    assert_eq!(fault.message, "items[0].size: invalid value: integer `-1`, expected u32");
}

#[test]
fn a_path_of_keys_has_a_place() {
    let document = Document::parse("file.json", "{\"a\":\n {\"b\": 1}}").unwrap();
    assert_eq!(document.location(&["a", "b"]).to_string(), "file.json:2:3");
    assert_eq!(document.location(&["a", "c"]).to_string(), "file.json:1:2");
}
