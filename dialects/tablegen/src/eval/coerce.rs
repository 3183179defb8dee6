//! Fits values to declared types.

use super::draft::Draft;
use super::{Evaluator, Scope};
use crate::error::{Error, Location};
use crate::record::Value;
use crate::syntax::{Expr, Type};
use std::rc::Rc;

impl<'t> Evaluator<'t> {
    /// Evaluates an expression for a place of a type; `what` names the place.
    pub(super) fn typed(
        &mut self,
        expr: &'t Expr,
        ty: &Type,
        what: &str,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        let value = self.eval(expr, Some(ty), scope, draft)?;
        self.coerce(value, ty, what, &expr.location)
    }

    /// The value as one of type `ty`. An unset value fits every type.
    pub(super) fn coerce(&self, value: Value, ty: &Type, what: &str, location: &Location) -> Result<Value, Error> {
        match (ty, value) {
            (_, Value::Unset) => Ok(Value::Unset),
            (Type::Bit, value @ Value::Int(0 | 1)) => Ok(value),
            (Type::Bit, Value::Bits(bits)) if bits.len() == 1 => Ok(Value::Int(i64::from(bits[0]))),
            (Type::Bits(width), Value::Int(number)) if number >= 0 && (*width == 64 || number >> width == 0) => {
                Ok(Value::Bits((0..*width).map(|bit| number >> bit.min(63) & 1 == 1).collect()))
            }
            (Type::Bits(width), Value::Bits(bits)) if bits.len() == *width => Ok(Value::Bits(bits)),
            (Type::Int, value @ Value::Int(_)) => Ok(value),
            (Type::Int, Value::Bits(bits)) if bits.len() <= 64 => {
                Ok(Value::Int(bits.iter().rev().fold(0, |number, bit| number << 1 | i64::from(*bit))))
            }
            (Type::String, value @ Value::String(_)) => Ok(value),
            (Type::Dag, value @ Value::Dag(_)) => Ok(value),
            (Type::List(element), Value::List(values)) => {
                let fit = |value| self.coerce(value, element, what, location);
                Ok(Value::List(values.into_iter().map(fit).collect::<Result<_, _>>()?))
            }
            (Type::Class(class), Value::Record(id)) => {
                let record = self.records.get(id);
                if record.is_a(class) {
                    return Ok(Value::Record(id));
                }
                let found = if record.anonymous { record.classes.last() } else { Some(&record.name) };
                let found = found.map_or("a record", String::as_str);
                Err(Error::new(location, format!("{what} takes '{ty}', found '{found}', which is none")))
            }
            (_, value) => Err(Error::new(location, format!("{what} takes '{ty}', found {}", value.kind()))),
        }
    }

    /// The value as it appears in a pasted string.
    pub(super) fn display(&self, value: &Value, location: &Location) -> Result<String, Error> {
        match value {
            Value::String(text) => Ok(text.as_str().to_string()),
            Value::Int(number) => Ok(number.to_string()),
            Value::Record(id) => Ok(self.records.get(*id).name.clone()),
            other => Err(Error::new(location, format!("expected a string, found {}", other.kind()))),
        }
    }
}
