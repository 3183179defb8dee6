//! Expressions.

use super::draft::Draft;
use super::{Evaluator, MAX_LENGTH, Scope};
use crate::error::{Error, Location};
use crate::record::{self, Dag, RecordId, Value};
use crate::syntax::*;
use crate::text::Text;
use std::rc::Rc;

impl<'t> Evaluator<'t> {
    /// Evaluates an expression. `expected` is the type of its place if that is known; it sharpens errors.
    pub(super) fn eval(
        &mut self,
        expr: &'t Expr,
        expected: Option<&Type>,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        self.deeper(&expr.location, |evaluator| evaluator.eval_kind(expr, expected, scope, draft))
    }

    fn eval_kind(
        &mut self,
        expr: &'t Expr,
        expected: Option<&Type>,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        let location = &expr.location;
        match &expr.kind {
            ExprKind::Unset => Ok(Value::Unset),
            ExprKind::Int(number) => Ok(Value::Int(*number)),
            ExprKind::String(text) => Ok(Value::String(text.clone())),
            ExprKind::Bits(bits) => {
                let bit = |bit| match self.typed(bit, &Type::Bit, "a bit", scope, draft)? {
                    Value::Int(number) => Ok(number == 1),
                    _ => Err(Error::new(&bit.location, "expected 0 or 1")),
                };
                Ok(Value::Bits(bits.iter().rev().map(bit).collect::<Result<_, _>>()?))
            }
            ExprKind::List(elements) => self.list(elements, expected, scope, draft),
            ExprKind::Dag { operator, arguments } => self.dag(operator, arguments, scope, draft),
            ExprKind::Bang { name, operands } => self.bang(name, operands, location, expected, scope, draft),
            ExprKind::Name(name) => self.name(name, location, expected, scope, draft),
            ExprKind::Instance { class, arguments } => {
                let known = self.known_class(class, location)?.class;
                let values = self.bind(class, &known.parameters, arguments, location, scope, draft)?;
                self.instance(class, location, values).map(Value::Record)
            }
            ExprKind::Access { value, field } => match self.eval(value, None, scope, draft)? {
                Value::Record(id) => {
                    let record = self.records.get(id);
                    let field = record
                        .fields
                        .get(field)
                        .ok_or_else(|| Error::new(location, format!("'{}' has no field '{field}'", record.name)))?;
                    Ok(field.value.clone())
                }
                other => Err(Error::new(location, format!("expected a record before '.', found {}", other.kind()))),
            },
            ExprKind::Paste(parts) => {
                let values = parts.iter().map(|part| self.eval(part, expected, scope, draft));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                let places = parts.iter().map(|part| &part.location);
                match values.first() {
                    Some(Value::List(_)) => self.concat_lists(values.iter().zip(places)),
                    _ => self.concat_strings(values.iter().zip(places)),
                }
            }
        }
    }

    fn list(
        &mut self,
        elements: &'t [Expr],
        expected: Option<&Type>,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        let evaluate = |element| match expected {
            Some(Type::List(ty)) => self.typed(element, ty, "an element of this list", scope, draft),
            _ => self.eval(element, None, scope, draft),
        };
        Ok(Value::List(elements.iter().map(evaluate).collect::<Result<_, _>>()?))
    }

    fn dag(
        &mut self,
        operator: &'t Expr,
        arguments: &'t [DagArgument],
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        let Value::Record(id) = self.eval(operator, None, scope, draft)? else {
            return Err(Error::new(&operator.location, "expected a definition as the operator of a dag"));
        };
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = match &argument.value {
                Some(value) => self.eval(value, None, scope, draft)?,
                None => Value::Unset,
            };
            let name = argument.name.as_ref();
            let location = name.map(|(_, location)| location).or(argument.value.as_ref().map(|value| &value.location));
            values.push(record::DagArgument {
                value,
                name: name.map(|(name, _)| name.clone()),
                location: location.unwrap_or(&operator.location).clone(),
            });
        }
        Ok(Value::Dag(Dag { operator: id, arguments: values }))
    }

    /// What a name stands for: a variable of an operator, a field, a template parameter or a definition, in this order.
    fn name(
        &mut self,
        name: &'t str,
        location: &Location,
        expected: Option<&Type>,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Value, Error> {
        if let Some(value) = scope.find(name, true) {
            return Ok(value.clone());
        }
        if draft.has(name) {
            return self.field(name, location, draft);
        }
        if let Some(value) = scope.find(name, false) {
            return Ok(value.clone());
        }
        if let Some(id) = self.names.get(name) {
            return Ok(Value::Record(*id));
        }
        let expected = expected.map(|ty| format!(" where '{ty}' is expected")).unwrap_or_default();
        Err(Error::new(location, format!("unknown name '{name}'{expected}")))
    }

    /// The record of a class with these arguments.
    fn instance(
        &mut self,
        class: &'t str,
        location: &Location,
        arguments: Vec<(String, Value)>,
    ) -> Result<RecordId, Error> {
        let values: Vec<Value> = arguments.iter().map(|(_, value)| value.clone()).collect();
        if let Some((.., id)) = self.instances.iter().find(|(name, known, _)| *name == class && *known == values) {
            return Ok(*id);
        }
        let mut draft = Draft::new(class, location);
        self.inherit(class, location, arguments, &mut draft)?;
        let id = self.keep(draft, None)?;
        self.instances.push((class, values, id));
        Ok(id)
    }

    /// One string of strings, integers and names of records.
    pub(super) fn concat_strings<'v>(
        &self,
        values: impl Iterator<Item = (&'v Value, &'v Location)>,
    ) -> Result<Value, Error> {
        let mut result: Option<Text> = None;
        for (value, location) in values {
            let text = match value {
                Value::String(text) => text.clone(),
                other => Text::new(self.display(other, location)?, location),
            };
            let result = match &mut result {
                None => result.insert(text),
                Some(result) => {
                    result.push(&text);
                    result
                }
            };
            if result.as_str().len() > MAX_LENGTH {
                return Err(Error::new(location, format!("this string is longer than {MAX_LENGTH} bytes")));
            }
        }
        Ok(result.map_or(Value::Unset, Value::String))
    }

    /// One list of lists.
    pub(super) fn concat_lists<'v>(
        &self,
        values: impl Iterator<Item = (&'v Value, &'v Location)>,
    ) -> Result<Value, Error> {
        let mut result = Vec::new();
        for (value, location) in values {
            let Value::List(elements) = value else {
                return Err(Error::new(location, format!("expected a list, found {}", value.kind())));
            };
            result.extend(elements.iter().cloned());
            if result.len() > MAX_LENGTH {
                return Err(Error::new(location, format!("this list is longer than {MAX_LENGTH} elements")));
            }
        }
        Ok(Value::List(result))
    }
}
