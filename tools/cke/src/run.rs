//! `cke run`: compiles a model, continues a text, and says what was computed by which contracts.

use crate::cli::RunArguments;
use crate::load::{compile_module, context, import_model};
use crate::progress;
use anyhow::{Context as _, Result};
use cke_passes::describe;
use cke_passes::driver::Failure;
use cke_passes::pipelines::Level;
use cke_runtime::gguf::Gguf;
use cke_runtime::prepare::{Progress, prepare};
use cke_runtime::program::{Program, Step};
use cke_runtime::sampler::Sampler;
use cke_runtime::session::Session;
use cke_runtime::tokenizer::Tokenizer;
use cke_target_llvm::jit::CompiledEngine;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

/// Runs the sub-command.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let start = Instant::now();
    let threads = match arguments.threads {
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut sampler = match arguments.temperature {
        Some(temperature) => Some(Sampler::at_temperature(temperature, arguments.seed)?),
        None => None,
    };
    let model = Gguf::open(&arguments.model)?;
    let tokenizer = Tokenizer::from_gguf(&model)?;
    let prompt = tokenizer.encode(&arguments.prompt)?;

    let spinner = progress::spinner("compile");
    let context = context();
    let mut module = import_model(&context, &model, &arguments.compile)?;
    let mut program = None;
    let object = compile_module(&mut module, &arguments.compile, &mut |level, module| {
        if level == Level::Call {
            program = Some(describe(module.op()).map_err(Failure::Other)?);
        }
        Ok(())
    })?;
    let program = program.context("error: an imported model always passes the call level")?;
    let engine = CompiledEngine::new(&program, &object)?;
    spinner.finish_and_clear();
    let compile = start.elapsed();

    let bar = progress::bar("weights", 1);
    let state = prepare(&program, &model, threads, &|progress: Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    })?;
    bar.finish_and_clear();

    let mut session = Session::new(&program, &engine, state, threads)?;
    let mut output = Output::new(arguments.ids, &tokenizer, &arguments.prompt, &prompt)?;
    let begin = Instant::now();
    session.prefill(&prompt)?;
    let mut generated = 0_usize;
    let mut first = None;
    for step in 0..arguments.n {
        let token = match &mut sampler {
            Some(sampler) => sampler.next(session.logits()?),
            None => session.next_token()?,
        };
        first.get_or_insert_with(|| (start.elapsed(), Instant::now()));
        if Some(token) == tokenizer.end() {
            break;
        }
        output.token(token)?;
        generated += 1;
        if step + 1 == arguments.n || session.remaining() == 0 {
            break;
        }
        session.decode(token)?;
    }
    output.finish()?;
    let (to_first, decoding) = first.unwrap_or((start.elapsed(), Instant::now()));
    let timing = Timing {
        compile,
        to_first,
        prefill: decoding.duration_since(begin),
        decode: decoding.elapsed(),
        prompt: prompt.len(),
        generated,
        threads,
    };
    summary(&program, &timing);
    Ok(())
}

/// Tokens on standard output, as text or ids, as they come.
struct Output<'t> {
    ids: bool,
    decoder: cke_runtime::tokenizer::Decoder<'t>,
}

impl<'t> Output<'t> {
    fn new(ids: bool, tokenizer: &'t Tokenizer, text: &str, prompt: &[u32]) -> Result<Self> {
        if ids {
            for token in prompt {
                write(&format!("{token} "))?;
            }
            write("->")?;
        } else {
            write(text)?;
        }
        Ok(Output { ids, decoder: tokenizer.decoder() })
    }

    fn token(&mut self, token: u32) -> Result<()> {
        let text = if self.ids { format!(" {token}") } else { self.decoder.push(token)? };
        write(&text)
    }

    fn finish(self) -> Result<()> {
        write(&format!("{}\n", self.decoder.finish()))
    }
}

fn write(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("error: cannot write the output")
}

/// What took how long.
struct Timing {
    compile: Duration,
    to_first: Duration,
    prefill: Duration,
    decode: Duration,
    prompt: usize,
    generated: usize,
    threads: usize,
}

/// The closing summary, on standard error.
fn summary(program: &Program, timing: &Timing) {
    let rate = |tokens: usize, time: Duration| tokens as f64 / time.as_secs_f64().max(1e-9);
    let decoded = timing.generated.saturating_sub(1);
    let mut used: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for step in program.entries.iter().flat_map(|entry| &entry.steps) {
        if let Step::Invoke(invoke) = step {
            *used.entry((invoke.contract.as_str(), invoke.provider.as_str())).or_default() += 1;
        }
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header(["contract", "provider", "operations"]);
    for ((contract, provider), operations) in used {
        table.add_row([contract.to_owned(), provider.to_owned(), operations.to_string()]);
    }
    eprintln!("\n{table}\n");
    eprintln!(
        "compiled in {:.2} s, first token after {:.2} s; {} threads",
        timing.compile.as_secs_f64(),
        timing.to_first.as_secs_f64(),
        timing.threads
    );
    eprintln!(
        "prompt {} tokens, {:.1} tokens/s; generated {} tokens, {:.1} tokens/s",
        timing.prompt,
        rate(timing.prompt, timing.prefill),
        timing.generated,
        rate(decoded, timing.decode)
    );
    eprintln!("ledger {}", program.ledger_root);
}
