//! The operators: `!con`, `!foreach`, `!interleave`, `!listconcat` and `!strconcat`.

use super::draft::Draft;
use super::{Evaluator, MAX_LENGTH, Scope};
use crate::error::{Error, Location};
use crate::record::{Dag, Value};
use crate::syntax::{Expr, ExprKind, Type};
use crate::text::Text;
use std::rc::Rc;

impl<'t> Evaluator<'t> {
    pub(super) fn bang(
        &mut self,
        name: &str,
        operands: &'t [Expr],
        location: &Location,
        expected: Option<&Type>,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        if name == "foreach" {
            return self.foreach(operands, location, scope, draft);
        }
        let expected = if name == "listconcat" { expected } else { None };
        let values = operands.iter().map(|operand| self.eval(operand, expected, scope, draft));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let placed = values.iter().zip(operands.iter().map(|operand| &operand.location));
        match (name, values.as_slice()) {
            ("con", [Value::Dag(first), ..]) => con(first, placed),
            ("con", [other, ..]) => {
                Err(Error::new(&operands[0].location, format!("expected a dag, found {}", other.kind())))
            }
            ("listconcat", [_, ..]) => self.concat_lists(placed),
            ("strconcat", [_, ..]) => self.concat_strings(placed),
            ("interleave", [Value::List(elements), Value::String(separator)]) => {
                let parts = elements.iter().map(|element| match element {
                    Value::Record(_) => Err(Error::new(location, "'!interleave' takes strings or integers")),
                    element => self.display(element, location),
                });
                let joined = parts.collect::<Result<Vec<_>, _>>()?.join(separator.as_str());
                Ok(Value::String(Text::new(joined, location)))
            }
            ("interleave", _) => Err(Error::new(location, "'!interleave' takes a list and a string")),
            ("con" | "listconcat" | "strconcat", []) => {
                Err(Error::new(location, format!("'!{name}' takes at least one operand")))
            }
            _ => Err(Error::new(location, format!("the operator '!{name}' is not supported"))),
        }
    }

    /// `!foreach(name, list, value)`: the value for each element.
    fn foreach(
        &mut self,
        operands: &'t [Expr],
        location: &Location,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        let [Expr { kind: ExprKind::Name(variable), .. }, list, body] = operands else {
            return Err(Error::new(location, "'!foreach' takes a name, a list and a value"));
        };
        let Value::List(elements) = self.eval(list, None, scope, draft)? else {
            return Err(Error::new(&list.location, "expected a list"));
        };
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            let inner = Scope::variable(variable, element, scope);
            values.push(self.eval(body, None, &inner, draft)?);
        }
        Ok(Value::List(values))
    }
}

/// One dag with the arguments of all, which must have the same operator.
fn con<'v>(first: &Dag, values: impl Iterator<Item = (&'v Value, &'v Location)>) -> Result<Value, Error> {
    let mut result = Dag { operator: first.operator, arguments: Vec::new() };
    for (value, location) in values {
        match value {
            Value::Dag(dag) if dag.operator == result.operator => {
                result.arguments.extend(dag.arguments.iter().cloned())
            }
            Value::Dag(_) => return Err(Error::new(location, "'!con' takes dags of the same operator")),
            other => return Err(Error::new(location, format!("expected a dag, found {}", other.kind()))),
        }
        if result.arguments.len() > MAX_LENGTH {
            return Err(Error::new(location, format!("this dag has more than {MAX_LENGTH} arguments")));
        }
    }
    Ok(Value::Dag(result))
}
