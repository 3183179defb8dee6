//! Attributes to JSON and back, one to one, so that a definition has one digest in both forms.
//!
//! Strings, booleans, signless 64-bit integers, doubles, arrays and dictionaries correspond to their JSON kinds; `unit`,
//! which says that a field is there and holds nothing, is `null`. Everything else, symbols and numbers of other types
//! among them, has no JSON form.

use cke_mlir::ir::{Attr, ContextRef, Kind};
use serde_json::{Map, Number, Value};

/// The JSON form of an attribute; `Err` names the first part that has none.
pub fn to_json(attr: Attr<'_>) -> Result<Value, String> {
    if let Some(text) = attr.as_str() {
        return Ok(Value::String(text.to_owned()));
    }
    if let Some(flag) = attr.as_bool() {
        return Ok(Value::Bool(flag));
    }
    if let Some(integer) = attr.as_i64().filter(|_| of_width(attr, 64)) {
        return Ok(Value::from(integer));
    }
    if let Some(float) = attr.as_f64().filter(|_| of_width(attr, 64)) {
        return Number::from_f64(float).map(Value::Number).ok_or_else(|| format!("{attr} has no JSON form"));
    }
    if let Some(items) = attr.as_array() {
        return items.into_iter().map(to_json).collect::<Result<_, _>>().map(Value::Array);
    }
    if let Some(entries) = attr.as_dict() {
        let fields = entries.into_iter().map(|(name, value)| Ok((name.to_owned(), to_json(value)?)));
        return fields.collect::<Result<Map<_, _>, String>>().map(Value::Object);
    }
    if attr.kind() == Kind::Unit {
        return Ok(Value::Null);
    }
    Err(format!("{attr} has no JSON form"))
}

fn of_width(attr: Attr<'_>, width: u32) -> bool {
    attr.value_type().is_some_and(|ty| ty.width() == Some(width) && (ty.is_float() || ty.is_signless(width)))
}

/// The attribute form of a JSON value; `None` for numbers that fit neither 64-bit integers nor doubles.
pub fn from_json<'c>(context: ContextRef<'c>, value: &Value) -> Option<Attr<'c>> {
    Some(match value {
        Value::Null => Attr::unit(context),
        Value::Bool(flag) => Attr::bool(context, *flag),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Attr::i64(context, integer),
            None => Attr::f64(context, number.as_f64()?),
        },
        Value::String(text) => Attr::string(context, text),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(|item| from_json(context, item)).collect();
            Attr::array(context, &items?)
        }
        Value::Object(fields) => {
            let entries = fields.iter().map(|(name, item)| Some((name.as_str(), from_json(context, item)?)));
            Attr::dict(context, &entries.collect::<Option<Vec<_>>>()?)
        }
    })
}
