//! The tables of passes and pipelines.

use super::{Options, PassFailure, PassRun};
use crate::ir::Op;

/// A pass.
#[derive(Debug)]
pub struct PassDef {
    /// Its name in pipelines and on the command line.
    pub argument: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The operation it runs on, such as `builtin.module` or `func.func`; empty for any.
    pub anchor: &'static str,
    /// Its options.
    pub options: &'static [OptionDef],
    /// What it counts.
    pub statistics: &'static [StatisticDef],
    /// The dialects whose operations or types it makes; they are loaded before it runs.
    pub dependent_dialects: &'static [&'static str],
    /// Checks the options when a pipeline is made. See [`accept`].
    pub validate: fn(&Options<'_>) -> Result<(), String>,
    /// Runs it.
    pub run: for<'p> fn(Op<'p>, &PassRun<'p>) -> Result<(), PassFailure>,
}

/// A named pipeline.
#[derive(Debug)]
pub struct PipelineDef {
    /// Its name in pipelines and on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionDef],
    /// The pipeline as text, a list of passes for `builtin.module`: `a,b{x=1},func.func(c)`.
    pub expand: fn(&Options<'_>) -> Result<String, String>,
}

/// An option of a pass or pipeline.
#[derive(Debug)]
pub struct OptionDef {
    /// Its name: `x` in `{x=1}`.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// The value without it, as text: `true`, `4`, `a,b`.
    pub default: &'static str,
    /// One line.
    pub help: &'static str,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum OptionKind {
    /// A text.
    Str = 0,
    /// An integer.
    Int = 1,
    /// `true` or `false`.
    Bool = 2,
    /// `{a,b}`
    StrList = 3,
    /// `{1,2}`
    IntList = 4,
}

/// Something a pass counts.
#[derive(Debug)]
pub struct StatisticDef {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub help: &'static str,
}

/// Accepts all options: the validation of passes that have nothing to check.
pub fn accept(_options: &Options<'_>) -> Result<(), String> {
    Ok(())
}
