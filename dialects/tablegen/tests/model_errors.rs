//! What a dialect may not ask for, with the exact text.

use cke_tablegen::{Dialect, Error, Source};

const HEAD: &str = r#"include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def D : Dialect { let name = "d"; }
class D_Op<string mnemonic, list<Trait> traits = []> : Op<D, mnemonic, traits>;
"#;

fn errors(text: &str) -> String {
    let dialect = Source::from_text("a.td", text).map_err(|error| vec![error]);
    match dialect.and_then(|source| Dialect::read(&source)) {
        Ok(_) => "no error".into(),
        Err(errors) => errors.iter().map(Error::to_string).collect::<Vec<_>>().join("\n"),
    }
}

/// A definition that begins on line 7.
#[track_caller]
fn refuses(text: &str, expected: &str) {
    assert_eq!(errors(&format!("{HEAD}{text}")), expected, "{text}");
}

/// The body of an operation; it begins on line 8.
#[track_caller]
fn refuses_body(body: &str, expected: &str) {
    refuses(&format!("def D_XOp : D_Op<\"x\"> {{\n{body}\n}}"), expected);
}

/// A trait list, which begins on line 8, of an operation with the operand `a`.
#[track_caller]
fn refuses_traits(traits: &str, expected: &str) {
    refuses(&format!("def D_XOp : D_Op<\"x\",\n[{traits}]> {{ let arguments = (ins AnyType:$a); }}"), expected);
}

#[test]
fn a_file_defines_one_dialect() {
    assert_eq!(errors(""), "a.td:1:1: error: this file defines no dialect");
    refuses(
        "def E : Dialect { let name = \"e\"; }",
        "a.td:7:5: error: a file can define one dialect only\na.td:5:5: note: the other one is defined here",
    );
    let with =
        |field: &str| format!("include \"mlir/IR/OpBase.td\"\ndef D : Dialect {{ let name = \"d\"; let {field}; }}");
    assert_eq!(
        errors(&with("name = \"a.b\"")),
        "a.td:2:39: error: expected a word as the name of the dialect, found 'a.b'"
    );
    assert_eq!(errors(&with("isExtensible = 1")), "a.td:2:39: error: 'isExtensible' is not supported");
    assert_eq!(errors(&with("dependentDialects = [\"a\"]")), "a.td:2:39: error: 'dependentDialects' is not supported");
    assert_eq!(errors(&with("discardableAttrs = (ins 1:$a)")), "a.td:2:39: error: 'discardableAttrs' is not supported");
    assert_eq!(errors(&with("cppNamespace = \"::d\"")), "no error");
}

#[test]
fn operations_have_distinct_names() {
    refuses("def D_XOp : D_Op<\"a b\">;", "a.td:7:5: error: expected words as the name of an operation, found 'a b'");
    refuses("def D_XOp : D_Op<\"self\">;", "a.td:7:5: error: 'self' cannot be a name in Rust");
    for name in ["D_X", "D_2Op", "D_xOp", "D_A_Op", "Self"] {
        let expected = format!("a.td:7:5: error: expected a name like 'd_SomethingOp', found '{name}'");
        refuses(&format!("def {name} : D_Op<\"x\">;"), &expected);
    }
    refuses(
        "def D_XOp : D_Op<\"x\">;\ndef D_YOp : D_Op<\"x\">;",
        "a.td:8:5: error: the operation 'd.x' is defined twice\na.td:7:5: note: first defined here",
    );
    refuses(
        "def D_XOp : D_Op<\"x\">;\ndef E_XOp : D_Op<\"y\">;",
        "a.td:8:5: error: the type of an operation 'XOp' is defined twice\na.td:7:5: note: first defined here",
    );
}

#[test]
fn arguments_have_supported_constraints_and_usable_names() {
    refuses_body("let arguments = (ins F80:$a);", "a.td:8:22: error: unknown name 'F80'");
    refuses_body(
        "let arguments = (ins TensorOf<[Vector]>:$a);",
        "a.td:8:32: error: unknown name 'Vector' where 'Type' is expected",
    );
    refuses_body("let arguments = (ins VectorOf<[F32]>:$a);", "a.td:8:22: error: unknown class 'VectorOf'");
    refuses_body("let arguments = (ins I<16>:$a);", "a.td:8:28: error: the type constraint 'I' is not supported");
    refuses_body(
        "let arguments = (ins TensorOf<[AnyFloat]>:$a);",
        "a.td:8:43: error: the element type 'AnyFloat' is not supported",
    );
    refuses_body(
        "let arguments = (ins TensorOf<[]>:$a);",
        "a.td:8:35: error: a tensor or memref needs an element type",
    );
    refuses_body(
        "let arguments = (ins TensorRankOf<[F32], [1, 2]>:$a);",
        "a.td:8:50: error: a tensor can be constrained to one rank only",
    );
    refuses_body(
        "let arguments = (ins OptionalAttr<UnitAttr>:$a);",
        "a.td:8:45: error: 'UnitAttr' may be absent anyway",
    );
    refuses_body("let arguments = (ins \"text\":$a);", "a.td:8:29: error: expected a constraint, found a string");
    refuses_body("let arguments = (ins F32);", "a.td:8:22: error: expected a $name");
    refuses_body("let arguments = (ins F32:$self);", "a.td:8:26: error: 'self' cannot be a name in Rust");
    refuses_body("let arguments = (ins F32:$1);", "a.td:8:26: error: expected a name in snake case, found '1'");
    refuses_body("let arguments = (ins F32:$aB);", "a.td:8:26: error: expected a name in snake case, found 'aB'");
    refuses_body(
        "let arguments = (ins F32:$build);",
        "a.td:8:26: error: the name 'build' is taken by the generated code",
    );
    refuses_body(
        "let arguments = (ins F32:$a);\nlet results = (outs F32:$a);",
        "a.td:9:25: error: the name 'a' is defined twice\na.td:8:26: note: first defined here",
    );
    refuses_body(
        "let results = (outs StrAttr:$a);",
        "a.td:8:29: error: the type constraint 'StrAttr' is not supported",
    );
    refuses_body("let regions = (region F32:$a);", "a.td:8:27: error: the region constraint 'F32' is not supported");
    refuses_body(
        "let arguments = (ins Variadic<F32>:$a, Optional<F32>:$b);",
        "a.td:8:5: error: 'd.x' has several variadic or optional operands and needs 'AttrSizedOperandSegments'",
    );
    refuses_body(
        "let results = (outs Variadic<F32>:$a, Optional<F32>:$b);",
        "a.td:8:5: error: 'd.x' can have one variadic or optional result only",
    );
    let many = |what: &str| (0..17).map(|n| format!("{what}:$a{n}")).collect::<Vec<_>>().join(", ");
    refuses_body(
        &format!("let arguments = (ins {});", many("F32")),
        "a.td:8:5: error: 'd.x' has more than 16 groups of operands",
    );
    refuses_body(
        &format!("let results = (outs {});", many("F32")),
        "a.td:8:5: error: 'd.x' has more than 16 groups of results",
    );
    refuses_body(
        &format!("let arguments = (ins {});", many("StrAttr")),
        "a.td:8:5: error: 'd.x' has more than 16 attributes",
    );
}

#[test]
fn fields_without_effect_are_refused() {
    for (field, value) in [("hasFolder", "1"), ("hasCanonicalizer", "1"), ("extraClassDeclaration", "[{int x;}]")] {
        refuses_body(&format!("let {field} = {value};"), &format!("a.td:8:5: error: '{field}' is not supported"));
    }
    refuses_body("let successors = (successor F32:$a);", "a.td:8:5: error: 'successors' is not supported");
    refuses_body("let hasVerifer = 1;", "a.td:8:5: error: unknown field 'hasVerifer' in 'D_XOp'");
    refuses_body("let hasVerifier = 2;", "a.td:8:19: error: field 'hasVerifier' takes 'bit', found an integer");
}

#[test]
fn traits_are_known_and_consistent() {
    refuses_traits("Pure, Elementwise", "a.td:8:8: error: unknown name 'Elementwise' where 'Trait' is expected");
    refuses_traits("Pure, F32", "a.td:8:8: error: an element of this list takes 'Trait', found 'F32', which is none");
    refuses_traits("HasParent<\"x\">", "a.td:8:2: error: unknown class 'HasParent'");
    refuses_traits(
        "MemoryEffects<[MemCopy]>",
        "a.td:8:17: error: unknown name 'MemCopy' where 'MemoryEffect' is expected",
    );
    let refuses_traits = |traits: &str, expected: &str| refuses_traits(traits, &format!("a.td:7:5: error: {expected}"));
    refuses_traits("SymbolUserOpInterface", "the trait 'SymbolUserOpInterface' of 'd.x' is not supported");
    let declared = "DeclareOpInterfaceMethods<Symbol>";
    refuses_traits(declared, "the trait 'DeclareOpInterfaceMethods' of 'd.x' is not supported");
    refuses_traits("Symbol", "'d.x' is a symbol and needs 'SymbolNameAttr:$sym_name'");
    refuses_traits("Pure, MemoryEffects<[MemRead]>", "'d.x' cannot be pure and have effects");
    let unknown = "AllTypesMatch<[\"a\", \"b\"]>";
    refuses_traits(unknown, "'d.x' has no operand, result or attribute 'b' to match types with");
    refuses(
        "def Mine : Trait;\ndef D_XOp : D_Op<\"x\"> { let traits = [Mine]; }",
        "a.td:8:29: error: the trait 'Mine' of 'd.x' is not supported",
    );
}

#[test]
fn every_error_is_reported() {
    refuses(
        "def D_XOp : D_Op<\"x\"> { let hasFolder = 1; }\ndef D_YOp : D_Op<\"y\"> { let assemblyFormat = \"$a\"; }",
        "a.td:7:29: error: 'hasFolder' is not supported\n\
         a.td:8:47: error: 'd.y' has no operand, attribute or region 'a'",
    );
}
