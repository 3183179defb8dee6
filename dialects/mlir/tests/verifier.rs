//! What the tables imply, message by message.

mod toy;

use toy::errors;

/// Wraps operations so that there is a value of many types.
fn in_function(body: &str) -> String {
    errors(&format!(
        "func.func @f(%f: f32, %d: f64, %i: i32, %c: i1, %t: tensor<4x4xf32>, %v: tensor<4xf32>, %m: memref<4xi8>) {{\n{body}\nreturn\n}}"
    ))
}

#[track_caller]
fn check(body: &str, expected: &str) {
    let found = in_function(body);
    let first = found.lines().next().unwrap_or_default();
    assert_eq!(first.split_once(": error: ").map(|(_, message)| message), Some(expected), "{body}\n{found}");
}

#[test]
fn counts() {
    check(r#""toy.add"(%f) : (f32) -> f32"#, "'toy.add' op expected 2 operands, but found 1");
    check(r#""toy.add"(%f, %f) : (f32, f32) -> ()"#, "'toy.add' op expected 1 result, but found 0");
    check(
        r#""toy.when"(%c, %c, %c) ({}, {}) : (i1, i1, i1) -> ()"#,
        "'toy.when' op expected 1 or 2 operands, but found 3",
    );
    check(r#""toy.when"(%c) ({}) : (i1) -> ()"#, "'toy.when' op expected 2 regions, but found 1");
    check(r#""toy.plain"() ({}) : () -> ()"#, "'toy.plain' op expected 0 regions, but found 1");
    check(
        r#""toy.out"()[^next] : () -> ()
           ^next:"#,
        "'toy.out' op expected 0 successors, but found 1",
    );
}

#[test]
fn segments() {
    check(
        r#""toy.mix"(%f) <{axis = 1}> : (f32) -> f32"#,
        "'toy.mix' op requires attribute 'operandSegmentSizes' to be an array of 2 i32",
    );
    check(
        r#""toy.mix"(%f) <{axis = 1, operandSegmentSizes = array<i32: 1>}> : (f32) -> f32"#,
        "'toy.mix' op requires attribute 'operandSegmentSizes' to be an array of 2 i32",
    );
    check(
        r#""toy.mix"(%f) <{axis = 1, operandSegmentSizes = array<i32: 1, 1>}> : (f32) -> f32"#,
        "'toy.mix' op 'operandSegmentSizes' counts 2 operands, but there are 1",
    );
    check(
        r#""toy.mix"(%f) <{axis = 1, operandSegmentSizes = array<i32: 2, -1>}> : (f32) -> f32"#,
        "'toy.mix' op expected a number of operands for 'b', but 'operandSegmentSizes' says -1",
    );
}

#[test]
fn types() {
    check("%0 = toy.add %i, %i : i32", "'toy.add' op operand #0 ('lhs') must be floating-point, but got 'i32'");
    check(
        r#"%0 = "toy.linear"(%v) <{w = @w}> : (tensor<4xf32>) -> tensor<4x4xf32>"#,
        "'toy.linear' op operand #0 ('x') must be 2D tensor of f32 values, but got 'tensor<4xf32>'",
    );
    check(
        "%0 = toy.linear %t, @w : (tensor<4x4xf32>) -> tensor<4x4xf64>",
        "'toy.linear' op result #0 ('y') must be 2D tensor of f32 values, but got 'tensor<4x4xf64>'",
    );
    check(
        "%0 = toy.linear %t at %i, @w : (tensor<4x4xf32>, i32) -> tensor<4x4xf32>",
        "'toy.linear' op operand #1 ('position') must be index, but got 'i32'",
    );
    check(
        "%0 = toy.read %m : memref<4xi8> -> f32",
        "'toy.read' op operand #0 ('src') must be memref of f32 or f64 values, but got 'memref<4xi8>'",
    );
    check(
        r#"%0 = "toy.add"(%f, %d) : (f32, f64) -> f32"#,
        "'toy.add' op requires the same type for 'lhs', 'rhs' and 'result', but got 'f32' and 'f64'",
    );
}

#[test]
fn attributes() {
    check(
        r#""toy.mix"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> f32"#,
        "'toy.mix' op requires attribute 'axis'",
    );
    check(
        r#""toy.mix"() <{axis = 1 : i32, operandSegmentSizes = array<i32: 0, 0>}> : () -> f32"#,
        "'toy.mix' op attribute 'axis' must be an i64, but got 1 : i32",
    );
    let kinds = |changed: &str| {
        let mut all = ["f = 1.0 : f32", "d = 1.0", "b = true", "list = []", "symbol = @w", "any = 1"];
        let name = changed.split(' ').next().unwrap();
        *all.iter_mut().find(|entry| entry.split(' ').next() == Some(name)).unwrap() = changed;
        format!(r#""toy.kinds"() <{{{}}}> : () -> ()"#, all.join(", "))
    };
    for (changed, expected) in [
        ("f = 1.0", "'f' must be an f32, but got 1.000000e+00 : f64"),
        ("d = 1.0 : f32", "'d' must be an f64, but got 1.000000e+00 : f32"),
        ("b = 1", "'b' must be a truth value, but got 1 : i64"),
        ("list = {}", "'list' must be an array, but got {}"),
        ("symbol = \"w\"", "'symbol' must be a symbol reference, but got \"w\""),
    ] {
        check(&kinds(changed), &format!("'toy.kinds' op attribute {expected}"));
    }
    let weight = |changed: &str| errors(&format!(r#""toy.weight"() <{{{changed}}}> : () -> ()"#));
    assert!(weight("storage = \"f\"").contains("'toy.weight' op requires string attribute 'sym_name'"));
    let wrong = weight("storage = \"f\", sym_name = \"w\", type = 3");
    assert!(wrong.ends_with("'toy.weight' op attribute 'type' must be a type, but got 3 : i64"), "{wrong}");
    check(
        r#"toy.when %c {} {likely = 1}"#.replace("{} {likely = 1}", "attributes {likely = 1} {}").as_str(),
        "'toy.when' op attribute 'likely' must be unit, but got 1 : i64",
    );
    check(
        r#"%0 = "toy.linear"(%t) <{w = @w::@x}> : (tensor<4x4xf32>) -> tensor<4x4xf32>"#,
        "'toy.linear' op attribute 'w' must be a flat symbol reference, but got @w::@x",
    );
    check(
        r#"%0 = "toy.linear"(%t) <{w = @w, required_contract = []}> : (tensor<4x4xf32>) -> tensor<4x4xf32>"#,
        "'toy.linear' op attribute 'required_contract' must be a dictionary, but got []",
    );
}

#[test]
fn own_verifiers() {
    check("%0 = toy.add %f, %f mode \"up\" : f32", "'toy.add' op has the unknown mode 'up'");
    let noted = in_function("%0 = toy.add %f, %f mode \"rne\" : f32\n%1 = toy.add %0, %f mode \"noted\" : f32");
    assert_eq!(noted, "test.mlir:3:6: error: mode is noted\ntest.mlir:2:6: note: by this operand");
    check(
        "%0 = toy.add %f, %f mode \"shown\" : f32",
        "'toy.add' op is %0 = \"toy.add\"(%arg0, %arg0) <{mode = \"shown\"}> : (f32, f32) -> f32 \
         with result #0 of %0 = \"toy.add\"(%arg0, %arg0) <{mode = \"shown\"}> : (f32, f32) -> f32",
    );
    check("toy.panics", "internal error: a verifier of 'toy.panics' panicked: oops");
    check("toy.changes", "internal error: a verifier of 'toy.changes' panicked: a verifier may not change IR");
}

#[test]
fn discardable_attributes_of_the_dialect() {
    check("toy.seq auto {toy.budget = \"x\"} : () -> ()", "toy.budget must be an integer, but got \"x\"");
    check("toy.seq auto {toy.nope} : () -> ()", "unknown attribute 'toy.nope'");
}

#[test]
fn traits() {
    let found = errors("func.func @f(%a: f32) { toy.table @t { %0 = toy.add %a, %a : f32 } return }");
    assert!(found.contains("using value defined outside the region"), "{found}");
    let found = errors("toy.table @t { toy.weight @w storage \"f\" : f32\n toy.weight @w storage \"f\" : f32 }");
    assert!(found.starts_with("test.mlir:2:2: error: redefinition of symbol named 'w'"), "{found}");
    assert!(found.contains("test.mlir:1:16: note: see existing symbol definition here"), "{found}");
    let found = errors(
        "\"toy.table\"() <{sym_name = \"t\"}> ({ ^a: \"toy.plain\"() : () -> () ^b: \"toy.plain\"() : () -> () }) : () -> ()",
    );
    assert!(found.contains("expects region #0 to have 0 or 1 blocks"), "{found}");
    check("toy.out\ntoy.seq auto : () -> ()", "'toy.out' op must be the last operation in the parent block");
}

#[test]
fn symbols() {
    check(
        "%0 = toy.linear %t, @nope : (tensor<4x4xf32>) -> tensor<4x4xf32>",
        "'toy.linear' op refers to the unknown weight @nope",
    );
    check("%0 = toy.linear %t, @f : (tensor<4x4xf32>) -> tensor<4x4xf32>", "'toy.linear' op refers to @f, a func.func");
}
