//! Names of the generated code.

use proc_macro2::{Ident, Span};

/// Words of Rust that are names only as `r#word`. The model refuses those that are names in no way.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// A name as an identifier.
pub(super) fn ident(name: &str) -> Ident {
    if KEYWORDS.contains(&name) { Ident::new_raw(name, Span::call_site()) } else { Ident::new(name, Span::call_site()) }
}

/// The name of a type.
pub(super) fn type_ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// The name of the function that verifies an operation: its mnemonic in snake case.
pub(super) fn function(mnemonic: &str) -> String {
    let mut name = String::new();
    let mut after_small = false;
    for c in mnemonic.chars() {
        if c.is_ascii_uppercase() && after_small {
            name.push('_');
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        name.push(if c == '.' { '_' } else { c.to_ascii_lowercase() });
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_snake_case() {
        for (mnemonic, name) in
            [("kv_append", "kv_append"), ("nested.first", "nested_first"), ("MatMul2D", "mat_mul2_d")]
        {
            assert_eq!(function(mnemonic), name);
        }
    }

    #[test]
    fn keywords_are_raw() {
        assert_eq!(ident("type").to_string(), "r#type");
        assert_eq!(ident("x").to_string(), "x");
    }
}
