//! The named pipelines and the levels between which they lead.

use crate::body;
use cke_mlir::ir::{Module, Op};
use cke_mlir::pass::{OptionDef, OptionKind, PipelineDef};
use cke_target_llvm::TO_LLVM_DIALECT;

/// What a pipeline is told.
#[derive(Debug, Clone)]
pub struct Options {
    /// `bringup` or `production`.
    pub mode: String,
    /// Instruction set, as `Isa::parse` reads it.
    pub isa: String,
    /// Rows that one prefill call takes.
    pub max_rows: u32,
}

/// A level of IR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Requests without decisions.
    Graph,
    /// With decisions.
    Resolved,
    /// On planned buffers.
    Lowered,
    /// Ordered arguments.
    Call,
    /// Code.
    Llvm,
}

impl Level {
    /// All levels in order.
    pub const ALL: [Level; 5] = [Level::Graph, Level::Resolved, Level::Lowered, Level::Call, Level::Llvm];

    /// The name, also of the file a dump writes.
    pub fn name(self) -> &'static str {
        match self {
            Level::Graph => "graph",
            Level::Resolved => "resolved",
            Level::Lowered => "lowered",
            Level::Call => "call",
            Level::Llvm => "llvm",
        }
    }

    /// The level of a module: what its lowest operation is.
    pub fn of(module: &Module) -> Level {
        let has = |test: fn(&Op<'_>) -> bool| body::ops(module.op()).iter().any(test);
        if has(|op| op.attr(cke_dialects::call::PHASE).is_some()) {
            Level::Llvm
        } else if has(|op| op.name() == "call.program") {
            Level::Call
        } else if has(|op| op.name() == "lowered.program") {
            Level::Lowered
        } else if has(|op| op.name() == "contract.ledger") {
            Level::Resolved
        } else {
            Level::Graph
        }
    }

    /// The passes that lead from this level to the next; none from the last. Every one is followed by
    /// `verify-contracts`.
    pub fn passes(self, options: &Options) -> Vec<String> {
        match self {
            Level::Graph => vec![format!("resolve-contracts{{mode={}}}", options.mode)],
            Level::Resolved => {
                vec![format!("lower-graph{{max-rows={}}}", options.max_rows), "plan-memory".to_owned()]
            }
            Level::Lowered => vec!["lower-to-call".to_owned()],
            Level::Call => {
                let synthesis = format!("synthesize-kernels{{isa={}}}", options.isa);
                let upstream = TO_LLVM_DIALECT.split(',').map(str::to_owned);
                std::iter::once(synthesis).chain(upstream).chain(["lower-call-to-llvm".to_owned()]).collect()
            }
            Level::Llvm => Vec::new(),
        }
    }

    /// The pipeline text from this level to the next.
    pub fn pipeline(self, options: &Options) -> String {
        let steps: Vec<_> = self.passes(options).into_iter().map(|pass| format!("{pass},verify-contracts")).collect();
        format!("builtin.module(verify-contracts,{})", steps.join(","))
    }
}

/// `cke-cpu`: from requests to the LLVM dialect.
pub static CKE_CPU: PipelineDef = PipelineDef {
    name: "cke-cpu",
    summary: "From a circuit to the LLVM dialect: resolve, lower, plan, synthesise; contracts verified after every pass",
    options: &[
        OptionDef { name: "mode", kind: OptionKind::Str, default: "bringup", help: "bringup or production" },
        OptionDef { name: "isa", kind: OptionKind::Str, default: "native", help: "Instruction set to tile for" },
        OptionDef { name: "max-rows", kind: OptionKind::Int, default: "64", help: "Rows that one prefill call takes" },
    ],
    expand: |given| {
        let max_rows = given.int("max-rows");
        let max_rows = u32::try_from(max_rows).map_err(|_| format!("'max-rows' is {max_rows}, expected 1 to 65536"))?;
        let options = Options { mode: given.str("mode").to_owned(), isa: given.str("isa").to_owned(), max_rows };
        let passes: Vec<_> = Level::ALL.iter().flat_map(|level| level.passes(&options)).collect();
        let steps: Vec<_> = passes.into_iter().map(|pass| format!("{pass},verify-contracts")).collect();
        Ok(steps.join(","))
    },
};
