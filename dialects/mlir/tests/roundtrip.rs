//! Text, generic text and bytecode are forms of the same thing.

mod toy;

use cke_mlir::{Context, Module};
use toy::{errors, generic, parse};

/// Every feature of formats, as it is printed.
const ALL: &str = r#"module attributes {toy.budget = 3 : i64} {
  toy.weight @w storage "q4_1" : tensor<4x4xf32>
  toy.weight "private" @blk.0.w storage "f32" {note} : tensor<4x4xf32>
  toy.table @native {
    toy.weight @inner storage "f16" : tensor<4xf32>
  }
  toy.table @empty attributes {note = 1 : i64} {
  }
  func.func @f(%arg0: f32, %arg1: tensor<?x4xf32>, %arg2: i1, %arg3: memref<4xf32>, %arg4: index) {
    %0 = toy.add %arg0, %arg0 : f32
    %1 = toy.add %0, %arg0 mode "rne" {note = 1 : i64} : f32
    %2 = toy.linear %arg1, @w : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %3 = toy.linear %2 at %arg4, @w instance "a/b" requires {contract = @native::@inner} {note} : (tensor<?x4xf32>, index) -> tensor<?x4xf32>
    %4 = toy.mix[%0, %1] with[%0] axis = 7 : <f32, f32> <f32> -> f32
    toy.when %arg2 {
    }
    toy.when likely %arg2 init(%4 : f32) attributes {note = 1 : i64} {
      toy.write %4, %arg3 : f32, memref<4xf32>
    } else {
      %6 = toy.read %arg3 : memref<4xf32> -> f32
    }
    %5:2 = toy.seq n = 3 %0, %arg2 : (f32, i1) -> (f32, i1)
    toy.seq auto  : () -> ()
    toy.kinds 9.99999974E-6 1.250000e-01 true [1, "a"] @native::@inner 3 : i32 {hidden = 4 : i64}
    toy.kinds 0x7FC00000 0xFFF0000000000000 false [] @w {a = 1 : i64}
    "toy.plain"() <{note = "only generic"}> {x = 1 : i64} : () -> ()
    return
  }
}
"#;

fn reparse(context: &Context, text: impl AsRef<[u8]>) -> Module {
    Module::parse(context, text, "again.mlir").unwrap_or_else(|errors| panic!("{}", toy::show(&errors)))
}

#[test]
fn text_is_printed_as_it_was_read() {
    let module = parse(&toy::context(), ALL);
    assert_eq!(module.to_string(), ALL);
}

#[test]
fn all_forms_are_equal() {
    let context = toy::context();
    let module = parse(&context, ALL);
    let (custom, generic_text) = (module.to_string(), generic(&module));
    for form in [custom.clone().into_bytes(), generic_text.clone().into_bytes(), module.bytecode()] {
        let again = reparse(&context, &form);
        assert_eq!(again.to_string(), custom);
        assert_eq!(generic(&again), generic_text);
    }
    assert_eq!(module.clone_module().to_string(), custom);
}

#[test]
fn the_generic_form_is_that_of_ods() {
    let context = toy::context();
    let text = generic(&parse(&context, ALL));
    for line in [
        r#""toy.weight"() <{storage = "q4_1", sym_name = "w", type = tensor<4x4xf32>}> : () -> ()"#,
        r#"%1 = "toy.add"(%0, %arg0) <{mode = "rne"}> {note = 1 : i64} : (f32, f32) -> f32"#,
        r#"%4 = "toy.mix"(%0, %1, %0) <{axis = 7 : i64, operandSegmentSizes = array<i32: 2, 1>}> : (f32, f32, f32) -> f32"#,
        r#""toy.when"(%arg2, %4) <{likely}> ({"#,
    ] {
        assert!(text.contains(line), "no {line}\n{text}");
    }
}

/// Inherent attributes in the braces of discardable ones, as before properties.
#[test]
fn inherent_attributes_are_found_in_both_braces() {
    let context = toy::context();
    let module = parse(&context, r#""toy.weight"() {storage = "f32", sym_name = "w", type = f32, x} : () -> ()"#);
    assert_eq!(module.op().collect("toy.weight")[0].to_string(), r#"toy.weight @w storage "f32" {x} : f32"#);
    let module = parse(&context, "func.func @f(%a: f32) { %0 = toy.add %a, %a {mode = \"rtz\"} : f32 return }");
    assert!(module.to_string().contains("toy.add %arg0, %arg0 mode \"rtz\" : f32"), "{module}");
}

#[test]
fn within_its_own_dialect_an_operation_needs_no_prefix() {
    let context = toy::context();
    // func.func opens func's namespace for its terminator; the toy's operations keep their prefix there.
    let module = parse(
        &context,
        "func.func @f() { toy.plainer return }".replace("toy.plainer", "toy.seq auto : () -> ()").as_str(),
    );
    assert!(module.to_string().contains("toy.seq auto"), "{module}");
}

#[test]
fn text_without_a_module_gets_one() {
    let module = parse(&toy::context(), "toy.weight @w storage \"f32\" : f32");
    assert_eq!(module.to_string(), "module {\n  toy.weight @w storage \"f32\" : f32\n}\n");
}

#[test]
fn a_nul_within_is_no_end() {
    let context = toy::context();
    let source = "toy.weight @a storage \"f32\" : f32\0\ntoy.weight @b storage \"f32\" : f32\n";
    assert_eq!(parse(&context, source).op().collect("toy.weight").len(), 2);
    assert!(Module::parse(&context, b"\0", "test.mlir").is_ok());
    assert!(Module::parse(&context, b"ML\xefR\0garbage", "test.mlir").is_err());
    assert!(Module::parse(&context, b"\xff\xfe", "test.mlir").is_err());
    assert!(Module::parse(&context, "", "test.mlir").unwrap().op().regions()[0].blocks()[0].ops().is_empty());
}

#[test]
fn parse_errors_have_places() {
    let cases = [
        ("toy.weight w", "test.mlir:1:12: error: custom op 'toy.weight' expected a symbol name, as in '@name'"),
        ("toy.weight @w storage 3 : f32", "test.mlir:1:23: error: integer literal not valid for specified type"),
        ("toy.weight @w", "test.mlir:1:14: error: custom op 'toy.weight' expected 'storage'"),
        ("toy.nope", "test.mlir:1:1: error: custom op 'toy.nope' is unknown"),
        ("toy.plain", "test.mlir:1:1: error: custom op 'toy.plain' has only the generic form"),
        (
            "toy.weight @w storage \"f\" {storage = \"g\"} : f32",
            "test.mlir:1:27: error: custom op 'toy.weight' attribute 'storage' is given twice",
        ),
        (
            "func.func @f(%a: f32) {\n  toy.seq auto %a : () -> ()\n  return\n}",
            "test.mlir:2:16: error: custom op 'toy.seq' number of operands and types do not match: got 1 operands and 0 types",
        ),
        (
            "func.func @f(%a: f32) {\n  %0 = toy.add %a, %a : f64\n  return\n}",
            "test.mlir:2:16: error: use of value '%a' expects different type than prior uses: 'f64' vs 'f32'",
        ),
        (
            "\"toy.plain\"() <{nope = 1}> : () -> ()",
            "test.mlir:1:1: error: invalid properties {nope = 1 : i64} for op toy.plain: no attribute is named 'nope'",
        ),
        (
            "\"toy.plain\"() <3> : () -> ()",
            "test.mlir:1:1: error: invalid properties 3 : i64 for op toy.plain: not a dictionary",
        ),
    ];
    for (source, expected) in cases {
        let found = errors(source);
        assert!(found.starts_with(expected), "{source}\n  expected {expected}\n  found    {found}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let nested = |n: usize| "module {\n".repeat(n) + &"}".repeat(n);
    let context = toy::context();
    let module = parse(&context, &nested(250));
    assert_eq!(reparse(&context, module.to_string()).to_string(), module.to_string());
    assert_eq!(errors(&nested(257)), "test.mlir:257:8: error: nesting is deeper than 256 levels");
    assert_eq!(errors(&nested(100_000)), errors(&nested(257)));
    assert_eq!(errors(&"[".repeat(1_000_000)), "test.mlir:1:257: error: nesting is deeper than 256 levels");
}

/// The deepest custom assembly of our own operations, on the smallest stack a thread gets here.
#[test]
fn custom_regions_nest_as_deep() {
    let n = 254;
    let open = "func.func @f(%c: i1) {\n".to_owned() + &"toy.when %c {\n".repeat(n);
    let module = parse(&toy::context(), &(open + &"}".repeat(n) + "\nreturn }"));
    assert_eq!(module.op().collect("toy.when").len(), n);
    assert!(module.verify().is_ok());
}
