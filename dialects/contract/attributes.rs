//! The contract attributes that an operation of any level carries: read, check, write.
//!
//! ```mlir
//! instance = "decode/blk.0/attn_q"
//! required_contract = {contract = @native::@linear_fp32_ascending_k_fma, operation = "decoder.attn_q",
//!                      phase = "decode", requires = {layout = "token_major"}, validation = "observed"}
//! resolved_contract = {contract = @native::@linear_fp32_ascending_k_fma, digest = "sha256:...",
//!                      function = "cke_linear_fp32", provider = @native::@cke_linear_fp32}
//! ```

use cke_mlir::ir::{Attr, ContextRef, Op};

/// Names one decision: no two operations of a module share it.
pub const INSTANCE: &str = "instance";
/// The request: which contract the circuit asks for, in which phase.
pub const REQUIRED: &str = "required_contract";
/// The decision: which provider implements it.
pub const RESOLVED: &str = "resolved_contract";
/// How the provider executes; copied from its kernel map for readers of the IR.
pub const EXECUTION: &str = "resolved_execution";

/// Which contract is in effect on which extents; only where the decided contract branches on one.
pub const EFFECTIVE: &str = "effective_contract";

/// All of them, in the order they are written.
pub const ALL: [&str; 5] = [INSTANCE, REQUIRED, RESOLVED, EXECUTION, EFFECTIVE];

/// The fields of a decision.
const DECISION: [&str; 4] = ["contract", "digest", "function", "provider"];

/// A request as an operation carries it.
#[derive(Debug, Clone, Copy)]
pub struct Required<'a> {
    /// Symbol of the contract.
    pub contract: Attr<'a>,
    /// The circuit's name for the operation, such as `decoder.attention`.
    pub operation: &'a str,
    /// `prefill` or `decode`.
    pub phase: &'a str,
    /// The whole dictionary.
    pub attribute: Attr<'a>,
}

/// A decision as an operation carries it.
#[derive(Debug, Clone, Copy)]
pub struct Resolved<'a> {
    /// Symbol of the contract that is implemented.
    pub contract: Attr<'a>,
    /// Symbol of the provider.
    pub provider: Attr<'a>,
    /// The provider's function.
    pub function: &'a str,
    /// Digest of instance, request and both definitions.
    pub digest: &'a str,
}

/// The instance name of an operation.
pub fn instance(op: Op<'_>) -> Option<&str> {
    op.attr(INSTANCE)?.as_str()
}

/// The request of an operation, `None` if it carries none.
///
/// # Errors
///
/// The text of a diagnostic when the attribute is there but not of the right form.
pub fn required(op: Op<'_>) -> Result<Option<Required<'_>>, String> {
    let Some(attribute) = op.attr(REQUIRED) else { return Ok(None) };
    Ok(Some(Required {
        contract: symbol(attribute, REQUIRED, "contract")?,
        operation: text(attribute, REQUIRED, "operation")?,
        phase: text(attribute, REQUIRED, "phase")?,
        attribute,
    }))
}

/// The decision of an operation, `None` if it carries none.
///
/// # Errors
///
/// As for [`required`].
pub fn resolved(op: Op<'_>) -> Result<Option<Resolved<'_>>, String> {
    let Some(attribute) = op.attr(RESOLVED) else { return Ok(None) };
    let fields = attribute.as_dict().unwrap_or_default();
    if let Some((name, _)) = fields.iter().find(|(name, _)| !DECISION.contains(name)) {
        return Err(format!("expected '{RESOLVED}' to hold {} alone, found '{name}'", DECISION.join(", ")));
    }
    Ok(Some(Resolved {
        contract: symbol(attribute, RESOLVED, "contract")?,
        provider: symbol(attribute, RESOLVED, "provider")?,
        function: text(attribute, RESOLVED, "function")?,
        digest: text(attribute, RESOLVED, "digest")?,
    }))
}

/// Checks the form of every contract attribute an operation carries, and that a decision has an instance and a request.
///
/// # Errors
///
/// The text of a diagnostic.
pub fn check(op: Op<'_>) -> Result<(), String> {
    let request = required(op)?;
    let decision = resolved(op)?;
    if request.is_some() && instance(op).is_none_or(str::is_empty) {
        return Err(format!("carries '{REQUIRED}' but no '{INSTANCE}' that names it"));
    }
    if decision.is_some() && request.is_none() {
        return Err(format!("carries '{RESOLVED}' but no '{REQUIRED}'"));
    }
    Ok(())
}

/// The attribute form of a decision.
pub fn resolution<'c>(
    context: ContextRef<'c>,
    contract: Attr<'c>,
    provider: Attr<'c>,
    function: &str,
    digest: &str,
) -> Attr<'c> {
    Attr::dict(
        context,
        &[
            ("contract", contract),
            ("digest", Attr::string(context, digest)),
            ("function", Attr::string(context, function)),
            ("provider", provider),
        ],
    )
}

/// The last name of a symbol reference: `id` of `@native::@id`.
pub fn leaf(symbol: Attr<'_>) -> Option<&str> {
    symbol.as_symbol()?.last().copied()
}

fn text<'a>(dictionary: Attr<'a>, name: &str, field: &str) -> Result<&'a str, String> {
    let found = dictionary.get(field);
    found.and_then(Attr::as_str).ok_or_else(|| expected(name, field, "a string", found))
}

fn symbol<'a>(dictionary: Attr<'a>, name: &str, field: &str) -> Result<Attr<'a>, String> {
    let found = dictionary.get(field);
    let is_symbol = |attr: &Attr<'a>| attr.as_symbol().is_some_and(|path| path.len() == 2);
    found.filter(is_symbol).ok_or_else(|| expected(name, field, "a symbol of a registry (@registry::@id)", found))
}

fn expected(name: &str, field: &str, what: &str, found: Option<Attr<'_>>) -> String {
    match found {
        Some(found) => format!("expected '{name}' to hold {what} under '{field}', found {found}"),
        None => format!("expected '{name}' to hold {what} under '{field}', found nothing"),
    }
}
