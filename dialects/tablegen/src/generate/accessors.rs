//! What an operation consists of, by name: operands, results, attributes, regions.
//!
//! The accessors of required parts rely on the verifier, which has seen every operation they are asked of.

use super::docs::{attribute_docs, region_docs, values_docs};
use super::names::ident;
use crate::model::{Attribute, AttributeKind, Cardinality, Op, Values};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

pub(super) fn accessors(op: &Op) -> TokenStream {
    let operands: Vec<TokenStream> = if op.sized_operands {
        let groups = op.operands.iter().enumerate().map(|(index, group)| sized(index, group));
        groups.chain([sized_group(op)]).collect()
    } else {
        positioned(&op.operands, "Operand", "operand")
    };
    let results = positioned(&op.results, "Result", "result");
    let attributes = op.attributes.iter().map(|attribute| accessor(op, attribute));
    let regions = op.regions.iter().enumerate().map(|(index, region)| {
        let docs = format!(" {}", region_docs(region));
        let (name, index) = (ident(&region.name), number(index));
        quote! {
            #[doc = #docs]
            pub fn #name(self) -> ir::Region<'a> {
                self.0.regions()[#index]
            }
        }
    });
    quote!(#(#operands)* #(#attributes)* #(#results)* #(#regions)*)
}

/// Accessors of groups of which at most one has not exactly one value: those after it count from the end.
fn positioned(groups: &[Values], what: &str, method: &str) -> Vec<TokenStream> {
    let variable = groups.iter().position(|group| group.cardinality != Cardinality::One);
    let names = Methods {
        one: format_ident!("{method}"),
        all: format_ident!("{method}s"),
        count: format_ident!("{method}_count"),
    };
    let accessor = |(index, group)| {
        let left = groups.len() - index;
        let (ty, body) = match variable {
            Some(variable) if index == variable => names.variable(group, index, left - 1),
            Some(variable) if index > variable => names.before_end(left),
            _ => names.at(index),
        };
        let docs = format!(" {}", values_docs(what, group));
        let name = ident(&group.name);
        quote! {
            #[doc = #docs]
            pub fn #name(self) -> #ty {
                #body
            }
        }
    };
    groups.iter().enumerate().map(accessor).collect()
}

/// The methods of a handle for operands, or for results.
struct Methods {
    one: Ident,
    all: Ident,
    count: Ident,
}

impl Methods {
    fn at(&self, index: usize) -> (TokenStream, TokenStream) {
        let (one, index) = (&self.one, number(index));
        (quote!(ir::Value<'a>), quote!(self.0.#one(#index)))
    }

    fn before_end(&self, distance: usize) -> (TokenStream, TokenStream) {
        let (one, count, distance) = (&self.one, &self.count, number(distance));
        (quote!(ir::Value<'a>), quote!(self.0.#one(self.0.#count() - #distance)))
    }

    /// The group with `before` values before it and `after` after it.
    fn variable(&self, group: &Values, before: usize, after: usize) -> (TokenStream, TokenStream) {
        let Self { one, all, count } = self;
        let (skipped, left, fixed) = (number(before), number(after), number(before + after));
        if group.cardinality == Cardinality::Optional {
            return (quote!(Option<ir::Value<'a>>), quote!((self.0.#count() > #fixed).then(|| self.0.#one(#skipped))));
        }
        let body = match (before, after) {
            (0, 0) => quote!(self.0.#all()),
            (_, 0) => quote!(self.0.#all().split_off(#skipped)),
            _ => quote!(self.0.#all()[#skipped..self.0.#count() - #left].to_vec()),
        };
        (quote!(Vec<ir::Value<'a>>), body)
    }
}

/// A number as people write it, without its type.
fn number(number: usize) -> Literal {
    Literal::usize_unsuffixed(number)
}

/// The accessor of a group whose place the property tells.
fn sized(index: usize, group: &Values) -> TokenStream {
    let index = number(index);
    let (ty, body) = match group.cardinality {
        Cardinality::One => (quote!(ir::Value<'a>), quote!(self.operand_group(#index)[0])),
        Cardinality::Optional => (quote!(Option<ir::Value<'a>>), quote!(self.operand_group(#index).first().copied())),
        Cardinality::Variadic => (quote!(Vec<ir::Value<'a>>), quote!(self.operand_group(#index))),
    };
    let docs = format!(" {}", values_docs("Operand", group));
    let name = ident(&group.name);
    quote! {
        #[doc = #docs]
        pub fn #name(self) -> #ty {
            #body
        }
    }
}

fn sized_group(op: &Op) -> TokenStream {
    let verified = format!("a verified `{}` has the sizes of its operand groups", op.name);
    quote! {
        fn operand_group(self, group: usize) -> Vec<ir::Value<'a>> {
            let sizes = self.0.attr("operandSegmentSizes").and_then(ir::Attr::as_i32s).expect(#verified);
            let mut sizes = sizes.into_iter().map(|size| usize::try_from(size).expect(#verified));
            let start = sizes.by_ref().take(group).sum();
            let size = sizes.next().expect(#verified);
            self.0.operands().into_iter().skip(start).take(size).collect()
        }
    }
}

fn accessor(op: &Op, attribute: &Attribute) -> TokenStream {
    let docs = format!(" {}", attribute_docs(attribute));
    let name = ident(&attribute.name);
    let key = &attribute.name;
    let (ty, read) = match attribute.kind {
        AttributeKind::Unit => {
            return quote! {
                #[doc = #docs]
                pub fn #name(self) -> bool {
                    self.0.attr(#key).is_some()
                }
            };
        }
        AttributeKind::SymbolName | AttributeKind::Str => (quote!(&'a str), quote!(ir::Attr::as_str)),
        AttributeKind::FlatSymbolRef => (quote!(&'a str), quote!(|symbol| symbol.as_symbol()?.into_iter().next())),
        AttributeKind::SymbolRef => (quote!(Vec<&'a str>), quote!(ir::Attr::as_symbol)),
        AttributeKind::I64 => (quote!(i64), quote!(ir::Attr::as_i64)),
        // The attribute holds an f32, so nothing is rounded.
        AttributeKind::F32 => (quote!(f32), quote!(|number| Some(number.as_f64()? as f32))),
        AttributeKind::F64 => (quote!(f64), quote!(ir::Attr::as_f64)),
        AttributeKind::Bool => (quote!(bool), quote!(ir::Attr::as_bool)),
        AttributeKind::Array => (quote!(Vec<ir::Attr<'a>>), quote!(ir::Attr::as_array)),
        AttributeKind::Type => (quote!(ir::Type<'a>), quote!(ir::Attr::as_type)),
        AttributeKind::Dictionary | AttributeKind::Any => (quote!(ir::Attr<'a>), TokenStream::new()),
    };
    let read = if read.is_empty() { read } else { quote!(.and_then(#read)) };
    let (ty, unwrap) = if attribute.optional {
        (quote!(Option<#ty>), TokenStream::new())
    } else {
        let verified = format!("a verified `{}` has the attribute `{key}`", op.name);
        (ty, quote!(.expect(#verified)))
    };
    quote! {
        #[doc = #docs]
        pub fn #name(self) -> #ty {
            self.0.attr(#key) #read #unwrap
        }
    }
}
