//! The rules of a program which can be checked without running it.
//!
//! A program may come from a file; after this check every buffer an engine touches lies inside the state block, and no
//! two buffers with different owners share a byte. It does not judge decisions: that is the ledger's business.

use super::{Arg, ArgValue, Invoke, Program, Step};
use crate::fault::{Code, Fault, Result};
use crate::state::ALIGNMENT;
use cke_contracts::layout::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// Widths of the elements of all buffers: f32 and i32.
const ELEMENT: u64 = 4;

/// A part of the state block with one owner.
struct Place<'a> {
    name: &'a str,
    offset: u64,
    end: u64,
    /// The layout of a buffer which arguments take as a whole; the arena has none and gives parts.
    layout: Option<&'a str>,
}

impl Program {
    /// Checks alignment, extents, disjointness, names, limits and every argument.
    ///
    /// # Errors
    ///
    /// `CKE-R001` with the first rule that is broken.
    pub fn validate(&self) -> Result<()> {
        self.check_limits()?;
        let places = self.places()?;
        self.check_names()?;
        for entry in &self.entries {
            for (number, step) in entry.steps.iter().enumerate() {
                if let Step::Invoke(invoke) = step {
                    self.check_invoke(invoke, &places).map_err(|rule| {
                        malformed(format!("entry '{}' step {number} ('{}'): {rule}", entry.name, invoke.instance))
                    })?;
                }
            }
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<()> {
        let limits = [
            ("max_rows", self.max_rows),
            ("capacity", self.capacity),
            ("max_threads", self.max_threads),
            ("vocab", self.vocab),
        ];
        for (name, limit) in limits {
            if limit == 0 || limit > i32::MAX as u64 {
                return Err(malformed(format!("{name} is {limit}, expected 1 to {}", i32::MAX)));
            }
        }
        Ok(())
    }

    fn check_names(&self) -> Result<()> {
        let buffers = self.weights.iter().map(|slot| &slot.name).chain(self.states.iter().map(|slot| &slot.name));
        let entries = self.entries.iter().map(|entry| &entry.name);
        unique("buffers", buffers)?;
        unique("entries", entries)
    }

    /// All places in the order of their offsets; checked to be aligned, inside and disjoint.
    fn places(&self) -> Result<BTreeMap<u64, Place<'_>>> {
        let io = [
            ("io.tokens", self.io.tokens, self.max_rows * ELEMENT),
            ("io.logits", self.io.logits, self.vocab * ELEMENT),
            ("io.next_token", self.io.next_token, ELEMENT),
        ];
        let io = io.into_iter().map(|(name, offset, bytes)| (name, offset, bytes, Some("row_major")));
        let weights = self.weights.iter().map(|slot| (&*slot.name, slot.offset, slot.bytes, Some(&*slot.layout)));
        let states = self.states.iter().map(|slot| (&*slot.name, slot.offset, slot.bytes, Some(&*slot.layout)));
        let arena = std::iter::once(("arena", self.arena.offset, self.arena.bytes, None));
        self.check_extents()?;

        let mut places = BTreeMap::new();
        for (name, offset, bytes, layout) in io.chain(weights).chain(states).chain(arena) {
            if !offset.is_multiple_of(ALIGNMENT as u64) {
                return Err(malformed(format!("'{name}' starts at {offset}, expected a multiple of {ALIGNMENT}")));
            }
            let end = offset.checked_add(bytes).filter(|&end| end <= self.state_bytes).ok_or_else(|| {
                let block = self.state_bytes;
                malformed(format!("'{name}' takes {bytes} bytes from {offset} on, the state block has {block}"))
            })?;
            if bytes == 0 {
                continue;
            }
            if let Some(other) = places.insert(offset, Place { name, offset, end, layout }) {
                return Err(malformed(format!("'{}' and '{name}' both start at {offset}", other.name)));
            }
        }
        for (before, after) in places.values().zip(places.values().skip(1)) {
            if before.end > after.offset {
                return Err(malformed(format!(
                    "'{}' and '{}' share bytes from {}",
                    before.name, after.name, after.offset
                )));
            }
        }
        Ok(places)
    }

    /// The bytes of every weight and state are those of its shape in its layout.
    fn check_extents(&self) -> Result<()> {
        let weights = self.weights.iter().map(|slot| (&slot.name, &slot.dims, &slot.layout, slot.bytes));
        let states = self.states.iter().map(|slot| (&slot.name, &slot.dims, &slot.layout, slot.bytes));
        for (name, dims, layout, bytes) in weights.chain(states) {
            let expected = layout_bytes(layout, dims).map_err(|rule| malformed(format!("'{name}': {rule}")))?;
            if bytes != expected || bytes == 0 {
                let rule = format!("'{name}' takes {bytes} bytes, expected {expected} for {dims:?} in {layout}");
                return Err(malformed(rule));
            }
        }
        Ok(())
    }

    fn check_invoke(&self, invoke: &Invoke, places: &BTreeMap<u64, Place<'_>>) -> Result<(), String> {
        if !self.contracts.contains_key(&invoke.contract) {
            return Err(format!("contract '{}' is not defined", invoke.contract));
        }
        if !self.providers.contains_key(&invoke.provider) {
            return Err(format!("provider '{}' is not defined", invoke.provider));
        }
        for arg in &invoke.args {
            check_arg(arg, places).map_err(|rule| format!("argument '{}' {rule}", arg.name))?;
        }
        Ok(())
    }
}

/// An argument is a whole weight, state or io buffer in its layout, or a part of the arena, or a run-time extent.
fn check_arg(arg: &Arg, places: &BTreeMap<u64, Place<'_>>) -> Result<(), String> {
    let ArgValue::Offset(offset) = arg.value else {
        let bare = arg.bytes == 0 && arg.layout.is_empty();
        return if bare { Ok(()) } else { Err("is a run-time extent with a layout or bytes".to_owned()) };
    };
    let (bytes, layout) = (arg.bytes, &*arg.layout);
    Layout::parse(layout).map_err(|error| error.to_string())?;
    if bytes == 0 || !offset.is_multiple_of(ALIGNMENT as u64) {
        return Err(format!(
            "takes {bytes} bytes from {offset} on, expected at least 1 from a multiple of {ALIGNMENT}"
        ));
    }
    let place = places.range(..=offset).next_back().map(|(_, place)| place);
    match place.filter(|place| offset.checked_add(bytes).is_some_and(|end| end <= place.end)) {
        None => Err(format!("takes {bytes} bytes from {offset} on, which lie in no one buffer")),
        Some(Place { name, offset: start, layout: Some(expected), .. }) if (*start, *expected) != (offset, layout) => {
            Err(format!("takes '{name}' at {offset} as {layout}, expected the whole of it at {start} as {expected}"))
        }
        Some(_) => Ok(()),
    }
}

/// Bytes of 4-byte elements of shape `dims` in the layout of that name, padding included.
fn layout_bytes(layout: &str, dims: &[u64]) -> Result<u64, String> {
    let layout = Layout::parse(layout).map_err(|error| error.to_string())?;
    let too_large = || format!("dimensions {dims:?} have too many elements to address");
    let sizes: Vec<usize> =
        dims.iter().map(|&dim| usize::try_from(dim).map_err(|_| too_large())).collect::<Result<_, _>>()?;
    let elements = layout.elements(&sizes).map_err(|error| error.to_string())?;
    (elements as u64).checked_mul(ELEMENT).ok_or_else(too_large)
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(malformed(format!("two {what} are called '{name}'")));
        }
    }
    Ok(())
}

fn malformed(rule: String) -> Fault {
    Fault::new(Code::ProgramMalformed, rule)
}
