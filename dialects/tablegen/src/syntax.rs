//! The syntax tree of definition files: what was written, nothing resolved.

use crate::error::Location;
use crate::text::Text;

/// A statement. Includes are already replaced by the statements of the file.
#[derive(Debug)]
pub(crate) enum Statement {
    Class(Class),
    Def(Def),
    Multiclass(Multiclass),
    Defm(Defm),
    /// `let ... in { ... }`
    Scoped {
        lets: Vec<Assignment>,
        statements: Vec<Statement>,
    },
}

#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) bases: Vec<Base>,
    pub(crate) items: Vec<Item>,
}

/// A definition. Without a name the record is anonymous.
#[derive(Debug)]
pub(crate) struct Def {
    pub(crate) name: Option<Expr>,
    pub(crate) location: Location,
    pub(crate) bases: Vec<Base>,
    pub(crate) items: Vec<Item>,
}

#[derive(Debug)]
pub(crate) struct Multiclass {
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) statements: Vec<Statement>,
}

/// The definitions of multiclasses under one name.
#[derive(Debug)]
pub(crate) struct Defm {
    pub(crate) name: Expr,
    pub(crate) location: Location,
    pub(crate) bases: Vec<Base>,
}

/// A template parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) ty: Type,
    pub(crate) name: String,
    pub(crate) default: Option<Expr>,
    pub(crate) location: Location,
}

/// A class or multiclass with arguments.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) location: Location,
}

/// A template argument, by position or by name.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: Option<String>,
    pub(crate) value: Expr,
}

/// A line in the body of a record.
#[derive(Debug)]
pub(crate) enum Item {
    Field { ty: Type, name: String, value: Option<Expr>, location: Location },
    Let(Assignment),
}

#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Expr,
    pub(crate) location: Location,
}

/// The type of a field or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// 0 or 1.
    Bit,
    /// That many bits.
    Bits(usize),
    /// A 64-bit integer.
    Int,
    /// A string; `code` is the same type.
    String,
    /// An operator with arguments, each of which may have a name.
    Dag,
    /// A list of one type.
    List(Box<Type>),
    /// A record that derives from the class.
    Class(String),
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Bit => f.write_str("bit"),
            Type::Bits(width) => write!(f, "bits<{width}>"),
            Type::Int => f.write_str("int"),
            Type::String => f.write_str("string"),
            Type::Dag => f.write_str("dag"),
            Type::List(element) => write!(f, "list<{element}>"),
            Type::Class(name) => f.write_str(name),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) location: Location,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    /// `?`
    Unset,
    Int(i64),
    String(Text),
    /// `{1, 0}`, most significant bit first.
    Bits(Vec<Expr>),
    List(Vec<Expr>),
    Dag {
        operator: Box<Expr>,
        arguments: Vec<DagArgument>,
    },
    /// `!name(...)`
    Bang {
        name: String,
        operands: Vec<Expr>,
    },
    Name(String),
    /// `Class<...>`
    Instance {
        class: String,
        arguments: Vec<Argument>,
    },
    /// `value.field`
    Access {
        value: Box<Expr>,
        field: String,
    },
    /// `a # b # ...`
    Paste(Vec<Expr>),
}

#[derive(Debug)]
pub(crate) struct DagArgument {
    pub(crate) value: Option<Expr>,
    pub(crate) name: Option<(String, Location)>,
}
