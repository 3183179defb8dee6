//! The strings that Rust code puts together from constants and locals, as far as the text of the code tells.
//!
//! A name stands for every string it is given anywhere in its file, or as a constant in any file. What is not known
//! becomes a gap, so that the known parts beside it still count.

use std::collections::{BTreeMap, BTreeSet};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, ExprLit, Lit, Local, Macro, Pat, Token};

/// What stands for an unknown part.
const GAP: &str = "\0";
/// Strings of one name or expression that are followed up; more are dropped.
const MOST: usize = 64;
/// Levels of names inside names.
const DEEPEST: usize = 8;

/// The expressions that names are bound to.
#[derive(Clone, Default)]
pub struct Names {
    bound: BTreeMap<String, Vec<Expr>>,
}

impl Names {
    /// The constants of a file.
    pub fn constants(file: &syn::File) -> Self {
        let mut names = Self::default();
        Collector { names: &mut names, locals: false }.visit_file(file);
        names
    }

    /// The constants and locals of a file, besides those already known.
    pub fn with_locals(mut self, file: &syn::File) -> Self {
        Collector { names: &mut self, locals: true }.visit_file(file);
        self
    }

    /// Adds the names of another file.
    pub fn extend(&mut self, other: Self) {
        for (name, values) in other.bound {
            self.bound.entry(name).or_default().extend(values);
        }
    }

    /// Every string an expression may be, with gaps.
    pub fn strings(&self, expr: &Expr) -> BTreeSet<String> {
        self.fold(expr, DEEPEST)
    }

    /// Every string a macro call may be, if it is one that puts strings together.
    pub fn strings_of_macro(&self, call: &Macro) -> BTreeSet<String> {
        self.fold_macro(call, DEEPEST)
    }

    fn fold(&self, expr: &Expr, depth: usize) -> BTreeSet<String> {
        let Some(depth) = depth.checked_sub(1) else { return gap() };
        match expr {
            Expr::Lit(ExprLit { lit: Lit::Int(digits), .. }) => [digits.base10_digits().to_owned()].into(),
            Expr::Lit(ExprLit { lit, .. }) => literal(lit).map_or_else(gap, |text| [text].into()),
            Expr::Path(path) => match path.path.segments.last() {
                Some(name) => self.named(&name.ident.to_string(), depth),
                None => gap(),
            },
            Expr::Reference(reference) => self.fold(&reference.expr, depth),
            Expr::Paren(inner) => self.fold(&inner.expr, depth),
            Expr::Group(inner) => self.fold(&inner.expr, depth),
            Expr::Binary(sum) if matches!(sum.op, syn::BinOp::Add(_)) => {
                join(&self.fold(&sum.left, depth), &self.fold(&sum.right, depth))
            }
            Expr::MethodCall(call) => self.fold_method(call, depth),
            Expr::Call(call) if call.args.len() == 1 => self.fold(&call.args[0], depth),
            Expr::Macro(call) => self.fold_macro(&call.mac, depth),
            Expr::If(choice) => {
                let then = choice.then_branch.stmts.last();
                let other = choice.else_branch.as_ref().map(|(_, other)| self.fold(other, depth));
                self.fold_last(then, depth).into_iter().chain(other.into_iter().flatten()).collect()
            }
            Expr::Block(block) => self.fold_last(block.block.stmts.last(), depth),
            Expr::Match(choice) => choice.arms.iter().flat_map(|arm| self.fold(&arm.body, depth)).collect(),
            _ => gap(),
        }
    }

    fn named(&self, name: &str, depth: usize) -> BTreeSet<String> {
        match self.bound.get(name) {
            Some(values) => values.iter().flat_map(|value| self.fold(value, depth)).take(MOST).collect(),
            None => gap(),
        }
    }

    fn fold_last(&self, last: Option<&syn::Stmt>, depth: usize) -> BTreeSet<String> {
        match last {
            Some(syn::Stmt::Expr(value, None)) => self.fold(value, depth),
            _ => gap(),
        }
    }

    /// `[a, b].concat()` and `[a, b].join(c)`; any other method leaves the string as it is, as `to_owned` does.
    fn fold_method(&self, call: &syn::ExprMethodCall, depth: usize) -> BTreeSet<String> {
        let parts = match &*call.receiver {
            Expr::Array(parts) => &parts.elems,
            _ => return self.fold(&call.receiver, depth),
        };
        let between = call.args.first().map(|between| self.fold(between, depth));
        let mut whole: BTreeSet<String> = [String::new()].into();
        for (n, part) in parts.iter().enumerate() {
            if let Some(between) = between.as_ref().filter(|_| n > 0) {
                whole = join(&whole, between);
            }
            whole = join(&whole, &self.fold(part, depth));
        }
        whole
    }

    fn fold_macro(&self, call: &Macro, depth: usize) -> BTreeSet<String> {
        let Ok(arguments) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) else { return gap() };
        let arguments: Vec<_> = arguments.into_iter().collect();
        if call.path.is_ident("concat") {
            let parts = arguments.iter().map(|part| self.fold(part, depth));
            return parts.fold([String::new()].into(), |whole, part| join(&whole, &part));
        }
        // Every other macro with a string somewhere is taken for one that formats.
        let is_text = |argument: &Expr| matches!(argument, Expr::Lit(ExprLit { lit: Lit::Str(_), .. }));
        match arguments.iter().position(is_text) {
            Some(n) => self.fold_format(&arguments[n], &arguments[n + 1..], depth),
            None => gap(),
        }
    }

    /// A format string with its holes filled by position or by name.
    fn fold_format(&self, format: &Expr, arguments: &[Expr], depth: usize) -> BTreeSet<String> {
        let mut whole: BTreeSet<String> = [String::new()].into();
        let mut positions = arguments.iter().filter(|argument| !matches!(argument, Expr::Assign(_)));
        let Expr::Lit(ExprLit { lit: Lit::Str(format), .. }) = format else { return gap() };
        let format = format.value().replace("{{", GAP).replace("}}", GAP);
        let mut rest = format.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let Some((hole, after)) = after.split_once('}') else { break };
            let name = hole.split(':').next().unwrap_or_default().trim();
            let assigned = arguments.iter().find_map(|argument| match argument {
                Expr::Assign(named) if is_name(&named.left, name) => Some(self.fold(&named.right, depth)),
                _ => None,
            });
            let value = match (assigned, name.parse::<usize>()) {
                (Some(value), _) => value,
                (None, Ok(n)) => arguments.get(n).map_or_else(gap, |value| self.fold(value, depth)),
                (None, Err(_)) if name.is_empty() => positions.next().map_or_else(gap, |value| self.fold(value, depth)),
                (None, Err(_)) => self.named(name, depth),
            };
            whole = join(&join(&whole, &[before.to_owned()].into()), &value);
            rest = after;
        }
        join(&whole, &[rest.to_owned()].into())
    }
}

/// The text of a literal.
pub fn literal(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Str(text) => Some(text.value()),
        Lit::ByteStr(bytes) => Some(String::from_utf8_lossy(&bytes.value()).into_owned()),
        Lit::CStr(text) => Some(text.value().to_string_lossy().into_owned()),
        Lit::Char(character) => Some(character.value().to_string()),
        Lit::Byte(byte) => Some(char::from(byte.value()).to_string()),
        _ => None,
    }
}

fn is_name(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident(name))
}

fn gap() -> BTreeSet<String> {
    [GAP.to_owned()].into()
}

fn join(left: &BTreeSet<String>, right: &BTreeSet<String>) -> BTreeSet<String> {
    left.iter().flat_map(|one| right.iter().map(move |other| format!("{one}{other}"))).take(MOST).collect()
}

struct Collector<'n> {
    names: &'n mut Names,
    locals: bool,
}

impl Collector<'_> {
    fn bind(&mut self, name: &syn::Ident, value: &Expr) {
        self.names.bound.entry(name.to_string()).or_default().push(value.clone());
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.bind(&item.ident, &item.expr);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.bind(&item.ident, &item.expr);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.bind(&item.ident, &item.expr);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        let mut pattern = &local.pat;
        if let Pat::Type(typed) = pattern {
            pattern = &typed.pat;
        }
        if let (true, Pat::Ident(name), Some(init)) = (self.locals, pattern, &local.init) {
            self.bind(&name.ident, &init.expr);
        }
        visit::visit_local(self, local);
    }
}
