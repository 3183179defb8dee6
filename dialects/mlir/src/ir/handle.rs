//! What all handles have in common.

/// Defines a `Copy` handle around a raw one: construction, access, equality and hash by identity.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident($raw:ident)) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'a> {
            raw: crate::ffi::$raw,
            scope: std::marker::PhantomData<&'a ()>,
        }

        impl<'a> $name<'a> {
            /// # Safety
            /// `raw` must be valid during `'a`.
            pub(crate) unsafe fn from_raw(raw: crate::ffi::$raw) -> Self {
                debug_assert!(!raw.ptr.is_null());
                $name { raw, scope: std::marker::PhantomData }
            }

            /// As [`Self::from_raw`], `None` for null.
            ///
            /// # Safety
            /// `raw` must be null or valid during `'a`.
            #[allow(dead_code, reason = "not every handle is ever absent")]
            pub(crate) unsafe fn from_nullable(raw: crate::ffi::$raw) -> Option<Self> {
                (!raw.ptr.is_null()).then_some($name { raw, scope: std::marker::PhantomData })
            }

            pub(crate) fn raw(self) -> crate::ffi::$raw {
                self.raw
            }
        }

        impl<'b> PartialEq<$name<'b>> for $name<'_> {
            fn eq(&self, other: &$name<'b>) -> bool {
                std::ptr::eq(self.raw.ptr, other.raw.ptr)
            }
        }

        impl Eq for $name<'_> {}

        impl std::hash::Hash for $name<'_> {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.raw.ptr.hash(state);
            }
        }
    };
}

/// Displays a handle as MLIR prints it; debug output is the same.
macro_rules! print_with {
    ($name:ident, $print:ident) => {
        impl std::fmt::Display for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&crate::ffi::text::printed(|callback, out| {
                    // SAFETY: the handle is valid by construction, the callback and `out` during the call.
                    unsafe { crate::ffi::$print(self.raw(), callback, out) }
                }))
            }
        }

        impl std::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub(super) use {handle, print_with};
