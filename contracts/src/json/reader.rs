//! A strict reader of JSON (RFC 8259) that refuses a key said twice and whatever is beyond a limit.
//!
//! It only finds the tokens; what a string or a number token means is left to `serde_json`.

use serde_json::{Map, Number, Value};

use super::locate::string_end;
use super::quoted;
use crate::fault::{Code, Fault, Location};

/// Bytes of the longest text that is read.
pub const MAX_BYTES: usize = 64 << 20;
/// Levels of the deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;
/// Values of a text, those inside others too. A value may take a hundred times the memory of its text.
pub const MAX_VALUES: usize = 1 << 20;
/// Bytes of the longest string as it is written. Messages repeat strings.
pub const MAX_STRING: usize = 1 << 16;
/// Characters of the longest number. No 64-bit float needs as many.
pub const MAX_NUMBER: usize = 400;
/// Integers beyond this are not exact in canonical JSON, whose numbers are 64-bit floats.
const MAX_INTEGER: u64 = 1 << 53;

/// Reads one value and nothing after it.
pub fn read(name: &str, text: &str) -> Result<Value, Fault> {
    if text.len() > MAX_BYTES {
        let message = format!("the text has {} bytes, more than {MAX_BYTES}", text.len());
        return Err(Fault::new(Code::BadJson, message).at(Location::start_of(name)));
    }
    let mut reader = Reader { name, text, at: 0, values: 0 };
    if text.starts_with('\u{feff}') {
        return Err(reader.error(0, "the text begins with a byte order mark"));
    }
    let read = reader.value(0)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.error(reader.at, "expected the end of the text"));
    }
    Ok(read)
}

struct Reader<'a> {
    name: &'a str,
    text: &'a str,
    at: usize,
    values: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        self.skip_space();
        let start = self.at;
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.error(start, format!("the text has more than {MAX_VALUES} values")));
        }
        if depth > MAX_DEPTH {
            return Err(self.error(start, format!("nesting is deeper than {MAX_DEPTH} levels")));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Value::Number(self.number()?)),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word(),
            Some(_) => Err(self.error(start, "expected a value")),
            None => Err(self.error(start, "expected a value, found the end of the text")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut values = Map::new();
        while let Some(key_start) = self.next_element(b'}', values.is_empty())? {
            if self.peek() != Some(b'"') {
                return Err(self.error(key_start, "expected a key in quotes"));
            }
            let key = self.string()?;
            if values.contains_key(&key) {
                let message = format!("key '{}' is given twice in one object", quoted(&key));
                return Err(self.fault(Code::DuplicateKey, key_start, message));
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.error(self.at, "expected ':' after a key"));
            }
            self.at += 1;
            values.insert(key, self.value(depth + 1)?);
        }
        Ok(Value::Object(values))
    }

    fn array(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut values = Vec::new();
        while self.next_element(b']', values.is_empty())?.is_some() {
            values.push(self.value(depth + 1)?);
        }
        Ok(Value::Array(values))
    }

    /// Stands before the next element and returns its place, or passes the closing bracket.
    fn next_element(&mut self, close: u8, first: bool) -> Result<Option<usize>, Fault> {
        self.skip_space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(None);
        }
        if !first {
            if self.peek() != Some(b',') {
                return Err(self.error(self.at, format!("expected ',' or '{}'", close as char)));
            }
            self.at += 1;
            self.skip_space();
        }
        Ok(Some(self.at))
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at = string_end(self.text, start).ok_or_else(|| self.error(start, "a string has no end"))?;
        let length = self.at - start;
        if length > MAX_STRING {
            return Err(self.error(start, format!("a string has {length} bytes, more than {MAX_STRING}")));
        }
        serde_json::from_str(&self.text[start..self.at])
            .map_err(|error| self.error(start, format!("bad string: {error}")))
    }

    fn number(&mut self) -> Result<Number, Fault> {
        let token = self.token(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
        if token.text.len() > MAX_NUMBER {
            let message = format!("a number has {} characters, more than {MAX_NUMBER}", token.text.len());
            return Err(self.error(token.start, message));
        }
        let number: Number = serde_json::from_str(token.text)
            .map_err(|_| self.error(token.start, format!("bad number '{}'", token.text)))?;
        self.check_exact(&token, &number)?;
        Ok(number)
    }

    /// Refuses what canonical JSON, whose numbers are 64-bit floats, would not keep.
    fn check_exact(&self, token: &Token, number: &Number) -> Result<(), Fault> {
        let refuse = |message: String| Err(self.error(token.start, message));
        let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
        let integral = !token.text.contains(['.', 'e', 'E']);
        if integral && magnitude.is_none_or(|n| n > MAX_INTEGER) && number.as_f64() != Some(0.0) {
            return refuse(format!("integer {} is beyond 2^53 and would not be exact", token.text));
        }
        if number.as_f64() == Some(0.0) {
            let mantissa = token.text.split(['e', 'E']).next().unwrap_or_default();
            if mantissa.contains(|digit: char| matches!(digit, '1'..='9')) {
                return refuse(format!("number {} is too small and would become zero", token.text));
            }
            if mantissa.starts_with('-') {
                return refuse(format!("number {} is a negative zero, which would lose its sign", token.text));
            }
        }
        Ok(())
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let token = self.token(|byte| byte.is_ascii_alphanumeric());
        match token.text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            other => Err(self.error(token.start, format!("expected a value, found '{}'", quoted(other)))),
        }
    }

    fn token(&mut self, belongs: impl Fn(u8) -> bool) -> Token<'a> {
        let start = self.at;
        let length = self.text.as_bytes()[start..].iter().take_while(|byte| belongs(**byte)).count();
        self.at += length;
        Token { start, text: &self.text[start..self.at] }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, at: usize, message: impl Into<String>) -> Fault {
        self.fault(Code::BadJson, at, message)
    }

    fn fault(&self, code: Code, at: usize, message: impl Into<String>) -> Fault {
        Fault::new(code, message).at(super::location(self.name, self.text, at))
    }
}

struct Token<'a> {
    start: usize,
    text: &'a str,
}
