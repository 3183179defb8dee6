//! What the lowered dialect's operations must satisfy beyond their definitions.
//!
//! Invariants: globals have fixed extents and a known kind and layout; buffers have at most one dynamic dimension, the
//! first; an invocation's sources account for its buffers one by one; offsets are multiples of 64; a decision is there
//! and hangs together. Not checked here: whether buffers overlap. `plan-memory` proves that when it places them.

use crate::contract::{attributes, decision};
use crate::graph::{dims, symbol_type};
use cke_contracts::layout::{Layout, LayoutError};
use cke_mlir::ir::{Attr, Op, SymbolTables};

type Verdict = Result<(), String>;

/// Every buffer starts at a multiple of this many bytes.
const ALIGNMENT: i64 = 64;

fn offset(op: Op<'_>) -> Verdict {
    match op.attr("offset").and_then(Attr::as_i64) {
        Some(offset) if offset < 0 || offset % ALIGNMENT != 0 => {
            Err(format!("expected an offset that is a multiple of {ALIGNMENT}, found {offset}"))
        }
        _ => Ok(()),
    }
}

fn text<'a>(op: Op<'a>, name: &str) -> Option<&'a str> {
    op.attr(name).and_then(Attr::as_str)
}

/// `lowered.global`
pub fn global(op: Op<'_>) -> Verdict {
    let ty = symbol_type(op).ok_or("requires a type")?;
    let leading_free = text(op, "kind") == Some("io");
    let shape = dims(ty).unwrap_or_default();
    let fixed = shape.iter().enumerate().all(|(i, d)| d.map_or(i == 0 && leading_free, |d| d > 0));
    if !ty.is_memref() || shape.is_empty() || !fixed {
        return Err(format!("expected a memref of fixed, positive extents, found {ty}"));
    }
    let layout = Layout::parse(text(op, "layout").unwrap_or_default());
    let layout = layout.map_err(|error| format!("has an unknown layout: {error}"))?;
    if let Err(error @ LayoutError::Rank { .. }) = layout.elements(&vec![1; shape.len()]) {
        return Err(format!("has a layout of another rank: {error}"));
    }
    let prepared = text(op, "storage").is_some() && text(op, "preparation").is_some();
    match text(op, "kind") {
        Some("weight") if !prepared => return Err("is a weight without 'storage' and 'preparation'".to_owned()),
        Some("state" | "io") if prepared => return Err("has a 'preparation', which only a weight takes".to_owned()),
        Some("weight" | "state" | "io") => {}
        kind => return Err(format!("expected the kind weight, state or io, found \"{}\"", kind.unwrap_or_default())),
    }
    offset(op)
}

/// `lowered.plan`
pub fn plan(op: Op<'_>) -> Verdict {
    for name in ["max_rows", "capacity", "max_threads"] {
        let limit = op.attr(name).and_then(Attr::as_i64).ok_or_else(|| format!("requires attribute '{name}'"))?;
        if !(1..=i64::from(i32::MAX)).contains(&limit) {
            return Err(format!("expected '{name}' to be 1 to {}, found {limit}", i32::MAX));
        }
    }
    Ok(())
}

/// `lowered.program`
pub fn program(op: Op<'_>) -> Verdict {
    crate::contract::holds_only(op, &["lowered.get", "lowered.buffer", "lowered.invoke"])?;
    match text(op, "phase") {
        Some("prefill" | "decode") => Ok(()),
        phase => Err(format!("expected the phase prefill or decode, found \"{}\"", phase.unwrap_or_default())),
    }
}

/// `lowered.buffer`
pub fn buffer(op: Op<'_>) -> Verdict {
    let ty = op.result(0).ty();
    let shape = dims(ty).ok_or_else(|| format!("expected a ranked memref, found {ty}"))?;
    if shape.is_empty() || !shape.iter().enumerate().all(|(i, d)| d.map_or(i == 0, |d| d > 0)) {
        return Err(format!("expected positive extents of which only the first may be dynamic, found {ty}"));
    }
    offset(op)
}

/// `lowered.get`: the global exists and has the result's type.
pub fn get_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    let symbol = op.attr("global").ok_or("requires attribute 'global'")?;
    let global = tables.lookup(op, symbol).filter(|found| found.name() == "lowered.global");
    let Some(global) = global else { return Err(format!("refers to the unknown lowered.global {symbol}")) };
    let (expected, found) = (symbol_type(global), op.result(0).ty());
    if expected == Some(found) {
        return Ok(());
    }
    let expected = expected.map_or_else(String::new, |ty| ty.to_string());
    Err(format!("expected the type {expected} of {symbol}, found {found}"))
}

/// `lowered.invoke`: sources and buffers correspond.
pub fn invoke(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    let sources = op.attr("sources").and_then(Attr::as_array).unwrap_or_default();
    let mut buffers = 0;
    for source in sources {
        let name = source.as_str().unwrap_or_default();
        match name.split_once(':') {
            Some(("activation" | "weight" | "state" | "output" | "scratch", _)) => buffers += 1,
            Some(("runtime", "rows" | "position")) => {}
            _ => return Err(format!("has an unknown source {source}")),
        }
    }
    if buffers == op.operand_count() {
        return Ok(());
    }
    Err(format!("expected {buffers} buffers for its sources, found {}", op.operand_count()))
}

/// The decision hangs together.
pub fn invoke_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    decision::check(op, tables)
}
