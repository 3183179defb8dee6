//! Attributes: constants made unique in their context.

use super::{
    ContextRef, Diagnostic, Type, diagnostic, guard,
    handle::{handle, print_with},
};
use crate::ffi::{self, MlirAttribute, MlirNamedAttribute, text};

handle! {
    /// An attribute. Equal attributes of a context are the same one.
    Attr(MlirAttribute)
}
print_with!(Attr, mlirAttributePrint);

/// The class of an attribute, as far as this library has a use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `"text"`
    String,
    /// `1 : i64`, of any width above one or `index`.
    Integer,
    /// `1.0 : f32`
    Float,
    /// `true`
    Bool,
    /// `unit`
    Unit,
    /// `[a, b]`
    Array,
    /// `{key = value}`
    Dictionary,
    /// `@outer::@inner`
    SymbolRef,
    /// `f32`
    Type,
    /// `array<i64: 1, 2>`, of any element type.
    DenseArray,
    /// Anything else.
    Other,
}

impl<'a> Attr<'a> {
    /// A string.
    pub fn string(context: impl Into<ContextRef<'a>>, value: &str) -> Attr<'a> {
        // SAFETY: the context is valid during 'a, and attributes live as long as it; the text is copied.
        unsafe { Attr::from_raw(ffi::mlirStringAttrGet(context.into().raw(), text::as_ref(value))) }
    }

    /// A signless 64-bit integer.
    pub fn i64(context: impl Into<ContextRef<'a>>, value: i64) -> Attr<'a> {
        // SAFETY: the type is of a context valid during 'a.
        unsafe { Attr::from_raw(ffi::mlirIntegerAttrGet(Type::i64(context).raw(), value)) }
    }

    /// A 32-bit float.
    pub fn f32(context: impl Into<ContextRef<'a>>, value: f32) -> Attr<'a> {
        let context = context.into();
        Attr::float(context, Type::f32(context), value.into())
    }

    /// A 64-bit float.
    pub fn f64(context: impl Into<ContextRef<'a>>, value: f64) -> Attr<'a> {
        let context = context.into();
        Attr::float(context, Type::f64(context), value)
    }

    fn float(context: ContextRef<'a>, ty: Type<'a>, value: f64) -> Attr<'a> {
        // SAFETY: context and type are valid, and the type is a float.
        unsafe { Attr::from_raw(ffi::mlirFloatAttrDoubleGet(context.raw(), ty.raw(), value)) }
    }

    /// A truth value.
    pub fn bool(context: impl Into<ContextRef<'a>>, value: bool) -> Attr<'a> {
        // SAFETY: the context is valid.
        unsafe { Attr::from_raw(ffi::mlirBoolAttrGet(context.into().raw(), value.into())) }
    }

    /// The attribute that means something by being there.
    pub fn unit(context: impl Into<ContextRef<'a>>) -> Attr<'a> {
        // SAFETY: the context is valid.
        unsafe { Attr::from_raw(ffi::mlirUnitAttrGet(context.into().raw())) }
    }

    /// An array.
    pub fn array(context: impl Into<ContextRef<'a>>, elements: &[Attr<'a>]) -> Attr<'a> {
        let context = context.into();
        let raw: Vec<_> = elements.iter().map(|element| element.in_context(context).raw()).collect();
        // SAFETY: context and elements are valid; the array has the length given and is copied.
        unsafe { Attr::from_raw(ffi::mlirArrayAttrGet(context.raw(), raw.len() as isize, raw.as_ptr())) }
    }

    /// A dictionary, in any order; of entries with the same key the last one counts.
    pub fn dict(context: impl Into<ContextRef<'a>>, entries: &[(&str, Attr<'a>)]) -> Attr<'a> {
        let context = context.into();
        let last: std::collections::BTreeMap<&str, Attr<'a>> = entries.iter().copied().collect();
        let raw: Vec<_> = last.into_iter().map(|(name, value)| named(name, value.in_context(context))).collect();
        // SAFETY: as in `array`.
        unsafe { Attr::from_raw(ffi::mlirDictionaryAttrGet(context.raw(), raw.len() as isize, raw.as_ptr())) }
    }

    /// A symbol by its path from the outermost table: `["native", "f"]` is `@native::@f`.
    ///
    /// # Panics
    /// If the path is empty.
    pub fn symbol_ref(context: impl Into<ContextRef<'a>>, path: &[&str]) -> Attr<'a> {
        let context = context.into();
        let (root, nested) = path.split_first().expect("a symbol reference names at least one symbol");
        // SAFETY: the context is valid; texts are copied, the array has the length given.
        unsafe {
            let nested: Vec<_> =
                nested.iter().map(|name| ffi::mlirFlatSymbolRefAttrGet(context.raw(), text::as_ref(name))).collect();
            Attr::from_raw(ffi::mlirSymbolRefAttrGet(
                context.raw(),
                text::as_ref(root),
                nested.len() as isize,
                nested.as_ptr(),
            ))
        }
    }

    /// A type as an attribute.
    pub fn ty(ty: Type<'a>) -> Attr<'a> {
        // SAFETY: the type is valid during 'a, and its context longer.
        unsafe { Attr::from_raw(ffi::mlirTypeAttrGet(ty.raw())) }
    }

    /// `array<i64: ..>`
    pub fn i64s(context: impl Into<ContextRef<'a>>, values: &[i64]) -> Attr<'a> {
        // SAFETY: the context is valid; the array has the length given and is copied.
        unsafe {
            Attr::from_raw(ffi::mlirDenseI64ArrayGet(context.into().raw(), values.len() as isize, values.as_ptr()))
        }
    }

    /// `array<i32: ..>`, the form of `operandSegmentSizes`.
    pub fn i32s(context: impl Into<ContextRef<'a>>, values: &[i32]) -> Attr<'a> {
        // SAFETY: as in `i64s`.
        unsafe {
            Attr::from_raw(ffi::mlirDenseI32ArrayGet(context.into().raw(), values.len() as isize, values.as_ptr()))
        }
    }

    /// An attribute in MLIR's syntax.
    ///
    /// # Panics
    /// In a verifier or a pass on a nested operation.
    pub fn parse(context: impl Into<ContextRef<'a>>, source: &str) -> Result<Attr<'a>, Vec<Diagnostic>> {
        guard::assert_may_load();
        let context = context.into();
        let source = text::Terminated::new(source.as_bytes());
        // SAFETY: the context is valid; the source is only read and followed by a NUL.
        let (raw, diagnostics) = diagnostic::collect(context.raw(), || unsafe {
            ffi::mlirAttributeParseGet(context.raw(), source.as_ref())
        });
        // SAFETY: null or an attribute of the context.
        unsafe { Attr::from_nullable(raw) }.ok_or(diagnostics)
    }

    /// The class.
    pub fn kind(self) -> Kind {
        let raw = self.raw();
        // SAFETY: the attribute is valid; these only look at its class.
        unsafe {
            if ffi::mlirAttributeIsAString(raw) {
                Kind::String
            } else if ffi::mlirAttributeIsABool(raw) {
                Kind::Bool
            } else if ffi::mlirAttributeIsAInteger(raw) {
                Kind::Integer
            } else if ffi::mlirAttributeIsAFloat(raw) {
                Kind::Float
            } else if ffi::mlirAttributeIsADictionary(raw) {
                Kind::Dictionary
            } else if ffi::mlirAttributeIsAArray(raw) {
                Kind::Array
            } else if ffi::mlirAttributeIsASymbolRef(raw) {
                Kind::SymbolRef
            } else if ffi::mlirAttributeIsAType(raw) {
                Kind::Type
            } else if ffi::mlirAttributeIsAUnit(raw) {
                Kind::Unit
            } else if is_dense_array(raw) {
                Kind::DenseArray
            } else {
                Kind::Other
            }
        }
    }

    /// The text of a string. `None` also if it isn't UTF-8.
    pub fn as_str(self) -> Option<&'a str> {
        // SAFETY: the class is checked before; the text lives in the context, longer than 'a.
        unsafe {
            ffi::mlirAttributeIsAString(self.raw())
                .then(|| std::str::from_utf8(text::bytes(ffi::mlirStringAttrGetValue(self.raw()))).ok())
                .flatten()
        }
    }

    /// The value of an integer or an index that fits. `None` for a truth value.
    pub fn as_i64(self) -> Option<i64> {
        if self.kind() != Kind::Integer {
            return None;
        }
        // SAFETY: the attribute is an integer or index, hence so is its type; each accessor fits the signedness.
        unsafe {
            let ty = ffi::mlirAttributeGetType(self.raw());
            if ffi::mlirTypeIsAIndex(ty) {
                return Some(ffi::mlirIntegerAttrGetValueInt(self.raw()));
            }
            if ffi::mlirIntegerTypeGetWidth(ty) > 64 {
                return None;
            }
            if ffi::mlirIntegerTypeIsUnsigned(ty) {
                i64::try_from(ffi::mlirIntegerAttrGetValueUInt(self.raw())).ok()
            } else if ffi::mlirIntegerTypeIsSigned(ty) {
                Some(ffi::mlirIntegerAttrGetValueSInt(self.raw()))
            } else {
                Some(ffi::mlirIntegerAttrGetValueInt(self.raw()))
            }
        }
    }

    /// The value of a float of at most 64 bits, which is exact.
    pub fn as_f64(self) -> Option<f64> {
        // SAFETY: the class is checked before; a float attribute has a float type.
        unsafe {
            let fits = || ffi::mlirFloatTypeGetWidth(ffi::mlirAttributeGetType(self.raw())) <= 64;
            (ffi::mlirAttributeIsAFloat(self.raw()) && fits()).then(|| ffi::mlirFloatAttrGetValueDouble(self.raw()))
        }
    }

    /// The truth value.
    pub fn as_bool(self) -> Option<bool> {
        // SAFETY: the class is checked before.
        unsafe { ffi::mlirAttributeIsABool(self.raw()).then(|| ffi::mlirBoolAttrGetValue(self.raw())) }
    }

    /// The elements of an array.
    pub fn as_array(self) -> Option<Vec<Attr<'a>>> {
        // SAFETY: the class is checked before; elements are asked for below their number and live as long.
        unsafe {
            ffi::mlirAttributeIsAArray(self.raw()).then(|| {
                (0..ffi::mlirArrayAttrGetNumElements(self.raw()))
                    .map(|i| Attr::from_raw(ffi::mlirArrayAttrGetElement(self.raw(), i)))
                    .collect()
            })
        }
    }

    /// The entries of a dictionary, sorted by key.
    pub fn as_dict(self) -> Option<Vec<(&'a str, Attr<'a>)>> {
        // SAFETY: as in `as_array`.
        unsafe {
            ffi::mlirAttributeIsADictionary(self.raw()).then(|| {
                (0..ffi::mlirDictionaryAttrGetNumElements(self.raw()))
                    .map(|i| unnamed(ffi::mlirDictionaryAttrGetElement(self.raw(), i)))
                    .collect()
            })
        }
    }

    /// The value of a key, if this is a dictionary that has it.
    pub fn get(self, key: &str) -> Option<Attr<'a>> {
        // SAFETY: the class is checked before; the result is null or lives as long as the dictionary.
        unsafe {
            ffi::mlirAttributeIsADictionary(self.raw())
                .then(|| Attr::from_nullable(ffi::mlirDictionaryAttrGetElementByName(self.raw(), text::as_ref(key))))
                .flatten()
        }
    }

    /// The path of a symbol reference, outermost first.
    pub fn as_symbol(self) -> Option<Vec<&'a str>> {
        // SAFETY: as in `as_array`; nested references are flat ones.
        unsafe {
            ffi::mlirAttributeIsASymbolRef(self.raw()).then(|| {
                std::iter::once(text::name(ffi::mlirSymbolRefAttrGetRootReference(self.raw())))
                    .chain((0..ffi::mlirSymbolRefAttrGetNumNestedReferences(self.raw())).map(|i| {
                        let nested = ffi::mlirSymbolRefAttrGetNestedReference(self.raw(), i);
                        text::name(ffi::mlirFlatSymbolRefAttrGetValue(nested))
                    }))
                    .collect()
            })
        }
    }

    /// The type which a type attribute holds.
    pub fn as_type(self) -> Option<Type<'a>> {
        // SAFETY: the class is checked before.
        unsafe { ffi::mlirAttributeIsAType(self.raw()).then(|| Type::from_raw(ffi::mlirTypeAttrGetValue(self.raw()))) }
    }

    /// The elements of `array<i64: ..>`.
    pub fn as_i64s(self) -> Option<Vec<i64>> {
        // SAFETY: as in `as_array`.
        unsafe {
            ffi::mlirAttributeIsADenseI64Array(self.raw()).then(|| {
                (0..ffi::mlirDenseArrayGetNumElements(self.raw()))
                    .map(|i| ffi::mlirDenseI64ArrayGetElement(self.raw(), i))
                    .collect()
            })
        }
    }

    /// The elements of `array<i32: ..>`.
    pub fn as_i32s(self) -> Option<Vec<i32>> {
        // SAFETY: as in `as_array`.
        unsafe {
            ffi::mlirAttributeIsADenseI32Array(self.raw()).then(|| {
                (0..ffi::mlirDenseArrayGetNumElements(self.raw()))
                    .map(|i| ffi::mlirDenseI32ArrayGetElement(self.raw(), i))
                    .collect()
            })
        }
    }

    /// The type of the value, for instance of an integer.
    pub fn value_type(self) -> Option<Type<'a>> {
        // SAFETY: null or a type that lives as long; MLIR says `none` for attributes without one.
        unsafe { Type::from_nullable(ffi::mlirAttributeGetType(self.raw())) }
    }

    /// The context.
    pub fn context(self) -> ContextRef<'a> {
        // SAFETY: the attribute is valid during 'a, and its context longer.
        unsafe { ContextRef::from_raw(ffi::mlirAttributeGetContext(self.raw())) }
    }

    /// # Panics
    /// If the attribute belongs to another context.
    pub(super) fn in_context(self, context: ContextRef<'_>) -> Attr<'a> {
        assert!(self.context() == context, "attribute {self} belongs to another context");
        self
    }
}

/// # Safety
/// `raw` must be valid.
unsafe fn is_dense_array(raw: MlirAttribute) -> bool {
    // SAFETY: these only look at the class.
    unsafe {
        ffi::mlirAttributeIsADenseBoolArray(raw)
            || ffi::mlirAttributeIsADenseI8Array(raw)
            || ffi::mlirAttributeIsADenseI16Array(raw)
            || ffi::mlirAttributeIsADenseI32Array(raw)
            || ffi::mlirAttributeIsADenseI64Array(raw)
            || ffi::mlirAttributeIsADenseF32Array(raw)
            || ffi::mlirAttributeIsADenseF64Array(raw)
    }
}

/// An entry of a dictionary or of an operation.
pub(super) fn named(name: &str, value: Attr<'_>) -> MlirNamedAttribute {
    // SAFETY: the context of the value is valid, and the name is copied.
    let name = unsafe { ffi::mlirIdentifierGet(value.context().raw(), text::as_ref(name)) };
    MlirNamedAttribute { name, attribute: value.raw() }
}

/// # Safety
/// Name and value must live during `'a`.
pub(super) unsafe fn unnamed<'a>(entry: MlirNamedAttribute) -> (&'a str, Attr<'a>) {
    // SAFETY: the caller's.
    unsafe { (text::name(ffi::mlirIdentifierStr(entry.name)), Attr::from_raw(entry.attribute)) }
}
