//! What an assembly format may not be, with the exact text.

use cke_tablegen::{Dialect, Error, Source};

const HEAD: &str = r#"include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
def D : Dialect { let name = "d"; }
class D_Op<list<Trait> traits, dag inputs, dag outputs, dag bodies, string format> : Op<D, "x", traits> {
  let arguments = inputs;
  let results = outputs;
  let regions = bodies;
  let assemblyFormat = format;
}
"#;

/// An operation with operands, attributes, results and regions; its format begins at 11:1.
struct Op<'a> {
    traits: &'a str,
    inputs: &'a str,
    outputs: &'a str,
    regions: &'a str,
}

const EMPTY: Op = Op { traits: "", inputs: "", outputs: "", regions: "" };

impl Op<'_> {
    #[track_caller]
    fn refuses(&self, format: &str, expected: &str) {
        let Op { traits, inputs, outputs, regions } = self;
        let text = format!(
            "{HEAD}def D_XOp : D_Op<[{traits}], (ins {inputs}), (outs {outputs}), (region {regions}),\n\"{format}\">;"
        );
        let dialect = Source::from_text("a.td", &text).map_err(|error| vec![error]);
        let found = match dialect.and_then(|source| Dialect::read(&source)) {
            Ok(_) => "no error".into(),
            Err(errors) => errors.iter().map(Error::to_string).collect::<Vec<_>>().join("\n"),
        };
        assert_eq!(found, expected.replace('@', "a.td:11:"), "{format}");
    }
}

#[test]
fn words_and_marks() {
    EMPTY.refuses("attr-dict `a", "@12: error: this literal has no closing '`'");
    EMPTY.refuses("attr-dict ``", "@12: error: expected a word, '->' or one of _:,=<>()[]{}?+* as a literal, found ''");
    EMPTY.refuses(
        "attr-dict `a b`",
        "@12: error: expected a word, '->' or one of _:,=<>()[]{}?+* as a literal, found 'a b'",
    );
    EMPTY.refuses(
        "attr-dict `;`",
        "@12: error: expected a word, '->' or one of _:,=<>()[]{}?+* as a literal, found ';'",
    );
    EMPTY.refuses("attr-dict $", "@12: error: expected a name after '$'");
    EMPTY.refuses("attr-dict = ", "@12: error: unexpected '=' in a format; literals need backticks");
    EMPTY.refuses("attr-dict )", "@12: error: unexpected ')' in a format");
    EMPTY.refuses("attr-dict custom<A>($a)", "@12: error: the directive 'custom' is not supported");
}

#[test]
fn directives() {
    EMPTY.refuses("attr-dict type", "@16: error: expected '(', found the end of the format");
    EMPTY.refuses("attr-dict type($a", "@19: error: expected ')', found the end of the format");
    EMPTY.refuses("attr-dict type(`a`)", "@17: error: expected a $name, 'operands' or 'results', found '`a`'");
    EMPTY.refuses("attr-dict functional-type(operands)", "@36: error: expected ',', found ')'");
    EMPTY.refuses("attr-dict results", "@12: error: 'results' can only be used in 'type'");
    EMPTY.refuses("attr-dict type($a)", "@12: error: 'd.x' has no operand or result 'a'");
    EMPTY.refuses("`a`", "@2: error: the format has no 'attr-dict'");
    EMPTY.refuses(
        "attr-dict attr-dict-with-keyword",
        "@12: error: the attribute dictionary is in the format twice\n@2: note: first here",
    );
}

#[test]
fn groups() {
    let op = Op { inputs: "I64Attr:$a, OptionalAttr<I64Attr>:$b, UnitAttr:$u, F32:$x, Optional<F32>:$y", ..EMPTY };
    op.refuses("() : (`a`)?", "@2: error: this group has no elements");
    op.refuses("(`a`)?", "@2: error: this group has no anchor ('^')");
    op.refuses("(`a` $b^", "@10: error: expected ')', found the end of the format");
    op.refuses("(`a` $b^)", "@11: error: expected '?', found the end of the format");
    op.refuses("(`a`^)?", "@3: error: only a variable or its type can be an anchor");
    op.refuses("($b^ $y^)?", "@7: error: this group already has an anchor");
    op.refuses("(`a`) : ($b^)?", "@11: error: the anchor belongs into the first part of the group");
    op.refuses("(`a` ($b^)?)?", "@7: error: optional groups cannot be nested");
    op.refuses("(`a` $a^)?", "@7: error: the attribute 'a' is required, but its group is optional");
    op.refuses("(`a` $x^)?", "@7: error: the operand 'x' is required, but its group is optional");
    op.refuses("(`a` type($x)^)?", "@2: error: the anchor 'x' of this group is always present");
    op.refuses("($u^)?", "@2: error: the unit attribute 'u' cannot begin a group: it needs a literal before it");
    op.refuses("$u", "@2: error: the unit attribute 'u' must be in an optional group");
    op.refuses("$b", "@2: error: the optional attribute 'b' must be in an optional group");
    op.refuses("(`a` $b^ attr-dict)?", "@11: error: the attribute dictionary cannot be in an optional group");
    op.refuses(
        "(`a` $b^ functional-type($x, $y))?",
        "@11: error: only literals, variables and types can be in an optional group",
    );
    op.refuses("$a (`u` $u^)? $x (`y` $y^)? attr-dict", "no error");
}

#[test]
fn variables() {
    let op = Op { inputs: "I64Attr:$a, AnyType:$x", outputs: "AnyType:$r", ..EMPTY };
    op.refuses("$z", "@2: error: 'd.x' has no operand, attribute or region 'z'");
    op.refuses("$r", "@2: error: the result 'r' can only be used in 'type'");
    op.refuses("$a $a", "@5: error: 'a' is in the format twice\n@2: note: first here");
    op.refuses("attr-dict type($r)", "@2: error: the format lacks the operand 'x'");
    op.refuses("$x operands attr-dict type(operands)", "@2: error: 'x' is in the format twice\n@5: note: first here");
    op.refuses("$x attr-dict type($r)", "@2: error: the type of the operand 'x' does not follow from the format");
    op.refuses("$x attr-dict type($x)", "@2: error: the type of the result 'r' does not follow from the format");
    op.refuses(
        "$x attr-dict type($x) type($x)",
        "@24: error: the type of 'x' is in the format twice\n@15: note: first here",
    );
    op.refuses(
        "$x attr-dict type($x) functional-type(operands, results)",
        "@15: error: the type of 'x' is in the format twice\n@24: note: first here",
    );
    op.refuses(
        "operands attr-dict type($x) type($r)",
        "@2: error: 'operands' needs the types of 'operands', and operands without 'AttrSizedOperandSegments'",
    );
    op.refuses("$x attr-dict functional-type($x, $r)", "no error");
    Op { traits: "SameOperandsAndResultType", ..op }.refuses("$x attr-dict type($r)", "no error");
}

#[test]
fn regions() {
    let op = Op { regions: "AnyRegion:$a, AnyRegion:$b", ..EMPTY };
    op.refuses("attr-dict $a", "@2: error: the format lacks the region 'b'");
    op.refuses("attr-dict $b $a", "@12: error: the region 'a' must come before 'b', as it is defined");
    op.refuses("attr-dict ($a^) : ($b)?", "@21: error: a region cannot be in the second part of a group");
    op.refuses("attr-dict $a (`b` $b^)?", "no error");
}

#[test]
fn what_would_be_read_on_through() {
    let op = Op { inputs: "AnyAttr:$a, Variadic<F32>:$x", ..EMPTY };
    op.refuses("$a `:` $x attr-dict", "@5: error: ':' after the attribute 'a' would be taken for the attribute's type");
    op.refuses("$x `,` $a attr-dict", "@5: error: ',' after a list would be taken for a part of it");
    op.refuses("$a (`(` $x^ `,` `)`)? attr-dict", "@14: error: ',' after a list would be taken for a part of it");
    op.refuses("$a $x attr-dict", "no error");
}

#[test]
fn errors_point_into_pasted_formats() {
    let text = HEAD.to_string()
        + "class Pasted<string syntax> : D_Op<[], (ins), (outs), (region), syntax # [{\n    attr-dict $missing\n}]>;\n"
        + "def D_XOp : Pasted<\"`word`\">;\ndef D_YOp : Pasted<\"$early\">;";
    let source = Source::from_text("a.td", &text).expect("the file is sound");
    let errors =
        Dialect::read(&source).expect_err("the formats are not").iter().map(Error::to_string).collect::<Vec<_>>();
    assert_eq!(
        errors[..2],
        [
            "a.td:11:15: error: 'd.x' has no operand, attribute or region 'missing'",
            "a.td:14:21: error: 'd.x' has no operand, attribute or region 'early'",
        ]
    );
}
