//! The monotonic promotion gate: new evidence may take the place of old evidence only where no rung of whole models
//! gets worse. A kernel that is right alone can still make a model worse, and then it is not promoted.

use super::record::{EvidenceFile, Level, Record};

/// Whether `after` may take the place of `before`, the evidence of one provider on one instruction set.
///
/// # Errors
///
/// The first rung from the layer on that was there and is gone, differs in more elements, or compares fewer.
pub fn check_promotion(before: &EvidenceFile, after: &EvidenceFile) -> Result<(), String> {
    before.records.iter().filter(|record| record.level >= Level::Layer).try_for_each(|old| {
        let name = format!("{} of '{}' for shapes '{}'", old.level, old.contract, old.shape_class);
        match after.records.iter().find(|record| record.key() == old.key()) {
            None => Err(format!("{name} is no longer there")),
            Some(new) => not_worse(old, new).map_err(|rule| format!("{name} {rule}")),
        }
    })
}

fn not_worse(old: &Record, new: &Record) -> Result<(), String> {
    if new.mismatches > old.mismatches {
        let outcome = |record: &Record| format!("{} of {}", record.mismatches, record.comparisons);
        return Err(format!("gets worse: {} elements differ, before it were {}", outcome(new), outcome(old)));
    }
    if (new.cases, new.comparisons) < (old.cases, old.comparisons) || new.comparisons < old.comparisons {
        return Err(format!(
            "covers less: {} cases with {} elements, before it were {} with {}",
            new.cases, new.comparisons, old.cases, old.comparisons
        ));
    }
    Ok(())
}
