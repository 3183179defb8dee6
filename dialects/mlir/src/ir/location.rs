//! Where an operation comes from.

use super::{ContextRef, handle::handle};
use crate::ffi::{self, MlirLocation, text};

handle! {
    /// A location. Displays as `file:line:col`, or as MLIR prints it if it has no file.
    Location(MlirLocation)
}

impl<'a> Location<'a> {
    /// A line and a column of a file, counted from 1.
    pub fn file(context: impl Into<ContextRef<'a>>, file: &str, line: u32, column: u32) -> Location<'a> {
        // SAFETY: the context is valid during 'a, and a location lives as long; the name is copied.
        unsafe {
            Location::from_raw(ffi::mlirLocationFileLineColGet(context.into().raw(), text::as_ref(file), line, column))
        }
    }

    /// Nowhere.
    pub fn unknown(context: impl Into<ContextRef<'a>>) -> Location<'a> {
        // SAFETY: as in `file`.
        unsafe { Location::from_raw(ffi::mlirLocationUnknownGet(context.into().raw())) }
    }

    /// The first file, line and column: of a named location what it names, of a fused one the first that has any, of a
    /// call site the callee.
    pub fn file_line_col(self) -> Option<(String, u32, u32)> {
        file_line_col(self.raw())
    }

    /// The context.
    pub fn context(self) -> ContextRef<'a> {
        // SAFETY: the location is valid during 'a, and its context longer.
        unsafe { ContextRef::from_raw(ffi::mlirLocationGetContext(self.raw())) }
    }
}

fn file_line_col(at: MlirLocation) -> Option<(String, u32, u32)> {
    // SAFETY: `at` is valid; each accessor is called on a location of its kind; the array has the length asked for.
    unsafe {
        if ffi::mlirLocationIsAFileLineColRange(at) {
            let file = ffi::mlirIdentifierStr(ffi::mlirLocationFileLineColRangeGetFilename(at));
            let line = ffi::mlirLocationFileLineColRangeGetStartLine(at);
            let column = ffi::mlirLocationFileLineColRangeGetStartColumn(at);
            Some((text::name(file).to_owned(), line as u32, column as u32))
        } else if ffi::mlirLocationIsAName(at) {
            file_line_col(ffi::mlirLocationNameGetChildLoc(at))
        } else if ffi::mlirLocationIsACallSite(at) {
            file_line_col(ffi::mlirLocationCallSiteGetCallee(at))
        } else if ffi::mlirLocationIsAFused(at) {
            let mut parts = vec![at; ffi::mlirLocationFusedGetNumLocations(at) as usize];
            ffi::mlirLocationFusedGetLocations(at, parts.as_mut_ptr());
            parts.into_iter().find_map(file_line_col)
        } else {
            None
        }
    }
}

impl std::fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.file_line_col() {
            Some((file, line, column)) => write!(f, "{file}:{line}:{column}"),
            // SAFETY: the location is valid, the callback and `out` during the call.
            None => f.write_str(&text::printed(|callback, out| unsafe {
                ffi::mlirLocationPrint(self.raw(), callback, out)
            })),
        }
    }
}

impl std::fmt::Debug for Location<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
