//! The one interface between a session and whatever executes a program.
//!
//! An engine executes; it holds no sequence, makes no choice and keeps nothing between two calls but caches of its own.

use crate::state::StateBlock;

/// Something that can execute the entries of one program.
///
/// Two engines of one program leave the same bits in the state block: the oracle is an engine, native code is another.
pub trait Engine: Sync {
    /// Executes `entry` for `rows` rows, the first of which stands at `position`, on `threads` threads.
    ///
    /// The rows' tokens are in the state block before the call; logits and the next token are there after it.
    /// The thread count never changes a bit of the outcome.
    ///
    /// # Errors
    ///
    /// An unknown entry, a state block smaller than the program asks for, or a run-time extent beyond the program's
    /// limits. What the state block holds after an error is unspecified.
    fn run(
        &self,
        entry: &str,
        state: &mut StateBlock,
        rows: usize,
        position: usize,
        threads: usize,
    ) -> anyhow::Result<()>;
}
