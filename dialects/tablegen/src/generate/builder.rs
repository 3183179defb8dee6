//! The function that makes an operation from typed parts.
//!
//! Few parts are arguments; more are the fields of a struct, so that each has its name where it is given. The types of
//! results are parts only if they don't follow from operands or constraints. Regions begin empty.

use super::docs::{attribute_docs, values_docs};
use super::names::ident;
use crate::model::{Attribute, AttributeKind, Cardinality, Constraint, Op, Scalar, Values};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// As many parts are arguments; the rewriter, the location and the place are three more, and seven arguments are
/// clippy's limit.
const MAX_ARGUMENTS: usize = 4;

/// Names in the function, which an argument would hide.
const OWN_NAMES: &[&str] = &["at", "context", "location", "rewriter"];

/// The function, and the struct it takes if there are many parts.
pub(super) struct Builder {
    pub(super) parts: Option<TokenStream>,
    pub(super) function: TokenStream,
}

/// Something the caller gives.
struct Part {
    name: Ident,
    ty: TokenStream,
    docs: String,
}

pub(super) fn builder(op: &Op) -> Builder {
    let name = format_ident!("{}Parts", op.type_name.strip_suffix("Op").unwrap_or(&op.type_name));
    let arguments = parts(op, &TokenStream::new());
    let hides = |part: &Part| OWN_NAMES.iter().any(|own| part.name == own);
    if arguments.len() <= MAX_ARGUMENTS && !arguments.iter().any(hides) {
        let arguments = arguments.iter().map(|Part { name, ty, .. }| quote!(#name: #ty));
        return Builder { parts: None, function: function(op, &TokenStream::new(), &quote!(#(#arguments),*)) };
    }
    let fields = parts(op, &quote!('t));
    let (handles, borrowed) = (uses(&fields, "'a"), uses(&fields, "'t"));
    let lifetimes = |borrow: TokenStream| match (handles, borrowed) {
        (true, true) => quote!(<'a, #borrow>),
        (true, false) => quote!(<'a>),
        (false, true) => quote!(<#borrow>),
        (false, false) => TokenStream::new(),
    };
    let generics = lifetimes(quote!('_));
    let function = function(op, &quote!(parts.), &quote!(parts: #name #generics));
    let docs = format!(" What a `{}` is made from.", op.name);
    let fields = fields.iter().map(|Part { name, ty, docs }| quote!(#[doc = #docs] pub #name: #ty));
    let generics = lifetimes(quote!('t));
    let parts = quote! {
        #[doc = #docs]
        #[derive(Clone, Copy, Debug)]
        pub struct #name #generics {
            #(#fields),*
        }
    };
    Builder { parts: Some(parts), function }
}

fn uses(parts: &[Part], lifetime: &str) -> bool {
    parts.iter().any(|part| part.ty.to_string().contains(lifetime))
}

/// The function; `through` is what comes before the name of a part.
fn function(op: &Op, through: &TokenStream, arguments: &TokenStream) -> TokenStream {
    let docs = format!(" Makes a `{}`.", op.name);
    let operands = op.operands.iter().map(|group| operand(group, through));
    let sizes = op.sized_operands.then(|| sizes(op, through));
    let attributes = op.attributes.iter().map(|attribute| attribute_call(attribute, through));
    let results = op.results.iter().map(|group| result(op, group, through));
    let regions = op.regions.iter().map(|_| quote!(.region()));
    let calls = quote!(#(#operands)* #sizes #(#attributes)* #(#results)* #(#regions)*);
    let needs_context = calls.to_string().contains("(context");
    let context = needs_context.then(|| quote!(let context = rewriter.context();));
    quote! {
        #[doc = #docs]
        pub fn build(
            rewriter: &ir::Rewriter<'a>,
            location: ir::Location<'a>,
            at: ir::InsertionPoint<'a>,
            #arguments
        ) -> Self {
            #context
            Self(rewriter.build(Self::NAME, location) #calls .at(at))
        }
    }
}

/// The parts in the order of the definition; `t` is the lifetime of references, empty if it is left out.
fn parts(op: &Op, t: &TokenStream) -> Vec<Part> {
    let of_group = |group: &Values, one: TokenStream, what| Part {
        name: ident(&group.name),
        ty: match group.cardinality {
            Cardinality::One => one,
            Cardinality::Optional => quote!(Option<#one>),
            Cardinality::Variadic => quote!(&#t [#one]),
        },
        docs: format!(" {}", values_docs(what, group)),
    };
    let operands = op.operands.iter().map(|group| of_group(group, quote!(ir::Value<'a>), "Operand"));
    let attributes = op.attributes.iter().map(|attribute| Part {
        name: ident(&attribute.name),
        ty: attribute_type(attribute, t),
        docs: format!(" {}", attribute_docs(attribute)),
    });
    let given = op.results.iter().filter(|group| inferred(op, group, &TokenStream::new()).is_none());
    let results = given.map(|group| of_group(group, quote!(ir::Type<'a>), "Type of the result"));
    operands.chain(attributes).chain(results).collect()
}

fn attribute_type(attribute: &Attribute, t: &TokenStream) -> TokenStream {
    let ty = match attribute.kind {
        AttributeKind::Unit => return quote!(bool),
        AttributeKind::SymbolName | AttributeKind::FlatSymbolRef | AttributeKind::Str => quote!(&#t str),
        AttributeKind::SymbolRef => quote!(&#t [&#t str]),
        AttributeKind::I64 => quote!(i64),
        AttributeKind::F32 => quote!(f32),
        AttributeKind::F64 => quote!(f64),
        AttributeKind::Bool => quote!(bool),
        AttributeKind::Array => quote!(&#t [ir::Attr<'a>]),
        AttributeKind::Dictionary | AttributeKind::Any => quote!(ir::Attr<'a>),
        AttributeKind::Type => quote!(ir::Type<'a>),
    };
    if attribute.optional { quote!(Option<#ty>) } else { ty }
}

fn operand(group: &Values, through: &TokenStream) -> TokenStream {
    let name = ident(&group.name);
    match group.cardinality {
        Cardinality::One => quote!(.operand(#through #name)),
        Cardinality::Optional => quote!(.operands(#through #name)),
        Cardinality::Variadic => quote!(.operands(#through #name.iter().copied())),
    }
}

/// The property that tells the operand groups apart.
fn sizes(op: &Op, through: &TokenStream) -> TokenStream {
    let sizes = op.operands.iter().map(|group| {
        let name = ident(&group.name);
        match group.cardinality {
            Cardinality::One => quote!(1),
            Cardinality::Optional => quote!(i32::from(#through #name.is_some())),
            Cardinality::Variadic => {
                quote!(i32::try_from(#through #name.len()).expect("an operation has less than 2^31 operands"))
            }
        }
    });
    quote!(.attr("operandSegmentSizes", ir::Attr::i32s(context, &[#(#sizes),*])))
}

fn attribute_call(attribute: &Attribute, through: &TokenStream) -> TokenStream {
    let key = &attribute.name;
    let name = ident(key);
    let value = if attribute.optional { quote!(value) } else { quote!(#through #name) };
    let made = match attribute.kind {
        AttributeKind::Unit => {
            return quote!(.maybe_attr(#key, (#through #name).then(|| ir::Attr::unit(context))));
        }
        AttributeKind::SymbolName | AttributeKind::Str => quote!(ir::Attr::string(context, #value)),
        AttributeKind::FlatSymbolRef => quote!(ir::Attr::symbol_ref(context, &[#value])),
        AttributeKind::SymbolRef => quote!(ir::Attr::symbol_ref(context, #value)),
        AttributeKind::I64 => quote!(ir::Attr::i64(context, #value)),
        AttributeKind::F32 => quote!(ir::Attr::f32(context, #value)),
        AttributeKind::F64 => quote!(ir::Attr::f64(context, #value)),
        AttributeKind::Bool => quote!(ir::Attr::bool(context, #value)),
        AttributeKind::Array => quote!(ir::Attr::array(context, #value)),
        AttributeKind::Type if attribute.optional => return quote!(.maybe_attr(#key, #through #name.map(ir::Attr::ty))),
        AttributeKind::Type => quote!(ir::Attr::ty(#value)),
        AttributeKind::Dictionary | AttributeKind::Any if attribute.optional => {
            return quote!(.maybe_attr(#key, #through #name));
        }
        AttributeKind::Dictionary | AttributeKind::Any => value,
    };
    if attribute.optional {
        quote!(.maybe_attr(#key, #through #name.map(|value| #made)))
    } else {
        quote!(.attr(#key, #made))
    }
}

fn result(op: &Op, group: &Values, through: &TokenStream) -> TokenStream {
    if let Some(ty) = inferred(op, group, through) {
        return quote!(.result(#ty));
    }
    let name = ident(&group.name);
    match group.cardinality {
        Cardinality::One => quote!(.result(#through #name)),
        Cardinality::Optional => quote!(.results(#through #name)),
        Cardinality::Variadic => quote!(.results(#through #name.iter().copied())),
    }
}

/// The type of a result that follows from an operand or from its own constraint.
fn inferred(op: &Op, group: &Values, through: &TokenStream) -> Option<TokenStream> {
    if group.cardinality != Cardinality::One {
        return None;
    }
    if let Constraint::Scalar(scalar) = group.constraint {
        return Some(match scalar {
            Scalar::F32 => quote!(ir::Type::f32(context)),
            Scalar::F64 => quote!(ir::Type::f64(context)),
            Scalar::F16 => quote!(ir::Type::f16(context)),
            Scalar::BF16 => quote!(ir::Type::bf16(context)),
            Scalar::I1 => quote!(ir::Type::i1(context)),
            Scalar::I8 => quote!(ir::Type::i8(context)),
            Scalar::I32 => quote!(ir::Type::i32(context)),
            Scalar::I64 => quote!(ir::Type::i64(context)),
            Scalar::Index => quote!(ir::Type::index(context)),
            Scalar::Any => return None,
        });
    }
    let set = op.same_types.iter().find(|names| names.contains(&group.name))?;
    let source = op.operands.iter().find(|one| one.cardinality == Cardinality::One && set.contains(&one.name))?;
    let name = ident(&source.name);
    Some(quote!(#through #name.ty()))
}
