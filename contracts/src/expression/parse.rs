//! The reader of expressions: sums of products of numbers, names, calls and parentheses.

use super::{Function, Node, Operator};

/// Levels of parentheses and calls.
const MAX_DEPTH: usize = 32;
/// Bytes of the longest expression.
const MAX_BYTES: usize = 1024;

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Node, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("longer than {MAX_BYTES} bytes"));
    }
    let mut parser = Parser { rest: text, depth: 0 };
    let node = parser.sum()?;
    match parser.peek() {
        None => Ok(node),
        Some(found) => Err(format!("expected the end, found '{found}'")),
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Node, String> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some('+') => Operator::Add,
                Some('-') => Operator::Subtract,
                _ => return Ok(left),
            };
            self.rest = &self.rest[1..];
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.term()?;
        loop {
            let operator = match self.peek() {
                Some('*') => Operator::Multiply,
                Some('/') => Operator::Divide,
                _ => return Ok(left),
            };
            self.rest = &self.rest[1..];
            left = Node::Binary(operator, Box::new(left), Box::new(self.term()?));
        }
    }

    fn term(&mut self) -> Result<Node, String> {
        match self.peek() {
            Some('(') => self.nested(|parser| {
                parser.expect('(')?;
                let inner = parser.sum()?;
                parser.expect(')')?;
                Ok(inner)
            }),
            Some('0'..='9') => self.number(),
            Some('a'..='z' | 'A'..='Z' | '_') => self.name_or_call(),
            Some(found) => Err(format!("expected a number or a name, found '{found}'")),
            None => Err("expected a number or a name, found the end".to_owned()),
        }
    }

    fn number(&mut self) -> Result<Node, String> {
        let mut previous = ' ';
        let text = self.take_while(|c| {
            let exponent_sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E');
            previous = c;
            exponent_sign || c.is_ascii_alphanumeric() || c == '.'
        });
        let bad = |_| format!("bad number '{text}'");
        match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse().map(Node::Integer).map_err(|_| format!("'{text}' does not fit 64 bits")),
            false => text.parse().map(Node::Float).map_err(|error: std::num::ParseFloatError| bad(error)),
        }
    }

    fn name_or_call(&mut self) -> Result<Node, String> {
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.peek() != Some('(') {
            return Ok(Node::Name(name.to_owned()));
        }
        let function = Function::ALL.into_iter().find(|function| function.name() == name);
        let function = function.ok_or_else(|| format!("unknown function '{name}'"))?;
        let arguments = self.nested(Self::arguments)?;
        match arguments.len() == function.arity() {
            true => Ok(Node::Call(function, arguments)),
            false => Err(format!("{name} takes {} arguments, found {}", function.arity(), arguments.len())),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Node>, String> {
        self.expect('(')?;
        let mut arguments = vec![self.sum()?];
        while self.peek() == Some(',') {
            self.rest = &self.rest[1..];
            arguments.push(self.sum()?);
        }
        self.expect(')')?;
        Ok(arguments)
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        match self.peek() {
            Some(found) if found == wanted => {
                self.rest = &self.rest[wanted.len_utf8()..];
                Ok(())
            }
            Some(found) => Err(format!("expected '{wanted}', found '{found}'")),
            None => Err(format!("expected '{wanted}', found the end")),
        }
    }

    fn take_while(&mut self, mut belongs: impl FnMut(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start_matches(' ');
        self.rest.chars().next()
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn bad_text_is_refused() {
        for (text, expected) in [
            ("", "expected a number or a name, found the end"),
            ("1 +", "expected a number or a name, found the end"),
            ("1 2", "expected the end, found '2'"),
            ("(1", "expected ')', found the end"),
            ("-1", "expected a number or a name, found '-'"),
            ("1..2", "bad number '1..2'"),
            ("0x10", "bad number '0x10'"),
            ("9223372036854775808", "'9223372036854775808' does not fit 64 bits"),
            ("pow(1, 2)", "unknown function 'pow'"),
            ("sqrt(1, 2)", "sqrt takes 1 arguments, found 2"),
            ("min(1; 2)", "expected ')', found ';'"),
            ("é", "expected a number or a name, found 'é'"),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
        assert_eq!(parse(&"(".repeat(100)).unwrap_err(), "nested deeper than 32 levels");
        assert_eq!(parse(&"1+".repeat(1000)).unwrap_err(), "longer than 1024 bytes");
    }

    #[test]
    fn accepts_exponents_with_a_sign() {
        assert!(parse("1.0e-5 + 2").is_ok());
        assert!(parse("1e-5-2").is_ok());
    }
}
