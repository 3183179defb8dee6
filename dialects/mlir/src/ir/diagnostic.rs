//! Reporting, and collecting what is reported.

use std::{
    ffi::c_void,
    fmt,
    sync::Mutex,
    thread::{self, ThreadId},
};

use super::Location;
use crate::{
    ffi::{self, MlirContext, MlirDiagnostic, MlirLogicalResult, text},
    pass::PassFailure,
};

/// How serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Something failed.
    Error,
    /// Something is suspicious.
    Warning,
    /// Belongs to another diagnostic.
    Note,
    /// Something is worth knowing.
    Remark,
}

/// What was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How serious.
    pub severity: Severity,
    /// `file:line:col`, or as MLIR prints a location that has no file.
    pub location: String,
    /// One line, without location and severity.
    pub message: String,
    /// Other places and what is there.
    pub notes: Vec<Diagnostic>,
}

impl Diagnostic {
    /// An error without notes.
    pub(crate) fn error(location: String, message: String) -> Diagnostic {
        Diagnostic { severity: Severity::Error, location, message, notes: Vec::new() }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Remark => "remark",
        })
    }
}

/// `file:line:col: severity: message`, then each note on a line of its own.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Operations that were not parsed stand nowhere; saying so helps nobody.
        if self.location != "loc(unknown)" {
            write!(f, "{}: ", self.location)?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}

/// A diagnostic being written; nothing is reported before [`emit`](Self::emit).
#[derive(Debug)]
#[must_use = "a diagnostic is reported by `emit` or `fail`"]
pub struct DiagnosticBuilder<'a> {
    severity: Severity,
    location: Location<'a>,
    message: String,
    notes: Vec<(Location<'a>, String)>,
}

impl<'a> DiagnosticBuilder<'a> {
    pub(super) fn new(severity: Severity, location: Location<'a>, message: String) -> DiagnosticBuilder<'a> {
        DiagnosticBuilder { severity, location, message, notes: Vec::new() }
    }

    /// Adds what is at another place.
    pub fn note(mut self, location: Location<'a>, message: impl Into<String>) -> DiagnosticBuilder<'a> {
        self.notes.push((location, message.into()));
        self
    }

    /// Reports.
    pub fn emit(self) {
        let places: Vec<_> = self.notes.iter().map(|(location, _)| location.raw()).collect();
        let notes: Vec<_> = self.notes.iter().map(|(_, message)| text::as_ref(message)).collect();
        let severity = match self.severity {
            Severity::Error | Severity::Note => 0,
            Severity::Warning => 1,
            Severity::Remark => 2,
        };
        // SAFETY: the locations are valid; both arrays have the length given, and texts are copied during the call.
        unsafe {
            ffi::shim::ckeEmit(
                self.location.raw(),
                severity,
                text::as_ref(&self.message),
                notes.len() as isize,
                places.as_ptr(),
                notes.as_ptr(),
            );
        }
    }

    /// Reports; the result of a pass that failed.
    pub fn fail(self) -> PassFailure {
        self.emit();
        PassFailure::reported()
    }
}

/// What a handler collects, and from which thread: others may report to the same context meanwhile.
struct Collector {
    thread: ThreadId,
    diagnostics: Mutex<Vec<Diagnostic>>,
}

/// Runs `f` and returns what this thread reported meanwhile in the context.
pub(super) fn collect<R>(context: MlirContext, f: impl FnOnce() -> R) -> (R, Vec<Diagnostic>) {
    /// Detaches also when `f` panics.
    struct Attached(MlirContext, u64);
    impl Drop for Attached {
        fn drop(&mut self) {
            // SAFETY: the handler was attached to this context, which is still valid.
            unsafe { ffi::mlirContextDetachDiagnosticHandler(self.0, self.1) }
        }
    }
    let collector = Collector { thread: thread::current().id(), diagnostics: Mutex::default() };
    let user = (&raw const collector).cast_mut().cast();
    // SAFETY: the context is valid; the handler is detached before `collector` goes.
    let handler = unsafe { ffi::mlirContextAttachDiagnosticHandler(context, Some(receive), user, None) };
    let attached = Attached(context, handler);
    let result = f();
    drop(attached);
    let diagnostics = collector.diagnostics.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    (result, diagnostics)
}

unsafe extern "C" fn receive(raw: MlirDiagnostic, user: *mut c_void) -> MlirLogicalResult {
    // SAFETY: `user` is the collector of `collect`, which outlives the handler and is only shared.
    let collector = unsafe { &*user.cast::<Collector>() };
    let ours = collector.thread == thread::current().id();
    if ours {
        // SAFETY: the diagnostic is valid during the call.
        let diagnostic = unsafe { read(raw) };
        collector.diagnostics.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(diagnostic);
    }
    MlirLogicalResult { value: ours.into() }
}

/// # Safety
/// `raw` must be valid.
unsafe fn read(raw: MlirDiagnostic) -> Diagnostic {
    // SAFETY: `raw` is valid, its location and notes with it; notes are asked for below their number.
    unsafe {
        Diagnostic {
            severity: match ffi::mlirDiagnosticGetSeverity(raw) {
                ffi::MlirDiagnosticSeverity_MlirDiagnosticWarning => Severity::Warning,
                ffi::MlirDiagnosticSeverity_MlirDiagnosticNote => Severity::Note,
                ffi::MlirDiagnosticSeverity_MlirDiagnosticRemark => Severity::Remark,
                _ => Severity::Error,
            },
            location: Location::from_raw(ffi::mlirDiagnosticGetLocation(raw)).to_string(),
            message: text::printed(|callback, out| ffi::mlirDiagnosticPrint(raw, callback, out)),
            notes: (0..ffi::mlirDiagnosticGetNumNotes(raw)).map(|i| read(ffi::mlirDiagnosticGetNote(raw, i))).collect(),
        }
    }
}
