//! One kernel call in a program, run twice natively and once by the scalar oracle, with every word compared.

use super::data::{Random, fill};
use super::shapes::{Facts, port_dims};
use super::tally::Tally;
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use cke_contracts::evidence::{InputClass, Kernel};
use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::{DType, Phase};
use cke_contracts::registry::{Contract, PortKind, Provider};
use cke_runtime::Engine;
use cke_runtime::compare::Difference;
use cke_runtime::program::{ArgValue, Invoke, Program, Step};
use cke_runtime::state::StateBlock;
use std::ops::Range;

/// What all inputs are made from.
pub const SEED: u64 = 0x5eed;

/// The most positions of a call whose kernel does not limit them.
const POSITIONS: i64 = 1 << 20;

/// A port of the call in the state block.
pub struct Buffer {
    /// The port's name.
    pub name: String,
    /// What the port is.
    pub kind: PortKind,
    /// The type of its elements.
    pub dtype: DType,
    /// Its logical shape for the most rows.
    pub dims: Vec<usize>,
    /// The order of its elements.
    pub layout: Layout,
    /// Its bytes.
    pub range: Range<usize>,
}

impl Buffer {
    /// Whether the call may read what was there before.
    pub fn is_read(&self) -> bool {
        matches!(self.kind, PortKind::Input | PortKind::Weight | PortKind::State)
    }

    fn is_result(&self) -> bool {
        matches!(self.kind, PortKind::Output | PortKind::State)
    }
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Rows.
    pub rows: usize,
    /// The position of the first row.
    pub position: usize,
    /// What the inputs hold.
    pub inputs: InputClass,
}

/// A compiled kernel with the program around it.
pub struct Bench<'b> {
    contract: &'b Contract,
    facts: &'b Facts,
    entry: String,
    invoke: Invoke,
    buffers: Vec<Buffer>,
    program: Program,
    engine: Box<dyn Engine>,
}

impl<'b> Bench<'b> {
    /// The bench of the only call in an entry of a program.
    pub fn new(
        provider: &Provider,
        contract: &'b Contract,
        facts: &'b Facts,
        phase: Phase,
        program: &Program,
        engine: impl FnOnce(&Program) -> Result<Box<dyn Engine>>,
    ) -> Result<Self> {
        let entry = program.entry(phase.as_str()).with_context(|| format!("the program has no entry '{phase}'"))?;
        let invokes = entry.steps.iter().filter_map(|step| match step {
            Step::Invoke(invoke) => Some(invoke),
            Step::Barrier => None,
        });
        let [invoke] = invokes.collect::<Vec<_>>()[..] else { bail!("entry '{phase}' has not one call") };
        ensure!(invoke.provider == provider.id, "the compiler chose '{}', not '{}'", invoke.provider, provider.id);
        let rows = if phase == Phase::Decode { 1 } else { usize::try_from(program.max_rows)? };
        let buffers = buffers(provider, facts, invoke, rows)?;
        // Only some operations know of positions; a program without them is planned for one.
        let most = ["capacity", "positions"].iter().filter_map(|name| facts.get(*name)).min().copied();
        let capacity = u64::try_from(most.unwrap_or(POSITIONS))?;
        let program = Program { capacity, ..program.clone() };
        let engine = engine(&program)?;
        let (entry, invoke) = (phase.to_string(), Invoke::clone(invoke));
        Ok(Self { contract, facts, entry, invoke, buffers, program, engine })
    }

    /// What the kernel was made from.
    pub fn kernel(&self) -> Result<Kernel> {
        let phase = Phase::ALL.iter().find(|phase| phase.as_str() == self.entry).context("an entry without phase")?;
        Ok(Kernel { phase: *phase, shape: self.invoke.shape.clone(), params: self.invoke.params.clone() })
    }

    /// Whether the program has room for a call.
    pub fn has_room(&self, call: &Call) -> bool {
        call.rows as u64 <= self.program.max_rows && (call.position + call.rows) as u64 <= self.program.capacity
    }

    /// Runs a call twice on each number of threads; then, and only if both gave the same bits, compares them with those
    /// of the oracle.
    pub fn check(&self, call: &Call, threads: &[usize], tally: &mut Tally) -> Result<()> {
        let before = self.before(call)?;
        let mut found = Vec::new();
        for &threads in threads {
            let first = self.native(call, &before, threads)?;
            let name = self.name(call);
            if first.bytes() != self.native(call, &before, threads)?.bytes() {
                bail!("{name}, {threads} threads: not repeatable: two runs gave different bits");
            }
            found.push((threads, first));
        }
        let expected = self.expected(call, &before)?;
        for (threads, found) in found {
            tally.case(self.results(expected.bytes()));
            self.compare(expected.bytes(), found.bytes())
                .map_err(|rule| anyhow!("{}, {threads} threads: differs from the oracle in {rule}", self.name(call)))?;
        }
        Ok(())
    }

    /// Compares all words but those of scratch.
    fn compare(&self, expected: &[u8], found: &[u8]) -> Result<(), String> {
        if expected == found {
            return Ok(());
        }
        let words = expected.chunks_exact(4).zip(found.chunks_exact(4)).enumerate();
        let Some((word, (expected, found))) =
            words.into_iter().find(|(word, (expected, found))| expected != found && !self.is_scratch(4 * word))
        else {
            return Ok(());
        };
        let bits = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let port = self.buffers.iter().find(|buffer| buffer.range.contains(&(4 * word)));
        let (name, index) = match port {
            Some(buffer) => (format!("port '{}'", buffer.name), word - buffer.range.start / 4),
            None => ("memory that belongs to no port".to_owned(), word),
        };
        Err(format!("{name}, {}", Difference { index, expected: bits(expected), found: bits(found) }))
    }

    fn native(&self, call: &Call, before: &[u8], threads: usize) -> Result<StateBlock> {
        let mut state = StateBlock::new(self.program.state_bytes)?;
        state.bytes_mut().copy_from_slice(before);
        self.engine.run(&self.entry, &mut state, call.rows, call.position, threads)?;
        Ok(state)
    }

    /// The state after the oracle's call. An oracle that cannot execute the contract is a fault: nothing was compared.
    fn expected(&self, call: &Call, before: &[u8]) -> Result<StateBlock> {
        let mut state = StateBlock::new(self.program.state_bytes)?;
        state.bytes_mut().copy_from_slice(before);
        let ports: Vec<_> = self
            .buffers
            .iter()
            .map(|buffer| cke_oracle::Port {
                name: &buffer.name,
                offset: buffer.range.start,
                layout: buffer.layout,
                element: cke_oracle::Element::default(),
            })
            .collect();
        let oracle = cke_oracle::Call {
            contract: self.contract,
            op: &self.invoke.op,
            shape: &self.invoke.shape,
            params: &self.invoke.params,
            ports: &ports,
            rows: call.rows,
            position: call.position,
            context: cke_oracle::Context::default(),
        };
        cke_oracle::execute(&oracle, state.bytes_mut())
            .map_err(|rule| anyhow!("{}: the scalar oracle cannot execute the contract: {rule}", self.name(call)))?;
        Ok(state)
    }

    /// The state before the call.
    fn before(&self, call: &Call) -> Result<Vec<u8>> {
        let mut state = vec![0; usize::try_from(self.program.state_bytes)?];
        let mut random =
            Random::new(SEED ^ (call.rows as u64) << 32 ^ (call.position as u64) << 8 ^ call.inputs as u64);
        fill(&mut state, &self.buffers, self.facts, call, &mut random);
        Ok(state)
    }

    /// The bytes of all results.
    fn results<'s>(&self, state: &'s [u8]) -> Vec<&'s [u8]> {
        self.buffers.iter().filter(|buffer| buffer.is_result()).map(|buffer| &state[buffer.range.clone()]).collect()
    }

    fn is_scratch(&self, byte: usize) -> bool {
        self.buffers.iter().any(|buffer| buffer.kind == PortKind::Scratch && buffer.range.contains(&byte))
    }

    fn name(&self, call: &Call) -> String {
        let shape: Vec<_> = self.invoke.shape.iter().map(|(name, extent)| format!("{name}={extent}")).collect();
        let Call { rows, position, inputs } = call;
        format!(
            "error: '{}' {} {}: {rows} rows at {position}, inputs '{inputs}'",
            self.invoke.function,
            self.entry,
            shape.join(" ")
        )
    }
}

fn buffers(provider: &Provider, facts: &Facts, invoke: &Invoke, rows: usize) -> Result<Vec<Buffer>> {
    let mut buffers = Vec::new();
    for arg in &invoke.args {
        let ArgValue::Offset(offset) = arg.value else { continue };
        let (kind, port) = provider.port(&arg.name).with_context(|| format!("no port '{}'", arg.name))?;
        let start = usize::try_from(offset)?;
        buffers.push(Buffer {
            name: arg.name.clone(),
            kind,
            dtype: port.dtype,
            dims: if kind == PortKind::Scratch { Vec::new() } else { port_dims(port, facts, rows)? },
            layout: Layout::parse(&arg.layout)?,
            range: start..start + usize::try_from(arg.bytes)?,
        });
    }
    Ok(buffers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::leaf;
    use cke_contracts::registry::Registry;
    use std::sync::atomic::{AtomicU32, Ordering};

    const CALL: Call = Call { rows: 1, position: 0, inputs: InputClass::Ordinary };

    /// What an engine does to the state of the call `y = a + b` of 16 elements.
    type Act = fn(&mut [u8], &[Range<usize>], u32);

    /// An engine that is wrong in a way of its own.
    struct Doctored {
        act: Act,
        ports: Vec<Range<usize>>,
        runs: AtomicU32,
    }

    impl Engine for Doctored {
        fn run(&self, _: &str, state: &mut StateBlock, _: usize, _: usize, _: usize) -> Result<()> {
            (self.act)(state.bytes_mut(), &self.ports, self.runs.fetch_add(1, Ordering::Relaxed));
            Ok(())
        }
    }

    fn add(state: &mut [u8], ports: &[Range<usize>], _: u32) {
        for at in (0..ports[2].len()).step_by(4) {
            let word = |port: usize| -> [u8; 4] { state[ports[port].start + at..][..4].try_into().expect("4 bytes") };
            let sum = f32::from_le_bytes(word(0)) + f32::from_le_bytes(word(1));
            state[ports[2].start + at..][..4].copy_from_slice(&sum.to_le_bytes());
        }
    }

    /// The outcome of a check of the residual addition under a contract.
    fn outcome(act: Act, change: impl FnOnce(&mut Contract)) -> Result<u64, String> {
        let registry = Registry::native().unwrap();
        let provider = &registry.providers["cke_residual_add_fp32"];
        let facts = Facts::from([("dim".to_owned(), 16)]);
        let kernel = leaf::kernel(provider, &facts, &Default::default(), Phase::Decode).unwrap();
        let program = leaf::program(provider, "residual_add_fp32", &facts, &kernel).unwrap();
        let mut contract = registry.contracts["residual_add_fp32"].clone();
        change(&mut contract);
        let Step::Invoke(invoke) = &program.entries[0].steps[0] else { panic!("a call") };
        let ports = buffers(provider, &facts, invoke, 1).unwrap().into_iter().map(|buffer| buffer.range).collect();
        let engine = Doctored { act, ports, runs: AtomicU32::new(0) };
        let bench = Bench::new(provider, &contract, &facts, Phase::Decode, &program, |_| Ok(Box::new(engine))).unwrap();
        let mut tally = Tally::default();
        bench.check(&CALL, &[2], &mut tally).map_err(|error| error.to_string())?;
        Ok(tally.comparisons)
    }

    #[test]
    fn an_engine_that_follows_the_contract_passes() {
        assert_eq!(outcome(add, |_| {}), Ok(16));
    }

    /// Before any comparison: the second run of the same call gives other bits.
    #[test]
    fn regression_26_a_run_that_does_not_repeat_itself_is_refused_first() {
        let flaky: Act = |state, ports, run| {
            add(state, ports, run);
            state[ports[2].start] ^= run as u8;
        };
        let error = outcome(flaky, |_| {}).unwrap_err();
        assert!(error.contains("not repeatable: two runs gave different bits"), "{error}");
        // Also where the oracle would have had nothing to say.
        let error = outcome(flaky, pin).unwrap_err();
        assert!(error.contains("not repeatable"), "{error}");
    }

    fn pin(contract: &mut Contract) {
        let Contract::Execution(contract) = contract else { panic!("an execution contract") };
        contract.semantics.as_mut().unwrap().thread_pin = Some(2);
    }

    /// An oracle that was asked for and cannot answer is a fault; nothing takes its place.
    #[test]
    fn regression_32_an_oracle_that_cannot_execute_the_contract_is_no_pass() {
        let error = outcome(add, pin).unwrap_err();
        assert!(error.contains("the scalar oracle cannot execute the contract: "), "{error}");
        assert!(error.contains("thread_pin is 2"), "{error}");
    }

    #[test]
    fn every_wrong_bit_is_found_wherever_it_is() {
        let last_bit: Act = |state, ports, run| {
            add(state, ports, run);
            state[ports[2].end - 4] ^= 1;
        };
        let sign_of_zero: Act = |state, ports, run| {
            add(state, ports, run);
            state[ports[2].start + 3] ^= 0x80;
        };
        let nothing: Act = |_, _, _| {};
        for act in [last_bit, sign_of_zero, nothing] {
            let error = outcome(act, |_| {}).unwrap_err();
            assert!(error.contains("differs from the oracle in port 'y', index"), "{error}");
        }
        let input: Act = |state, ports, run| {
            add(state, ports, run);
            state[ports[0].start] ^= 1;
        };
        assert!(outcome(input, |_| {}).unwrap_err().contains("in port 'a', index 0"));
        let outside: Act = |state, ports, run| {
            add(state, ports, run);
            state[ports[2].end + 4] ^= 1;
        };
        assert!(outcome(outside, |_| {}).unwrap_err().contains("in memory that belongs to no port"));
    }
}
