//! What the graph dialect's operations must satisfy beyond their definitions.
//!
//! Invariants: shapes of operands, results and referenced symbols agree; rows go through unchanged; a position is below
//! no bound here (that is a run-time extent); contract attributes have the right form. Not checked here: whether a
//! `kv_append` stands before an `attention` of the same caches, and that the capacity suffices; the session checks the
//! latter.

use super::{dims, symbol_type};
use crate::contract::attributes;
use cke_contracts::registry::vocabulary::TensorStorage;
use cke_mlir::ir::{Attr, Op, SymbolTables, Type};

type Verdict = Result<(), String>;

/// Shape of a referenced weight or state.
fn extent<'a>(op: Op<'a>, tables: &SymbolTables<'a>, name: &str, of: &str) -> Result<Vec<Option<i64>>, String> {
    let symbol = op.attr(name).ok_or_else(|| format!("requires attribute '{name}'"))?;
    let Some(target) = tables.lookup(op, symbol) else { return Err(format!("refers to the unknown {of} {symbol}")) };
    if target.name() != of {
        return Err(format!("refers to {symbol} as '{name}', which is a {}, expected a {of}", target.name()));
    }
    if of == "graph.weight" {
        same_storage(op, target, name)?;
    }
    let ty = symbol_type(target).ok_or_else(|| format!("refers to {symbol}, which has no type"))?;
    dims(ty).ok_or_else(|| format!("refers to {symbol}, whose type {ty} has no shape"))
}

/// A request says how its weights are stored; the model says so too.
fn same_storage(op: Op<'_>, weight: Op<'_>, port: &str) -> Verdict {
    let requested = op.attr(attributes::REQUIRED).and_then(|request| request.get("storage")?.get(port));
    let declared = weight.attr("storage");
    match (requested, declared) {
        (Some(requested), Some(declared)) if requested != declared => {
            Err(format!("requests '{port}' stored as {requested}, the weight is stored as {declared}"))
        }
        _ => Ok(()),
    }
}

fn expect(what: &str, expected: &[Option<i64>], found: &[Option<i64>]) -> Verdict {
    if expected == found {
        return Ok(());
    }
    Err(format!("expected {what} to have the shape {}, found {}", show(expected), show(found)))
}

fn show(shape: &[Option<i64>]) -> String {
    let dims: Vec<String> = shape.iter().map(|d| d.map_or_else(|| "?".to_owned(), |d| d.to_string())).collect();
    format!("[{}]", dims.join(", "))
}

fn operand(op: Op<'_>, index: usize) -> Vec<Option<i64>> {
    dims(op.operand(index).ty()).expect("the definition asks for a ranked tensor")
}

fn result(op: Op<'_>) -> Vec<Option<i64>> {
    dims(op.result(0).ty()).expect("the definition asks for a ranked tensor")
}

fn integer(op: Op<'_>, name: &str) -> Result<i64, String> {
    op.attr(name).and_then(Attr::as_i64).ok_or_else(|| format!("requires the integer attribute '{name}'"))
}

/// Heads divide a width into equal parts; returns the width of one.
fn head_width(width: Option<i64>, heads: i64, what: &str) -> Result<i64, String> {
    match width {
        Some(width) if heads > 0 && width % heads == 0 => Ok(width / heads),
        _ => Err(format!("expected {what} of {} to be cut into {heads} equal heads", show(&[width]))),
    }
}

/// Same shape in and out.
fn elementwise(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    for index in 1..op.operand_count() {
        if op.operand(index).ty().is_index() {
            continue;
        }
        expect(&format!("operand #{index}"), &operand(op, 0), &operand(op, index))?;
    }
    expect("the result", &operand(op, 0), &result(op))
}

fn named_tensor(op: Op<'_>) -> Result<Type<'_>, String> {
    let ty = symbol_type(op).ok_or("requires a type")?;
    let fixed = dims(ty).is_some_and(|shape| !shape.is_empty() && shape.iter().all(|d| d.is_some_and(|d| d > 0)));
    let element = ty.element();
    if !ty.is_tensor() || !fixed || element != Some(Type::f32(op.context())) {
        return Err(format!("expected an f32 tensor of fixed, positive extents, found {ty}"));
    }
    Ok(ty)
}

/// `graph.weight`: a tensor; generated exactly if it has an origin.
pub fn weight(op: Op<'_>) -> Verdict {
    named_tensor(op)?;
    let storage = op.attr("storage").and_then(Attr::as_str).ok_or("requires attribute 'storage'")?;
    if !TensorStorage::ALL.iter().any(|known| known.as_str() == storage) {
        let known: Vec<_> = TensorStorage::ALL.iter().map(|known| known.as_str()).collect();
        return Err(format!("has the unknown storage \"{storage}\", expected one of: {}", known.join(", ")));
    }
    match (storage == TensorStorage::Generated.as_str(), op.attr("origin")) {
        (true, None) => Err("has the storage \"generated\" but no 'origin' that says how".to_owned()),
        (false, Some(_)) => Err("has an 'origin', which only the storage \"generated\" takes".to_owned()),
        _ => Ok(()),
    }
}

/// `graph.state`: a tensor.
pub fn state(op: Op<'_>) -> Verdict {
    named_tensor(op).map(drop)
}

/// `graph.embedding`: rows of tokens and result agree.
pub fn embedding(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    expect("the result", &[operand(op, 0)[0], result(op)[1]], &result(op))
}

/// The table is `[vocabulary, width]`.
pub fn embedding_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    let table = extent(op, tables, "table", "graph.weight")?;
    expect("the table", &[table.first().copied().flatten(), result(op)[1]], &table)
}

/// `graph.rmsnorm`: same shape, an epsilon that is not negative.
pub fn rmsnorm(op: Op<'_>) -> Verdict {
    elementwise(op)?;
    match op.attr("eps").and_then(Attr::as_f64) {
        Some(eps) if eps >= 0.0 && eps.is_finite() => Ok(()),
        _ => Err("expected 'eps' to be finite and not negative".to_owned()),
    }
}

/// The weight is one row.
pub fn rmsnorm_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    expect("the weight", &[operand(op, 0)[1]], &extent(op, tables, "gamma", "graph.weight")?)
}

/// `graph.linear`: rows go through.
pub fn linear(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    expect("the result", &[operand(op, 0)[0], result(op)[1]], &result(op))
}

/// The weight is `[n, k]`.
pub fn linear_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    expect("the weight", &[result(op)[1], operand(op, 0)[1]], &extent(op, tables, "w", "graph.weight")?)
}

/// `graph.logits`: one row comes out.
pub fn logits(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    expect("the result", &[Some(1), result(op)[1]], &result(op))
}

/// As for `graph.linear`.
pub fn logits_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    linear_symbols(op, tables)
}

/// `graph.rope`: same shape, equal heads, a known pairing.
pub fn rope(op: Op<'_>) -> Verdict {
    elementwise(op)?;
    head_width(operand(op, 0)[1], integer(op, "heads")?, "the width")?;
    match op.attr("pairing").and_then(Attr::as_str) {
        Some("pairwise_interleaved" | "split_half") => Ok(()),
        Some(other) => Err(format!("expected 'pairing' to be pairwise_interleaved or split_half, found \"{other}\"")),
        None => Err("requires attribute 'pairing'".to_owned()),
    }
}

/// The table is `[positions, rotary/2, 2]` with a rotary width of at most a head.
pub fn rope_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    let head = head_width(operand(op, 0)[1], integer(op, "heads")?, "the width")?;
    let table = extent(op, tables, "table", "graph.weight")?;
    match table[..] {
        [Some(_), Some(pairs), Some(2)] if pairs <= head / 2 => Ok(()),
        _ => Err(format!("expected the table to be [positions, at most {}, 2], found {}", head / 2, show(&table))),
    }
}

/// `graph.kv_append`: keys and values have the same shape.
pub fn kv_append(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    expect("the values", &operand(op, 0), &operand(op, 1))
}

/// The caches are `[kv_heads, capacity, head_dim]` and their heads make up a row.
pub fn kv_append_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    let (heads, head) = caches(op, tables)?;
    expect("the keys", &[operand(op, 0)[0], Some(row_width(heads, head)?)], &operand(op, 0))
}

/// `graph.attention`: same shape, equal heads, a finite scale.
pub fn attention(op: Op<'_>) -> Verdict {
    elementwise(op)?;
    head_width(operand(op, 0)[1], integer(op, "heads")?, "the width")?;
    match op.attr("scale").and_then(Attr::as_f64) {
        Some(scale) if scale.is_finite() => Ok(()),
        _ => Err("expected 'scale' to be finite".to_owned()),
    }
}

/// The query's heads have the caches' width and are a multiple of their number.
pub fn attention_symbols<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Verdict {
    let (kv_heads, head) = caches(op, tables)?;
    let heads = integer(op, "heads")?;
    if heads % kv_heads != 0 {
        return Err(format!("expected the {heads} heads of the query to be a multiple of the caches' {kv_heads}"));
    }
    expect("the query", &[operand(op, 0)[0], Some(row_width(heads, head)?)], &operand(op, 0))
}

/// `graph.swiglu`: three equal shapes.
pub fn swiglu(op: Op<'_>) -> Verdict {
    elementwise(op)
}

/// `graph.residual_add`: three equal shapes.
pub fn residual_add(op: Op<'_>) -> Verdict {
    elementwise(op)
}

/// `graph.argmax`: one index a row.
pub fn argmax(op: Op<'_>) -> Verdict {
    attributes::check(op)?;
    expect("the result", &[operand(op, 0)[0]], &result(op))
}

/// The width of a row of heads.
fn row_width(heads: i64, head: i64) -> Result<i64, String> {
    let width = heads.checked_mul(head);
    width.ok_or_else(|| format!("expected a row of {heads} heads of {head} to be countable in 63 bits"))
}

/// Heads and head width of two equal caches.
fn caches<'a>(op: Op<'a>, tables: &SymbolTables<'a>) -> Result<(i64, i64), String> {
    let keys = extent(op, tables, "k_cache", "graph.state")?;
    let values = extent(op, tables, "v_cache", "graph.state")?;
    expect("the value cache", &keys, &values)?;
    match keys[..] {
        [Some(heads), Some(_), Some(head)] => Ok((heads, head)),
        _ => Err(format!("expected the caches to be [kv_heads, capacity, head_dim], found {}", show(&keys))),
    }
}
