//! One sequence of tokens: a prompt, then token after token, with the limits of the program checked before every run.
//!
//! A session owns the state block and the position; it computes nothing and chooses no token.

use crate::engine::Engine;
use crate::fault::{Code, Fault, Result};
use crate::program::Program;
use crate::state::StateBlock;

/// The entry for prompts: 1 to `max_rows` rows.
const PREFILL: &str = "prefill";
/// The entry for a single token: one row.
const DECODE: &str = "decode";

/// A sequence on its way through a program.
pub struct Session<'a> {
    program: &'a Program,
    engine: &'a dyn Engine,
    state: StateBlock,
    threads: usize,
    position: usize,
    progress: Progress,
}

/// What the state block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// A sequence without tokens.
    Empty,
    /// Results of the last token.
    Ready,
    /// Nothing one can rely on, since a run failed.
    Lost,
}

impl<'a> Session<'a> {
    /// A new sequence of `program`, run by `engine` on `threads` threads, in a state block with prepared weights (see
    /// [`prepare`](crate::prepare::prepare)).
    ///
    /// # Errors
    ///
    /// `CKE-R001`: the program is malformed. `CKE-R005`: too many threads, a state block which is too small, or a
    /// program without `prefill` and `decode`.
    pub fn new(program: &'a Program, engine: &'a dyn Engine, state: StateBlock, threads: usize) -> Result<Self> {
        program.validate()?;
        for entry in [PREFILL, DECODE] {
            program.check_run(entry, &state, 1, 0, threads)?;
        }
        Ok(Session { program, engine, state, threads, position: 0, progress: Progress::Empty })
    }

    /// Runs `tokens`, all at once as far as the program's rows go, behind what the sequence has.
    ///
    /// # Errors
    ///
    /// `CKE-R002`, `CKE-R003`, `CKE-R004`: a token out of range, no room left, no token; then nothing has been run.
    /// `CKE-R006`: the engine failed; the sequence is lost until [`Session::reset`].
    pub fn prefill(&mut self, tokens: &[u32]) -> Result<()> {
        if tokens.is_empty() {
            return Err(Fault::new(Code::NothingToRun, "a prompt of 0 tokens, expected at least 1"));
        }
        self.check(tokens)?;
        // The limits of a valid program fit 31 bits.
        tokens.chunks(self.program.max_rows as usize).try_for_each(|rows| self.run(PREFILL, rows))
    }

    /// Runs one more token.
    ///
    /// # Errors
    ///
    /// As [`Session::prefill`].
    pub fn decode(&mut self, token: u32) -> Result<()> {
        self.check(&[token])?;
        self.run(DECODE, &[token])
    }

    /// Logits of the last token, one a token of the vocabulary.
    ///
    /// # Errors
    ///
    /// `CKE-R004`: no token has been run.
    pub fn logits(&self) -> Result<&[f32]> {
        self.check_ready()?;
        self.state.read(self.program.io.logits, self.program.vocab as usize).map_err(engine_failed)
    }

    /// The token which the program itself has selected.
    ///
    /// # Errors
    ///
    /// `CKE-R004`: no token has been run. `CKE-R006`: the program selected no token of the vocabulary.
    pub fn next_token(&self) -> Result<u32> {
        self.check_ready()?;
        let [token] = *self.state.read::<i32>(self.program.io.next_token, 1).map_err(engine_failed)? else {
            return Err(Fault::new(Code::EngineFailed, "the state block gave no token"));
        };
        let inside = u32::try_from(token).ok().filter(|&token| u64::from(token) < self.program.vocab);
        let message = || format!("the program selected token {token}, expected 0 to {}", self.program.vocab - 1);
        inside.ok_or_else(|| Fault::new(Code::EngineFailed, message()))
    }

    /// How many tokens the sequence has.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many tokens still fit.
    pub fn remaining(&self) -> usize {
        self.program.capacity as usize - self.position
    }

    /// The state block, to be looked at.
    pub fn state(&self) -> &StateBlock {
        &self.state
    }

    /// Begins a new sequence: the states are zero as at the beginning.
    ///
    /// # Errors
    ///
    /// None for a valid program; the state block's word is passed on.
    pub fn reset(&mut self) -> Result<()> {
        for slot in &self.program.states {
            self.state.clear(slot.offset, slot.bytes).map_err(engine_failed)?;
        }
        self.position = 0;
        self.progress = Progress::Empty;
        Ok(())
    }

    fn check(&self, tokens: &[u32]) -> Result<()> {
        if self.progress == Progress::Lost {
            return Err(Fault::new(Code::EngineFailed, "an earlier run has failed; reset the session first"));
        }
        if let Some((index, token)) =
            tokens.iter().enumerate().find(|(_, token)| u64::from(**token) >= self.program.vocab)
        {
            let message = format!("token {index} is {token}, expected 0 to {}", self.program.vocab - 1);
            return Err(Fault::new(Code::TokenOutOfRange, message));
        }
        if tokens.len() > self.remaining() {
            let (count, capacity) = (tokens.len(), self.program.capacity);
            let message = format!("{count} tokens at position {}, the capacity is {capacity}", self.position);
            return Err(Fault::new(Code::SequenceFull, message));
        }
        Ok(())
    }

    fn check_ready(&self) -> Result<()> {
        match self.progress {
            Progress::Ready => Ok(()),
            Progress::Empty => Err(Fault::new(Code::NothingToRun, "no token has been run, so there are no results")),
            Progress::Lost => Err(Fault::new(Code::EngineFailed, "the run has failed, so there are no results")),
        }
    }

    fn run(&mut self, entry: &str, tokens: &[u32]) -> Result<()> {
        self.progress = Progress::Lost;
        self.state.write(self.program.io.tokens, tokens).map_err(engine_failed)?;
        self.engine.run(entry, &mut self.state, tokens.len(), self.position, self.threads).map_err(engine_failed)?;
        self.position += tokens.len();
        self.progress = Progress::Ready;
        Ok(())
    }
}

fn engine_failed(error: anyhow::Error) -> Fault {
    Fault::new(Code::EngineFailed, format!("{error:#}"))
}
