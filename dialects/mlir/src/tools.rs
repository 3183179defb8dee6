//! The mains of the tools.

use std::ffi::{CString, c_char, c_int};

use crate::{
    ffi::{MlirStringRef, shim, text},
    ir::{MAX_NESTING, Registry, too_deep},
    pass,
};

/// Runs `opt` with the arguments of this process; returns its exit code. Knows the passes and pipelines of MLIR and those
/// that were registered before.
///
/// Once a process: LLVM's command line is global.
pub fn opt_main(tool_name: &str, registry: &Registry) -> i32 {
    pass::register_upstream();
    let nesting_error = format!("nesting is deeper than {MAX_NESTING} levels");
    with_arguments(|count, arguments| {
        // SAFETY: the registry and all texts are valid during the call; the callbacks take what they are given.
        unsafe {
            shim::ckeOptMain(
                count,
                arguments,
                text::as_ref(tool_name),
                registry.raw(),
                nesting,
                text::as_ref(&nesting_error),
                print_statistics,
            )
        }
    })
}

/// Runs the language server on standard input and output; returns its exit code.
pub fn lsp_main(registry: &Registry) -> i32 {
    // SAFETY: the registry is valid during the call.
    with_arguments(|count, arguments| unsafe { shim::ckeLspMain(count, arguments, registry.raw()) })
}

/// Arguments as C wants them; a NUL within one can't come from the system.
fn with_arguments(main: impl FnOnce(c_int, *mut *mut c_char) -> c_int) -> i32 {
    let owned: Vec<CString> = std::env::args_os()
        .map(|argument| CString::new(argument.into_encoded_bytes()).expect("arguments of a process contain no NUL"))
        .collect();
    let mut pointers: Vec<*mut c_char> = owned.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
    let count = pointers.len() as c_int;
    pointers.push(std::ptr::null_mut());
    main(count, pointers.as_mut_ptr())
}

unsafe extern "C" fn nesting(source: MlirStringRef) -> isize {
    // SAFETY: the shim passes its input buffer, which lives during the call.
    let source = unsafe { text::bytes(source) };
    too_deep(source).map_or(-1, |offset| offset as isize)
}

unsafe extern "C" fn print_statistics() {
    eprint!("{}", pass::statistics());
}
