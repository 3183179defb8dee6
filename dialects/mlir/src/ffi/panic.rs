//! A panic must not cross into C++: it becomes an error there.

use std::{any::Any, panic::AssertUnwindSafe};

/// Calls `f`; the text of a panic if it does.
///
/// What `f` was working on is reported as failed and not used again, hence the assertion.
pub fn catch<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    std::panic::catch_unwind(AssertUnwindSafe(f)).map_err(|payload| message(payload.as_ref()))
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_owned()
    }
}
