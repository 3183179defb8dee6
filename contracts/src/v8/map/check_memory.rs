//! Scratch memory and prepared weights.

use super::KernelMap;
use crate::fault::Code;
use crate::v8::flaw::Flaw;
use crate::v8::record::Size;

/// The least alignment.
const LEAST_ALIGNMENT: u64 = 64;
/// The most bytes that prepared weights may take together.
const MOST_PREPARED: u64 = 2 << 30;
/// Functions an expression may call.
const FUNCTIONS: [&str; 4] = ["ceil", "max", "min", "sizeof"];

pub(super) fn check(map: &KernelMap) -> Result<(), Flaw> {
    let fault = |path: String, message: String| Err(Flaw::new(Code::BadMemory, path, message));
    for (n, scratch) in map.scratch.iter().flatten().enumerate() {
        let path = format!("scratch/{n}");
        let bad = |alignment: &u64| !alignment.is_power_of_two() || *alignment < LEAST_ALIGNMENT;
        if let Some(alignment) = scratch.alignment.filter(bad) {
            let message = format!("{alignment} is no power of two of at least {LEAST_ALIGNMENT}");
            return fault(format!("{path}/alignment"), message);
        }
        if let Some(Size::Expression(expression)) = &scratch.size_bytes {
            words(expression).map_err(|reason| Flaw::new(Code::BadMemory, format!("{path}/size_bytes"), reason))?;
        }
    }
    let Some(preparation) = &map.weight_preparation else { return Ok(()) };
    if preparation.max_total_bytes == 0 || preparation.max_total_bytes > MOST_PREPARED {
        let message = format!("must be between 1 and {MOST_PREPARED}, found {}", preparation.max_total_bytes);
        return fault("weight_preparation/max_total_bytes".to_owned(), message);
    }
    let Size::Expression(expression) = &preparation.prepared_bytes else { return Ok(()) };
    let path = "weight_preparation/prepared_bytes".to_owned();
    let symbols = words(expression).map_err(|reason| Flaw::new(Code::BadMemory, &path, reason))?;
    let known = |symbol: &str| FUNCTIONS.contains(&symbol) || map.dims.iter().flatten().any(|dim| dim == symbol);
    match symbols.into_iter().find(|symbol| !known(symbol)) {
        None => Ok(()),
        Some(symbol) => fault(path, format!("'{symbol}' is none of the map's dims")),
    }
}

/// The names in an expression of sums, products and quotients; the error is a sentence.
fn words(expression: &str) -> Result<Vec<&str>, String> {
    let allowed =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '+' | '-' | '*' | '/' | '(' | ')' | ',' | '.');
    if expression.trim().is_empty() {
        return Err("expected an expression, found none".to_owned());
    }
    if let Some(found) = expression.chars().find(|c| !allowed(*c)) {
        return Err(format!("'{}' has no place in an expression", found.escape_default()));
    }
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    Ok(words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).collect())
}
