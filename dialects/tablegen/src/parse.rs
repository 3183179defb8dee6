//! From characters to the syntax tree, by the grammar in `grammar.pest`.

use crate::error::{Error, Location};
use crate::syntax::*;
use crate::text::Text;
use pest::Parser;
use pest::error::{ErrorVariant, LineColLocation};
use pest::iterators::Pair;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(pest_derive::Parser)]
#[grammar = "grammar.pest"]
struct Grammar;

/// A part of a file, in order.
pub(crate) enum Part {
    Include { path: String, location: Location },
    Statement(Statement),
}

/// Parses text that [`crate::scan::prepare`] prepared.
pub(crate) fn parse(text: &str, file: &Arc<str>) -> Result<Vec<Part>, Error> {
    let mut pairs = Grammar::parse(Rule::file, text).map_err(|error| syntax_error(text, file, &error))?;
    let root = pairs.next().expect("a successful parse yields the start rule");
    let reader = Reader { file: file.clone() };
    children(root)
        .map(|pair| match pair.as_rule() {
            Rule::include => {
                let location = reader.location(&pair);
                let path = only(pair);
                Ok(Part::Include { path: reader.string(&path)?.as_str().to_string(), location })
            }
            _ => reader.statement(pair).map(Part::Statement),
        })
        .collect()
}

fn syntax_error(text: &str, file: &Arc<str>, error: &pest::error::Error<Rule>) -> Error {
    let (line, column) = match error.line_col {
        LineColLocation::Pos(place) | LineColLocation::Span(place, _) => place,
    };
    let location = Location { file: file.clone(), line: saturate(line), column: saturate(column) };
    let offset = match error.location {
        pest::error::InputLocation::Pos(offset) | pest::error::InputLocation::Span((offset, _)) => offset,
    };
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => alternatives(positives),
        ErrorVariant::CustomError { message } => message.clone(),
    };
    Error::new(&location, format!("expected {expected}, found {}", found(text, offset)))
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The token at `offset`, for people.
fn found(text: &str, offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or_default();
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    match rest.chars().next() {
        None => "the end of the file".into(),
        Some('"') => "a string".into(),
        Some(_) if rest.starts_with("[{") => "a code block".into(),
        Some(first) if word == 0 => format!("'{first}'"),
        Some(_) => format!("'{}'", &rest[..word]),
    }
}

fn alternatives(rules: &[Rule]) -> String {
    let names: BTreeSet<&str> = rules.iter().map(|rule| describe(*rule)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [] => "something else".into(),
        [one] => (*one).to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// What a rule is called in an error.
fn describe(rule: Rule) -> &'static str {
    match rule {
        Rule::file | Rule::class | Rule::def | Rule::multiclass | Rule::defm | Rule::scoped_let => "a statement",
        Rule::statement_one => "a statement",
        Rule::include => "an include",
        Rule::EOI => "the end of the file",
        Rule::block | Rule::l_brace => "'{'",
        Rule::body => "a body ('{' or ';')",
        Rule::parameters | Rule::arguments | Rule::l_angle => "'<'",
        Rule::parameter => "a parameter",
        Rule::bases | Rule::colon => "':'",
        Rule::base => "a class",
        Rule::argument => "an argument",
        Rule::r#let => "'let'",
        Rule::field => "a field",
        Rule::r#type | Rule::basic_type => "a type",
        Rule::value | Rule::operand | Rule::dag_argument => "a value",
        Rule::strings | Rule::string => "a string",
        Rule::code => "a code block",
        Rule::list | Rule::l_square => "'['",
        Rule::bits => "bits",
        Rule::dag | Rule::l_paren => "'('",
        Rule::bang | Rule::operator => "an operator",
        Rule::suffix | Rule::dot => "'.'",
        Rule::unset => "'?'",
        Rule::variable => "a $name",
        Rule::integer => "an integer",
        Rule::boolean => "'true' or 'false'",
        Rule::assignment | Rule::reference | Rule::id => "a name",
        Rule::k_bits => "'bits'",
        Rule::k_class => "'class'",
        Rule::k_def => "'def'",
        Rule::k_defm => "'defm'",
        Rule::k_in => "'in'",
        Rule::k_include => "'include'",
        Rule::k_let => "'let'",
        Rule::k_list => "'list'",
        Rule::k_multiclass => "'multiclass'",
        Rule::comma => "','",
        Rule::equal => "'='",
        Rule::paste => "'#'",
        Rule::r_angle => "'>'",
        Rule::r_brace => "'}'",
        Rule::r_paren => "')'",
        Rule::r_square => "']'",
        Rule::semicolon => "';'",
        Rule::WHITESPACE | Rule::idc | Rule::keyword | Rule::statement | Rule::simple => "a word",
    }
}

/// Whether a rule is a word or a mark, which carries no meaning of its own.
fn is_mark(rule: Rule) -> bool {
    use Rule::*;
    matches!(
        rule,
        k_bits
            | k_class
            | k_def
            | k_defm
            | k_in
            | k_include
            | k_let
            | k_list
            | k_multiclass
            | colon
            | comma
            | dot
            | equal
            | l_angle
            | l_brace
            | l_paren
            | l_square
            | paste
            | r_angle
            | r_brace
            | r_paren
            | r_square
            | semicolon
            | EOI
    )
}

fn children(pair: Pair<'_, Rule>) -> impl Iterator<Item = Pair<'_, Rule>> {
    pair.into_inner().filter(|child| !is_mark(child.as_rule()))
}

/// The child of a rule that has exactly one.
fn only(pair: Pair<'_, Rule>) -> Pair<'_, Rule> {
    children(pair).next().expect("the grammar gives this rule a child")
}

struct Reader {
    file: Arc<str>,
}

impl Reader {
    fn location(&self, pair: &Pair<'_, Rule>) -> Location {
        let (line, column) = pair.line_col();
        Location { file: self.file.clone(), line: saturate(line), column: saturate(column) }
    }

    fn statements(&self, block: Pair<'_, Rule>) -> Result<Vec<Statement>, Error> {
        children(block).map(|pair| self.statement(pair)).collect()
    }

    fn statement(&self, pair: Pair<'_, Rule>) -> Result<Statement, Error> {
        let mut location = self.location(&pair);
        let rule = pair.as_rule();
        let (mut name, mut parameters, mut bases, mut items) = (None, Vec::new(), Vec::new(), Vec::new());
        let (mut id, mut lets, mut statements) = (String::new(), Vec::new(), Vec::new());
        for child in children(pair) {
            match child.as_rule() {
                Rule::id => {
                    location = self.location(&child);
                    id = child.as_str().to_string();
                }
                Rule::value => {
                    location = self.location(&child);
                    name = Some(self.value(child)?);
                }
                Rule::parameters => parameters = self.all(child, Self::parameter)?,
                Rule::bases => bases = self.all(child, Self::base)?,
                Rule::body => items = self.all(child, Self::item)?,
                Rule::assignment => lets.push(self.assignment(child)?),
                Rule::statement_one => statements.push(self.statement(only(child))?),
                _ => statements = self.statements(child)?,
            }
        }
        Ok(match rule {
            Rule::class => Statement::Class(Class { name: id, location, parameters, bases, items }),
            Rule::def => Statement::Def(Def { name, location, bases, items }),
            Rule::multiclass => Statement::Multiclass(Multiclass { name: id, location, parameters, statements }),
            Rule::defm => {
                let name = name.expect("the grammar gives a defm a name");
                Statement::Defm(Defm { name, location, bases })
            }
            _ => Statement::Scoped { lets, statements },
        })
    }

    fn all<T>(
        &self,
        pair: Pair<'_, Rule>,
        read: impl Fn(&Self, Pair<'_, Rule>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        children(pair).map(|child| read(self, child)).collect()
    }

    fn parameter(&self, pair: Pair<'_, Rule>) -> Result<Parameter, Error> {
        let (ty, name, default, location) = self.declaration(pair)?;
        Ok(Parameter { ty, name, default, location })
    }

    /// A type, a name and perhaps a value.
    fn declaration(&self, pair: Pair<'_, Rule>) -> Result<(Type, String, Option<Expr>, Location), Error> {
        let mut parts = children(pair);
        let ty = self.ty(parts.next().expect("a declaration begins with a type"))?;
        let name = parts.next().expect("a declaration has a name");
        let location = self.location(&name);
        let value = parts.next().map(|value| self.value(value)).transpose()?;
        Ok((ty, name.as_str().to_string(), value, location))
    }

    fn ty(&self, pair: Pair<'_, Rule>) -> Result<Type, Error> {
        let inner = only(pair);
        Ok(match inner.as_rule() {
            Rule::integer => {
                let width = self.integer(&inner)?;
                let width = usize::try_from(width).ok().filter(|width| (1..=64).contains(width));
                Type::Bits(width.ok_or_else(|| Error::new(&self.location(&inner), "expected 1 to 64 bits"))?)
            }
            Rule::r#type => Type::List(Box::new(self.ty(inner)?)),
            Rule::basic_type => match inner.as_str() {
                "bit" => Type::Bit,
                "int" => Type::Int,
                "dag" => Type::Dag,
                _ => Type::String,
            },
            _ => Type::Class(inner.as_str().to_string()),
        })
    }

    fn base(&self, pair: Pair<'_, Rule>) -> Result<Base, Error> {
        let location = self.location(&pair);
        let mut parts = children(pair);
        let name = parts.next().expect("a base has a name").as_str().to_string();
        Ok(Base { name, arguments: self.arguments(parts.next())?, location })
    }

    fn arguments(&self, pair: Option<Pair<'_, Rule>>) -> Result<Vec<Argument>, Error> {
        pair.map_or(Ok(Vec::new()), |pair| self.all(pair, Self::argument))
    }

    fn argument(&self, pair: Pair<'_, Rule>) -> Result<Argument, Error> {
        let mut parts: Vec<_> = children(pair).collect();
        let value = self.value(parts.pop().expect("an argument has a value"))?;
        Ok(Argument { name: parts.pop().map(|name| name.as_str().to_string()), value })
    }

    fn item(&self, pair: Pair<'_, Rule>) -> Result<Item, Error> {
        if pair.as_rule() == Rule::r#let {
            return self.assignment(only(pair)).map(Item::Let);
        }
        let (ty, name, value, location) = self.declaration(pair)?;
        Ok(Item::Field { ty, name, value, location })
    }

    fn assignment(&self, pair: Pair<'_, Rule>) -> Result<Assignment, Error> {
        let mut parts = children(pair);
        let name = parts.next().expect("an assignment has a name");
        let value = self.value(parts.next().expect("an assignment has a value"))?;
        Ok(Assignment { location: self.location(&name), name: name.as_str().to_string(), value })
    }

    fn value(&self, pair: Pair<'_, Rule>) -> Result<Expr, Error> {
        let location = self.location(&pair);
        let mut operands = self.all(pair, Self::operand)?;
        match operands.len() {
            1 => Ok(operands.remove(0)),
            _ => Ok(Expr { kind: ExprKind::Paste(operands), location }),
        }
    }

    fn operand(&self, pair: Pair<'_, Rule>) -> Result<Expr, Error> {
        let mut parts = children(pair);
        let mut expr = self.simple(parts.next().expect("an operand has a value"))?;
        for suffix in parts {
            let location = self.location(&suffix);
            let field = only(suffix).as_str().to_string();
            expr = Expr { kind: ExprKind::Access { value: Box::new(expr), field }, location };
        }
        Ok(expr)
    }

    fn simple(&self, pair: Pair<'_, Rule>) -> Result<Expr, Error> {
        let location = self.location(&pair);
        let kind = match pair.as_rule() {
            Rule::strings => {
                let mut literals = self.all(pair, |reader, literal| reader.string(&literal))?.into_iter();
                let mut text = literals.next().expect("there is at least one literal");
                literals.for_each(|literal| text.push(&literal));
                ExprKind::String(text)
            }
            Rule::code => {
                let block = pair.as_str();
                ExprKind::String(Text::new(&block[2..block.len() - 2], &location.after("[{")))
            }
            Rule::integer => self.number(&pair)?,
            Rule::boolean => ExprKind::Int(i64::from(pair.as_str() == "true")),
            Rule::list => ExprKind::List(self.all(pair, Self::value)?),
            Rule::bits => ExprKind::Bits(self.all(pair, Self::value)?),
            Rule::dag => {
                let mut parts = children(pair);
                let operator = Box::new(self.value(parts.next().expect("a dag has an operator"))?);
                let arguments = parts.map(|part| self.dag_argument(part)).collect::<Result<_, _>>()?;
                ExprKind::Dag { operator, arguments }
            }
            Rule::bang => {
                let mut parts = children(pair);
                let name = parts.next().expect("an operator has a name").as_str()[1..].to_string();
                ExprKind::Bang { name, operands: parts.map(|part| self.value(part)).collect::<Result<_, _>>()? }
            }
            Rule::reference => {
                let mut parts = children(pair);
                let name = parts.next().expect("a reference has a name").as_str().to_string();
                match parts.next() {
                    None => ExprKind::Name(name),
                    arguments => ExprKind::Instance { class: name, arguments: self.arguments(arguments)? },
                }
            }
            _ => ExprKind::Unset,
        };
        Ok(Expr { kind, location })
    }

    fn dag_argument(&self, pair: Pair<'_, Rule>) -> Result<DagArgument, Error> {
        let mut argument = DagArgument { value: None, name: None };
        for part in children(pair) {
            match part.as_rule() {
                Rule::variable => argument.name = Some((part.as_str()[1..].to_string(), self.location(&part))),
                _ => argument.value = Some(self.value(part)?),
            }
        }
        Ok(argument)
    }

    /// An integer; a binary literal is bits, as many as it has digits.
    fn number(&self, pair: &Pair<'_, Rule>) -> Result<ExprKind, Error> {
        let location = self.location(pair);
        let Some(digits) = pair.as_str().strip_prefix("0b") else { return self.integer(pair).map(ExprKind::Int) };
        let bit = |digit| Expr { kind: ExprKind::Int(i64::from(digit == '1')), location: location.clone() };
        Ok(ExprKind::Bits(digits.chars().map(bit).collect()))
    }

    fn integer(&self, pair: &Pair<'_, Rule>) -> Result<i64, Error> {
        let text = pair.as_str().trim_start_matches('+');
        let number = match text.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        number.map_err(|_| Error::new(&self.location(pair), "this integer does not fit 64 bits"))
    }

    /// A string literal without its quotes and escapes.
    fn string(&self, pair: &Pair<'_, Rule>) -> Result<Text, Error> {
        let location = self.location(pair).after("\"");
        let literal = pair.as_str();
        let mut content = String::new();
        let mut characters = literal[1..literal.len() - 1].chars();
        while let Some(c) = characters.next() {
            if c != '\\' {
                content.push(c);
                continue;
            }
            content.push(match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(quoted @ ('\\' | '\'' | '"')) => quoted,
                _ => return Err(Error::new(&location, "a string may escape n, t, \\, ' and \" only")),
            });
        }
        Ok(Text::new(content, &location))
    }
}
