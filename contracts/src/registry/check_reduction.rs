//! Checks of a lane reduction and of the facts both kinds of contracts share.

use super::explicit::LaneReduction;
use super::vocabulary::{FixedValue, NanRule, ReductionUpdate, SplitStrategy, ZeroSign};
use super::{Code, Fault, Threading};

pub(super) fn incomplete(message: impl Into<String>) -> Fault {
    Fault::new(Code::IncompleteContract, message)
}

pub(super) fn contradiction(message: impl Into<String>) -> Fault {
    Fault::new(Code::ContradictoryContract, message)
}

/// Checks a reduction; `field` is its path.
pub(super) fn reduction(field: &str, reduction: &LaneReduction) -> Result<(), Fault> {
    let factors = match reduction.update {
        ReductionUpdate::Fma | ReductionUpdate::MultiplyThenAdd => 2,
        ReductionUpdate::Add => 1,
    };
    if reduction.factors.len() != factors {
        let found = reduction.factors.len();
        return Err(contradiction(format!(
            "{field}.update is {}: needs {factors} factors, found {found}",
            reduction.update
        )));
    }
    if reduction.initial != FixedValue::PositiveZero {
        return Err(contradiction(format!("{field}.initial is {}: a sum starts at positive_zero", reduction.initial)));
    }
    if reduction.empty != reduction.initial {
        let (empty, initial) = (reduction.empty, reduction.initial);
        return Err(contradiction(format!("{field}.empty is {empty}, but lanes that start at {initial} stay there")));
    }
    let mut width = reduction.lanes.count;
    if width == 0 {
        return Err(contradiction(format!("{field}.lanes.count is 0")));
    }
    // Every stride halves the lanes once; which one comes first is the contract's choice.
    let mut strides = reduction.horizontal_tree.clone();
    strides.sort_unstable_by(|one, other| other.cmp(one));
    for stride in strides {
        if stride.checked_mul(2) != Some(width) {
            let message = format!("{field}.horizontal_tree: stride {stride} does not halve {width} lanes");
            return Err(contradiction(message));
        }
        width = stride;
    }
    match width {
        1 => Ok(()),
        _ => Err(incomplete(format!("{field}.horizontal_tree leaves {width} lanes"))),
    }
}

/// Checks the list of governed operations.
pub(super) fn operations(operations: &[String]) -> Result<(), Fault> {
    if operations.is_empty() || operations.iter().any(|operation| operation.trim().is_empty()) {
        return Err(incomplete("semantics.operations must name at least one operation"));
    }
    match repeated(operations) {
        None => Ok(()),
        Some(operation) => Err(contradiction(format!("semantics.operations names '{operation}' twice"))),
    }
}

/// What the output of an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputKind {
    Copied,
    Computed,
    Integer,
}

/// Checks the rules for special values against the kind of output.
pub(super) fn special_values(kind: OutputKind, nan: NanRule, zero_sign: ZeroSign) -> Result<(), Fault> {
    let (what, expected) = match kind {
        OutputKind::Copied => ("copies", (NanRule::Preserved, ZeroSign::Preserved)),
        OutputKind::Computed => ("computes", (NanRule::Canonical7fc00000, ZeroSign::Ieee)),
        OutputKind::Integer => ("has an integer output", (NanRule::NotApplicable, ZeroSign::NotApplicable)),
    };
    if nan != expected.0 {
        return Err(contradiction(format!("semantics.nan is {nan}: a contract that {what} has {}", expected.0)));
    }
    if zero_sign != expected.1 {
        let message = format!("semantics.zero_sign is {zero_sign}: a contract that {what} has {}", expected.1);
        return Err(contradiction(message));
    }
    Ok(())
}

/// Checks what threads may do to the bits.
pub(super) fn threading(threading: &Threading, thread_pin: Option<u32>) -> Result<(), Fault> {
    let splits = matches!(threading.split_strategy, SplitStrategy::SplitK | SplitStrategy::SplitKv);
    let changes = threading.thread_count_changes_arithmetic_order;
    match thread_pin {
        None if changes && threading.deterministic => {
            Err(incomplete("threading.thread_count_changes_arithmetic_order needs semantics.thread_pin"))
        }
        Some(0) => Err(contradiction("semantics.thread_pin is 0")),
        Some(_) if !changes => {
            Err(contradiction("semantics.thread_pin is given, but the bits hold for any thread count"))
        }
        _ if changes && !splits => {
            let strategy = threading.split_strategy;
            Err(contradiction(format!("threads change the order of arithmetic, but the work is cut as {strategy}")))
        }
        _ => Ok(()),
    }
}

/// The first value that appears a second time.
pub(super) fn repeated<T: PartialEq>(values: &[T]) -> Option<&T> {
    values.iter().enumerate().find(|(n, value)| values[..*n].contains(value)).map(|(_, value)| value)
}
