//! Tables that contradict themselves are refused when their dialect is registered, with what is wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cke_mlir::{
    Registry,
    def::{
        AttrDef, AttrKind, Cardinality, DialectDef, Effect, Element, Element::*, OpDef, Scalar, Traits, TypeConstraint,
        ValueDef,
    },
};

const ANY: TypeConstraint = TypeConstraint::Any;

const fn op(format: &'static [Element]) -> OpDef {
    OpDef {
        name: "bad.op",
        traits: Traits::NONE,
        effects: &[],
        operands: &[
            ValueDef { name: "x", cardinality: Cardinality::One, constraint: ANY },
            ValueDef { name: "i", cardinality: Cardinality::One, constraint: TypeConstraint::Scalar(Scalar::Index) },
            ValueDef { name: "xs", cardinality: Cardinality::Variadic, constraint: ANY },
        ],
        results: &[],
        attrs: &[
            AttrDef { name: "a", kind: AttrKind::Str, optional: true },
            AttrDef { name: "u", kind: AttrKind::Unit, optional: true },
        ],
        regions: &[],
        same_types: &[],
        sized_operands: false,
        format: Some(format),
        summary: "",
        verify: None,
        verify_symbols: None,
    }
}

/// A format with what all formats of these operations need at the end.
macro_rules! format {
    ($($element:expr),*) => {
        &[$($element,)* AttrDict, FunctionalType("operands", "results")]
    };
}

/// `(then)?` with its anchor.
macro_rules! group {
    ([$($then:expr),*], $anchor:literal) => {
        Optional { then: &[$($then),*], anchor: $anchor, otherwise: &[] }
    };
}

/// What registering says.
#[track_caller]
fn refused(op: OpDef) -> String {
    let ops: &'static [OpDef] = vec![op].leak();
    let dialect: &'static DialectDef = Box::leak(Box::new(DialectDef { name: "bad", ops, verify_attr: None }));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        Registry::upstream().register(dialect);
    }));
    *outcome.expect_err("a refusal").downcast::<String>().expect("a text")
}

#[track_caller]
fn check(op: OpDef, expected: &str) {
    assert_eq!(refused(op), std::format!("table of 'bad.op': {expected}"));
}

#[test]
fn formats() {
    let base = op(&[]);
    let region = OpDef { regions: &["r", "s"], ..op(format!(Variable("s"), Variable("r"))) };
    check(region, "region 's' is out of order in the format");
    check(OpDef { regions: &["r"], ..op(format!()) }, "the format leaves out region 'r'");
    check(op(&[FunctionalType("operands", "results")]), "the format needs one 'attr-dict'");
    check(op(format!(AttrDict)), "the format needs one 'attr-dict'");
    check(op(&[AttrDict]), "the format leaves out the type of 'x'");
    check(op(format!(Variable("y"))), "no operand, result or attribute is named 'y'");
    check(op(format!(Literal("&&"))), "'&&' is neither a keyword nor punctuation");
    check(op(format!(Type("a"))), "attribute 'a' has no type to write");
    check(op(format!(Results)), "'results' stands only in 'type(results)' and 'functional-type'");
    check(
        OpDef { format: Some(&[Operands, AttrDict, Type("x"), Type("xs")]), ..base },
        "'operands' goes with the types of all operands, and with operands that are not sized",
    );
}

#[test]
fn optional_groups() {
    check(op(format!(group!([Variable("u")], "u"))), "an optional group needs something before its unit attribute");
    check(op(format!(group!([Variable("u"), Variable("a")], "a"))), "a unit attribute stands after a literal");
    check(op(format!(group!([], "a"))), "an optional group needs something before its unit attribute");
    check(op(format!(group!([Literal("a")], "b"))), "no operand, result or attribute is named 'b'");
    check(
        op(format!(group!([group!([Literal("a")], "a")], "a"))),
        "an optional group starts with a literal, a variable or 'type'",
    );
    let other = Optional { then: &[Literal("a")], anchor: "a", otherwise: &[Variable("r")] };
    let format: &'static [Element] = vec![other, AttrDict, FunctionalType("operands", "results")].leak();
    check(OpDef { regions: &["r"], ..op(format) }, "the other side of an optional group has a region");
}

#[test]
fn structure() {
    const TWO: &[ValueDef] = &[
        ValueDef { name: "a", cardinality: Cardinality::Variadic, constraint: ANY },
        ValueDef { name: "b", cardinality: Cardinality::Optional, constraint: ANY },
    ];
    let plain = || OpDef { format: None, ..op(&[]) };
    check(
        OpDef { operands: TWO, ..plain() },
        "several groups of operands vary in number, but the operands are not sized",
    );
    check(OpDef { results: TWO, ..plain() }, "several groups of results vary in number");
    check(OpDef { traits: Traits::PURE, effects: &[Effect::Read], ..plain() }, "a pure operation has effects");
    check(OpDef { traits: Traits::SYMBOL, ..plain() }, "a symbol has no attribute 'sym_name'");
    check(OpDef { same_types: &[&["x", "q"]], ..plain() }, "no operand, result or attribute is named 'q'");
    let many: Vec<AttrDef> = (0..17).map(|_| AttrDef { name: "a", kind: AttrKind::Any, optional: true }).collect();
    check(OpDef { attrs: many.leak(), ..plain() }, "more than 16 attributes");
    assert_eq!(refused(OpDef { name: "good.op", ..plain() }), "'good.op' is not in the dialect 'bad'");
}

#[test]
fn results_need_a_count() {
    const RESULTS: &[ValueDef] = &[ValueDef { name: "ys", cardinality: Cardinality::Variadic, constraint: ANY }];
    check(
        OpDef { results: RESULTS, operands: &[], ..op(&[AttrDict]) },
        "only the types of 'ys' can say how many results there are",
    );
}
