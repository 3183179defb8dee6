//! What a map says for readers, builds and benchmarks.

use std::collections::BTreeMap;

use crate::circuit::Fact;
use crate::registry::vocabulary::ReductionOrderEffect;
use crate::v8::record::{FreeForm, Size, record};

record! {
    /// What is called.
    Impl {
        required {
            /// The function.
            function: String,
        }
        optional {
            /// Its declaration in C.
            c_declaration: String,
            /// Where it is written.
            sources: Vec<String>,
            /// Builds of it for instruction sets.
            variants: Vec<ImplVariant>,
        }
    }
}

record! {
    /// A build for an instruction set.
    ImplVariant {
        required {
            /// Its name.
            name: String,
        }
        optional {
            /// The instruction sets it needs.
            requires: Vec<String>,
            /// Flags of the C compiler.
            compile_flags: Vec<String>,
            /// The function, where it has its own.
            function: String,
            /// The greatest wins among those that can run.
            priority: i64,
            /// What it demands of extents.
            shape_constraints: BTreeMap<String, FreeForm>,
        }
    }
}

record! {
    /// What a map can be used for.
    Modes {
        optional {
            /// Computing results.
            inference: bool,
            /// Training.
            training: bool,
            /// Gradients.
            backward: bool,
        }
    }
}

record! {
    /// How work may be cut.
    Parallelization {
        optional {
            /// Along what.
            supported: Vec<String>,
            /// Along what by preference.
            preferred: PreferredStrategy,
            /// The cuts.
            strategies: Vec<Strategy>,
        }
    }
}

record! {
    /// The cut that is preferred; null where none is.
    PreferredStrategy {
        nullable {
            /// When a prompt is read.
            prefill: String,
            /// When one row is decoded.
            decode: String,
        }
    }
}

record! {
    /// A cut of the work.
    Strategy {
        required {
            /// Its name.
            name: String,
        }
        optional {
            /// The extent that is cut.
            partition_dim: String,
            /// How the function is told its part.
            param_style: String,
            /// What a part may be.
            range: StrategyRange,
            /// For a reader.
            notes: String,
        }
    }
}

record! {
    /// What a part of the work may be.
    StrategyRange {
        optional {
            /// The least extent.
            min_chunk: u64,
            /// Where it may begin.
            align_bytes: u64,
            /// Whether the last may be smaller.
            allow_tail: bool,
        }
    }
}

record! {
    /// Which functions serve a phase.
    PhaseChoice {
        optional {
            /// The family of operations.
            op_family: String,
            /// The map used unless another is promoted.
            default_kernel: String,
            /// How it reads the weight.
            layout: String,
            /// The functions among which the owner chooses.
            candidates: Vec<PhaseCandidate>,
            /// The one function that may choose.
            dispatch_owner: String,
            /// How it chooses.
            selection_policy: String,
            /// For a reader.
            notes: String,
        }
    }
}

record! {
    /// A function among which the owner of a phase chooses.
    PhaseCandidate {
        required {
            /// Its name.
            name: String,
            /// The function.
            function: String,
        }
        optional {
            /// How it reads the weight.
            layout: String,
            /// How it reads the activation.
            activation_layout: String,
            /// How many threads suit it.
            threading: CandidateThreading,
            /// What must be shown before it is used.
            promotion: String,
            /// What it needs.
            requires: Vec<String>,
        }
    }
}

record! {
    /// How many threads suit a function.
    CandidateThreading {
        optional {
            /// By default.
            default_concurrency: String,
            /// At most.
            capacity: String,
            /// Beyond one thread a core.
            smt_extension: String,
            /// The least extents that are worth it.
            shape_minimum: BTreeMap<String, u64>,
            /// What threads do to the order of a reduction.
            reduction_order_effect: ReductionOrderEffect,
        }
    }
}

record! {
    /// How weights are made ready before the first call.
    WeightPreparation {
        required {
            /// The function.
            function: String,
            /// The bytes of the prepared weight.
            prepared_bytes: Size,
            /// The most bytes that all prepared weights may take.
            max_total_bytes: u64,
            /// The function used if they would take more.
            fallback: String,
        }
        optional {
            /// The arguments of the function.
            arguments: Vec<FreeForm>,
        }
    }
}

record! {
    /// What a map demands of extents.
    Constraints {
        optional {
            /// What an extent must be a multiple of.
            alignment: BTreeMap<String, u32>,
            /// For a reader.
            notes: String,
        }
    }
}

record! {
    /// The tests of a map.
    Tests {
        optional {
            /// Of the function.
            unit: Vec<String>,
            /// Of its speed.
            bench: Vec<String>,
            /// Comparisons with other implementations.
            parity: Vec<Parity>,
        }
    }
}

record! {
    /// A comparison with another implementation.
    Parity {
        required {
            /// Which implementation.
            kind: String,
            /// The command.
            command: String,
        }
        optional {
            /// How near it must come.
            tolerance: Fact,
            /// For a reader.
            notes: String,
        }
    }
}
