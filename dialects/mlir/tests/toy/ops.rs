//! The tables of the toy's operations.

use cke_mlir::{
    Op,
    def::{
        AttrDef, AttrKind, Cardinality, Effect, Element, Element::*, OpDef, Scalar, Traits, TypeConstraint, ValueDef,
    },
    ir::SymbolTables,
};

const EMPTY: OpDef = OpDef {
    name: "",
    traits: Traits::NONE,
    effects: &[],
    operands: &[],
    results: &[],
    attrs: &[],
    regions: &[],
    same_types: &[],
    sized_operands: false,
    format: None,
    summary: "",
    verify: None,
    verify_symbols: None,
};

const fn one(name: &'static str, constraint: TypeConstraint) -> ValueDef {
    ValueDef { name, cardinality: Cardinality::One, constraint }
}

const fn optional(name: &'static str, constraint: TypeConstraint) -> ValueDef {
    ValueDef { name, cardinality: Cardinality::Optional, constraint }
}

const fn variadic(name: &'static str, constraint: TypeConstraint) -> ValueDef {
    ValueDef { name, cardinality: Cardinality::Variadic, constraint }
}

const fn attr(name: &'static str, kind: AttrKind) -> AttrDef {
    AttrDef { name, kind, optional: false }
}

const fn maybe(name: &'static str, kind: AttrKind) -> AttrDef {
    AttrDef { name, kind, optional: true }
}

/// `(keyword $name^)?`
const fn clause(then: &'static [Element; 2], anchor: &'static str) -> Element {
    Optional { then, anchor, otherwise: &[] }
}

const ANY: TypeConstraint = TypeConstraint::Any;
const FLOAT: TypeConstraint = TypeConstraint::AnyFloat;
const MATRIX: TypeConstraint = TypeConstraint::Tensor(&[Scalar::F32], Some(2));

/// All operations.
pub const OPS: &[OpDef] = &[
    OpDef {
        name: "toy.add",
        traits: Traits::of(&[Traits::PURE, Traits::COMMUTATIVE]),
        operands: &[one("lhs", FLOAT), one("rhs", FLOAT)],
        results: &[one("result", FLOAT)],
        attrs: &[maybe("mode", AttrKind::Str)],
        same_types: &[&["lhs", "rhs", "result"]],
        format: Some(&[
            Variable("lhs"),
            Literal(","),
            Variable("rhs"),
            clause(&[Literal("mode"), Variable("mode")], "mode"),
            AttrDict,
            Literal(":"),
            Type("result"),
        ]),
        verify: Some(verify_mode),
        ..EMPTY
    },
    OpDef {
        name: "toy.linear",
        traits: Traits::PURE,
        operands: &[one("x", MATRIX), optional("position", TypeConstraint::Scalar(Scalar::Index))],
        results: &[one("y", MATRIX)],
        attrs: &[
            attr("w", AttrKind::FlatSymbolRef),
            maybe("instance", AttrKind::Str),
            maybe("required_contract", AttrKind::Dictionary),
        ],
        format: Some(&[
            Variable("x"),
            clause(&[Literal("at"), Variable("position")], "position"),
            Literal(","),
            Variable("w"),
            clause(&[Literal("instance"), Variable("instance")], "instance"),
            clause(&[Literal("requires"), Variable("required_contract")], "required_contract"),
            AttrDict,
            Literal(":"),
            FunctionalType("operands", "results"),
        ]),
        verify_symbols: Some(verify_weight),
        ..EMPTY
    },
    OpDef {
        name: "toy.weight",
        traits: Traits::SYMBOL,
        attrs: &[
            attr("sym_name", AttrKind::SymbolName),
            maybe("sym_visibility", AttrKind::Str),
            attr("storage", AttrKind::Str),
            attr("type", AttrKind::Type),
        ],
        format: Some(&[
            Optional { then: &[Variable("sym_visibility")], anchor: "sym_visibility", otherwise: &[] },
            Variable("sym_name"),
            Literal("storage"),
            Variable("storage"),
            AttrDict,
            Literal(":"),
            Variable("type"),
        ]),
        ..EMPTY
    },
    OpDef {
        name: "toy.table",
        traits: Traits::of(&[
            Traits::SYMBOL,
            Traits::SYMBOL_TABLE,
            Traits::ISOLATED_FROM_ABOVE,
            Traits::NO_TERMINATOR,
            Traits::SINGLE_BLOCK,
        ]),
        attrs: &[attr("sym_name", AttrKind::SymbolName), maybe("sym_visibility", AttrKind::Str)],
        regions: &["body"],
        format: Some(&[Variable("sym_name"), AttrDictWithKeyword, Variable("body")]),
        ..EMPTY
    },
    OpDef {
        name: "toy.when",
        traits: Traits::of(&[Traits::NO_TERMINATOR, Traits::RECURSIVE_MEMORY_EFFECTS]),
        operands: &[one("cond", TypeConstraint::Scalar(Scalar::I1)), optional("init", ANY)],
        attrs: &[maybe("likely", AttrKind::Unit)],
        regions: &["body", "otherwise"],
        format: Some(&[
            clause(&[Literal("likely"), Variable("likely")], "likely"),
            Variable("cond"),
            Optional {
                then: &[Literal("init"), Literal("("), Variable("init"), Literal(":"), Type("init"), Literal(")")],
                anchor: "init",
                otherwise: &[],
            },
            AttrDictWithKeyword,
            Variable("body"),
            clause(&[Literal("else"), Variable("otherwise")], "otherwise"),
        ]),
        ..EMPTY
    },
    OpDef {
        name: "toy.mix",
        traits: Traits::PURE,
        operands: &[variadic("a", FLOAT), variadic("b", FLOAT)],
        results: &[one("result", FLOAT)],
        attrs: &[attr("axis", AttrKind::I64)],
        sized_operands: true,
        format: Some(&[
            Literal("["),
            Variable("a"),
            Literal("]"),
            Literal("with"),
            Literal("["),
            Variable("b"),
            Literal("]"),
            Literal("axis"),
            Literal("="),
            Variable("axis"),
            AttrDict,
            Literal(":"),
            Literal("<"),
            Type("a"),
            Literal(">"),
            Literal("<"),
            Type("b"),
            Literal(">"),
            Literal("->"),
            Type("result"),
        ]),
        ..EMPTY
    },
    OpDef {
        name: "toy.seq",
        operands: &[variadic("xs", ANY)],
        results: &[variadic("ys", ANY)],
        attrs: &[maybe("n", AttrKind::I64)],
        format: Some(&[
            Optional { then: &[Literal("n"), Literal("="), Variable("n")], anchor: "n", otherwise: &[Literal("auto")] },
            Operands,
            AttrDict,
            Literal(":"),
            FunctionalType("operands", "results"),
        ]),
        ..EMPTY
    },
    OpDef {
        name: "toy.kinds",
        attrs: &[
            attr("f", AttrKind::F32),
            attr("d", AttrKind::F64),
            attr("b", AttrKind::Bool),
            attr("list", AttrKind::Array),
            attr("symbol", AttrKind::SymbolRef),
            attr("any", AttrKind::Any),
            maybe("hidden", AttrKind::I64),
        ],
        format: Some(&[
            Variable("f"),
            Variable("d"),
            Variable("b"),
            Variable("list"),
            Variable("symbol"),
            Variable("any"),
            AttrDict,
        ]),
        ..EMPTY
    },
    OpDef {
        name: "toy.read",
        effects: &[Effect::Read],
        operands: &[one("src", TypeConstraint::MemRef(&[Scalar::F32, Scalar::F64]))],
        results: &[one("value", ANY)],
        format: Some(&[Variable("src"), AttrDict, Literal(":"), Type("src"), Literal("->"), Type("value")]),
        ..EMPTY
    },
    OpDef {
        name: "toy.write",
        effects: &[Effect::Write],
        operands: &[one("value", ANY), one("dst", TypeConstraint::MemRef(&[Scalar::Any]))],
        format: Some(&[
            Variable("value"),
            Literal(","),
            Variable("dst"),
            AttrDict,
            Literal(":"),
            Type("value"),
            Literal(","),
            Type("dst"),
        ]),
        ..EMPTY
    },
    OpDef {
        name: "toy.out",
        traits: Traits::of(&[Traits::TERMINATOR, Traits::RETURN_LIKE, Traits::PURE]),
        operands: &[variadic("args", ANY)],
        format: Some(&[
            AttrDict,
            Optional { then: &[Variable("args"), Literal(":"), Type("args")], anchor: "args", otherwise: &[] },
        ]),
        ..EMPTY
    },
    OpDef { name: "toy.plain", attrs: &[maybe("note", AttrKind::Str)], ..EMPTY },
    OpDef { name: "toy.panics", format: Some(&[AttrDict]), verify: Some(|_| panic!("oops")), ..EMPTY },
    OpDef { name: "toy.changes", format: Some(&[AttrDict]), verify: Some(verify_by_changing), ..EMPTY },
];

fn verify_mode(op: Op<'_>) -> Result<(), String> {
    match op.attr("mode").and_then(|mode| mode.as_str()) {
        None | Some("rne" | "rtz") => Ok(()),
        Some("shown") => Err(format!("is {op} with {}", op.result(0))),
        Some("noted") => {
            op.error("mode is noted").note(op.operand(0).ty_location(op), "by this operand").emit();
            Err(String::new())
        }
        Some(mode) => Err(format!("has the unknown mode '{mode}'")),
    }
}

fn verify_weight<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Result<(), String> {
    let name = op.attr("w").ok_or("has no weight")?;
    match tables.lookup(op, name) {
        None => Err(format!("refers to the unknown weight {name}")),
        Some(weight) if weight.name() != "toy.weight" => Err(format!("refers to {name}, a {}", weight.name())),
        Some(_) => Ok(()),
    }
}

fn verify_by_changing(op: Op<'_>) -> Result<(), String> {
    op.remove_attr("x");
    Ok(())
}

/// Where a value was made, for notes.
trait Place<'a> {
    fn ty_location(self, user: Op<'a>) -> cke_mlir::Location<'a>;
}

impl<'a> Place<'a> for cke_mlir::Value<'a> {
    fn ty_location(self, user: Op<'a>) -> cke_mlir::Location<'a> {
        self.defining_op().unwrap_or(user).location()
    }
}
