//! Traits and effects: the definitions of the prelude by name.

use super::{Effect, Trait};
use crate::record::{Record, Records};

/// What an entry of an operation's trait list says.
pub(super) enum Said<'r> {
    Plain(Trait),
    SizedOperands,
    SameOperandsAndResultType,
    AllTypesMatch(&'r Record),
    Effects(&'r Record),
    SymbolUser,
    /// A list of further traits.
    List(&'r Record),
    Unknown,
}

pub(super) fn said(record: &Record) -> Said<'_> {
    let plain = match record.name.as_str() {
        "AttrSizedOperandSegments" => return Said::SizedOperands,
        "SameOperandsAndResultType" => return Said::SameOperandsAndResultType,
        "Commutative" => Trait::Commutative,
        "IsolatedFromAbove" => Trait::IsolatedFromAbove,
        "NoTerminator" => Trait::NoTerminator,
        "Pure" => Trait::Pure,
        "RecursiveMemoryEffects" => Trait::RecursiveMemoryEffects,
        "ReturnLike" => Trait::ReturnLike,
        "SingleBlock" => Trait::SingleBlock,
        "Symbol" => Trait::Symbol,
        "SymbolTable" => Trait::SymbolTable,
        "Terminator" => Trait::Terminator,
        _ if record.is_a("AllTypesMatch") => return Said::AllTypesMatch(record),
        _ if record.is_a("MemoryEffects") => return Said::Effects(record),
        _ if record.is_a("TraitList") => return Said::List(record),
        _ if record.is_a("DeclareOpInterfaceMethods") => {
            return match record.string("cppInterfaceName") {
                "SymbolUserOpInterface" => Said::SymbolUser,
                _ => Said::Unknown,
            };
        }
        _ => return Said::Unknown,
    };
    Said::Plain(plain)
}

/// The effects of a `MemoryEffects`. `None` if one of them is unknown.
pub(super) fn effects(records: &Records, record: &Record) -> Option<Vec<Effect>> {
    let effect = |record: &Record| match record.name.as_str() {
        "MemRead" => Some(Effect::Read),
        "MemWrite" => Some(Effect::Write),
        "MemAlloc" => Some(Effect::Allocate),
        "MemFree" => Some(Effect::Free),
        _ => None,
    };
    record.list("effects").iter().map(|value| records.of(value).and_then(effect)).collect()
}
