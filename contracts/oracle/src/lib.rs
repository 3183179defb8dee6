//! The scalar oracle: what every native contract means, as plain Rust that computes one element after another.
//!
//! It is written for exactness, not for speed, and independently of the kernel generator: the two must agree bit for
//! bit. The structure of a reduction (lanes, tree, chunks, order of roundings) is read from the fields of the contract,
//! never from its id; a value of a field that is not implemented here is refused. Every operation of f32 is one IEEE
//! operation rounded to nearest even, and nothing comes from the host's libm.
//!
//! Bad calls are errors, never panics: every access is inside the state block.

mod call;
pub mod dequant;
mod families;
pub mod fma;
pub mod functions;
pub mod nan;
pub mod quantize;
mod reduction;
pub mod rope_table;
mod tensor;

use std::collections::BTreeMap;

use cke_contracts::layout::Layout;
use cke_contracts::registry::Contract;
use cke_contracts::registry::vocabulary::IsaClass;

/// One kernel call, as data.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The numerical contract to follow.
    pub contract: &'a Contract,
    /// The operation, as in kernel maps: `linear`, `attention`, ...
    pub op: &'a str,
    /// Compile-time extents by name, such as `k` and `n`.
    pub shape: &'a BTreeMap<String, i64>,
    /// Compile-time numbers by name, such as `eps`; each is rounded to f32 once.
    pub params: &'a BTreeMap<String, f64>,
    /// Where the operands lie. Scratch may be given and is not touched.
    pub ports: &'a [Port<'a>],
    /// The number of rows, at least 1.
    pub rows: usize,
    /// The position of the first row.
    pub position: usize,
    /// What only some contracts ask for.
    pub context: Context<'a>,
}

/// What a contract may depend on beyond operands and extents. One that does not is not given a choice: what it does not
/// ask for is not looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// The number of workers, where it decides how a reduction is cut.
    pub workers: Option<u32>,
    /// The class of instruction sets whose variant is asked for.
    pub isa: Option<IsaClass>,
    /// The contracts by id, among them those that a contract leaves some calls or rows to.
    pub parts: Option<&'a BTreeMap<String, Contract>>,
}

/// How an element of a tensor is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Element {
    /// Four bytes: f32, or i32.
    #[default]
    Bits32,
    /// IEEE 754 binary16.
    Fp16,
    /// The upper half of an f32.
    Bf16,
}

/// An operand of a call: a tensor of 32-bit elements in the state block, or the packed bytes of a quantised weight.
#[derive(Clone, Copy, Debug)]
pub struct Port<'a> {
    /// The port's name in kernel maps, such as `x`.
    pub name: &'a str,
    /// The first byte in the state block.
    pub offset: usize,
    /// The order of the elements.
    pub layout: Layout,
    /// How an element is stored.
    pub element: Element,
}

/// Executes `call` on the state block, all rows, in one thread.
///
/// Outputs may share memory with inputs: everything is read before anything is written. Nothing is written when the
/// result is an error. Errors say which field, port or extent is at fault.
pub fn execute(call: &Call<'_>, state: &mut [u8]) -> Result<(), String> {
    let family = families::of(call.op).ok_or_else(|| format!("unknown operation '{}'", call.op))?;
    call.check()?;
    let result = match call.contract {
        Contract::Linear(contract) => families::quantized_linear::execute(call, contract, state),
        Contract::Execution(_) | Contract::Attention(_) => family(call, state),
    };
    result.map_err(|rule| format!("{}: {rule}", call.op))
}
