//! The tables a dialect consists of.
//!
//! Everything here is `'static` and can be built in a `static`: the tables are generated from the `.td` files, which are
//! the only source. This module only describes; `dialect` gives the tables to MLIR and derives verifiers from
//! them, `assembly` derives parsers and printers.

use crate::ir::{Attr, Op, SymbolTables};

/// Checks an operation beyond what its table says.
///
/// The text of an error is completed to `'dialect.name' op <text>` and reported at the operation. An empty text means
/// that the verifier has reported the error itself, for instance to add notes.
pub type Verify = for<'a> fn(Op<'a>) -> Result<(), String>;

/// Checks the symbols an operation refers to; errors as in [`Verify`].
pub type VerifySymbols = for<'a> fn(Op<'a>, &SymbolTables<'a>) -> Result<(), String>;

/// Checks a discardable attribute `dialect.name` of any operation; the `&str` is the whole name.
///
/// The text of an error is reported at the operation as it is; empty as in [`Verify`].
pub type VerifyAttr = for<'a> fn(Op<'a>, &str, Attr<'a>) -> Result<(), String>;

/// A dialect.
#[derive(Debug)]
pub struct DialectDef {
    /// The namespace: `graph`.
    pub name: &'static str,
    /// The operations.
    pub ops: &'static [OpDef],
    /// Checks the discardable attributes of this dialect. Without it they are all accepted.
    pub verify_attr: Option<VerifyAttr>,
}

/// An operation.
#[derive(Debug)]
pub struct OpDef {
    /// The whole name: `graph.linear`.
    pub name: &'static str,
    /// What upstream passes may assume.
    pub traits: Traits,
    /// The effects on memory as a whole; empty together with [`Traits::PURE`], unknown effects without it.
    pub effects: &'static [Effect],
    /// The operand groups in order.
    pub operands: &'static [ValueDef],
    /// The result groups in order. At most one of them is not [`Cardinality::One`].
    pub results: &'static [ValueDef],
    /// The inherent attributes.
    pub attrs: &'static [AttrDef],
    /// The names of the regions.
    pub regions: &'static [&'static str],
    /// Sets of operand, result and attribute names whose types are equal.
    pub same_types: &'static [&'static [&'static str]],
    /// Whether the property `operandSegmentSizes` says how the operands are grouped. Without it at most one group is
    /// not [`Cardinality::One`].
    pub sized_operands: bool,
    /// The custom assembly after the name. Without it the operation has only the generic form.
    pub format: Option<&'static [Element]>,
    /// One line.
    pub summary: &'static str,
    /// Runs after everything which the table implies has been checked.
    pub verify: Option<Verify>,
    /// Runs when the operation around it that is a symbol table is verified.
    pub verify_symbols: Option<VerifySymbols>,
}

/// A set of traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits(u32);

impl Traits {
    /// The empty set.
    pub const NONE: Traits = Traits(0);
    /// Ends its block.
    pub const TERMINATOR: Traits = Traits(1);
    /// Its blocks need no terminator.
    pub const NO_TERMINATOR: Traits = Traits(1 << 1);
    /// Its regions use no value defined outside of them.
    pub const ISOLATED_FROM_ABOVE: Traits = Traits(1 << 2);
    /// Holds symbols with distinct names.
    pub const SYMBOL_TABLE: Traits = Traits(1 << 3);
    /// Has no effect and no undefined behaviour: may be moved, merged and removed.
    pub const PURE: Traits = Traits(1 << 4);
    /// Each region has at most one block.
    pub const SINGLE_BLOCK: Traits = Traits(1 << 5);
    /// Is a symbol: has `sym_name` and perhaps `sym_visibility`.
    pub const SYMBOL: Traits = Traits(1 << 6);
    /// The order of its operands has no meaning.
    pub const COMMUTATIVE: Traits = Traits(1 << 7);
    /// Its effects are those of the operations in its regions.
    pub const RECURSIVE_MEMORY_EFFECTS: Traits = Traits(1 << 8);
    /// Gives its operands to the operation around it.
    pub const RETURN_LIKE: Traits = Traits(1 << 9);

    /// The union.
    pub const fn of(traits: &[Traits]) -> Traits {
        let mut bits = 0;
        let mut i = 0;
        while i < traits.len() {
            bits |= traits[i].0;
            i += 1;
        }
        Traits(bits)
    }

    /// Whether all of `traits` are in the set.
    pub const fn contains(self, traits: Traits) -> bool {
        self.0 & traits.0 == traits.0
    }

    /// The bits as `cpp/shim.cpp` knows them.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }
}

/// An effect of an operation on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Effect {
    /// Reads.
    Read = 0,
    /// Writes.
    Write = 1,
    /// Allocates.
    Allocate = 2,
    /// Frees.
    Free = 3,
}

/// A group of operands or results.
#[derive(Debug)]
pub struct ValueDef {
    /// Its name, for messages and in the format.
    pub name: &'static str,
    /// How many values.
    pub cardinality: Cardinality,
    /// What each of their types must satisfy.
    pub constraint: TypeConstraint,
}

/// How many values a group has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// One.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Variadic,
}

/// What a type must satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeConstraint {
    /// Nothing.
    Any,
    /// A tensor of one of these element types and, if given, this rank.
    Tensor(&'static [Scalar], Option<u32>),
    /// A memref of one of these element types.
    MemRef(&'static [Scalar]),
    /// A scalar.
    Scalar(Scalar),
    /// Any floating-point type.
    AnyFloat,
    /// Any integer type, not `index`.
    AnyInteger,
}

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `f16`
    F16,
    /// `bf16`
    BF16,
    /// `i1`
    I1,
    /// `i8`
    I8,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `index`
    Index,
    /// Any type.
    Any,
}

/// An inherent attribute.
#[derive(Debug)]
pub struct AttrDef {
    /// Its name.
    pub name: &'static str,
    /// What it must be.
    pub kind: AttrKind,
    /// Whether it may be absent. A [`AttrKind::Unit`] always may.
    pub optional: bool,
}

/// What an attribute must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttrKind {
    /// A string, written `@name`: the name of this operation as a symbol.
    SymbolName,
    /// `@name`
    FlatSymbolRef,
    /// `@outer::@inner`
    SymbolRef,
    /// `"text"`
    Str,
    /// A signless 64-bit integer, written without its type.
    I64,
    /// A 32-bit float, written without its type.
    F32,
    /// A 64-bit float, written without its type.
    F64,
    /// `true` or `false`
    Bool,
    /// Means something by being there.
    Unit,
    /// `{key = value}`
    Dictionary,
    /// `[a, b]`
    Array,
    /// A type.
    Type,
    /// Any attribute.
    Any,
}

/// An element of a custom assembly, as in ODS's `assemblyFormat`.
#[derive(Debug)]
pub enum Element {
    /// A keyword or punctuation.
    Literal(&'static str),
    /// `$name`: an operand group, an attribute or a region.
    Variable(&'static str),
    /// `attr-dict`: the attributes the format doesn't name.
    AttrDict,
    /// `attr-dict-with-keyword`: the same after `attributes`.
    AttrDictWithKeyword,
    /// `type($name)`: the types of an operand or result group.
    Type(&'static str),
    /// `functional-type($ins, $outs)`; `operands` and `results` name all of them.
    FunctionalType(&'static str, &'static str),
    /// `operands`: all operands in one list.
    Operands,
    /// `results`, only in `type(results)`.
    Results,
    /// `(then)?` or `(then) : (otherwise)?`.
    Optional {
        /// Written if the anchor is present; its first element decides when parsing.
        then: &'static [Element],
        /// The variable marked `^`.
        anchor: &'static str,
        /// Written if the anchor is absent.
        otherwise: &'static [Element],
    },
}
