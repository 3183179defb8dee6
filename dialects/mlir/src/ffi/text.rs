//! Strings across the boundary.

use std::ffi::c_void;

use super::MlirStringRef;

/// For the callee to read during the call, or for ever if the text is `'static`.
pub fn as_ref(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// The bytes behind a reference.
///
/// # Safety
/// They must live and not change during `'a`.
pub unsafe fn bytes<'a>(text: MlirStringRef) -> &'a [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: MLIR gives pointer and length of initialised bytes; the caller answers for the lifetime.
    unsafe { std::slice::from_raw_parts(text.data.cast(), text.length) }
}

/// A name. MLIR's names may be any bytes; one that is not UTF-8 is no name of ours, and reads as the replacement
/// character.
///
/// # Safety
/// As for [`bytes`].
pub unsafe fn name<'a>(text: MlirStringRef) -> &'a str {
    // SAFETY: the caller's.
    std::str::from_utf8(unsafe { bytes(text) }).unwrap_or("\u{FFFD}")
}

/// A function to which MLIR gives text piece by piece, with the data it wants.
type Callback = Option<unsafe extern "C" fn(MlirStringRef, *mut c_void)>;

/// The bytes a function writes through a callback.
pub fn written<R>(write: impl FnOnce(Callback, *mut c_void) -> R) -> Vec<u8> {
    unsafe extern "C" fn append(part: MlirStringRef, out: *mut c_void) {
        // SAFETY: `out` is the vector below, which nothing else touches during the call; `part` lives as long.
        unsafe { (*out.cast::<Vec<u8>>()).extend_from_slice(bytes(part)) }
    }
    let mut out: Vec<u8> = Vec::new();
    write(Some(append), (&raw mut out).cast());
    out
}

/// The text a function prints through a callback.
pub fn printed<R>(print: impl FnOnce(Callback, *mut c_void) -> R) -> String {
    String::from_utf8(written(print)).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// A copy followed by a NUL: MLIR's lexer looks one byte ahead.
pub struct Terminated(Vec<u8>);

impl Terminated {
    /// Copies `text`.
    pub fn new(text: &[u8]) -> Terminated {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text);
        bytes.push(0);
        Terminated(bytes)
    }

    /// The text without the NUL.
    pub fn as_ref(&self) -> MlirStringRef {
        MlirStringRef { data: self.0.as_ptr().cast(), length: self.0.len() - 1 }
    }
}
