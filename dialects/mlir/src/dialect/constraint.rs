//! Whether a type or an attribute is what a table asks for, and how that is said.

use crate::{
    def::{AttrKind, Scalar, TypeConstraint},
    ffi::{self, MlirAttribute, MlirType},
};

/// Whether a type satisfies a constraint.
pub fn accepts(constraint: TypeConstraint, ty: MlirType) -> bool {
    // SAFETY: the type is valid; elements and ranks are only asked of types that have them.
    unsafe {
        match constraint {
            TypeConstraint::Any => true,
            TypeConstraint::Tensor(elements, None) => ffi::mlirTypeIsATensor(ty) && has_element(elements, ty),
            TypeConstraint::Tensor(elements, Some(rank)) => {
                ffi::mlirTypeIsARankedTensor(ty)
                    && ffi::mlirShapedTypeGetRank(ty) == i64::from(rank)
                    && has_element(elements, ty)
            }
            TypeConstraint::MemRef(elements) => {
                (ffi::mlirTypeIsAMemRef(ty) || ffi::mlirTypeIsAUnrankedMemRef(ty)) && has_element(elements, ty)
            }
            TypeConstraint::Scalar(scalar) => is_scalar(scalar, ty),
            TypeConstraint::AnyFloat => ffi::mlirTypeIsAFloat(ty),
            TypeConstraint::AnyInteger => ffi::mlirTypeIsAInteger(ty),
        }
    }
}

/// # Safety
/// `ty` must be a shaped type.
unsafe fn has_element(elements: &[Scalar], ty: MlirType) -> bool {
    // SAFETY: the caller's.
    let element = unsafe { ffi::mlirShapedTypeGetElementType(ty) };
    elements.iter().any(|scalar| is_scalar(*scalar, element))
}

fn is_scalar(scalar: Scalar, ty: MlirType) -> bool {
    // SAFETY: the type is valid; the width is only asked of integers.
    unsafe {
        let signless = |width| {
            ffi::mlirTypeIsAInteger(ty)
                && ffi::mlirIntegerTypeIsSignless(ty)
                && ffi::mlirIntegerTypeGetWidth(ty) == width
        };
        match scalar {
            Scalar::F32 => ffi::mlirTypeIsAF32(ty),
            Scalar::F64 => ffi::mlirTypeIsAF64(ty),
            Scalar::F16 => ffi::mlirTypeIsAF16(ty),
            Scalar::BF16 => ffi::mlirTypeIsABF16(ty),
            Scalar::I1 => signless(1),
            Scalar::I8 => signless(8),
            Scalar::I32 => signless(32),
            Scalar::I64 => signless(64),
            Scalar::Index => ffi::mlirTypeIsAIndex(ty),
            Scalar::Any => true,
        }
    }
}

/// A constraint in words, after "must be".
pub fn describe(constraint: TypeConstraint) -> String {
    match constraint {
        TypeConstraint::Any => "any type".into(),
        TypeConstraint::Tensor(elements, None) => format!("tensor of {} values", any_of(elements)),
        TypeConstraint::Tensor(elements, Some(rank)) => format!("{rank}D tensor of {} values", any_of(elements)),
        TypeConstraint::MemRef(elements) => format!("memref of {} values", any_of(elements)),
        TypeConstraint::Scalar(scalar) => scalar_name(scalar).into(),
        TypeConstraint::AnyFloat => "floating-point".into(),
        TypeConstraint::AnyInteger => "integer".into(),
    }
}

fn any_of(elements: &[Scalar]) -> String {
    elements.iter().map(|scalar| scalar_name(*scalar)).collect::<Vec<_>>().join(" or ")
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
        Scalar::F16 => "f16",
        Scalar::BF16 => "bf16",
        Scalar::I1 => "i1",
        Scalar::I8 => "i8",
        Scalar::I32 => "i32",
        Scalar::I64 => "i64",
        Scalar::Index => "index",
        Scalar::Any => "any type",
    }
}

/// Whether an attribute is of a kind.
pub fn is_kind(kind: AttrKind, attribute: MlirAttribute) -> bool {
    // SAFETY: the attribute is valid; types are only asked of attributes that have one.
    unsafe {
        let typed = |is: fn(MlirType) -> bool| is(ffi::mlirAttributeGetType(attribute));
        match kind {
            AttrKind::SymbolName | AttrKind::Str => ffi::mlirAttributeIsAString(attribute),
            AttrKind::FlatSymbolRef => ffi::mlirAttributeIsAFlatSymbolRef(attribute),
            AttrKind::SymbolRef => ffi::mlirAttributeIsASymbolRef(attribute),
            AttrKind::I64 => ffi::mlirAttributeIsAInteger(attribute) && typed(|ty| is_scalar(Scalar::I64, ty)),
            AttrKind::F32 => ffi::mlirAttributeIsAFloat(attribute) && typed(|ty| is_scalar(Scalar::F32, ty)),
            AttrKind::F64 => ffi::mlirAttributeIsAFloat(attribute) && typed(|ty| is_scalar(Scalar::F64, ty)),
            AttrKind::Bool => ffi::mlirAttributeIsABool(attribute),
            AttrKind::Unit => ffi::mlirAttributeIsAUnit(attribute),
            AttrKind::Dictionary => ffi::mlirAttributeIsADictionary(attribute),
            AttrKind::Array => ffi::mlirAttributeIsAArray(attribute),
            AttrKind::Type => ffi::mlirAttributeIsAType(attribute),
            AttrKind::Any => true,
        }
    }
}

/// A kind in words, after "must be".
pub fn describe_kind(kind: AttrKind) -> &'static str {
    match kind {
        AttrKind::SymbolName | AttrKind::Str => "a string",
        AttrKind::FlatSymbolRef => "a flat symbol reference",
        AttrKind::SymbolRef => "a symbol reference",
        AttrKind::I64 => "an i64",
        AttrKind::F32 => "an f32",
        AttrKind::F64 => "an f64",
        AttrKind::Bool => "a truth value",
        AttrKind::Unit => "unit",
        AttrKind::Dictionary => "a dictionary",
        AttrKind::Array => "an array",
        AttrKind::Type => "a type",
        AttrKind::Any => "an attribute",
    }
}
