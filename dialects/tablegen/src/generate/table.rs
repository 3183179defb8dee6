//! The static table of an operation: a `cke_mlir::def::OpDef`.

use super::names::{function, ident};
use crate::format::{Element, ElementKind};
use crate::model::{Attribute, AttributeKind, Cardinality, Constraint, Effect, Op, Scalar, Trait, Values};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

pub(super) fn table(op: &Op) -> TokenStream {
    let traits = traits(&op.traits);
    let effects = op.effects.iter().map(|effect| match effect {
        Effect::Read => quote!(def::Effect::Read),
        Effect::Write => quote!(def::Effect::Write),
        Effect::Allocate => quote!(def::Effect::Allocate),
        Effect::Free => quote!(def::Effect::Free),
    });
    let operands = op.operands.iter().map(values);
    let results = op.results.iter().map(values);
    let attributes = op.attributes.iter().map(attribute);
    let regions = op.regions.iter().map(|region| &region.name);
    let same_types = op.same_types.iter().map(|names| quote!(&[#(#names),*]));
    let sized_operands = op.sized_operands;
    let format = optional(op.format.as_ref().map(|format| elements(format)));
    let summary = &op.summary;
    let verifier = function(&op.mnemonic);
    let verify = optional(op.has_verifier.then(|| {
        let name = ident(&verifier);
        quote!(super::verify::#name)
    }));
    let verify_symbols = optional(op.is_symbol_user.then(|| {
        let name = format_ident!("{verifier}_symbols");
        quote!(super::verify::#name)
    }));
    quote! {
        def::OpDef {
            name: Self::NAME,
            traits: #traits,
            effects: &[#(#effects),*],
            operands: &[#(#operands),*],
            results: &[#(#results),*],
            attrs: &[#(#attributes),*],
            regions: &[#(#regions),*],
            same_types: &[#(#same_types),*],
            sized_operands: #sized_operands,
            format: #format,
            summary: #summary,
            verify: #verify,
            verify_symbols: #verify_symbols,
        }
    }
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

fn traits(traits: &[Trait]) -> TokenStream {
    let mut names = traits.iter().map(|which| match which {
        Trait::Commutative => quote!(def::Traits::COMMUTATIVE),
        Trait::IsolatedFromAbove => quote!(def::Traits::ISOLATED_FROM_ABOVE),
        Trait::NoTerminator => quote!(def::Traits::NO_TERMINATOR),
        Trait::Pure => quote!(def::Traits::PURE),
        Trait::RecursiveMemoryEffects => quote!(def::Traits::RECURSIVE_MEMORY_EFFECTS),
        Trait::ReturnLike => quote!(def::Traits::RETURN_LIKE),
        Trait::SingleBlock => quote!(def::Traits::SINGLE_BLOCK),
        Trait::Symbol => quote!(def::Traits::SYMBOL),
        Trait::SymbolTable => quote!(def::Traits::SYMBOL_TABLE),
        Trait::Terminator => quote!(def::Traits::TERMINATOR),
    });
    match traits {
        [] => quote!(def::Traits::NONE),
        [_] => quote!(#(#names)*),
        _ => {
            let names = names.by_ref();
            quote!(def::Traits::of(&[#(#names),*]))
        }
    }
}

fn values(group: &Values) -> TokenStream {
    let name = &group.name;
    let cardinality = match group.cardinality {
        Cardinality::One => quote!(One),
        Cardinality::Optional => quote!(Optional),
        Cardinality::Variadic => quote!(Variadic),
    };
    let constraint = constraint(&group.constraint);
    quote! {
        def::ValueDef { name: #name, cardinality: def::Cardinality::#cardinality, constraint: #constraint }
    }
}

fn constraint(constraint: &Constraint) -> TokenStream {
    match constraint {
        Constraint::Any => quote!(def::TypeConstraint::Any),
        Constraint::AnyFloat => quote!(def::TypeConstraint::AnyFloat),
        Constraint::AnyInteger => quote!(def::TypeConstraint::AnyInteger),
        Constraint::Scalar(one) => {
            let one = scalar(*one);
            quote!(def::TypeConstraint::Scalar(#one))
        }
        Constraint::MemRef(elements) => {
            let elements = elements.iter().map(|element| scalar(*element));
            quote!(def::TypeConstraint::MemRef(&[#(#elements),*]))
        }
        Constraint::Tensor(elements, rank) => {
            let elements = elements.iter().map(|element| scalar(*element));
            let rank = optional(rank.map(proc_macro2::Literal::u32_unsuffixed).map(|rank| quote!(#rank)));
            quote!(def::TypeConstraint::Tensor(&[#(#elements),*], #rank))
        }
    }
}

fn scalar(scalar: Scalar) -> TokenStream {
    let name = format_ident!("{scalar:?}");
    quote!(def::Scalar::#name)
}

fn attribute(attribute: &Attribute) -> TokenStream {
    let name = &attribute.name;
    let kind = match attribute.kind {
        AttributeKind::SymbolName => quote!(SymbolName),
        AttributeKind::FlatSymbolRef => quote!(FlatSymbolRef),
        AttributeKind::SymbolRef => quote!(SymbolRef),
        AttributeKind::Str => quote!(Str),
        AttributeKind::I64 => quote!(I64),
        AttributeKind::F32 => quote!(F32),
        AttributeKind::F64 => quote!(F64),
        AttributeKind::Bool => quote!(Bool),
        AttributeKind::Unit => quote!(Unit),
        AttributeKind::Dictionary => quote!(Dictionary),
        AttributeKind::Array => quote!(Array),
        AttributeKind::Type => quote!(Type),
        AttributeKind::Any => quote!(Any),
    };
    let optional = attribute.optional;
    quote!(def::AttrDef { name: #name, kind: def::AttrKind::#kind, optional: #optional })
}

fn elements(format: &[Element]) -> TokenStream {
    let elements = format.iter().map(|element| match &element.kind {
        ElementKind::Literal(text) => quote!(def::Element::Literal(#text)),
        ElementKind::Variable(name) => quote!(def::Element::Variable(#name)),
        ElementKind::AttrDict { keyword: false } => quote!(def::Element::AttrDict),
        ElementKind::AttrDict { keyword: true } => quote!(def::Element::AttrDictWithKeyword),
        ElementKind::Type(name) => quote!(def::Element::Type(#name)),
        ElementKind::FunctionalType(inputs, results) => quote!(def::Element::FunctionalType(#inputs, #results)),
        ElementKind::Operands => quote!(def::Element::Operands),
        ElementKind::Optional { then, anchor, otherwise } => {
            let (then, otherwise) = (self::elements(then), self::elements(otherwise));
            quote!(def::Element::Optional { then: #then, anchor: #anchor, otherwise: #otherwise })
        }
    });
    quote!(&[#(#elements),*])
}
