//! The pass over the characters that precedes the grammar: blanks comments and excluded text, bounds the nesting.
//!
//! The result has the lines and columns of the source, so the grammar's places are the source's. The grammar recurses
//! once a bracket, hence the bound; strings, code blocks and comments do not count.

use crate::error::{Error, Location};
use std::collections::BTreeSet;

/// How deep brackets may nest.
pub const MAX_NESTING: usize = 64;

/// Blanks comments, preprocessor lines and what they exclude. `macros` are the defined names and may grow.
pub fn prepare(source: &str, file: &str, macros: &mut BTreeSet<String>) -> Result<String, Error> {
    let mut scanner = Scanner {
        rest: source,
        output: String::with_capacity(source.len()),
        place: Location::start(file),
        line_is_blank: true,
        nesting: 0,
        conditions: Vec::new(),
        macros,
    };
    while let Some(c) = scanner.rest.chars().next() {
        scanner.next(c)?;
    }
    match scanner.conditions.pop() {
        Some(open) => Err(Error::new(&open.location, "this condition has no '#endif'")),
        None => Ok(scanner.output),
    }
}

/// An `#ifdef` or `#ifndef` that is still open.
struct Condition {
    location: Location,
    holds: bool,
    has_else: bool,
}

struct Scanner<'a> {
    rest: &'a str,
    output: String,
    place: Location,
    line_is_blank: bool,
    nesting: usize,
    conditions: Vec<Condition>,
    macros: &'a mut BTreeSet<String>,
}

impl Scanner<'_> {
    fn next(&mut self, c: char) -> Result<(), Error> {
        if c == '#' && self.line_is_blank && self.directive()? {
            return Ok(());
        }
        if self.conditions.iter().any(|condition| !condition.holds) {
            self.blank(1);
            return Ok(());
        }
        if self.rest.starts_with("//") {
            self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.block_comment()?;
        } else if c == '"' {
            self.string()?;
        } else if self.rest.starts_with("[{") {
            let Some(end) = self.rest.find("}]") else {
                return Err(Error::new(&self.place, "this code block has no closing '}]'"));
            };
            self.keep(end + 2);
        } else {
            self.count(c)?;
            self.keep(c.len_utf8());
        }
        Ok(())
    }

    fn count(&mut self, c: char) -> Result<(), Error> {
        match c {
            '(' | '[' | '{' | '<' => self.nesting += 1,
            ')' | ']' | '}' | '>' => self.nesting = self.nesting.saturating_sub(1),
            _ => {}
        }
        if self.nesting > MAX_NESTING {
            return Err(Error::new(&self.place, format!("brackets nest deeper than {MAX_NESTING}")));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Error> {
        let mut escaped = true; // the opening quote does not close
        for (offset, c) in self.rest.char_indices() {
            match c {
                '\n' => break,
                '"' if !escaped => {
                    self.keep(offset + 1);
                    return Ok(());
                }
                _ => escaped = offset > 0 && c == '\\' && !escaped,
            }
        }
        Err(Error::new(&self.place, "this string has no closing '\"' on its line"))
    }

    /// Block comments nest.
    fn block_comment(&mut self) -> Result<(), Error> {
        let start = self.place.clone();
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.blank(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.blank(2);
                if depth == 0 {
                    return Ok(());
                }
            } else if let Some(c) = self.rest.chars().next() {
                self.blank(c.len_utf8());
            } else {
                return Err(Error::new(&start, "this comment has no closing '*/'"));
            }
        }
    }

    /// Obeys and blanks a preprocessor line; false if `#` is not one.
    fn directive(&mut self) -> Result<bool, Error> {
        let length = self.rest.find('\n').unwrap_or(self.rest.len());
        let line = self.rest[1..length].split("//").next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default();
        if !line.starts_with(word) || !["define", "ifdef", "ifndef", "else", "endif"].contains(&word) {
            return Ok(false);
        }
        let error = |message: String| Err(Error::new(&self.place, message));
        let name = words.next();
        if matches!(word, "define" | "ifdef" | "ifndef") && name.is_none() {
            return error(format!("expected a name after '#{word}'"));
        }
        let name = name.unwrap_or_default().to_string();
        match word {
            "define" => {
                if self.conditions.iter().all(|condition| condition.holds) {
                    self.macros.insert(name);
                }
            }
            "ifdef" | "ifndef" => {
                let holds = self.macros.contains(&name) == (word == "ifdef");
                self.conditions.push(Condition { location: self.place.clone(), holds, has_else: false });
            }
            "else" => match self.conditions.last_mut() {
                Some(condition) if !condition.has_else => {
                    condition.holds = !condition.holds;
                    condition.has_else = true;
                }
                _ => return error("'#else' without '#ifdef' or '#ifndef'".into()),
            },
            _ => {
                if self.conditions.pop().is_none() {
                    return error("'#endif' without '#ifdef' or '#ifndef'".into());
                }
            }
        }
        self.blank(length);
        Ok(true)
    }

    fn keep(&mut self, bytes: usize) {
        self.take(bytes, |c| c);
    }

    fn blank(&mut self, bytes: usize) {
        self.take(bytes, |c| if c == '\n' { c } else { ' ' });
    }

    /// Moves at least `bytes` bytes and whole characters to the output.
    fn take(&mut self, bytes: usize, mut write: impl FnMut(char) -> char) {
        let end = (bytes..).find(|&end| self.rest.is_char_boundary(end)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        for c in taken.chars() {
            let written = write(c);
            self.output.push(written);
            self.place.step(c);
            self.line_is_blank = c == '\n' || (self.line_is_blank && written.is_whitespace());
        }
        self.rest = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(source: &str) -> Result<String, String> {
        prepare(source, "a.td", &mut BTreeSet::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn comments_are_blanked_in_place() {
        assert_eq!(prepared("a // b\nc /* d /* e */ f\n */ g"), Ok(format!("a     \nc{}\n    g", " ".repeat(15))));
        assert_eq!(prepared("\"// \\\" /*\" [{ // \" }]"), Ok("\"// \\\" /*\" [{ // \" }]".into()));
    }

    #[test]
    fn conditions_exclude_text() {
        let source = "#ifndef A\n#define A\nx\n#else\ny \" (\n#endif\n#ifdef A\nz # a\n#endif";
        assert_eq!(prepared(source).map(|text| text.split_whitespace().collect::<String>()), Ok("xz#a".into()));
        assert_eq!(prepared("#endif"), Err("a.td:1:1: error: '#endif' without '#ifdef' or '#ifndef'".into()));
        assert_eq!(prepared("\n#ifdef A"), Err("a.td:2:1: error: this condition has no '#endif'".into()));
        assert_eq!(prepared("#define"), Err("a.td:1:1: error: expected a name after '#define'".into()));
    }

    #[test]
    fn unfinished_text_is_located_where_it_begins() {
        assert_eq!(prepared("a \"b\nc\""), Err("a.td:1:3: error: this string has no closing '\"' on its line".into()));
        assert_eq!(prepared("\n [{ a"), Err("a.td:2:2: error: this code block has no closing '}]'".into()));
        assert_eq!(prepared("/* /* */"), Err("a.td:1:1: error: this comment has no closing '*/'".into()));
    }

    #[test]
    fn nesting_is_bounded_outside_of_text() {
        let deep = "(".repeat(MAX_NESTING + 1);
        assert_eq!(prepared(&deep), Err("a.td:1:65: error: brackets nest deeper than 64".into()));
        assert!(prepared(&format!("\"{deep}\" /*{deep}*/ [{{{deep}}}] //{deep}")).is_ok());
        assert!(prepared(&"()".repeat(1000)).is_ok());
    }
}
