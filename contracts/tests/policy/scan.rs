//! From sources to what rules look at. Comments and code that only tests see are passed over.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Lit, Macro, Token};

use crate::strings::{Names, literal};
use crate::token::{Found, Kind};

/// Every piece of Rust sources, each given as (path, text).
pub fn rust(sources: &[(String, String)]) -> Result<Vec<Found>, String> {
    let mut files = Vec::new();
    let mut constants = Names::default();
    for (path, text) in sources {
        let file = syn::parse_file(text)
            .map_err(|error| format!("{path}:{}: not Rust: {error}", error.span().start().line))?;
        constants.extend(Names::constants(&file));
        files.push((path, file));
    }
    let mut found = BTreeSet::new();
    for (path, file) in &files {
        let names = constants.clone().with_locals(file);
        Finder { path, names: &names, found: &mut found }.visit_file(file);
    }
    Ok(found.into_iter().collect())
}

/// Every key and string of a JSON text.
pub fn json(path: &str, value: &Value) -> Vec<Found> {
    let piece = |kind, text: &str| Found { path: path.to_owned(), line: 0, kind, text: text.to_owned() };
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| [vec![piece(Kind::DataKey, key)], json(path, value)].concat())
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| json(path, item)).collect(),
        Value::String(text) => vec![piece(Kind::DataText, text)],
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

struct Finder<'a> {
    path: &'a str,
    names: &'a Names,
    found: &'a mut BTreeSet<Found>,
}

impl Finder<'_> {
    fn add(&mut self, span: proc_macro2::Span, kind: Kind, text: String) {
        self.found.insert(Found { path: self.path.to_owned(), line: span.start().line, kind, text });
    }

    fn add_string(&mut self, span: proc_macro2::Span, text: String) {
        let kind = if text.contains(char::is_whitespace) { Kind::Text } else { Kind::Key };
        self.add(span, kind, text);
    }

    fn add_strings(&mut self, span: proc_macro2::Span, texts: BTreeSet<String>) {
        texts.into_iter().for_each(|text| self.add_string(span, text));
    }

    /// The names and literals of a macro call whose arguments are no expressions.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(name) => self.visit_ident(&name),
                TokenTree::Literal(text) => self.visit_lit(&Lit::new(text)),
                TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }

    fn visit_ident(&mut self, name: &'ast proc_macro2::Ident) {
        self.add(name.span(), Kind::Identifier, name.to_string());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let [.., one, last] = names.as_slice() {
            self.add(path.span(), Kind::Path, format!("{one}::{last}"));
        }
        visit::visit_path(self, path);
    }

    fn visit_use_tree(&mut self, tree: &'ast syn::UseTree) {
        if let syn::UseTree::Path(path) = tree {
            let lasts: Vec<_> = match &*path.tree {
                syn::UseTree::Group(group) => group.items.iter().collect(),
                one => vec![one],
            };
            for last in lasts {
                let name = match last {
                    syn::UseTree::Name(name) => &name.ident,
                    syn::UseTree::Rename(renamed) => &renamed.ident,
                    _ => continue,
                };
                self.add(name.span(), Kind::Path, format!("{}::{name}", path.ident));
            }
        }
        visit::visit_use_tree(self, tree);
    }

    fn visit_lit(&mut self, lit: &'ast Lit) {
        if let Some(text) = literal(lit) {
            self.add_string(lit.span(), text);
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.add_strings(call.span(), self.names.strings_of_macro(call));
        match call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            Ok(arguments) => {
                let mut inner = Finder { path: self.path, names: self.names, found: self.found };
                arguments.iter().for_each(|argument| inner.visit_expr(argument));
            }
            Err(_) => self.tokens(call.tokens.clone()),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if matches!(*call.receiver, Expr::Array(_)) {
            self.add_strings(call.span(), self.names.strings(&Expr::MethodCall(call.clone())));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        match binary.op {
            BinOp::Add(_) => self.add_strings(binary.span(), self.names.strings(&Expr::Binary(binary.clone()))),
            BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
                if is_size_of_difference(&binary.left) || is_size_of_difference(&binary.right) =>
            {
                self.add(binary.span(), Kind::Comparison, "difference".to_owned());
            }
            _ => {}
        }
        visit::visit_expr_binary(self, binary);
    }
}

/// `(a - b).abs()` and `a.abs_diff(b)`.
fn is_size_of_difference(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => is_size_of_difference(&inner.expr),
        Expr::MethodCall(call) if call.method == "abs_diff" => true,
        Expr::MethodCall(call) if call.method == "abs" => is_difference(&call.receiver),
        _ => false,
    }
}

fn is_difference(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => is_difference(&inner.expr),
        Expr::Binary(binary) => matches!(binary.op, BinOp::Sub(_)),
        _ => false,
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        syn::Meta::NameValue(_) => false,
    })
}

fn attributes(item: &syn::Item) -> &[Attribute] {
    match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        _ => &[],
    }
}
