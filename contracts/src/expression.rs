//! Small arithmetic expressions of kernel maps and circuits: `heads * head_dim`, `1 / sqrt(head_dim)`.
//!
//! An expression is evaluated either over integers, where a division must be exact and nothing may overflow, or over
//! 64-bit floats, where every step is one IEEE operation and the result must be finite. Functions: `round_up(a, b)`,
//! `min(a, b)`, `max(a, b)` over integers; `min`, `max`, `sqrt(a)` over floats.

mod parse;

use std::collections::BTreeSet;
use std::fmt;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

/// Why an expression could not be read or has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The expression.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Integer(i64),
    Float(f64),
    Name(String),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    RoundUp,
    Min,
    Max,
    Sqrt,
}

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        match parse::parse(text) {
            Ok(root) => Ok(Self { text: text.to_owned(), root }),
            Err(reason) => Err(ExpressionError { text: text.to_owned(), reason }),
        }
    }

    /// The names it depends on.
    pub fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.root.names(&mut names);
        names
    }

    /// Its value over integers.
    pub fn integer(&self, value_of: impl Fn(&str) -> Option<i64>) -> Result<i64, ExpressionError> {
        self.root.integer(&value_of).map_err(|reason| ExpressionError { text: self.text.clone(), reason })
    }

    /// Its value over 64-bit floats.
    pub fn float(&self, value_of: impl Fn(&str) -> Option<f64>) -> Result<f64, ExpressionError> {
        let value = self.root.float(&value_of);
        let finite = value.and_then(|value| match value.is_finite() {
            true => Ok(value),
            false => Err("the result is not finite".to_owned()),
        });
        finite.map_err(|reason| ExpressionError { text: self.text.clone(), reason })
    }
}

impl Node {
    fn names<'a>(&'a self, names: &mut BTreeSet<&'a str>) {
        match self {
            Self::Integer(_) | Self::Float(_) => {}
            Self::Name(name) => {
                names.insert(name);
            }
            Self::Binary(_, left, right) => {
                left.names(names);
                right.names(names);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|argument| argument.names(names)),
        }
    }

    fn integer(&self, value_of: &impl Fn(&str) -> Option<i64>) -> Result<i64, String> {
        let value = match self {
            Self::Integer(value) => Some(*value),
            Self::Float(value) => return Err(format!("{value} is not an integer")),
            Self::Name(name) => return value_of(name).ok_or_else(|| format!("'{name}' has no integer value")),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.integer(value_of)?, right.integer(value_of)?);
                match operator {
                    Operator::Add => left.checked_add(right),
                    Operator::Subtract => left.checked_sub(right),
                    Operator::Multiply => left.checked_mul(right),
                    Operator::Divide if right == 0 || left.checked_rem(right) != Some(0) => {
                        return Err(format!("{left} / {right} is not exact"));
                    }
                    Operator::Divide => left.checked_div(right),
                }
            }
            Self::Call(function, arguments) => {
                let arguments = arguments.iter().map(|a| a.integer(value_of)).collect::<Result<Vec<_>, _>>()?;
                match (function, arguments.as_slice()) {
                    (Function::Min, [a, b]) => Some(*a.min(b)),
                    (Function::Max, [a, b]) => Some(*a.max(b)),
                    (Function::RoundUp, [a, b]) => round_up(*a, *b)?,
                    _ => return Err(format!("{} is not defined over integers", function.name())),
                }
            }
        };
        value.ok_or_else(|| "an intermediate result does not fit 64 bits".to_owned())
    }

    fn float(&self, value_of: &impl Fn(&str) -> Option<f64>) -> Result<f64, String> {
        match self {
            Self::Integer(value) => Ok(*value as f64),
            Self::Float(value) => Ok(*value),
            Self::Name(name) => value_of(name).ok_or_else(|| format!("'{name}' has no numeric value")),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.float(value_of)?, right.float(value_of)?);
                Ok(match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                })
            }
            Self::Call(function, arguments) => {
                let arguments = arguments.iter().map(|a| a.float(value_of)).collect::<Result<Vec<_>, _>>()?;
                match (function, arguments.as_slice()) {
                    (Function::Min, [a, b]) => Ok(a.min(*b)),
                    (Function::Max, [a, b]) => Ok(a.max(*b)),
                    (Function::Sqrt, [a]) => Ok(a.sqrt()),
                    _ => Err(format!("{} is not defined over floats", function.name())),
                }
            }
        }
    }
}

impl Function {
    const ALL: [Self; 4] = [Self::RoundUp, Self::Min, Self::Max, Self::Sqrt];

    fn name(self) -> &'static str {
        match self {
            Self::RoundUp => "round_up",
            Self::Min => "min",
            Self::Max => "max",
            Self::Sqrt => "sqrt",
        }
    }

    fn arity(self) -> usize {
        match self {
            Self::RoundUp | Self::Min | Self::Max => 2,
            Self::Sqrt => 1,
        }
    }
}

/// The least multiple of `step` that is at least `value`; `None` if it does not fit.
fn round_up(value: i64, step: i64) -> Result<Option<i64>, String> {
    if value < 0 || step <= 0 {
        return Err(format!("round_up({value}, {step}) needs a value >= 0 and a step > 0"));
    }
    Ok(match value % step {
        0 => Some(value),
        rest => value.checked_add(step - rest),
    })
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expression '{}': {}", self.text, self.reason)
    }
}

impl std::error::Error for ExpressionError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(text: &str) -> Result<i64, String> {
        let values = |name: &str| match name {
            "width" => Some(576),
            "heads" => Some(9),
            "capacity" => Some(2041),
            _ => None,
        };
        Expression::parse(text).and_then(|e| e.integer(values)).map_err(|e| e.reason)
    }

    fn float(text: &str) -> Result<f64, String> {
        Expression::parse(text).and_then(|e| e.float(|name| (name == "d").then_some(64.0))).map_err(|e| e.reason)
    }

    #[test]
    fn integers_are_exact() {
        assert_eq!(integer("width / heads"), Ok(64));
        assert_eq!(integer("2 + 3 * 4 - 6 / 2"), Ok(11));
        assert_eq!(integer("8 - 3 - 2"), Ok(3));
        assert_eq!(integer("2 * (3 + 4)"), Ok(14));
        assert_eq!(integer("2 * round_up(capacity, 16) * 4"), Ok(16384));
        assert_eq!(integer("max(1, min(heads, 4))"), Ok(4));
        assert_eq!(integer("width / 7"), Err("576 / 7 is not exact".to_owned()));
        assert_eq!(integer("width / 0"), Err("576 / 0 is not exact".to_owned()));
        assert_eq!(integer("depth"), Err("'depth' has no integer value".to_owned()));
        assert_eq!(integer("1.5"), Err("1.5 is not an integer".to_owned()));
        assert_eq!(integer("sqrt(4)"), Err("sqrt is not defined over integers".to_owned()));
        assert_eq!(integer("9223372036854775807 + 1"), Err("an intermediate result does not fit 64 bits".to_owned()));
        assert_eq!(integer("round_up(4, 0)"), Err("round_up(4, 0) needs a value >= 0 and a step > 0".to_owned()));
    }

    #[test]
    fn floats_are_ieee() {
        assert_eq!(float("1 / sqrt(d)"), Ok(0.125));
        assert_eq!(float("1.0e4"), Ok(10000.0));
        assert_eq!(float("1 / 0"), Err("the result is not finite".to_owned()));
        assert_eq!(float("round_up(1, 2)"), Err("round_up is not defined over floats".to_owned()));
        assert_eq!(float("e"), Err("'e' has no numeric value".to_owned()));
    }

    #[test]
    fn names_are_collected() {
        let expression = Expression::parse("a * (b_2 + min(a, 3)) / c").unwrap();
        assert_eq!(expression.names().into_iter().collect::<Vec<_>>(), ["a", "b_2", "c"]);
    }
}
