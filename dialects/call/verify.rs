//! What the call dialect's operations must satisfy beyond their definitions.
//!
//! Invariants: an argument is a buffer with an offset and a layout, or a run-time extent with neither; a kernel's
//! symbol begins with the decided function; the decision is there and hangs together. Not checked here: that offsets
//! lie inside the state block, which the program's own validation checks before anything runs.

use crate::contract::{attributes, decision};
use cke_contracts::fault::Code;
use cke_contracts::layout::Layout;
use cke_mlir::ir::{Attr, Op, SymbolTables};

type Verdict = Result<(), String>;

/// `call.program`
pub fn program(op: Op<'_>) -> Verdict {
    crate::contract::holds_only(op, &["call.invoke", "call.barrier"])?;
    match op.attr("phase").and_then(Attr::as_str) {
        Some("prefill" | "decode") => Ok(()),
        phase => Err(format!("expected the phase prefill or decode, found \"{}\"", phase.unwrap_or_default())),
    }
}

/// `call.invoke`: every argument has its form.
pub fn invoke(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    for arg in op.attr("args").and_then(Attr::as_array).unwrap_or_default() {
        argument(arg).map_err(|rule| format!("has the argument {arg}, which {rule}"))?;
    }
    Ok(())
}

fn argument(arg: Attr<'_>) -> Verdict {
    let source = arg.get("source").and_then(Attr::as_str).ok_or("has no source")?;
    let offset = arg.get("offset").and_then(Attr::as_i64);
    let layout = arg.get("layout").and_then(Attr::as_str);
    match source.split_once(':') {
        Some(("runtime", "rows" | "position")) if offset.is_none() && layout.is_none() => Ok(()),
        Some(("runtime", "rows" | "position")) => Err("has an offset or layout, but is a run-time extent".to_owned()),
        Some(("activation" | "weight" | "state" | "output" | "scratch", _)) => {
            if offset.is_none_or(|offset| offset < 0 || offset % 64 != 0) {
                return Err("has no offset that is a multiple of 64".to_owned());
            }
            Layout::parse(layout.unwrap_or_default()).map(drop).map_err(|error| format!("has an {error}"))
        }
        _ => Err("has an unknown source".to_owned()),
    }
}

/// The decision hangs together, and the symbol is of the decided function.
pub fn invoke_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    decision::check(op, tables)?;
    let function = attributes::resolved(op)?.map_or("", |decision| decision.function);
    let kernel = op.attr("kernel").and_then(attributes::leaf).unwrap_or_default();
    if kernel.strip_prefix(function).is_some_and(|rest| rest.starts_with('.')) {
        return Ok(());
    }
    Err(format!(
        "requires a kernel of the decided function '{function}', found @{kernel} [{}]",
        Code::ProviderReselected
    ))
}
