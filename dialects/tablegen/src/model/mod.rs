//! The typed model of a dialect: what the records of a definition file mean.
//!
//! * this module: what a dialect and its operations consist of;
//! * `read` makes it from records and reports everything the records ask for that cannot be had;
//! * `constraint` and `traits` know the definitions of the prelude by name.
//!
//! The types mirror the static tables of `cke_mlir::def`, plus what only documentation and accessors need.

mod constraint;
mod read;
mod traits;

use crate::error::Location;
use crate::format::Element;

/// A dialect.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The namespace of its operations: `graph`.
    pub name: String,
    /// One line.
    pub summary: String,
    /// Markdown, with the indentation of the definition file.
    pub description: String,
    /// `hasOperationAttrVerify`: the dialect checks its discardable attributes.
    pub verifies_attributes: bool,
    /// The operations in the order of their definition.
    pub ops: Vec<Op>,
    /// Where it is defined.
    pub location: Location,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op {
    /// The whole name: `graph.linear`.
    pub name: String,
    /// The name within the dialect: `linear`.
    pub mnemonic: String,
    /// The name of its type in Rust: that of the definition without the prefix, `LinearOp`.
    pub type_name: String,
    /// One line.
    pub summary: String,
    /// Markdown, with the indentation of the definition file.
    pub description: String,
    /// The traits without parameters.
    pub traits: Vec<Trait>,
    /// `MemoryEffects<...>`.
    pub effects: Vec<Effect>,
    /// The operand groups in order.
    pub operands: Vec<Values>,
    /// The result groups in order; at most one of them has not exactly one value.
    pub results: Vec<Values>,
    /// The inherent attributes in order.
    pub attributes: Vec<Attribute>,
    /// The regions in order.
    pub regions: Vec<Region>,
    /// Sets of operands, results and attributes that have one type.
    pub same_types: Vec<Vec<String>>,
    /// `AttrSizedOperandSegments`: a property tells the sizes of the operand groups.
    pub sized_operands: bool,
    /// The assembly format, checked against the rest.
    pub format: Option<Vec<Element>>,
    /// `hasVerifier`: the dialect checks more than the table says.
    pub has_verifier: bool,
    /// `DeclareOpInterfaceMethods<SymbolUserOpInterface>`: the dialect checks the symbols it refers to.
    pub is_symbol_user: bool,
    /// Where it is defined.
    pub location: Location,
}

impl Op {
    /// Whether it has a trait.
    pub fn has(&self, which: Trait) -> bool {
        self.traits.contains(&which)
    }

    /// An operand group by name.
    pub fn operand(&self, name: &str) -> Option<&Values> {
        self.operands.iter().find(|group| group.name == name)
    }

    /// A result group by name.
    pub fn result(&self, name: &str) -> Option<&Values> {
        self.results.iter().find(|group| group.name == name)
    }

    /// An attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// A trait without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// The order of its operands has no meaning.
    Commutative,
    /// Its regions use no value defined outside of them.
    IsolatedFromAbove,
    /// Its blocks need no terminator.
    NoTerminator,
    /// Has no effect and no undefined behaviour.
    Pure,
    /// Its effects are those of the operations in its regions.
    RecursiveMemoryEffects,
    /// Gives its operands to the operation around it.
    ReturnLike,
    /// Each region has at most one block.
    SingleBlock,
    /// Is a symbol.
    Symbol,
    /// Holds symbols.
    SymbolTable,
    /// Ends its block.
    Terminator,
}

/// An effect on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `MemRead`
    Read,
    /// `MemWrite`
    Write,
    /// `MemAlloc`
    Allocate,
    /// `MemFree`
    Free,
}

/// A group of operands or results.
#[derive(Clone, Debug)]
pub struct Values {
    /// Its name.
    pub name: String,
    /// How many values it has.
    pub cardinality: Cardinality,
    /// What the type of each must satisfy.
    pub constraint: Constraint,
    /// The constraint in words.
    pub summary: String,
    /// What the definition says about it; perhaps empty.
    pub description: String,
    /// Where its name stands.
    pub location: Location,
}

/// How many values a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Variadic,
}

/// What a type must satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Nothing.
    Any,
    /// A tensor of one of these element types and perhaps of this rank.
    Tensor(Vec<Scalar>, Option<u32>),
    /// A memref of one of these element types.
    MemRef(Vec<Scalar>),
    /// One scalar type.
    Scalar(Scalar),
    /// Any floating-point type.
    AnyFloat,
    /// Any integer type.
    AnyInteger,
}

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the type of its name")]
pub enum Scalar {
    F32,
    F64,
    F16,
    BF16,
    I1,
    I8,
    I32,
    I64,
    Index,
    /// As an element: any type.
    Any,
}

/// An inherent attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: AttributeKind,
    /// Whether it may be absent; a unit attribute always may.
    pub optional: bool,
    /// The constraint in words.
    pub summary: String,
    /// What the definition says about it; perhaps empty.
    pub description: String,
    /// Where its name stands.
    pub location: Location,
}

/// What an attribute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// The name of a symbol.
    SymbolName,
    /// `@name`
    FlatSymbolRef,
    /// `@outer::@inner`
    SymbolRef,
    /// A string.
    Str,
    /// A 64-bit integer.
    I64,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// True or false.
    Bool,
    /// Means something by being there.
    Unit,
    /// A dictionary.
    Dictionary,
    /// An array.
    Array,
    /// A type.
    Type,
    /// Anything.
    Any,
}

/// A region.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub location: Location,
}
