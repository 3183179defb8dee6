//! From the model to Rust source.
//!
//! The source belongs into a module beside one named `verify`, for instance
//! `mod ops { include!(concat!(env!("OUT_DIR"), "/graph.rs")); }`. It defines
//!
//! * `DIALECT`, the table of the dialect, and `OPS`, those of its operations;
//! * for each operation `x` a type `XOp` around a handle, with its table (`table`), what it consists of (`accessors`) and
//!   a function that makes one (`builder`).
//!
//! The tables name the functions that the dialect writes itself: `verify::x` for `hasVerifier`, `verify::x_symbols` for
//! `DeclareOpInterfaceMethods<SymbolUserOpInterface>`, `verify::dialect_attribute` for `hasOperationAttrVerify`.

mod accessors;
mod builder;
mod docs;
mod names;
mod table;

use crate::model::{Dialect, Op};
use docs::{doc, op_docs};
use names::type_ident;
use proc_macro2::TokenStream;
use quote::quote;
use std::path::Path;

/// The Rust source of a dialect; `file` is named as its origin.
pub fn generate(dialect: &Dialect, file: &Path) -> String {
    let mut items = vec![quote! {
        use cke_mlir::{def, ir};
    }];
    items.extend(dialect_items(dialect));
    items.extend(dialect.ops.iter().flat_map(op_items));
    let origin = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let mut source = format!("// Made from {origin} by cke-tablegen. Change that file, not this one.\n");
    for item in items {
        let file = syn::parse2(item).expect("the generator writes Rust");
        source.push('\n');
        source.push_str(&spaced(&prettyplease::unparse(&file)));
    }
    source
}

fn dialect_items(dialect: &Dialect) -> [TokenStream; 2] {
    let name = &dialect.name;
    let title = match dialect.summary.as_str() {
        "" => format!("The dialect `{name}`."),
        summary => format!("The dialect `{name}`: {}.", docs::sentence(summary)),
    };
    let docs = doc(&title, &dialect.description);
    let verify_attr = match dialect.verifies_attributes {
        true => quote!(Some(super::verify::dialect_attribute)),
        false => quote!(None),
    };
    let types = dialect.ops.iter().map(|op| type_ident(&op.type_name));
    [
        quote! {
            #docs
            pub static DIALECT: def::DialectDef =
                def::DialectDef { name: #name, ops: OPS, verify_attr: #verify_attr };
        },
        quote! {
            /// The operations of the dialect.
            pub static OPS: &[def::OpDef] = &[#(#types::DEF),*];
        },
    ]
}

fn op_items(op: &Op) -> Vec<TokenStream> {
    let ty = type_ident(&op.type_name);
    let docs = op_docs(op);
    let name = &op.name;
    let table = table::table(op);
    let cast_docs = format!(" The operation as a `{name}`; `None` if it is another one.");
    let accessors = accessors::accessors(op);
    let builder = builder::builder(op);
    let mut items = vec![quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct #ty<'a>(ir::Op<'a>);
    }];
    items.extend(builder.parts);
    let build = builder.function;
    items.push(quote! {
        impl<'a> #ty<'a> {
            /// The name of the operation.
            pub const NAME: &'static str = #name;

            /// The table of the operation.
            pub const DEF: def::OpDef = #table;

            #[doc = #cast_docs]
            pub fn cast(op: ir::Op<'a>) -> Option<Self> {
                (op.name() == Self::NAME).then_some(Self(op))
            }

            #build

            #accessors
        }
    });
    items.push(quote! {
        impl<'a> std::ops::Deref for #ty<'a> {
            type Target = ir::Op<'a>;

            fn deref(&self) -> &ir::Op<'a> {
                &self.0
            }
        }
    });
    items.push(quote! {
        impl<'a> From<#ty<'a>> for ir::Op<'a> {
            fn from(op: #ty<'a>) -> Self {
                op.0
            }
        }
    });
    items
}

/// Separates the members of an item with blank lines, which the formatter drops.
fn spaced(source: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut result = String::with_capacity(source.len());
    let mut previous: Option<&str> = None;
    for line in source.lines() {
        let begins = ["///", "pub ", "fn ", "#["].iter().any(|start| line.trim_start().starts_with(start));
        let follows = previous.is_some_and(|previous| {
            let is_end = previous.ends_with(['}', ';']) && !previous.trim_start().starts_with("//");
            is_end && indent(previous) == indent(line)
        });
        if begins && follows {
            result.push('\n');
        }
        result.push_str(line);
        result.push('\n');
        previous = Some(line);
    }
    result
}
