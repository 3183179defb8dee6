//! A compiled program as plain data: where everything lies in the state block and which kernel calls to make.
//!
//! The compiler writes it, engines execute it, sessions obey its limits. It carries the definitions of the contracts
//! and providers it was resolved with, so that the oracle can execute it and evidence can name what was run.

mod validate;

use crate::fault::{Code, Fault, Result};
use crate::state::StateBlock;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A compiled program.
///
/// Regions of the state block: the weights, the states, `io` and the arena. They start at multiples of 64 bytes and
/// share no byte; [`Program::validate`] checks that and more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Extent of the state block in bytes.
    pub state_bytes: u64,
    /// The most rows of one call.
    pub max_rows: u64,
    /// The most positions a sequence can have.
    pub capacity: u64,
    /// The most threads of one call.
    pub max_threads: u64,
    /// The number of tokens: the width of the logits.
    pub vocab: u64,
    /// Where tokens go in and results come out.
    pub io: Io,
    /// Weights, prepared once before the first call.
    pub weights: Vec<WeightSlot>,
    /// Buffers that live from call to call, zero before the first call of a sequence.
    pub states: Vec<StateSlot>,
    /// Buffers that live within one call: activations and scratch.
    pub arena: Region,
    /// Entry points, by convention `prefill` (1 to `max_rows` rows) and `decode` (one row).
    pub entries: Vec<Entry>,
    /// Definitions of the numerical contracts the steps name, by id.
    pub contracts: BTreeMap<String, ContractDefinition>,
    /// Definitions of the providers the steps name, by id.
    pub providers: BTreeMap<String, serde_json::Value>,
    /// Digest over all decisions the program was compiled from.
    pub ledger_root: String,
}

/// The definition of a numerical contract, as its registry file has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "definition", rename_all = "snake_case", deny_unknown_fields)]
pub enum ContractDefinition {
    /// A numerical execution contract.
    Execution(serde_json::Value),
    /// An attention reduction contract.
    Attention(serde_json::Value),
    /// A quantized linear contract.
    Linear(serde_json::Value),
}

/// Offsets of the buffers through which a session talks to a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Io {
    /// The rows' tokens: `i32[max_rows]`.
    pub tokens: u64,
    /// Logits of the last row: `f32[vocab]`.
    pub logits: u64,
    /// The token the program itself selects: `i32[1]`.
    pub next_token: u64,
}

/// A run of bytes in the state block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// A weight: where it comes from, how it is prepared and where it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightSlot {
    /// Name of the tensor in the model file, or of the generated table.
    pub name: String,
    /// How the model stores it (`f32`, `f16`, `q8_0`, `q4_1`), or `generated`.
    pub storage: String,
    /// The weight preparation that writes it, such as `expand_fp32_panels_n32`.
    pub preparation: String,
    /// Logical shape, outermost dimension first.
    pub dims: Vec<u64>,
    /// How the logical shape lies in memory, such as `panels_n32`.
    pub layout: String,
    /// First byte in the state block.
    pub offset: u64,
    /// Number of bytes in the state block.
    pub bytes: u64,
    /// What a generated table is generated from; absent for a tensor of the model file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// What a generated table is generated from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "function", rename_all = "snake_case", deny_unknown_fields)]
pub enum Origin {
    /// Cosines and sines of rotary positions, by series in double precision, rounded once.
    RopeTableFp64Series {
        /// Base of the frequencies.
        base: f64,
        /// Width of the rotated part of a head: the table holds half as many pairs a position.
        rotary_dim: u64,
        /// Number of positions.
        positions: u64,
    },
}

/// A buffer that lives from call to call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSlot {
    /// Name, such as `blk.0.k_cache`.
    pub name: String,
    /// Logical shape, outermost dimension first.
    pub dims: Vec<u64>,
    /// How the logical shape lies in memory.
    pub layout: String,
    /// First byte in the state block.
    pub offset: u64,
    /// Number of bytes in the state block.
    pub bytes: u64,
}

/// An entry point: steps in order, run by every thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Name by which an engine is asked for it.
    pub name: String,
    /// Calls and barriers in order.
    pub steps: Vec<Step>,
}

/// One step of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// All threads wait for each other.
    Barrier,
    /// A kernel call.
    Invoke(Box<Invoke>),
}

/// A kernel call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invoke {
    /// Where in the network it stands, such as `decode/blk.0/attn_q`.
    pub instance: String,
    /// The kernel's symbol.
    pub symbol: String,
    /// The operation, such as `linear`.
    pub op: String,
    /// Id of the numerical contract it follows; defined in [`Program::contracts`].
    pub contract: String,
    /// Id of the provider; defined in [`Program::providers`].
    pub provider: String,
    /// The provider's function.
    pub function: String,
    /// Extents the kernel was made for, such as `k` and `n`.
    pub shape: BTreeMap<String, i64>,
    /// Other numbers the kernel was made for, such as `eps`.
    pub params: BTreeMap<String, f64>,
    /// Arguments in the order of the provider's call ABI.
    pub args: Vec<Arg>,
}

/// One argument of a kernel call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arg {
    /// The port or run-time extent it is for, such as `x` or `rows`.
    pub name: String,
    /// What the kernel receives.
    pub value: ArgValue,
    /// How the buffer lies in memory; empty for a run-time extent.
    pub layout: String,
    /// Bytes from the offset on which the kernel may touch in a call of `max_rows` rows; 0 for a run-time extent.
    pub bytes: u64,
}

/// What a kernel receives for an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgValue {
    /// The address of the state block plus this many bytes.
    Offset(u64),
    /// The number of rows of the call.
    Rows,
    /// The position of the call's first row.
    Position,
}

impl Program {
    /// The entry of that name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The entry an engine is asked to run, if the run is within the program's limits.
    ///
    /// # Errors
    ///
    /// `CKE-R005`: there is no such entry; rows, positions or threads go beyond the limits; or the state block is too
    /// small.
    pub fn check_run(
        &self,
        entry: &str,
        state: &StateBlock,
        rows: usize,
        position: usize,
        threads: usize,
    ) -> Result<&Entry> {
        let outside = |message: String| Fault::new(Code::OutsideLimits, message);
        let found = self.entry(entry).ok_or_else(|| outside(format!("the program has no entry '{entry}'")))?;
        check_limit("rows", rows as u64, self.max_rows)?;
        check_limit("threads", threads as u64, self.max_threads)?;
        check_limit("positions", (position as u64).saturating_add(rows as u64), self.capacity)?;
        if (state.len() as u64) < self.state_bytes {
            let message = format!("a state block of {} bytes, expected {}", state.len(), self.state_bytes);
            return Err(outside(message));
        }
        Ok(found)
    }
}

fn check_limit(what: &str, found: u64, limit: u64) -> Result<()> {
    if (1..=limit).contains(&found) {
        return Ok(());
    }
    Err(Fault::new(Code::OutsideLimits, format!("{found} {what}, expected 1 to {limit}")))
}
