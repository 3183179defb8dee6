//! The language of assembly formats.

use super::{Element, ElementKind};
use crate::error::{Error, Location};
use crate::text::Text;

/// Parses a format.
pub(super) fn parse(text: &Text) -> Result<Vec<Element>, Error> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, end: text.locate(text.as_str().len()) };
    let mut elements = Vec::new();
    while let Some((token, location)) = parser.take() {
        elements.push(match token {
            Token::Mark('(') => parser.optional(location)?,
            token => parser.element(token, location)?,
        });
    }
    Ok(elements)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// Between backticks.
    Literal(String),
    /// After `$`.
    Variable(String),
    Word(String),
    Mark(char),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Literal(text) => write!(f, "'`{text}`'"),
            Token::Variable(name) => write!(f, "'${name}'"),
            Token::Word(word) => write!(f, "'{word}'"),
            Token::Mark(mark) => write!(f, "'{mark}'"),
        }
    }
}

fn tokens(text: &Text) -> Result<Vec<(Token, Location)>, Error> {
    let source = text.as_str();
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(c) = source[start..].chars().next() {
        let rest = &source[start + c.len_utf8()..];
        let location = text.locate(start);
        let run = |is_part: fn(char) -> bool| &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let (token, length) = match c {
            c if c.is_whitespace() => {
                start += c.len_utf8();
                continue;
            }
            '`' => {
                let Some(end) = rest.find('`') else {
                    return Err(Error::new(&location, "this literal has no closing '`'"));
                };
                (Token::Literal(literal(&rest[..end], &location)?), end + 2)
            }
            '$' => {
                let name = run(|c| c.is_ascii_alphanumeric() || c == '_');
                if name.is_empty() {
                    return Err(Error::new(&location, "expected a name after '$'"));
                }
                (Token::Variable(name.to_string()), name.len() + 1)
            }
            c if c.is_ascii_alphabetic() => {
                let word = run(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
                (Token::Word(format!("{c}{word}")), word.len() + 1)
            }
            '(' | ')' | '<' | '>' | '?' | '^' | ':' | ',' => (Token::Mark(c), 1),
            _ => return Err(Error::new(&location, format!("unexpected '{c}' in a format; literals need backticks"))),
        };
        tokens.push((token, location));
        start += length;
    }
    Ok(tokens)
}

/// The rules of MLIR for literals, less those that only say something about spaces.
fn literal(text: &str, location: &Location) -> Result<String, Error> {
    let is_mark = matches!(text, "->") || (text.len() == 1 && "_:,=<>()[]{}?+*".contains(text));
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'));
    if is_mark || is_word {
        return Ok(text.to_string());
    }
    Err(Error::new(location, format!("expected a word, '->' or one of _:,=<>()[]{{}}?+* as a literal, found '{text}'")))
}

struct Parser {
    tokens: Vec<(Token, Location)>,
    next: usize,
    end: Location,
}

impl Parser {
    fn take(&mut self) -> Option<(Token, Location)> {
        let token = self.tokens.get(self.next).cloned();
        self.next += 1;
        token
    }

    fn eat(&mut self, mark: char) -> bool {
        let eats = self.tokens.get(self.next).is_some_and(|(token, _)| *token == Token::Mark(mark));
        self.next += usize::from(eats);
        eats
    }

    fn expect(&mut self, mark: char) -> Result<(), Error> {
        if self.eat(mark) {
            return Ok(());
        }
        let expected = format!("expected '{mark}'");
        Err(match self.take() {
            Some((token, location)) => Error::new(&location, format!("{expected}, found {token}")),
            None => Error::new(&self.end, format!("{expected}, found the end of the format")),
        })
    }

    /// An element that is no group.
    fn element(&mut self, token: Token, location: Location) -> Result<Element, Error> {
        let kind = match token {
            Token::Literal(text) => ElementKind::Literal(text),
            Token::Variable(name) => ElementKind::Variable(name),
            Token::Word(word) => match word.as_str() {
                "attr-dict" => ElementKind::AttrDict { keyword: false },
                "attr-dict-with-keyword" => ElementKind::AttrDict { keyword: true },
                "operands" => ElementKind::Operands,
                "type" => {
                    self.expect('(')?;
                    let of = self.typed()?;
                    self.expect(')')?;
                    ElementKind::Type(of)
                }
                "functional-type" => {
                    self.expect('(')?;
                    let inputs = self.typed()?;
                    self.expect(',')?;
                    let results = self.typed()?;
                    self.expect(')')?;
                    ElementKind::FunctionalType(inputs, results)
                }
                "results" => return Err(Error::new(&location, "'results' can only be used in 'type'")),
                _ => return Err(Error::new(&location, format!("the directive '{word}' is not supported"))),
            },
            Token::Mark(mark) => return Err(Error::new(&location, format!("unexpected '{mark}' in a format"))),
        };
        Ok(Element { kind, location })
    }

    /// What a type directive is about.
    fn typed(&mut self) -> Result<String, Error> {
        match self.take() {
            Some((Token::Variable(name), _)) => Ok(name),
            Some((Token::Word(word), _)) if word == "operands" || word == "results" => Ok(word),
            Some((token, location)) => {
                Err(Error::new(&location, format!("expected a $name, 'operands' or 'results', found {token}")))
            }
            None => Err(Error::new(&self.end, "expected a $name, 'operands' or 'results'")),
        }
    }

    /// An optional group after its parenthesis.
    fn optional(&mut self, location: Location) -> Result<Element, Error> {
        let mut anchors = Vec::new();
        let then = self.group(&mut anchors)?;
        let mut otherwise = Vec::new();
        if self.eat(':') {
            self.expect('(')?;
            let mut misplaced = Vec::new();
            otherwise = self.group(&mut misplaced)?;
            if let Some((_, place)) = misplaced.first() {
                return Err(Error::new(place, "the anchor belongs into the first part of the group"));
            }
        }
        self.expect('?')?;
        if then.is_empty() {
            return Err(Error::new(&location, "this group has no elements"));
        }
        match anchors.as_slice() {
            [(anchor, _)] => {
                let anchor = anchor.clone();
                Ok(Element { kind: ElementKind::Optional { then, anchor, otherwise }, location })
            }
            [] => Err(Error::new(&location, "this group has no anchor ('^')")),
            [_, (_, second), ..] => Err(Error::new(second, "this group already has an anchor")),
        }
    }

    /// The elements up to the closing parenthesis.
    fn group(&mut self, anchors: &mut Vec<(String, Location)>) -> Result<Vec<Element>, Error> {
        let mut elements = Vec::new();
        while let Some((token, location)) = self.take() {
            if token == Token::Mark(')') {
                return Ok(elements);
            }
            if token == Token::Mark('(') {
                return Err(Error::new(&location, "optional groups cannot be nested"));
            }
            let element = self.element(token, location)?;
            if self.eat('^') {
                match &element.kind {
                    ElementKind::Variable(name) | ElementKind::Type(name) => {
                        anchors.push((name.clone(), element.location.clone()));
                    }
                    _ => return Err(Error::new(&element.location, "only a variable or its type can be an anchor")),
                }
            }
            elements.push(element);
        }
        Err(Error::new(&self.end, "expected ')', found the end of the format"))
    }
}
