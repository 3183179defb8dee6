//! Kernel generators: one file a family, from a contract and a shape to the MLIR text of one function.
//!
//! Every kernel is `func.func @symbol(%args: !llvm.ptr, %thread: i64, %threads: i64)`: `args` is an array of 64-bit
//! slots in the order of the provider's call ABI, each a pointer or an i64, and each thread computes its own share. A
//! thread without work returns. What the threads compute does not depend on their number, on the instruction set or on
//! how rows are grouped into calls.
//!
//! The text uses func, scf, vector, arith, math and llvm operations. Rounding and fusion are operations: `math.fma`
//! where the contract fuses, separate operations elsewhere, never a fast-math flag.

mod argmax;
mod attention;
mod elementwise;
mod embedding;
pub mod functions;
mod kv_append;
mod linear;
mod residual_add;
mod rmsnorm;
mod rope;
mod rules;
mod swiglu;
pub mod text;

use crate::isa::Isa;
use cke_contracts::registry::Contract;
use rope::Pairs;
use std::collections::BTreeMap;
use text::{I64, Text, Value};

/// Columns of one panel of the layout `panels_n32`.
const PANEL: i64 = 32;
/// Positions of one block of the layout `k_blocks_t16`.
const BLOCK: i64 = 16;

/// No extent is greater, so that the product of any three times an element's size is far from the limits of an i64.
const MOST: i64 = 1 << 20;

/// How often a program runs its entry: token by token, or over rows of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// One row, known when the kernel is made.
    Decode,
    /// As many rows as the slot `rows` says.
    Prefill,
}

impl Phase {
    /// The phase of a name as it stands in contracts and IR.
    ///
    /// # Errors
    ///
    /// A name that is neither `decode` nor `prefill`.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name {
            "decode" => Ok(Self::Decode),
            "prefill" => Ok(Self::Prefill),
            _ => Err(format!("unknown phase '{name}'; known are decode, prefill")),
        }
    }
}

/// All a generator may know.
#[derive(Clone, Debug)]
pub struct KernelRequest<'a> {
    /// The symbol of the function to make.
    pub symbol: &'a str,
    /// The provider's function, e.g. `cke_linear_fp32`: it fixes the slots and the layouts.
    pub function: &'a str,
    /// The operation, e.g. `linear`.
    pub op: &'a str,
    /// Whether the kernel serves one row or many.
    pub phase: Phase,
    /// The extents known at compile time, e.g. `k` and `n`.
    pub shape: BTreeMap<String, i64>,
    /// The floating-point attributes of the operation, e.g. `eps`; rounded to f32 where the contract computes in f32.
    pub params: BTreeMap<String, f64>,
    /// The numerical contract, which the structure of every reduction is read from.
    pub contract: &'a Contract,
    /// The instruction set to tile for.
    pub isa: &'a Isa,
}

/// One family's generator.
type Generator = fn(&KernelRequest<'_>) -> Result<String, String>;

/// The MLIR text of the requested kernel.
///
/// # Errors
///
/// An unknown function, a function that does not serve the operation, a missing or impossible extent, a contract with a
/// value that the generator does not implement, or an instruction set that lacks what the contract needs.
pub fn synthesize(request: &KernelRequest<'_>) -> Result<String, String> {
    let (op, generator): (&str, Generator) = match request.function {
        "cke_embedding_fp32" => ("embedding", embedding::synthesize),
        "cke_rmsnorm_fp32" => ("rmsnorm", rmsnorm::synthesize),
        "cke_linear_fp32" => ("linear", linear::synthesize),
        "cke_logits_fp32" => ("logits", linear::synthesize_logits),
        "cke_rope_pairwise_fp32" => ("rope", |request| rope::synthesize(request, Pairs::Interleaved)),
        "cke_rope_split_half_fp32" => ("rope", |request| rope::synthesize(request, Pairs::SplitHalf)),
        "cke_kv_append_fp32" => ("kv_append", kv_append::synthesize),
        "cke_attention_fp32" => ("attention", attention::synthesize),
        "cke_swiglu_fp32" => ("swiglu", swiglu::synthesize),
        "cke_residual_add_fp32" => ("residual_add", residual_add::synthesize),
        "cke_argmax_fp32" => ("argmax", argmax::synthesize),
        unknown => return Err(format!("no generator for the function '{unknown}'")),
    };
    if request.op != op {
        return Err(format!("'{}' serves the operation '{op}', not '{}'", request.function, request.op));
    }
    if !request.isa.fma {
        return Err(format!(
            "'{}' needs a fused multiply-add instruction, which the instruction set '{}' lacks",
            request.function, request.isa.name
        ));
    }
    if request.symbol.contains(['"', '\\', '\n']) {
        return Err(format!("{:?} cannot be the name of a function", request.symbol));
    }
    generator(request)
}

impl KernelRequest<'_> {
    /// A positive extent of the shape.
    fn extent(&self, key: &str) -> Result<i64, String> {
        self.extent_from(1, key)
    }

    /// An extent of the shape, at least `least`.
    fn extent_from(&self, least: i64, key: &str) -> Result<i64, String> {
        let value = *self.shape.get(key).ok_or_else(|| format!("'{}' needs the extent '{key}'", self.function))?;
        if (least..=MOST).contains(&value) {
            Ok(value)
        } else {
            Err(format!("the extent '{key}' of '{}' must be in {least}..={MOST}, found {value}", self.function))
        }
    }

    /// A parameter, rounded to f32.
    fn param(&self, key: &str) -> Result<f32, String> {
        let value = self.params.get(key).ok_or_else(|| format!("'{}' needs the parameter '{key}'", self.function))?;
        Ok(*value as f32)
    }

    /// The number of rows: 1 in a decode, else what the slot holds.
    fn rows(&self, t: &mut Text, slot: usize) -> Value {
        match self.phase {
            Phase::Decode => t.i64(1),
            Phase::Prefill => t.slot(slot, I64),
        }
    }
}
