//! Counters of passes.
//!
//! MLIR's own statistics are compiled out of release builds of LLVM, hence these; `--cke-pass-statistics` prints them.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Mutex, PoisonError},
};

use super::{PassDef, registered};

/// Sums over all runs in this process, by pass and number of the statistic.
static SUMS: Mutex<BTreeMap<(&str, usize), u64>> = Mutex::new(BTreeMap::new());

pub(super) fn add(def: &'static PassDef, name: &str, n: u64) {
    let i = def.statistics.iter().position(|statistic| statistic.name == name);
    let i = i.unwrap_or_else(|| panic!("'{}' has no statistic '{name}'", def.argument));
    *SUMS.lock().unwrap_or_else(PoisonError::into_inner).entry((def.argument, i)).or_default() += n;
}

/// What all passes counted in this process, a line each: pass, sum, name and help.
pub fn statistics() -> String {
    let sums = SUMS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = String::new();
    for def in registered() {
        for (i, statistic) in def.statistics.iter().enumerate() {
            if let Some(sum) = sums.get(&(def.argument, i)) {
                writeln!(out, "{:<24} {sum:>8} {:<20} - {}", def.argument, statistic.name, statistic.help)
                    .expect("writing to a string succeeds");
            }
        }
    }
    out
}
