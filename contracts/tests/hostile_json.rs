//! JSON made to hurt: every text is refused with code and place, in little time and bounded memory.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Read, Write};
use std::time::Instant;

use cke_contracts::circuit::Circuit;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::json::{Document, MAX_BYTES, MAX_DEPTH, MAX_NUMBER, MAX_STRING, MAX_VALUES, read_text};
use cke_contracts::registry::Registry;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The system's allocator with a count of what the thread holds, and the most it ever held.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    MOST.set(MOST.get().max(held));
}

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the rules of `dealloc`, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller keeps the rules of `realloc`, and the pointer came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What a function returns, and the most memory it held beyond what was there before.
fn measured<T>(what: &str, function: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MOST.set(before);
    let start = Instant::now();
    let result = function();
    let most = usize::try_from(MOST.get() - before).unwrap_or(0);
    println!("{what}: {:.3} s, {} kB", start.elapsed().as_secs_f64(), most / 1024);
    (result, most)
}

/// Bytes of a text that is large; nearly all that is allowed with `CKE_SWEEP`.
fn large() -> usize {
    if std::env::var_os("CKE_SWEEP").is_some() { MAX_BYTES - 1024 } else { 2_000_000 }
}

/// Code, place and message.
fn told(fault: &Fault) -> (Code, String) {
    let location = fault.location.as_ref().expect("every fault of a text has a place");
    (fault.code, format!("{}:{}: {}", location.line, location.column, fault.message))
}

/// Reads a text by every reader of the crate: all refuse it alike, and hold no more than some times its size.
#[track_caller]
fn refused(what: &str, text: &str, times: usize) -> (Code, String) {
    let (fault, most) = measured(what, || Document::parse("x", text).unwrap_err());
    assert!(most <= times * text.len() + 4096, "{what}: {most} bytes for a text of {}", text.len());
    assert!(fault.message.len() < 1000, "{what}: a message is for reading");
    for other in [
        Registry::from_files(&[("x", text)], &[]).unwrap_err(),
        Registry::from_files(&[], &[("x", text)]).unwrap_err(),
        Circuit::parse("x", text).unwrap_err(),
    ] {
        assert_eq!(other, fault, "{what}");
    }
    told(&fault)
}

#[track_caller]
fn is_refused(what: &str, text: &str, message: &str) {
    assert_eq!(refused(what, text, 4), (Code::BadJson, message.to_owned()), "{what}");
}

#[test]
fn deep_nesting() {
    let million = 1_000_000;
    let depth = MAX_DEPTH + 1;
    let deeper = |column: usize| format!("1:{column}: nesting is deeper than {MAX_DEPTH} levels");
    is_refused("open arrays", &"[".repeat(million), &deeper(depth + 1));
    is_refused("arrays", &format!("{}{}", "[".repeat(million), "]".repeat(million)), &deeper(depth + 1));
    is_refused("objects", &"{\"a\":".repeat(million), &deeper(5 * depth + 1));
    is_refused("both", &"[{\"a\":".repeat(million), &deeper(3 * (depth - 1) + 2));
}

#[test]
fn long_numbers() {
    for digits in [MAX_NUMBER + 1, 1_000_000, large()] {
        let message = format!("1:2: a number has {digits} characters, more than {MAX_NUMBER}");
        is_refused("digits", &format!("[{}]", "7".repeat(digits)), &message);
        is_refused("zeros", &format!("[0.{}]", "0".repeat(digits - 2)), &message);
        is_refused("exponent", &format!("[1e{}]", "9".repeat(digits - 2)), &message);
    }
    let long = format!("1{}", "0".repeat(MAX_NUMBER - 1));
    is_refused("the longest", &long, &format!("1:1: bad number '{long}'"));
}

#[test]
fn numbers_that_would_change() {
    for (text, message) in [
        ("NaN", "1:2: expected a value, found 'NaN'"),
        ("Infinity", "1:2: expected a value, found 'Infinity'"),
        ("-Infinity", "1:2: bad number '-Infinity'"),
        ("-nan", "1:2: bad number '-nan'"),
        ("1e999", "1:2: bad number '1e999'"),
        ("-1e999", "1:2: bad number '-1e999'"),
        ("1e-999", "1:2: number 1e-999 is too small and would become zero"),
        ("-0", "1:2: number -0 is a negative zero, which would lose its sign"),
        ("-0.0", "1:2: number -0.0 is a negative zero, which would lose its sign"),
        ("-0e7", "1:2: number -0e7 is a negative zero, which would lose its sign"),
        ("+1", "1:2: expected a value"),
        ("1.", "1:2: bad number '1.'"),
        (".5", "1:2: expected a value"),
        ("1_000", "1:3: expected ',' or ']'"),
        ("0b1", "1:2: bad number '0b1'"),
        ("18446744073709551616", "1:2: integer 18446744073709551616 is beyond 2^53 and would not be exact"),
    ] {
        is_refused(text, &format!("[{text}]"), message);
    }
    for text in ["0", "0.0", "0e0", "5e-324", "-5e-324", "1.7976931348623157e308", "9007199254740992"] {
        assert!(Document::parse("x", text).is_ok(), "{text}");
    }
}

#[test]
fn long_strings() {
    let long = "x".repeat(large());
    is_refused("no end", &format!("[\"{long}"), "1:2: a string has no end");
    is_refused(
        "a long word",
        &format!("[{long}]"),
        &format!("1:2: expected a value, found '{}... ({} bytes)'", &long[..400], long.len()),
    );
    let message = |place: &str| format!("{place}: a string has {} bytes, more than {MAX_STRING}", large() + 2);
    is_refused("a value", &format!("[\"{long}\"]"), &message("1:2"));
    is_refused("a key", &format!("{{\n\"{long}\": 1}}"), &message("2:1"));

    // Of what is just short enough a message repeats the beginning.
    let long = &long[..MAX_STRING - 2];
    let (code, message) = refused("a long key twice", &format!("{{\"{long}\":1,\n\"{long}\":2}}"), 8);
    let expected = format!("2:1: key '{}... ({} bytes)' is given twice in one object", &long[..400], long.len());
    assert_eq!((code, message), (Code::DuplicateKey, expected));
    let contracts = "\"schema\": \"cke.numerical_execution_contracts\", \"contracts\"";
    for text in [
        format!("{{{contracts}: {{\"a\": \"{long}\"}}}}"),
        format!("{{{contracts}: {{\"a\": {{\"{long}\": 1}}}}}}"),
        format!("{{{contracts}: {{\"{long}\": 1}}}}"),
        format!("{{{contracts}: {{\"{long}\": {{\"{long}\": 1}}}}}}"),
    ] {
        let fault = Registry::from_files(&[("x", &text)], &[]).unwrap_err();
        assert_eq!((fault.code, fault.location.map(|place| place.line)), (Code::Schema, Some(1)));
        assert!(fault.message.len() < 2000, "{} bytes of message", fault.message.len());
    }
}

#[test]
fn many_values() {
    let message = |column: usize| format!("1:{column}: the text has more than {MAX_VALUES} values");
    // The array is a value too. A value in an array takes 32 bytes, in an object of its own some 660.
    is_many("numbers", &format!("[{}0]", "0,".repeat(MAX_VALUES)), &message(2 * (MAX_VALUES - 1) + 2), 64);
    is_many("arrays", &format!("[{}[]]", "[],".repeat(MAX_VALUES)), &message(3 * (MAX_VALUES - 1) + 2), 64);
    let column = 7 * (MAX_VALUES / 2 - 1) + 6;
    is_many("objects", &format!("[{}0]", "{\"\":0},".repeat(MAX_VALUES / 2)), &message(column), 400);
}

#[track_caller]
fn is_many(what: &str, text: &str, message: &str, bytes_each: usize) {
    let (fault, most) = measured(what, || Document::parse("x", text).unwrap_err());
    assert_eq!(told(&fault), (Code::BadJson, message.to_owned()), "{what}");
    assert!(most < bytes_each * 2 * MAX_VALUES, "{what}: {most} bytes");
}

#[test]
fn texts_that_are_not_quite_json() {
    for (what, text, message) in [
        ("a byte order mark", "\u{feff}{}", "1:1: the text begins with a byte order mark"),
        ("a mark inside", "{}\u{feff}", "1:3: expected the end of the text"),
        ("garbage behind", "{}\n x", "2:2: expected the end of the text"),
        ("two values", "{} {}", "1:4: expected the end of the text"),
        ("a NUL", "\0", "1:1: expected a value"),
        ("a NUL behind", "{}\0", "1:3: expected the end of the text"),
        ("a NUL between", "[1,\0 2]", "1:4: expected a value"),
        ("a comment", "[1, /* two */ 2]", "1:5: expected a value"),
        ("a last comma", "{\"a\": 1,}", "1:9: expected a key in quotes"),
        ("quotes", "['a']", "1:2: expected a value"),
        ("a space that is none", "[1,\u{a0}2]", "1:4: expected a value"),
        ("nothing", " \n\t", "2:2: expected a value, found the end of the text"),
    ] {
        assert_eq!(refused(what, text, 400), (Code::BadJson, message.to_owned()), "{what}");
    }
    for (what, inside) in [
        ("a high surrogate", "\\ud800"),
        ("a low surrogate", "\\udc00"),
        ("surrogates the wrong way round", "\\udc00\\ud800"),
        ("a surrogate and a letter", "\\ud800x"),
        ("a surrogate and another escape", "\\ud800\\n"),
        ("a surrogate at the end", "\\ud83d\\"),
        ("a NUL", "\0"),
        ("a tab", "\t"),
        ("a line break", "\n"),
        ("an escape that is none", "\\x41"),
        ("half an escape", "\\u12"),
    ] {
        for (place, text) in [("1:2", format!("[\"a{inside}\"]")), ("1:2", format!("{{\"a{inside}\":1}}"))] {
            let (code, message) = refused(what, &text, 400);
            assert_eq!(code, Code::BadJson, "{what}");
            assert!(message.starts_with(&format!("{place}: ")) && message.contains("string"), "{what}: {message}");
        }
    }
}

#[test]
fn a_key_twice_at_every_depth() {
    for depth in 0..MAX_DEPTH {
        for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
            let text = format!("{}{{\"k\":0,\"\\u006b\":1}}{}", open.repeat(depth), close.repeat(depth));
            let message = format!("1:{}: key 'k' is given twice in one object", open.len() * depth + 8);
            assert_eq!(refused("twice", &text, 4000), (Code::DuplicateKey, message));
        }
    }
}

/// The text of a value in which the key that `left` counts down to is given twice.
fn with_key_twice(value: &Value, left: &mut usize, text: &mut String) {
    match value {
        Value::Object(fields) => {
            text.push('{');
            let mut separator = "";
            for (key, value) in fields {
                text.push_str(&format!("{separator}{}:", json!(key)));
                with_key_twice(value, left, text);
                separator = ",";
                if *left == 0 {
                    text.push_str(&format!(",{}:{value}", json!(key)));
                }
                *left = left.wrapping_sub(1);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n == 0 { "" } else { "," });
                with_key_twice(item, left, text);
            }
            text.push(']');
        }
        leaf => text.push_str(&leaf.to_string()),
    }
}

fn keys(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.values().map(|value| 1 + keys(value)).sum(),
        Value::Array(items) => items.iter().map(keys).sum(),
        _ => 0,
    }
}

#[test]
fn a_key_twice_anywhere_in_a_real_file() {
    let circuit: Value = serde_json::from_str(include_str!("../data/circuits/llama.json")).unwrap();
    let contracts: Value = serde_json::from_str(include_str!("../data/contracts/numerical_execution.json")).unwrap();
    let map: Value = serde_json::from_str(include_str!("../data/kernel_maps/cke_attention_fp32.json")).unwrap();
    type Reader = fn(&str) -> Option<Fault>;
    let readers: [(&Value, Reader); 3] = [
        (&circuit, |text| Circuit::parse("x", text).err()),
        (&contracts, |text| Registry::from_files(&[("x", text)], &[]).err()),
        (&map, |text| Registry::from_files(&[], &[("x", text)]).err()),
    ];
    for (value, read) in readers {
        let count = keys(value);
        assert!(count > 80, "{count}");
        for n in 0..count {
            let mut text = String::new();
            with_key_twice(value, &mut n.clone(), &mut text);
            assert_eq!(read(&text).map(|fault| fault.code), Some(Code::DuplicateKey), "key {n}: {text}");
        }
    }
}

#[test]
fn files_are_read_up_to_the_limit() {
    // A gigabyte of digits, of which no more is read than shows that it is too long.
    let (fault, most) = measured("a gigabyte", || read_text("x", io::repeat(b'7').take(1 << 30)).unwrap_err());
    assert_eq!(told(&fault), (Code::BadJson, format!("1:1: the text has more than {MAX_BYTES} bytes")));
    assert!(most <= 2 * MAX_BYTES + 4096, "{most} bytes");
    let (fault, _) = measured("no end", || read_text("x", io::repeat(b'[')).unwrap_err());
    assert_eq!(told(&fault).1, format!("1:1: the text has more than {MAX_BYTES} bytes"));
    assert_eq!(read_text("x", io::repeat(b' ').take(MAX_BYTES as u64)).unwrap().len(), MAX_BYTES);
    assert_eq!(read_text("x", "{}".as_bytes()).unwrap(), "{}");
}

#[test]
fn files_are_text() {
    for (bytes, message) in [
        (&b"\xff\xfe{\0}\0"[..], "1:1: byte 0xff is not UTF-8"),
        (b"{\"a\":\n \"\xc3\"}", "2:3: byte 0xc3 is not UTF-8"),
        (b"{\"\xc3\xa9\": \"\xc0\x80\"}", "1:8: byte 0xc0 is not UTF-8"),
        (b"{\"a\": \"\xed\xa0\x80\"}", "1:8: byte 0xed is not UTF-8"),
        (b"[1] \xf5", "1:5: byte 0xf5 is not UTF-8"),
        (b"[\"\xe2\x82", "1:3: byte 0xe2 is not UTF-8"),
    ] {
        let fault = read_text("x", bytes).unwrap_err();
        assert_eq!(told(&fault), (Code::BadJson, message.to_owned()));
    }
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    assert_eq!(told(&read_text("x", Broken).unwrap_err()).1, "1:1: cannot be read: the disk is gone");
}

/// With `CKE_SWEEP` a real file of 1 GB, one number from end to end.
#[test]
fn a_file_of_a_gigabyte() {
    if std::env::var_os("CKE_SWEEP").is_none() {
        eprintln!("skipped: CKE_SWEEP is not set");
        return;
    }
    let path = std::env::temp_dir().join(format!("cke-hostile-{}.json", std::process::id()));
    let mut file = std::fs::File::create(&path).unwrap();
    let digits = vec![b'7'; 1 << 20];
    (0..1000).for_each(|_| file.write_all(&digits).unwrap());
    drop(file);
    let (result, most) = measured("a file of a gigabyte", || read_text("x", std::fs::File::open(&path).unwrap()));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(told(&result.unwrap_err()).1, format!("1:1: the text has more than {MAX_BYTES} bytes"));
    assert!(most <= 2 * MAX_BYTES + 4096, "{most} bytes");
}

/// A value that this project's JSON can hold.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1_i64 << 53)..=1 << 53).prop_map(Value::from),
        any::<f64>().prop_filter("a number", |x| x.is_finite() && *x != 0.0).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6).prop_map(|fields| json!(fields)),
        ]
    })
}

/// Where each key of a value stands in its pretty text, by a scan that knows nothing of the reader's.
fn located(document: &Document, value: &Value, path: &mut Vec<String>, text: &str) {
    let Value::Object(fields) = value else { return };
    let places = document.locations(&path.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(places.keys().eq(fields.keys()));
    for (key, value) in fields {
        path.push(key.clone());
        let place = document.location(&path.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(place, places[key]);
        let line = text.split('\n').nth(place.line as usize - 1).unwrap();
        let rest: String = line.chars().skip(place.column as usize - 1).collect();
        assert!(rest.starts_with(&format!("{}: ", json!(key))), "{key:?} at {place}: {line}");
        located(document, value, path, text);
        path.pop();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_and_found(value in value()) {
        let text = serde_json::to_string_pretty(&value).unwrap();
        let document = Document::parse("x", &text).unwrap();
        prop_assert_eq!(document.value(), &value);
        located(&document, &value, &mut Vec::new(), &text);
    }

    /// Damage is refused or read; nothing panics, and what is read is what `serde_json` reads.
    #[test]
    fn damage_is_no_disaster(value in value(), at in any::<prop::sample::Index>(), with in "[\\[\\]{}:,\"\\\\0-9eE+.\\- \n\0a-u-]{0,3}") {
        let text: Vec<char> = value.to_string().chars().collect();
        let at = at.index(text.len());
        let text: String = text[..at].iter().chain(with.chars().collect::<Vec<_>>().iter()).chain(&text[at + 1..]).collect();
        match Document::parse("x", &text) {
            Ok(document) => prop_assert_eq!(document.value(), &serde_json::from_str::<Value>(&text).unwrap()),
            Err(fault) => prop_assert!(fault.location.is_some()),
        }
    }
}

#[test]
fn files_of_no_kind() {
    for (text, place) in [("{}", "1:1"), ("[]", "1:1"), ("{\n \"schema\": \"cke.other\"}", "2:2")] {
        let fault = cke_contracts::v8::classify("x", text).unwrap_err();
        let (code, message) = told(&fault);
        assert_eq!(code, Code::UnknownFile, "{message}");
        assert!(message.starts_with(&format!("{place}: ")), "{message}");
    }
}
