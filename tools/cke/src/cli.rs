//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Runs and compiles programs whose numerical meaning is declared.
#[derive(Debug, Parser)]
#[command(name = "cke", version, about, max_term_width = 110)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The sub-commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile a model and continue a text
    Run(RunArguments),
    /// Compile a model, or an .mlir file of any level, to an object file
    Compile(CompileArguments),
    /// Resolve the circuits of a registry in an .mlir file: what is bound to what, and what nothing governs
    Resolve(ResolveArguments),
    /// Explain a fault code, or the decision for an operation of a module
    Explain(ExplainArguments),
    /// Run what claims rest on, check the records, or show them
    Evidence(EvidenceArguments),
}

/// How strict resolution is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Accept contracts and providers that are not validated yet
    Bringup,
    /// Refuse everything that is not validated
    Production,
}

impl Mode {
    /// The spelling of pass options.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Bringup => "bringup",
            Mode::Production => "production",
        }
    }
}

/// How a model is compiled.
#[derive(Debug, Clone, Args)]
pub struct CompileOptions {
    /// bringup or production
    #[arg(long, value_enum, default_value_t = Mode::Bringup)]
    pub mode: Mode,
    /// Instruction set: native, x86-64-v3, x86-64-v4 or aarch64
    #[arg(long, default_value = "native", value_name = "ISA")]
    pub isa: String,
    /// Positions that the caches hold [default: the model's context, at most 2048]
    #[arg(long, value_name = "N")]
    pub context: Option<u32>,
    /// Rows that one prefill call takes
    #[arg(long, default_value_t = 64, value_name = "N")]
    pub max_rows: u32,
    /// Write one .mlir file a level into this directory
    #[arg(long, value_name = "DIR")]
    pub dump_ir: Option<PathBuf>,
}

/// Arguments of `cke run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The model, a GGUF file
    pub model: PathBuf,
    /// The text to continue
    #[arg(short, long)]
    pub prompt: String,
    /// How many tokens to generate at most
    #[arg(short, long, default_value_t = 64, value_name = "N")]
    pub n: usize,
    /// Print token ids instead of text
    #[arg(long)]
    pub ids: bool,
    /// Always take the most likely token (the default)
    #[arg(long, conflicts_with = "temperature")]
    pub greedy: bool,
    /// Sample with this temperature
    #[arg(long, value_name = "T")]
    pub temperature: Option<f32>,
    /// Seed of the sampler
    #[arg(long, default_value_t = 0, value_name = "S", requires = "temperature")]
    pub seed: u64,
    /// Threads [default: the available cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How to compile.
    #[command(flatten)]
    pub compile: CompileOptions,
}

/// Arguments of `cke compile`.
#[derive(Debug, Args)]
pub struct CompileArguments {
    /// A GGUF file, or an .mlir file of any level
    pub input: PathBuf,
    /// Where to write the object file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// How to compile.
    #[command(flatten)]
    pub compile: CompileOptions,
}

/// Arguments of `cke resolve`.
#[derive(Debug, Args)]
pub struct ResolveArguments {
    /// A module with a registry and circuits, as `cke-translate --import-contracts` writes it
    pub input: PathBuf,
    /// One circuit of the module [default: all]
    #[arg(long, value_name = "NAME")]
    pub circuit: Option<String>,
    /// The weight manifest of the module that says how weights are stored
    #[arg(long, value_name = "NAME")]
    pub manifest: Option<String>,
    /// A value that selectors look at
    #[arg(long, value_name = "KEY=VALUE", value_parser = crate::resolve::config_value)]
    pub config: Vec<(String, cke_contracts::circuit::Fact)>,
    /// bringup or production
    #[arg(long, value_enum, default_value_t = Mode::Bringup)]
    pub mode: Mode,
}

/// Arguments of `cke explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// A fault code, such as CKE-C002, or with --in the name of an operation: its instance, the end of one, or its
    /// operation in the circuit. Without a name, the list of all codes
    pub subject: Option<String>,
    /// The module the operation stands in
    #[arg(long = "in", value_name = "FILE.mlir")]
    pub file: Option<PathBuf>,
}

/// Arguments of `cke evidence`.
#[derive(Debug, Args)]
pub struct EvidenceArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: EvidenceCommand,
}

/// The sub-commands of `cke evidence`.
#[derive(Debug, Subcommand)]
pub enum EvidenceCommand {
    /// Run kernels and models against the scalar oracle and write the records
    Run(EvidenceRunArguments),
    /// Fail if a validated claim has no matching record
    Check(EvidencePlace),
    /// Show every claim with what the records say of it
    Show(EvidenceShowArguments),
}

/// Arguments of `cke evidence run`.
#[derive(Debug, Args)]
pub struct EvidenceRunArguments {
    /// Only this provider
    #[arg(long, value_name = "ID")]
    pub provider: Option<String>,
    /// Only this instruction set [default: those that claims are made for]
    #[arg(long, value_name = "ISA")]
    pub isa: Option<String>,
    /// Only this level: leaf, public_route, layer, stitched or token_replay
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<String>,
    /// Where the records are
    #[arg(long, default_value = "contracts/evidence", value_name = "DIR")]
    pub out: PathBuf,
    /// A model to replay tokens of as well, if it is there; nothing is recorded of it
    #[arg(long, default_value = "build/models/SmolLM2-135M-Instruct.Q4_1.gguf", value_name = "FILE")]
    pub model: PathBuf,
}

/// Where records are read.
#[derive(Debug, Args)]
pub struct EvidencePlace {
    /// Read the records here [default: those built in]
    #[arg(long, value_name = "DIR")]
    pub records: Option<PathBuf>,
}

/// Arguments of `cke evidence show`.
#[derive(Debug, Args)]
pub struct EvidenceShowArguments {
    /// Write a page for a browser instead of a table
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Where the records are.
    #[command(flatten)]
    pub place: EvidencePlace,
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
