//! Types.

use super::{
    ContextRef, Diagnostic, Location, diagnostic, guard,
    handle::{handle, print_with},
};
use crate::ffi::{self, text};

handle! {
    /// A type. Equal types of a context are the same one.
    Type(MlirType)
}
print_with!(Type, mlirTypePrint);

/// Constructors without parameters, each with its test.
macro_rules! simple {
    ($($(#[$doc:meta])* $make:ident => $get:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $make(context: impl Into<ContextRef<'a>>) -> Type<'a> {
                // SAFETY: the context is valid during 'a, and types live as long as it.
                unsafe { Type::from_raw(ffi::$get(context.into().raw())) }
            }
        )*
    };
}

/// Tests of the class.
macro_rules! tests {
    ($($(#[$doc:meta])* $name:ident => $($is:ident)||+;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(self) -> bool {
                // SAFETY: the type is valid; this only looks at its class.
                unsafe { $(ffi::$is(self.raw()))||+ }
            }
        )*
    };
}

impl<'a> Type<'a> {
    simple! {
        /// `f16`
        f16 => mlirF16TypeGet;
        /// `bf16`
        bf16 => mlirBF16TypeGet;
        /// `f32`
        f32 => mlirF32TypeGet;
        /// `f64`
        f64 => mlirF64TypeGet;
        /// `index`
        index => mlirIndexTypeGet;
        /// `none`
        none => mlirNoneTypeGet;
    }

    tests! {
        /// A floating-point type.
        is_float => mlirTypeIsAFloat;
        /// An integer type; not `index`.
        is_integer => mlirTypeIsAInteger;
        /// `index`
        is_index => mlirTypeIsAIndex;
        /// `f16`
        is_f16 => mlirTypeIsAF16;
        /// `bf16`
        is_bf16 => mlirTypeIsABF16;
        /// `f32`
        is_f32 => mlirTypeIsAF32;
        /// `f64`
        is_f64 => mlirTypeIsAF64;
        /// A tensor, ranked or not.
        is_tensor => mlirTypeIsATensor;
        /// A memref, ranked or not.
        is_memref => mlirTypeIsAMemRef || mlirTypeIsAUnrankedMemRef;
        /// A function type.
        is_function => mlirTypeIsAFunction;
    }

    /// A signless integer of `width` bits.
    ///
    /// # Panics
    /// If it has more bits than MLIR allows.
    pub fn integer(context: impl Into<ContextRef<'a>>, width: u32) -> Type<'a> {
        assert!(width < 1 << 24, "an integer of {width} bits");
        // SAFETY: the context is valid.
        unsafe { Type::from_raw(ffi::mlirIntegerTypeGet(context.into().raw(), width)) }
    }

    /// `i1`
    pub fn i1(context: impl Into<ContextRef<'a>>) -> Type<'a> {
        Type::integer(context, 1)
    }

    /// `i8`
    pub fn i8(context: impl Into<ContextRef<'a>>) -> Type<'a> {
        Type::integer(context, 8)
    }

    /// `i32`
    pub fn i32(context: impl Into<ContextRef<'a>>) -> Type<'a> {
        Type::integer(context, 32)
    }

    /// `i64`
    pub fn i64(context: impl Into<ContextRef<'a>>) -> Type<'a> {
        Type::integer(context, 64)
    }

    /// A ranked tensor; `None` is a dynamic extent.
    ///
    /// # Panics
    /// If the element type is none for tensors, or an extent is negative.
    pub fn tensor(shape: &[Option<i64>], element: Type<'a>) -> Type<'a> {
        let (at, shape) = (Location::unknown(element.context()), extents(shape));
        // SAFETY: all arguments are of the element's context; no encoding is the null attribute.
        let raw = unsafe {
            let none = ffi::mlirAttributeGetNull();
            ffi::mlirRankedTensorTypeGetChecked(at.raw(), shape.len() as isize, shape.as_ptr(), element.raw(), none)
        };
        // SAFETY: null or a type of the context.
        unsafe { Type::from_nullable(raw) }.expect("an element type of tensors and extents")
    }

    /// A memref of contiguous rows; `None` is a dynamic extent.
    ///
    /// # Panics
    /// If the element type is none for memrefs, or an extent is negative.
    pub fn memref(shape: &[Option<i64>], element: Type<'a>) -> Type<'a> {
        let (at, shape) = (Location::unknown(element.context()), extents(shape));
        // SAFETY: as in `tensor`; no memory space is the null attribute.
        let raw = unsafe {
            let none = ffi::mlirAttributeGetNull();
            ffi::mlirMemRefTypeContiguousGetChecked(at.raw(), element.raw(), shape.len() as isize, shape.as_ptr(), none)
        };
        // SAFETY: null or a type of the context.
        unsafe { Type::from_nullable(raw) }.expect("an element type of memrefs and extents")
    }

    /// A function type.
    pub fn function(context: impl Into<ContextRef<'a>>, inputs: &[Type<'a>], results: &[Type<'a>]) -> Type<'a> {
        let context = context.into();
        let raw = |types: &[Type<'a>]| types.iter().map(|ty| ty.in_context(context).raw()).collect::<Vec<_>>();
        let (inputs, results) = (raw(inputs), raw(results));
        // SAFETY: all of the context; the arrays have the lengths given and are copied.
        unsafe {
            Type::from_raw(ffi::mlirFunctionTypeGet(
                context.raw(),
                inputs.len() as isize,
                inputs.as_ptr(),
                results.len() as isize,
                results.as_ptr(),
            ))
        }
    }

    /// `!llvm.ptr`
    ///
    /// # Panics
    /// If the LLVM dialect isn't registered.
    pub fn llvm_ptr(context: impl Into<ContextRef<'a>>) -> Type<'a> {
        let context = context.into();
        assert!(context.load_dialect("llvm"), "the dialect 'llvm' is not registered");
        // SAFETY: the context is valid and has the dialect.
        unsafe { Type::from_raw(ffi::mlirLLVMPointerTypeGet(context.raw(), 0)) }
    }

    /// A type in MLIR's syntax.
    ///
    /// # Panics
    /// In a verifier or a pass on a nested operation.
    pub fn parse(context: impl Into<ContextRef<'a>>, source: &str) -> Result<Type<'a>, Vec<Diagnostic>> {
        guard::assert_may_load();
        let context = context.into();
        let source = text::Terminated::new(source.as_bytes());
        // SAFETY: the context is valid; the source is only read and followed by a NUL.
        let (raw, diagnostics) =
            diagnostic::collect(context.raw(), || unsafe { ffi::mlirTypeParseGet(context.raw(), source.as_ref()) });
        // SAFETY: null or a type of the context.
        unsafe { Type::from_nullable(raw) }.ok_or(diagnostics)
    }

    /// The extents of a ranked tensor, memref or vector; `None` is a dynamic one.
    pub fn shape(self) -> Option<Vec<Option<i64>>> {
        // SAFETY: rank and extents are only asked of a shaped type that has a rank, and below it.
        unsafe {
            (ffi::mlirTypeIsAShaped(self.raw()) && ffi::mlirShapedTypeHasRank(self.raw())).then(|| {
                (0..ffi::mlirShapedTypeGetRank(self.raw()) as isize)
                    .map(|i| {
                        (!ffi::mlirShapedTypeIsDynamicDim(self.raw(), i))
                            .then(|| ffi::mlirShapedTypeGetDimSize(self.raw(), i))
                    })
                    .collect()
            })
        }
    }

    /// The rank, without collecting the extents.
    pub fn rank(self) -> Option<u32> {
        // SAFETY: as in `shape`.
        unsafe {
            (ffi::mlirTypeIsAShaped(self.raw()) && ffi::mlirShapedTypeHasRank(self.raw()))
                .then(|| ffi::mlirShapedTypeGetRank(self.raw()) as u32)
        }
    }

    /// The element type of a tensor, memref or vector.
    pub fn element(self) -> Option<Type<'a>> {
        // SAFETY: the class is checked before; the element lives in the context.
        unsafe {
            ffi::mlirTypeIsAShaped(self.raw()).then(|| Type::from_raw(ffi::mlirShapedTypeGetElementType(self.raw())))
        }
    }

    /// The bits of an integer or float type.
    pub fn width(self) -> Option<u32> {
        // SAFETY: the class is checked before.
        unsafe {
            if self.is_integer() {
                Some(ffi::mlirIntegerTypeGetWidth(self.raw()))
            } else {
                self.is_float().then(|| ffi::mlirFloatTypeGetWidth(self.raw()))
            }
        }
    }

    /// Whether this is the signless integer of `width` bits.
    pub fn is_signless(self, width: u32) -> bool {
        // SAFETY: the class is checked before.
        self.width() == Some(width) && unsafe { self.is_integer() && ffi::mlirIntegerTypeIsSignless(self.raw()) }
    }

    /// The inputs and results of a function type.
    pub fn signature(self) -> Option<(Vec<Type<'a>>, Vec<Type<'a>>)> {
        // SAFETY: the class is checked before; types are asked for below their number and live in the context.
        unsafe {
            self.is_function().then(|| {
                let inputs = (0..ffi::mlirFunctionTypeGetNumInputs(self.raw()))
                    .map(|i| Type::from_raw(ffi::mlirFunctionTypeGetInput(self.raw(), i)))
                    .collect();
                let results = (0..ffi::mlirFunctionTypeGetNumResults(self.raw()))
                    .map(|i| Type::from_raw(ffi::mlirFunctionTypeGetResult(self.raw(), i)))
                    .collect();
                (inputs, results)
            })
        }
    }

    /// The context.
    pub fn context(self) -> ContextRef<'a> {
        // SAFETY: the type is valid during 'a, and its context longer.
        unsafe { ContextRef::from_raw(ffi::mlirTypeGetContext(self.raw())) }
    }

    /// # Panics
    /// If the type belongs to another context.
    pub(super) fn in_context(self, context: ContextRef<'_>) -> Type<'a> {
        assert!(self.context() == context, "type {self} belongs to another context");
        self
    }
}

fn extents(shape: &[Option<i64>]) -> Vec<i64> {
    // SAFETY: a constant.
    let dynamic = unsafe { ffi::mlirShapedTypeGetDynamicSize() };
    let extent = |extent: &Option<i64>| extent.map_or(dynamic, |extent| extent.max(-1)); // -1 is refused, too
    shape.iter().map(extent).collect()
}
