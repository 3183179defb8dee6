//! What the language refuses, with the exact text.

use cke_tablegen::{MAX_NESTING, Source};

fn error(text: &str) -> String {
    Source::from_text("a.td", text).map_or_else(|error| error.to_string(), |_| "no error".into())
}

#[track_caller]
fn refuses(text: &str, expected: &str) {
    assert_eq!(error(text), expected, "{text}");
}

#[test]
fn syntax_errors_say_what_was_expected_and_found() {
    refuses("def A {", "a.td:1:8: error: expected 'let', '}' or a type, found the end of the file");
    refuses(
        "def A\n\n  {} 7",
        "a.td:3:6: error: expected 'class', 'def', 'defm', 'include', 'let', 'multiclass' or the end of the file, found '7'",
    );
    refuses("def A { int = 1; }", "a.td:1:13: error: expected a name, found '='");
    refuses("def A { int a = ; }", "a.td:1:17: error: expected a value, found ';'");
    refuses("def A { int a = 1 }", "a.td:1:19: error: expected '#', '.' or ';', found '}'");
    refuses("def A { dag a = (op $x $y); }", "a.td:1:24: error: expected ')' or ',', found '$'");
    refuses("class A<int> {}", "a.td:1:12: error: expected a name, found '>'");
    refuses("let a = 1 def A;", "a.td:1:11: error: expected '#', ',', '.' or 'in', found 'def'");
    refuses("include <a.td>", "a.td:1:9: error: expected a string, found '<'");
    refuses("class class {}", "a.td:1:7: error: expected a name, found 'class'");
    refuses("def A : B { let results = outs B:$x); }", "a.td:1:32: error: expected '#', '.', ';' or '<', found 'B'");
    refuses(
        "def A { string a = \"x\" [{y}]; }",
        "a.td:1:24: error: expected '#', '.', ';' or a string, found a code block",
    );
}

#[test]
fn nesting_is_bounded() {
    let bracket = |open: &str, close: &str, depth| {
        format!("def A {{ list<int> a = {}{}; }}", open.repeat(depth), close.repeat(depth))
    };
    assert!(error(&bracket("[", "]", MAX_NESTING)).contains("brackets nest deeper than 64"));
    assert!(error(&bracket("(", ")", 1_000_000)).contains("a.td:1:86: error: brackets nest deeper than 64"));
    assert_eq!(error(&bracket("(", ")", MAX_NESTING - 1)), "a.td:1:86: error: expected a value, found ')'");
    let lets = format!("class C {{ int a = 0; }} {} def A : C;", "let a = 1 in ".repeat(10_000));
    assert_eq!(error(&lets), "no error");
    assert_eq!(error(&format!("def A {{ string a = {} \"\"; }}", "\"\" # ".repeat(10_000))), "no error");
    assert_eq!(error(&format!("def A {{ list<int> a = [{}]; }}", "1, ".repeat(10_000))), "no error");
    let scopes = "let a = 1 in {".repeat(100_000);
    assert_eq!(error(&scopes), "a.td:1:910: error: brackets nest deeper than 64");
}

#[test]
fn evaluation_is_bounded() {
    refuses(
        "class A<int n> { A a = A<n>; }\ndef B { A a = A<1>; }",
        "a.td:1:26: error: evaluation nests deeper than 400",
    );
    let chain: String = (1..10_000).map(|n| format!("int a{n} = a{}; ", n + 1)).collect();
    refuses(&format!("def B {{ {chain} int a10000 = 1; }}"), "a.td:1:6606: error: evaluation nests deeper than 400");
    let doubling: String = (1..64).map(|n| format!("string a{n} = a{} # a{}; ", n - 1, n - 1)).collect();
    assert!(error(&format!("def B {{ string a0 = \"ab\"; {doubling} }}")).contains("is longer than 65536 bytes"));
    let doubling: String = (1..64).map(|n| format!("list<int> a{n} = a{} # a{}; ", n - 1, n - 1)).collect();
    assert!(error(&format!("def B {{ list<int> a0 = [1]; {doubling} }}")).contains("is longer than 65536 elements"));
    let doubling: String = (1..64).map(|n| format!("dag a{n} = !con(a{}, a{}); ", n - 1, n - 1)).collect();
    assert!(error(&format!("def op; def B {{ dag a0 = (op 1); {doubling} }}")).contains("more than 65536 arguments"));
    let loops = format!("{}1{}", "!foreach(x, [1, 2, 3, 4, 5, 6, 7, 8], ".repeat(20), ")".repeat(20));
    assert!(error(&format!("def B {{ int a = {loops}; }}")).contains("evaluation takes more than 1000000 steps"));
    refuses("include \"a.td\"", "a.td:1:1: error: cannot include 'a.td': No such file or directory (os error 2)");
}

#[test]
fn names_must_be_known_and_unique() {
    refuses("def A : B;", "a.td:1:9: error: unknown class 'B'");
    refuses("class A : A;", "a.td:1:11: error: unknown class 'A'");
    refuses("class A { B b; }", "a.td:1:13: error: unknown class 'B'");
    refuses("def A { list<B> b = []; }", "a.td:1:17: error: unknown class 'B'");
    refuses("def A { int a = b; }", "a.td:1:17: error: unknown name 'b' where 'int' is expected");
    refuses("class T; def A { list<T> a = [B]; }", "a.td:1:31: error: unknown name 'B' where 'T' is expected");
    refuses("def A;\n def A;", "a.td:2:6: error: record 'A' is already defined\na.td:1:5: note: defined here");
    refuses("class A;class A;", "a.td:1:15: error: class 'A' is already defined\na.td:1:7: note: defined here");
    refuses("defm A : B;", "a.td:1:10: error: unknown multiclass 'B'");
    refuses("def A { let a = 1; }", "a.td:1:13: error: unknown field 'a' in 'A'");
    refuses("class A { let a = 1; }", "a.td:1:15: error: unknown field 'a' in class 'A'");
    refuses("let a = 1 in class A;", "a.td:1:5: error: unknown field 'a' in class 'A'");
    refuses("let a = 1 in def A;", "a.td:1:5: error: unknown field 'a' in 'A'");
    refuses("def A { int a = 1.b; }", "a.td:1:18: error: expected a record before '.', found an integer");
    refuses("def A; def B { int a = A.b; }", "a.td:1:25: error: 'A' has no field 'b'");
    refuses("def A { int a = b; int b = a; }", "a.td:1:28: error: field 'a' depends on itself");
    refuses(
        "class A { int a; } def B : A { string a; }",
        "a.td:1:39: error: field 'a' of type 'string' is already declared with type 'int'\na.td:1:15: note: declared here",
    );
}

#[test]
fn arguments_must_fit_parameters() {
    let class = "class C<int a, string b = \"\"> {}\n";
    let refuses = |text: &str, expected: &str| refuses(&format!("{class}{text}"), expected);
    refuses("def A : C;", "a.td:2:9: error: no value for parameter 'a' of 'C'");
    refuses("def A : C<1, \"\", 2>;", "a.td:2:18: error: 'C' takes at most 2 arguments, found 3");
    refuses("def A : C<1, c = 2>;", "a.td:2:18: error: 'C' has no parameter 'c'");
    refuses("def A : C<1, a = 2>;", "a.td:2:18: error: 'C' gets its parameter 'a' twice");
    refuses("def A : C<\"x\">;", "a.td:2:11: error: parameter 'a' of 'C' takes 'int', found a string");
    refuses("def A { C c = C<b = \"\">; }", "a.td:2:15: error: no value for parameter 'a' of 'C'");
}

#[test]
fn values_must_fit_their_types() {
    let value = |ty: &str, value: &str, expected: &str| {
        refuses(&format!("class K; class L; def l : L; def A {{ {ty} f =\n{value}; }}"), expected);
    };
    value("bit", "2", "a.td:2:1: error: field 'f' takes 'bit', found an integer");
    value("bits<3>", "8", "a.td:2:1: error: field 'f' takes 'bits<3>', found an integer");
    value("bits<3>", "0b0001", "a.td:2:1: error: field 'f' takes 'bits<3>', found bits");
    value("bits<2>", "{1, 2}", "a.td:2:5: error: a bit takes 'bit', found an integer");
    value("bits<65>", "0", "a.td:1:43: error: expected 1 to 64 bits");
    value("int", "9223372036854775808", "a.td:2:1: error: this integer does not fit 64 bits");
    value("string", "1", "a.td:2:1: error: field 'f' takes 'string', found an integer");
    value("string", "\"a\\z\"", "a.td:2:2: error: a string may escape n, t, \\, ' and \" only");
    value("list<int>", "[1, \"\"]", "a.td:2:5: error: an element of this list takes 'int', found a string");
    value("K", "l", "a.td:2:1: error: field 'f' takes 'K', found 'l', which is none");
    value("K", "L<>", "a.td:2:1: error: field 'f' takes 'K', found 'L', which is none");
    value("dag", "(1)", "a.td:2:2: error: expected a definition as the operator of a dag");
    value("string", "\"a\" # [1]", "a.td:2:7: error: expected a string, found a list");
    value("list<int>", "[1] # \"a\"", "a.td:2:7: error: expected a list, found a string");
    value("string", "!strconcat(\"a\", ?)", "a.td:2:17: error: expected a string, found no value");
    value("list<int>", "!listconcat([1], 2)", "a.td:2:18: error: expected a list, found an integer");
    value("int", "!add(1, 2)", "a.td:2:1: error: the operator '!add' is not supported");
    value("dag", "!con((l), (A))", "a.td:2:12: error: unknown name 'A'");
    value("dag", "!con((l), 1)", "a.td:2:11: error: expected a dag, found an integer");
    value("dag", "!con()", "a.td:2:1: error: '!con' takes at least one operand");
    value("string", "!interleave([l], \"\")", "a.td:2:1: error: '!interleave' takes strings or integers");
    value("string", "!interleave(1)", "a.td:2:1: error: '!interleave' takes a list and a string");
    value("list<int>", "!foreach(1, [1], 2)", "a.td:2:1: error: '!foreach' takes a name, a list and a value");
    value("list<int>", "!foreach(a, 1, 2)", "a.td:2:13: error: expected a list");
}

#[test]
fn errors_in_an_included_file_are_located_there() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let error = Source::read(&fixtures.join("includes.td")).expect_err("the included file is broken").to_string();
    let place = fixtures.join("broken.inc").display().to_string();
    assert_eq!(error, format!("{place}:2:14: error: unknown field 'missing' in 'Broken'"));
    let error = Source::read(&fixtures.join("endless.td")).expect_err("the file includes itself").to_string();
    assert!(error.ends_with("endless.td:2:1: error: includes nest deeper than 32"), "{error}");
}
