//! Keywords and punctuation, with the rules for spaces around them.

/// A keyword or punctuation of a format.
#[derive(Debug)]
pub struct Literal {
    /// The text.
    pub text: &'static str,
    /// The text after a space.
    pub spaced: &'static str,
    /// The shim's number, if it is punctuation.
    pub punctuation: Option<u32>,
    /// Whether a space may come before it after punctuation.
    separates_from_punctuation: bool,
    /// Whether a space may come before it after anything else.
    separates: bool,
    /// Whether a space may come after it.
    opens: bool,
}

/// In the order of the shim's `ckeParsePunctuation`.
const PUNCTUATION: [&str; 16] = ["->", "{", "}", "[", "]", "<", ">", "(", ")", ",", ":", "=", "?", "*", "+", "|"];

impl Literal {
    /// What a format names; an error if MLIR's lexer has no such token.
    pub fn new(text: &'static str) -> Result<Literal, String> {
        let punctuation = PUNCTUATION.iter().position(|token| *token == text).map(|code| code as u32);
        let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let keyword = starts && text.chars().all(|c| c.is_ascii_alphanumeric() || "_$.".contains(c));
        if punctuation.is_none() && !keyword {
            return Err(format!("'{text}' is neither a keyword nor punctuation"));
        }
        // The rules of mlir-tblgen's generator of printers.
        let is_one_of = |set: &str| text.len() == 1 && set.contains(text);
        Ok(Literal {
            text,
            spaced: format!(" {text}").leak(),
            punctuation,
            separates_from_punctuation: !is_one_of(">)}],"),
            separates: !is_one_of("<>(){}[],"),
            opens: is_one_of("<({["),
        })
    }
}

/// Whether a space is due.
#[derive(Debug, Clone, Copy)]
pub struct Spacing {
    /// Whether the last literal lets a space follow.
    wanted: bool,
    /// Whether the last thing printed was punctuation.
    after_punctuation: bool,
}

impl Spacing {
    /// After the name of the operation.
    pub const START: Spacing = Spacing { wanted: true, after_punctuation: false };

    /// Whether a space comes before a literal.
    pub fn before_literal(&mut self, literal: &Literal) -> bool {
        let separates = if self.after_punctuation { literal.separates_from_punctuation } else { literal.separates };
        let space = self.wanted && separates;
        self.wanted = !literal.opens;
        self.after_punctuation = literal.punctuation.is_some();
        space
    }

    /// Whether a space comes before anything else.
    pub fn before_other(&mut self) -> bool {
        let space = self.wanted || !self.after_punctuation;
        self.after_other();
        space
    }

    /// After what takes care of its own space.
    pub fn after_other(&mut self) {
        *self = Spacing::START;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Literals, and `$` for anything else, with the spaces that come before them.
    fn spaced(parts: &[&'static str]) -> String {
        let mut spacing = Spacing::START;
        let mut out = String::from("op");
        for part in parts {
            let space = match *part {
                "$" => spacing.before_other(),
                text => spacing.before_literal(&Literal::new(text).unwrap()),
            };
            out += if space { " " } else { "" };
            out += part;
        }
        out
    }

    #[test]
    fn spaces_are_those_of_ods() {
        assert_eq!(spaced(&["$", ",", "$", "mode", "$", ":", "$"]), "op $, $ mode $ : $");
        assert_eq!(spaced(&["[", "$", "]", "with", "[", "$", "]"]), "op[$] with[$]");
        assert_eq!(spaced(&["$", "(", "$", ")", "axis", "=", "$"]), "op $($) axis = $");
        assert_eq!(spaced(&[":", "<", "$", ">", "<", "$", ">", "->", "$"]), "op : <$> <$> -> $");
    }

    #[test]
    fn other_tokens_are_refused() {
        assert_eq!(Literal::new("&&").unwrap_err(), "'&&' is neither a keyword nor punctuation");
        assert_eq!(Literal::new("").unwrap_err(), "'' is neither a keyword nor punctuation");
    }
}
