//! Progress on standard error; silent when that is no terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A bar that counts bytes or other units.
pub fn bar(what: &'static str, units: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>12} [{bar:32}] {percent:>3}% {elapsed}")
        .expect("a fixed template")
        .progress_chars("=> ");
    ProgressBar::new(units).with_style(style).with_message(what)
}

/// A spinner for work of unknown extent.
pub fn spinner(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>12} {spinner} {elapsed}").expect("a fixed template");
    let spinner = ProgressBar::new_spinner().with_style(style).with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
