//! Documentation of the generated code, from summaries and descriptions.

use crate::model::{Attribute, Op, Region, Values};
use proc_macro2::TokenStream;
use quote::quote;

/// The documentation of an operation.
pub(super) fn op_docs(op: &Op) -> TokenStream {
    let title = match op.summary.as_str() {
        "" => format!("`{}`.", op.name),
        summary => format!("`{}`: {}.", op.name, sentence(summary)),
    };
    doc(&title, &op.description)
}

/// What an operand or result is, in one sentence.
pub(super) fn values_docs(what: &str, group: &Values) -> String {
    described(what, &group.name, &group.description, &group.summary)
}

/// What an attribute is, in one sentence.
pub(super) fn attribute_docs(attribute: &Attribute) -> String {
    described("Attribute", &attribute.name, &attribute.description, &attribute.summary)
}

/// What a region is, in one sentence.
pub(super) fn region_docs(region: &Region) -> String {
    format!("Region `{}`.", region.name)
}

fn described(what: &str, name: &str, description: &str, constraint: &str) -> String {
    let description = match sentence(description) {
        text if text.is_empty() => text,
        text => format!(", {text}"),
    };
    format!("{what} `{name}`{description}: {}.", sentence(constraint))
}

/// Text as it stands within a sentence: escaped, on one line, without its full stop.
pub(super) fn sentence(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    escape(words.join(" ").trim_end_matches('.'))
}

/// Doc comments: a title, and after an empty line the lines of a text.
pub(super) fn doc(title: &str, text: &str) -> TokenStream {
    let mut lines = vec![format!(" {title}")];
    let body = markdown(text);
    if !body.is_empty() {
        lines.push(String::new());
    }
    lines.extend(body.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") }));
    quote!(#(#[doc = #lines])*)
}

/// The lines of a description without their common indentation; what rustdoc would take for a link or for HTML is
/// escaped outside of code.
fn markdown(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    let lines = &lines[first..last];
    let depth = |line: &&str| line.len() - line.trim_start().len();
    let indent = lines.iter().filter(|line| !line.is_empty()).map(depth).min().unwrap_or(0);
    let mut in_code = false;
    let mut result = Vec::new();
    for line in lines {
        let line = line.get(indent..).unwrap_or_default();
        let is_fence = line.trim_start().starts_with("```");
        let as_is = in_code || is_fence;
        in_code ^= is_fence;
        result.push(if as_is { line.replace('\r', " ") } else { escape(line) });
    }
    result
}

/// Escapes brackets outside of backticks; drops control characters, which a doc comment cannot hold.
fn escape(line: &str) -> String {
    let mut in_code = false;
    let mut result = String::new();
    for c in line.chars().filter(|c| !c.is_control() || *c == '\t') {
        in_code ^= c == '`';
        if !in_code && matches!(c, '[' | ']' | '<' | '>') {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_lose_their_indentation_and_keep_their_code() {
        let text = "\n    A [b] of `[c]`.\n\n    ```mlir\n      %0 = <d>\n    ```\n    <e>\n  ";
        let lines = ["A \\[b\\] of `[c]`.", "", "```mlir", "  %0 = <d>", "```", "\\<e\\>"];
        assert_eq!(markdown(text), lines);
        assert_eq!(markdown(" \n "), Vec::<String>::new());
    }
}
