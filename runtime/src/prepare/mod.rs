//! Weight preparation: what a model file stores becomes what kernels read, once, before the first call.
//!
//! | preparation | from | to |
//! |---|---|---|
//! | `expand_fp32` | `f32`, `f16`, `q8_0`, `q4_1` | single precision, `row_major` |
//! | `expand_fp32_panels_n32` | the same, a matrix | single precision, `panels_n32` |
//! | `rope_table_fp64_series` | nothing: it is generated | single precision, `row_major` |
//!
//! The values are those of [`cke_oracle`]; here they are only moved. Which preparation a weight gets is
//! the program's decision. Everything is checked before the first byte is written.

mod check;
mod expand;
mod work;

pub use work::Progress;

use crate::fault::{Code, Fault, Result};
use crate::gguf::Gguf;
use crate::program::Program;
use crate::state::StateBlock;

/// Makes the state block of `program` and fills in all weights from `model`, on `threads` threads.
///
/// `progress` is told after every piece, by whichever thread finished it.
///
/// # Errors
///
/// `CKE-R001` for a malformed program, `CKE-W101` to `CKE-W104` if a weight does not fit its slot, `CKE-W001` if the
/// file cannot be read, `CKE-R005` if there is no memory for the block.
pub fn prepare(
    program: &Program,
    model: &Gguf,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<StateBlock> {
    program.validate()?;
    let weights = check::all(program, model)?;
    let mut state = StateBlock::new(program.state_bytes)
        .map_err(|error| Fault::new(Code::OutsideLimits, format!("cannot make the state block: {error:#}")))?;
    work::run(weights, model, state.bytes_mut(), threads, progress)?;
    Ok(state)
}
