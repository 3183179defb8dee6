//! The values of options.

use std::marker::PhantomData;

use super::{OptionDef, OptionKind};
use crate::ffi::{
    shim::{self, CkeOption, OptionValues},
    text,
};

/// The values of the options of a pass or pipeline, each by the name in its table.
#[derive(Debug)]
pub struct Options<'o> {
    raw: *const OptionValues,
    defs: &'static [OptionDef],
    owner: &'static str,
    scope: PhantomData<&'o ()>,
}

/// All accessors panic if the table has no option of this name and kind: that is a mistake in the pass.
impl Options<'_> {
    /// # Safety
    /// `raw` must be values for `defs` and valid during the lifetime.
    pub(super) unsafe fn from_raw(raw: *const OptionValues, defs: &'static [OptionDef], owner: &'static str) -> Self {
        Options { raw, defs, owner, scope: PhantomData }
    }

    /// The value of a text.
    pub fn str(&self, name: &str) -> &str {
        let i = self.find(name, OptionKind::Str);
        // SAFETY: the option exists and has this kind; the text lives as long as the values.
        unsafe { text::name(shim::ckeOptionText(self.raw, i)) }
    }

    /// The value of an integer.
    pub fn int(&self, name: &str) -> i64 {
        let i = self.find(name, OptionKind::Int);
        // SAFETY: the option exists and has this kind.
        unsafe { shim::ckeOptionInteger(self.raw, i) }
    }

    /// The value of a flag.
    pub fn bool(&self, name: &str) -> bool {
        let i = self.find(name, OptionKind::Bool);
        // SAFETY: the option exists and has this kind.
        unsafe { shim::ckeOptionFlag(self.raw, i) != 0 }
    }

    /// The values of a list of texts.
    pub fn strs(&self, name: &str) -> Vec<&str> {
        let i = self.find(name, OptionKind::StrList);
        // SAFETY: as in `str`; elements are asked for below their number.
        unsafe {
            (0..shim::ckeOptionLength(self.raw, i))
                .map(|k| text::name(shim::ckeOptionListText(self.raw, i, k)))
                .collect()
        }
    }

    /// The values of a list of integers.
    pub fn ints(&self, name: &str) -> Vec<i64> {
        let i = self.find(name, OptionKind::IntList);
        // SAFETY: the option exists and has this kind; elements are asked for below their number.
        unsafe { (0..shim::ckeOptionLength(self.raw, i)).map(|k| shim::ckeOptionListInteger(self.raw, i, k)).collect() }
    }

    fn find(&self, name: &str, kind: OptionKind) -> isize {
        let found = self.defs.iter().position(|def| def.name == name && def.kind == kind);
        found.unwrap_or_else(|| panic!("'{}' has no option '{name}' of kind {kind:?}", self.owner)) as isize
    }
}

/// The table as the shim wants it, for ever.
pub(super) fn leak(defs: &'static [OptionDef]) -> &'static [CkeOption] {
    defs.iter()
        .map(|def| CkeOption {
            name: text::as_ref(def.name),
            help: text::as_ref(def.help),
            initial: text::as_ref(def.default),
            kind: def.kind as u32,
        })
        .collect::<Vec<_>>()
        .leak()
}
